// The compiled form of the tree: a closure for each node, and its value if it is constant.
import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { Frame } from './frame.ts'
import type { Patterns } from './pattern.ts'
import type { ObjectType, Type } from './type.ts'
import type { CelValue } from './value.ts'

export type Run = (frame: Frame) => CelValue

export interface Plan {
  readonly run: Run
  /** Like `run`, without the charge for the start of a path. Present for names, selections, indexes and conditionals. */
  readonly bare?: Run
  /** The value, if it is known before the evaluation. It costs nothing. */
  readonly constant?: CelValue
}

export interface PlanContext {
  readonly checked: Checked
  readonly variable: (name: string) => Type | undefined
  readonly struct: (name: string) => ObjectType | undefined
  /** Compiles constant patterns. */
  readonly patterns: Patterns
  /** The variables of the surrounding folds, the innermost last. */
  readonly locals: readonly string[]
}

export type Planner = (node: Expr, context: PlanContext) => Plan

/** Thrown while a tree is compiled: the conversion of a constant fails, or a constant pattern is malformed. */
export class Unplannable extends Error {}

export function constant(value: CelValue): Plan {
  return { run: () => value, constant: value }
}
