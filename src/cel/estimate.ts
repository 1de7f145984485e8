// The least and the greatest cost of an expression, by the sizes that the types of its variables allow. The reference refuses rules by
// these numbers (P-339), so every calculation equals the reference's, even odd ones.
import type { Call, Expr, Fold, ListLiteral, MapLiteral, Select } from './ast.ts'
import { estimateCall } from './call-estimate.ts'
import type { Checked } from './checker.ts'
import { add, type CostEstimate, type EntrySizes, exactly, type Node, times, union, UNKNOWN } from './cost-range.ts'
import { ACCUMULATOR } from './macros.ts'
import { LIST_COST, MAP_COST, STRUCT_COST, characters } from './runtime-cost.ts'
import { DYN, type Type } from './type.ts'

export type { CostEstimate } from './cost-range.ts'

type Path = readonly string[]

interface LocalVariable {
  readonly name: string
  readonly path: Path
  readonly size: CostEstimate | undefined
  readonly entries: EntrySizes | undefined
}

export function estimateCost(
  expression: Expr,
  checked: Checked,
  variable: (name: string) => Type | undefined,
): CostEstimate {
  return new Estimator(checked, variable).cost(expression)
}

const ZERO = exactly(0)
const ONE = exactly(1)
const LOOKS_COUNT: ReadonlySet<string> = new Set(['map', 'object', 'parameter'])

class Estimator {
  readonly #checked: Checked
  readonly #variable: (name: string) => Type | undefined
  readonly #paths = new Map<Expr, Path>()
  readonly #sizes = new Map<Expr, CostEstimate>()
  readonly #entries = new Map<Expr, EntrySizes>()
  readonly #locals: LocalVariable[] = []

  constructor(checked: Checked, variable: (name: string) => Type | undefined) {
    this.#checked = checked
    this.#variable = variable
  }

  cost(node: Expr): CostEstimate {
    switch (node.kind) {
      case 'literal':
        return ZERO
      case 'ident':
        this.#paths.set(node, this.#local(node.name)?.path ?? [this.#checked.names.get(node) ?? node.name])
        return ONE
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return node.fields.reduce((sum, field) => add(sum, this.cost(field.value)), exactly(STRUCT_COST))
      case 'fold':
        return isBinding(node) ? this.#binding(node) : this.#fold(node)
    }
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.findLast((each) => each.name === name)
  }

