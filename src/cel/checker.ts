// The type checker: the type of each node, and the possible overloads of each call. The evaluation decides the questions that types cannot
// decide (dyn). A contradiction of types is an issue, with the reference's message.
import { assignAll, assignable, moreGeneral, sameType, Substitution } from './assignable.ts'
import { type Call, type Expr, type Fold, type ListLiteral, type MapLiteral, pathOf, type Select } from './ast.ts'
import type { StructLiteral } from './ast.ts'
import type { FunctionDefinition } from './function.ts'
import { OPTIONAL_SELECT } from './operators.ts'
import type { SourceIssue } from './source.ts'
import { BOOL, DYN, ERROR, INT, listOf, mapOf, type ObjectType, optionalOf, parameter, type Type } from './type.ts'
import { typeName, withParts } from './type.ts'

export interface Scope {
  readonly variable: (name: string) => Type | undefined
  readonly fn: (name: string) => FunctionDefinition | undefined
  readonly struct: (name: string) => ObjectType | undefined
  /** The type that a name denotes: `int`, `google.protobuf.Timestamp`. */
  readonly denoted: (name: string) => Type | undefined
}

export interface ResolvedCall {
  readonly definition: FunctionDefinition
  /** The overloads that the types allow. */
  readonly overloads: readonly string[]
  /** The arguments. A target comes first. */
  readonly args: readonly Expr[]
}

export interface Checked {
  readonly issues: readonly SourceIssue[]
  readonly types: ReadonlyMap<Expr, Type>
  readonly calls: ReadonlyMap<Call, ResolvedCall>
  /** The full names of nodes that are variables or types. A selection such as `net.IP` can be one name. */
  readonly names: ReadonlyMap<Expr, string>
}

export function check(expression: Expr, scope: Scope): Checked {
  const checker = new Checker(scope)
  checker.check(expression)
  return checker.finish()
}

/** The largest number of parts of a type. A few macros could make a type of billions: `map({x: x}, …)` has two parts of each earlier type. */
const MAX_TYPE = 64

class Checker {
  readonly #scope: Scope
  readonly #issues: SourceIssue[] = []
  readonly #types = new Map<Expr, Type>()
  readonly #calls = new Map<Call, ResolvedCall>()
  readonly #names = new Map<Expr, string>()
  readonly #locals: { readonly name: string; readonly type: Type }[] = []
  readonly #known = new Substitution()
  #fresh = 0

  constructor(scope: Scope) {
    this.#scope = scope
  }

  finish(): Checked {
    const types = new Map<Expr, Type>()
    for (const [node, type] of this.#types) types.set(node, this.#known.apply(type, true))
    return { issues: this.#issues, types, calls: this.#calls, names: this.#names }
  }

  check(node: Expr): Type {
    const found = this.#typeOf(node)
    const type = this.#known.isLarger(found, MAX_TYPE) ? this.#issue(node.at, 'the type is too complex') : found
    this.#types.set(node, type)
    return type
  }

  #issue(at: number, message: string): Type {
    this.#issues.push({ message, at })
    return ERROR
  }

  #undeclared(at: number, name: string): Type {
    return this.#issue(at, `undeclared reference to '${name}' (in container '')`)
  }

