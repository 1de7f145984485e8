// The syntax tree after macro expansion: literals, names, selections, calls, constructions and folds.
import type { CelValue } from './value.ts'
import { OPTIONAL_SELECT } from './operators.ts'
import { STRING, type Type } from './type.ts'

interface Node {
  /** The offset in the text that issues about the node point at. */
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
  /** Made by `has(…)`: whether the field exists. */
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
  /** `[?x]`: the value of an optional, or nothing. */
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

/** The form of `all`, `map` and similar macros: a value carried over the items of a list or the keys of a map. */
export interface Fold extends Node {
  readonly kind: 'fold'
  readonly range: Expr
  readonly item: string
  /** If present, this is the value, and `item` is the index or key. */
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

/** `a.b.c` of a name and selections alone. */
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
