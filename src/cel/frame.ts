// One evaluation: the values of its variables and its cost so far. Invariant: no work exceeds the limit. Work that would exceed it ends the
// evaluation.
import { adapt } from './adapt.ts'
import type { Meter } from './function.ts'
import type { Json } from './json.ts'
import { type Pattern, Patterns } from './pattern.ts'
import type { Type } from './type.ts'
import { CelList, CelMap, type CelValue, Fault, OpaqueValue, Optional } from './value.ts'

/** Thrown to end the whole evaluation. */
export class OverBudget {
  readonly kind = 'overBudget'
}

const OVER_BUDGET = new OverBudget()
/** The number of steps inside of functions that each unit of the limit allows. A step takes about as long as 64 characters of a text. */
const STEPS_PER_UNIT = 8

/** JSON is read as the declared type of its variable. If this type is an optional, the JSON becomes an optional with a value. */
export type Bindings = Readonly<
  Record<string, Json | Optional | OpaqueValue | CelMap | CelList | Uint8Array | undefined>
>

export class Frame implements Meter {
  cost = 0
  readonly locals: CelValue[] = []
  readonly #limit: number
  readonly #mostSteps: number
  readonly #bindings: Bindings
  readonly #patterns: Patterns
  readonly #read = new Map<string, CelValue>()
  #steps = 0

  constructor(bindings: Bindings, limit: number, { patterns = new Patterns(), stepsPerUnit = STEPS_PER_UNIT } = {}) {
    this.#bindings = bindings
    this.#limit = limit
    this.#mostSteps = limit * stepsPerUnit
    this.#patterns = patterns
  }

  pattern(text: string): Pattern | Fault {
    return this.#patterns.find(text, (steps) => this.work(steps))
  }

  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw OVER_BUDGET
  }

  work(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#mostSteps) throw OVER_BUDGET
  }

  variable(name: string, type: Type): CelValue {
    const known = this.#read.get(name)
    if (known !== undefined) return known
    const binding = bound(this.#bindings[name], type)
    const value = binding === undefined ? new Fault(`no such attribute(s): ${name}`) : binding
    this.#read.set(name, value)
    return value
  }
}

function bound(binding: Bindings[string], type: Type): CelValue | undefined {
  if (binding === undefined) return undefined
  if (binding instanceof Optional || binding instanceof OpaqueValue) return binding
  if (binding instanceof CelMap || binding instanceof CelList || binding instanceof Uint8Array) return binding
  return type.kind === 'optional' ? new Optional(adapt(binding, type.of)) : adapt(binding, type)
}