  #typeOf(node: Expr): Type {
    switch (node.kind) {
      case 'literal':
        return node.type
      case 'ident':
        return this.#named(node, node.name) ?? this.#undeclared(node.at, node.name)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'fold':
        return this.#fold(node)
    }
  }

  /** The type of a name that is a variable or a type. Undefined: it is neither. A leading dot skips the variables of folds. */
  #named(node: Expr, written: string): Type | undefined {
    const outermost = written.startsWith('.')
    const name = outermost ? written.slice(1) : written
    const local = outermost ? undefined : this.#locals.findLast((each) => each.name === name)
    if (local !== undefined) return local.type
    const variable = this.#scope.variable(name)
    const type = variable ?? denotation(this.#scope.denoted(name))
    if (type !== undefined) this.#names.set(node, name)
    return type
  }

  #isLocal(path: string): boolean {
    const root = path.split('.', 1)[0] ?? ''
    return this.#locals.some((each) => each.name === root)
  }

  #select(node: Select): Type {
    const path = node.testOnly ? undefined : pathOf(node)
    if (path !== undefined && !this.#isLocal(path)) {
      const whole = this.#named(node, path)
      if (whole !== undefined) return whole
    }
    const operand = this.check(node.operand)
    const type = this.#field(node.at, { operand, field: node.field, optional: false })
    return node.testOnly ? BOOL : type
  }

  #field(at: number, { operand, field, optional }: { operand: Type; field: string; optional: boolean }): Type {
    const given = this.#known.apply(operand, false)
    if (given.kind === 'dyn') return optional ? optionalOf(DYN) : DYN
    const target = given.kind === 'optional' ? given.of : given
    const found = this.#fieldOf(at, target, field)
    return (optional || given.kind === 'optional') && found.kind !== 'error' ? optionalOf(found) : found
  }

  #fieldOf(at: number, target: Type, field: string): Type {
    switch (target.kind) {
      case 'map':
        return target.value
      case 'object':
        return target.fields.get(field)?.type ?? this.#issue(at, `undefined field '${field}'`)
      case 'parameter':
        assignable(this.#known, target, DYN)
        return DYN
      case 'dyn':
        return DYN
      case 'error':
        return ERROR
      default:
        return this.#issue(at, `type '${typeName(target)}' does not support field selection`)
    }
  }

  #call(node: Call): Type {
    if (node.name === OPTIONAL_SELECT) return this.#optionalSelect(node)
    const { target } = node
    const path = target === undefined ? undefined : pathOf(target)
    const qualified = path === undefined || this.#isLocal(path) ? undefined : this.#scope.fn(`${path}.${node.name}`)
    const definition = qualified ?? this.#scope.fn(target === undefined ? node.name.replace(/^\./, '') : node.name)
    const args = target === undefined || qualified !== undefined ? node.args : [target, ...node.args]
    const types = args.map((arg) => this.check(arg))
    if (definition === undefined) return this.#undeclared(node.at, node.name)
    return this.#resolve(node, { definition, args, types, member: args !== node.args })
  }

  #optionalSelect(node: Call): Type {
    const [operand, name] = node.args
    if (operand === undefined || name?.kind !== 'literal' || typeof name.value !== 'string') return ERROR
    const type = this.check(operand)
    const definition = this.#scope.fn(OPTIONAL_SELECT)
    if (definition === undefined) return ERROR
    this.#types.set(name, name.type)
    this.#calls.set(node, { definition, overloads: ['select_optional_field'], args: node.args })
    return this.#field(node.at, { operand: type, field: name.value, optional: true })
  }

  #resolve(node: Call, call: Candidate): Type {
    const { definition, args, types, member } = call
    const overloads: string[] = []
    let result: Type | undefined
    for (const overload of definition.overloads) {
      if (overload.member !== member || overload.parameters.length !== types.length) continue
      const rename = this.#renaming()
      const pairs = types.map((type, i): [Type, Type] => [type, rename(overload.parameters[i] ?? DYN)])
      if (!assignAll(this.#known, pairs)) continue
      overloads.push(overload.id)
      const made = this.#known.apply(rename(overload.result), false)
      result = result === undefined || sameType(result, made) ? made : DYN
    }
    this.#calls.set(node, { definition, overloads, args })
    return result ?? this.#noOverload(node, call)
  }

  #noOverload(node: Call, { definition, types, member }: Candidate): Type {
    const names = types.map((type) => typeName(this.#known.apply(type, true)))
    const applied = member ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`
    return this.#issue(node.at, `found no matching overload for '${definition.name}' applied to '${applied}'`)
  }

  /** Gives the type parameters of one signature new names. */
  #renaming(): (type: Type) => Type {
    const names = new Map<string, Type>()
    const rename = (type: Type): Type => {
      if (type.kind !== 'parameter') return withParts(type, rename)
      const known = names.get(type.name) ?? this.#parameter()
      names.set(type.name, known)
      return known
    }
    return rename
  }

  #parameter(): Type {
    return parameter(`_var${this.#fresh++}`)
  }

  /** The common type: the more general one if the earlier type is assignable to the new one, else dyn. */
  #join(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type
    if (!assignAll(this.#known, [[before, type]])) return DYN
    return moreGeneral(before, type)
  }

  #list(node: ListLiteral): Type {
    let item: Type | undefined
    for (const { value, optional } of node.items) {
      const type = this.check(value)
      item = this.#join(item, optional ? this.#unwrapped(value.at, type) : type)
    }
    return listOf(item ?? this.#parameter())
  }

  #map(node: MapLiteral): Type {
    let key: Type | undefined
    let value: Type | undefined
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key))
      const type = this.check(entry.value)
      value = this.#join(value, entry.optional ? this.#unwrapped(entry.value.at, type) : type)
    }
    return mapOf(key ?? this.#parameter(), value ?? this.#parameter())
  }

  #unwrapped(at: number, type: Type): Type {
    const given = this.#known.apply(type, false)
    if (given.kind === 'optional') return given.of
    if (given.kind === 'dyn' || given.kind === 'error') return given
    return this.#issue(at, `expected type 'optional_type(${typeName(given)})' but found '${typeName(given)}'`)
  }

  #struct(node: StructLiteral): Type {
    const name = node.name.replace(/^\./, '')
    const type = this.#scope.struct(name)
    if (type === undefined) return this.#undeclared(node.at, node.name)
    const values = node.fields.map((field) => this.check(field.value))
    node.fields.forEach((field, i) => {
      const declared = type.fields.get(field.name)?.type
      const given = values[i] ?? DYN
      const value = field.optional ? this.#unwrapped(field.at, given) : given
      if (declared === undefined) {
        this.#issue(field.at, `undefined field '${field.name}'`)
      } else if (!this.#assign(declared, value)) {
        const [wanted, found] = [typeName(declared), typeName(this.#known.apply(value, true))]
        this.#issue(field.at, `expected type of field '${field.name}' is '${wanted}' but provided type is '${found}'`)
      }
    })
    return type
  }

  #assign(wanted: Type, given: Type): boolean {
    return assignAll(this.#known, [[given, wanted]])
  }

  #fold(node: Fold): Type {
    const range = this.#known.apply(this.check(node.range), false)
    const initial = this.check(node.initial)
    const depth = this.#locals.length
    this.#locals.push({ name: node.accumulator, type: initial })
    const [item, second] = this.#itemTypes(node, range)
    this.#locals.push({ name: node.item, type: item })
    if (node.second !== undefined) this.#locals.push({ name: node.second, type: second })
    this.#assert(node.condition, BOOL)
    this.#assert(node.step, initial)
    this.#locals.length = depth + 1
    const result = this.check(node.result)
    this.#locals.length = depth
    return this.#known.apply(result, false)
  }

  #itemTypes(node: Fold, range: Type): readonly [Type, Type] {
    const both = node.second !== undefined
    switch (range.kind) {
      case 'list':
        return both ? [INT, range.item] : [range.item, DYN]
      case 'map':
        return [range.key, range.value]
      case 'parameter':
        assignable(this.#known, range, DYN)
        return [DYN, DYN]
      case 'dyn':
      case 'error':
        return [DYN, DYN]
      default: {
        const message = `expression of type '${typeName(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
        this.#issue(node.range.at, message)
        return [ERROR, ERROR]
      }
    }
  }

  #assert(node: Expr, wanted: Type): void {
    const type = this.check(node)
    if (this.#assign(wanted, type)) return
    const [expected, found] = [typeName(this.#known.apply(wanted, true)), typeName(this.#known.apply(type, true))]
    this.#issue(node.at, `expected type '${expected}' but found '${found}'`)
  }
}

interface Candidate {
  readonly definition: FunctionDefinition
  readonly args: readonly Expr[]
  readonly types: readonly Type[]
  readonly member: boolean
}

function denotation(type: Type | undefined): Type | undefined {
  return type === undefined ? undefined : { kind: 'type', of: type }
}