  #type(node: Expr): Type {
    return this.#checked.types.get(node) ?? DYN
  }

  #path(node: Expr): Path {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined
    return local?.path ?? this.#paths.get(node) ?? []
  }

  #select(node: Select): CostEstimate {
    const name = this.#checked.names.get(node)
    if (name !== undefined) {
      this.#paths.set(node, [name])
      return ONE
    }
    const operand = this.cost(node.operand)
    if (node.testOnly) return operand
    this.#paths.set(node, [...this.#path(node.operand), node.field])
    return LOOKS_COUNT.has(this.#type(node.operand).kind) ? add(operand, ONE) : operand
  }

  #call(node: Call): CostEstimate {
    const resolved = this.#checked.calls.get(node)
    if (resolved === undefined) return ZERO
    const { name } = resolved.definition
    const isMember = resolved.args.length > node.args.length
    const [first] = node.args
    if (name === 'dyn' && first !== undefined) return this.#dyn(node, first)
    const argCosts = node.args.map((arg) => this.cost(arg))
    const args = node.args.map((arg) => this.#node(arg))
    const target = isMember ? resolved.args[0] : undefined
    const sum = target === undefined ? ZERO : this.cost(target)
    const targetNode = target === undefined ? undefined : this.#node(target)
    let cost: CostEstimate = { min: Number.POSITIVE_INFINITY, max: 0 }
    let size: CostEstimate | undefined
    for (const overload of resolved.overloads) {
      const estimate = estimateCall({ name, overload, target: targetNode, args, argCosts })
      cost = union(cost, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size)
      if (estimate.entries !== undefined) this.#entries.set(node, estimate.entries)
      if (overload === 'index_list' || overload === 'index_map') size = this.#indexed(node, overload, first)
      size ??= this.#size(node)
    }
    if (size !== undefined) this.#sizes.set(node, size)
    return add(sum, cost)
  }

  #indexed(node: Call, overload: string, container: Expr | undefined): CostEstimate | undefined {
    if (container === undefined) return undefined
    this.#paths.set(node, [...this.#path(container), overload === 'index_list' ? '@items' : '@values'])
    return this.#entrySizes(container)?.value
  }

  #dyn(node: Call, argument: Expr): CostEstimate {
    const cost = this.cost(argument)
    this.#copySizes(node, argument)
    return add(ONE, cost)
  }

  #copySizes(to: Expr, from: Expr): void {
    const [size, entries] = [this.#size(from), this.#entrySizes(from)]
    if (size !== undefined) this.#sizes.set(to, size)
    if (entries !== undefined) this.#entries.set(to, entries)
  }

  #node(node: Expr): Node {
    const path = this.#path(node)
    const known = path[0] === ACCUMULATOR ? [] : path
    return {
      expression: node,
      type: this.#type(node),
      size: this.#size(node),
      entries: this.#entrySizes(node),
      itemSize: () => (known.length === 0 ? undefined : this.#declaredSize([...known, '@items'])),
    }
  }

  #list(node: ListLiteral): CostEstimate {
    let cost = exactly(LIST_COST)
    let value: CostEstimate = { min: node.items.length === 0 ? 0 : Number.POSITIVE_INFINITY, max: 0 }
    for (const item of node.items) {
      cost = add(cost, this.cost(item.value))
      value = union(value, this.#size(item.value) ?? UNKNOWN)
    }
    this.#entries.set(node, { container: 'list', key: ONE, value })
    return cost
  }

  #map(node: MapLiteral): CostEstimate {
    const none: CostEstimate = { min: node.entries.length === 0 ? 0 : Number.POSITIVE_INFINITY, max: 0 }
    let cost = exactly(MAP_COST)
    let [key, value] = [none, none]
    for (const entry of node.entries) {
      cost = add(add(cost, this.cost(entry.key)), this.cost(entry.value))
      key = union(key, this.#size(entry.key) ?? UNKNOWN)
      value = union(value, this.#size(entry.value) ?? UNKNOWN)
    }
    this.#entries.set(node, { container: 'map', key, value })
    return cost
  }

  #fold(node: Fold): CostEstimate {
    const before = add(this.cost(node.range), this.cost(node.initial))
    this.#pushBinding(node.accumulator, node.initial)
    const depth = this.#locals.length
    this.#pushItems(node)
    const each = add(this.cost(node.condition), this.cost(node.step))
    this.#locals.length = depth
    const result = this.cost(node.result)
    this.#locals.length = depth - 1
    const count = this.#size(node.range) ?? UNKNOWN
    this.#foldSize(node, count)
    return add(add(before, result), times(count, each))
  }

  #foldSize(node: Fold, count: CostEstimate): void {
    if (node.initial.kind === 'literal') {
      const size = this.#size(node.initial)
      if (size !== undefined) this.#sizes.set(node, size)
    } else if (node.initial.kind === 'list' || node.initial.kind === 'map') {
      this.#sizes.set(node, count)
      const entries = this.#entrySizes(node.step)
      if (entries !== undefined) this.#entries.set(node, entries)
    }
  }

  #pushItems(node: Fold): void {
    const entries = this.#entrySizes(node.range)
    const path = this.#path(node.range)
    const isList = (entries?.container ?? this.#type(node.range).kind) === 'list'
    const push = (name: string, part: string, size: CostEstimate | undefined): void => {
      this.#locals.push({ name, path: [...path, part], size, entries: undefined })
    }
    if (node.second !== undefined) {
      push(node.item, isList ? '@indices' : '@keys', entries?.key)
      push(node.second, isList ? '@items' : '@values', entries?.value)
    } else if (isList) push(node.item, '@items', entries?.value)
    else push(node.item, '@keys', entries?.key)
  }

  #pushBinding(name: string, value: Expr): void {
    this.#locals.push({ name, path: this.#path(value), size: this.#size(value), entries: this.#entrySizes(value) })
  }

  #binding(node: Fold): CostEstimate {
    const before = add(this.cost(node.range), this.cost(node.initial))
    this.#pushBinding(node.accumulator, node.initial)
    const result = this.cost(node.result)
    this.#locals.pop()
    this.#copySizes(node, node.result)
    return add(before, result)
  }

  #entrySizes(node: Expr): EntrySizes | undefined {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined
    return this.#entries.get(node) ?? local?.entries
  }

  #size(node: Expr): CostEstimate | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node)
    if (known !== undefined) return known
    const declared = this.#declaredSize(this.#path(node))
    if (declared !== undefined) {
      this.#sizes.set(node, declared)
      return declared
    }
    if (isScalar(this.#type(node))) return ONE
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined
  }

  /**
   * The sizes that a schema allows at a path below a variable. A root that is not a variable, such as the type name `int`, counts as
   * `self`.
   */
  #declaredSize(path: Path): CostEstimate | undefined {
    const [root, ...steps] = path
    const variable = root === undefined ? undefined : (this.#variable(root) ?? this.#variable('self'))
    let type: Type | undefined = variable?.kind === 'optional' ? variable.of : variable
    for (const step of steps) type = type === undefined ? undefined : below(type, step)
    return type !== undefined && 'bounds' in type && type.bounds !== undefined
      ? { min: 0, max: type.bounds.maxSize }
      : undefined
  }
}

function below(type: Type, step: string): Type | undefined {
  switch (step) {
    case '@items':
      return type.kind === 'list' ? type.item : type.kind === 'map' ? type.value : undefined
    case '@values':
      return type.kind === 'map' ? type.value : type.kind === 'list' ? type.item : undefined
    case '@keys':
      return type.kind === 'map' ? type.key : undefined
    default:
      if (type.kind === 'map' && type.hasSizedMembers === true) return type.value
      return type.kind === 'object' ? type.fields.get(step)?.type : undefined
  }
}

function literalSize(node: Expr): CostEstimate | undefined {
  if (node.kind === 'list') return exactly(node.items.length)
  if (node.kind === 'map') return exactly(node.entries.length)
  if (node.kind !== 'literal') return undefined
  if (typeof node.value === 'string') return exactly(characters(node.value))
  return exactly(node.value instanceof Uint8Array ? node.value.length : 1)
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function isScalar(type: Type): boolean {
  return type.kind === 'optional' ? isScalar(type.of) : SCALARS.has(type.kind)
}

function isBinding(node: Fold): boolean {
  return node.range.kind === 'list' && node.range.items.length === 0 && node.accumulator !== ACCUMULATOR
}
