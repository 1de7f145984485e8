// The syntax tree after macro expansion: literals, names, selections, calls, constructions and folds.
import { getOrInsert } from '../lib/map-entries.ts'
import type { CelValue } from './value.ts'
import { OPTIONAL_SELECT } from './operators.ts'
import { STRING, type Type } from './type.ts'

interface Node {
  /** An offset in the text. Issues about the node point to it. */
  readonly at: number
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: CelValue
  readonly type: Type
}

export interface Ident extends Node {
  readonly kind: 'ident'
  readonly name: string
}

export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** Made by `has(…)`, which tests whether the field exists. */
  readonly testOnly: boolean
}

export interface Call extends Node {
  readonly kind: 'call'
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface ListLiteral extends Node {
  readonly kind: 'list'
  readonly items: readonly Item[]
}

export interface Item {
  readonly value: Expr
  /** `[?x]` adds the value of an optional, or nothing. */
  readonly optional: boolean
}

export interface MapLiteral extends Node {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}

export interface Entry extends Node {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface StructLiteral extends Node {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly StructField[]
}

export interface StructField extends Node {
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/** The expansion of `all`, `map` and similar macros: each item of a list or key of a map changes the accumulator. */
export interface Fold extends Node {
  readonly kind: 'fold'
  readonly range: Expr
  readonly item: string
  /** The variable of the value, if present. Then `item` is the variable of the index or key. */
  readonly second: string | undefined
  readonly accumulator: string
  readonly initial: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Fold

export function call(name: string, at: number, args: readonly Expr[]): Call {
  return { kind: 'call', at, name, target: undefined, args }
}

export function select(operand: Expr, field: string, { at, optional }: { at: number; optional: boolean }): Expr {
  if (!optional) return { kind: 'select', at, operand, field, testOnly: false }
  return call(OPTIONAL_SELECT, at, [operand, { kind: 'literal', at, type: STRING, value: field }])
}

/** The path `a.b.c` of an expression that is a name, or selections of a name. Undefined for every other expression. */
export function pathOf(expression: Expr): string | undefined {
  if (expression.kind === 'ident') return expression.name
  if (expression.kind !== 'select' || expression.testOnly) return undefined
  const path = pathOf(expression.operand)
  return path === undefined ? undefined : `${path}.${expression.field}`
}

export function balanced(name: string, terms: readonly Expr[], places: readonly number[]): Expr {
  const [only] = terms
  if (terms.length === 1 && only !== undefined) return only
  const middle = Math.ceil(terms.length / 2)
  const left = balanced(name, terms.slice(0, middle), places.slice(0, middle - 1))
  const right = balanced(name, terms.slice(middle), places.slice(middle))
  return call(name, places[middle - 1] ?? 0, [left, right])
}

export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case 'select':
      return [node.operand]
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args]
    case 'list':
      return node.items.map((item) => item.value)
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return node.fields.map((field) => field.value)
    case 'fold':
      return [node.range, node.initial, node.condition, node.step, node.result]
    default:
      return []
  }
}

/** The number of nodes. Macros use a part of the text at several places, so there may be many more nodes than words. */
export function nodesOf(expression: Expr): number {
  const known = new Map<Expr, number>()
  const count = (node: Expr): number =>
    getOrInsert(known, node, () => childrenOf(node).reduce((sum, child) => sum + count(child), 1))
  return count(expression)
}
