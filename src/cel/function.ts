// What a library says of a function: its signatures, what it does, and what a call costs.
import { type Overload, signature } from './signature.ts'
import type { CelValue } from './value.ts'

/** Work that the cost of a call does not tell beforehand is counted here; it throws when there is too much of it. */
export interface Meter {
  work(steps: number): void
}

/** The target comes first. Gets values of any type and answers `noSuchOverload()` to those that it does not take. */
export type Implementation = (args: readonly CelValue[], meter: Meter) => CelValue

export interface FunctionDefinition {
  readonly name: string
  readonly overloads: readonly Overload[]
  readonly run: Implementation
  /** Gets errors too, where others are not called with them. */
  readonly takesFaults?: boolean
}

export function define(name: string, signatures: readonly string[], run: Implementation): FunctionDefinition {
  return { name, overloads: signatures.map(signature), run }
}
