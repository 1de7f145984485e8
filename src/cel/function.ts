// What a library says of a function: its signatures, what it does, and what a call costs.
import { type Overload, signature } from './signature.ts'
import type { Pattern } from './pattern.ts'
import type { CelValue, Fault } from './value.ts'

/** What an evaluation lends to functions. */
export interface Meter {
  /** Counts work that the cost of a call does not tell beforehand; throws when there is too much of it. */
  work(steps: number): void
  /** Compiled once for many evaluations. */
  pattern(text: string): Pattern | Fault
}

/** The target comes first. Gets values of any type and answers `noSuchOverload()` to those that it does not take. */
export type Implementation = (args: readonly CelValue[], meter: Meter) => CelValue

export interface FunctionDefinition {
  readonly name: string
  readonly overloads: readonly Overload[]
  readonly run: Implementation
}

export function define(name: string, signatures: readonly string[], run: Implementation): FunctionDefinition {
  return { name, overloads: signatures.map(signature), run }
}
