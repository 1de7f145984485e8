// The compiled form of the tree: a closure for each node, with facts about its value that are known beforehand.
import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { Frame } from './frame.ts'
import type { ObjectType, Type } from './type.ts'
import type { CelValue } from './value.ts'

export type Run = (frame: Frame) => CelValue

export interface Plan {
  readonly run: Run
  /** Without the charge for the first name or value of a path. Present for names and paths only. */
  readonly bare?: Run
  /** Known beforehand, and then free. */
  readonly constant?: CelValue
}

export interface PlanContext {
  readonly checked: Checked
  readonly variable: (name: string) => Type | undefined
  readonly struct: (name: string) => ObjectType | undefined
  /** The variables of the surrounding folds, the innermost last. */
  readonly locals: readonly string[]
}

export type Planner = (node: Expr, context: PlanContext) => Plan

/** Thrown while a tree is made into closures: a constant in it has a type that no function takes. */
export class Unplannable extends Error {}

export function constant(value: CelValue): Plan {
  return { run: () => value, constant: value }
}
