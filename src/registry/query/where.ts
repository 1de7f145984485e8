// The condition of a query: whether objects match it, how often it failed, and how much it may still cost.
import { ApiError } from '../../api/status.ts'
import type { ApiObject } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import type { SelectableField } from '../../api/selector-fields.ts'
import type { Turns } from '../../lib/turns.ts'
import type { Bindings, compileCondition, Evaluation } from '../../schema/object-conditions.ts'
import { fieldText } from '../../store/selection.ts'
import type { Pin, Predicate } from '../../store/store.ts'

type Program = Extract<ReturnType<typeof compileCondition>, { readonly kind: 'program' }>['program']

/**
 * The cost limit for one object. The reference's limit is a million, which takes half a second without a pause. Its expressions come from
 * administrators, but these expressions come from every user.
 */
const CALL_COST = 50_000
/** The reference's limit of all evaluations for one request. */
export const REQUEST_COST = 10_000_000

/** The cost that a request may still use. The allowance of a list does not come back; the allowance of a watch comes back with time. */
export interface Allowance {
  /** Counts one object. False: no more objects may be read. */
  look(): boolean
  /** The number of objects that may be read in all. */
  readonly most: number
  /** Counts a cost. False: the limit is exceeded. */
  spend(cost: number): boolean
}

export interface ConditionOptions {
  readonly text: string
  readonly key: string
  readonly program: Program
  readonly pins: readonly Pin[]
  /** All objects with the values of the pins match. */
  readonly arePinsEnough: boolean
  /** Advice that helps a query to read fewer objects. */
  readonly advice: string
  /** Returns the object in the served version. */
  readonly objectOf: (stored: StoredObject) => ApiObject
  readonly allowance: Allowance
  readonly turns: Turns
}

export class Condition implements Predicate {
  readonly key: string
  readonly pins: readonly Pin[]
  readonly arePinsEnough: boolean
  readonly isSlow = true
  readonly turns: Turns
  /** The number of objects on which the expression failed. */
  failures = 0
  firstFailure = ''
  /** The number of objects that were examined. */
  looked = 0
  cost = 0
  readonly #options: ConditionOptions
  readonly #values: readonly { readonly field: SelectableField; readonly values: ReadonlySet<string> }[]

  constructor(options: ConditionOptions) {
    this.key = options.key
    this.pins = options.pins
    this.turns = options.turns
    this.arePinsEnough = options.arePinsEnough
    this.#values = options.pins.map(({ path, values }) => ({
      field: { name: path.join('.'), paths: [path], absent: '', indexed: false },
      values: new Set(values),
    }))
    this.#options = options
  }

  /** About the memory that the condition keeps. */
  get bytes(): number {
    return this.#options.program.bytes
  }

  matches(stored: StoredObject): boolean {
    const { program, objectOf, allowance } = this.#options
    if (!allowance.look()) throw tooMany(this.#options)
    this.looked++
    // An object with the values of the pins matches without being parsed. Other objects are evaluated, because the expression may fail on
    // them.
    if (this.arePinsEnough && this.#values.every(({ field, values }) => values.has(fieldText(stored.bytes, field))))
      return true
    const bindings: Bindings = { object: objectOf(stored) }
    const result: Evaluation = program.evaluate(bindings, CALL_COST)
    this.cost += result.cost
    if (!allowance.spend(result.cost)) throw tooDear()
    if (result.kind === 'value' && typeof result.value === 'boolean') return result.value
    this.failures++
    if (this.failures === 1) this.firstFailure = failureOf(result)
    return false
  }
}

function failureOf(result: Evaluation): string {
  switch (result.kind) {
    case 'error':
      return result.message
    case 'overBudget':
      return 'actual cost limit exceeded'
    case 'value':
      return 'it is not a boolean'
  }
}

function tooMany({ allowance: { most }, advice }: ConditionOptions): ApiError {
  const message = `where: the query would look at more than ${most} objects; ${advice}`
  return new ApiError('BadRequest', message, {
    details: { causes: [{ reason: 'FieldValueTooMany', message, field: 'where' }] },
  })
}

function tooDear(): ApiError {
  const message = `where: the expression cost more than ${REQUEST_COST} on the objects of this request`
  return new ApiError('BadRequest', message, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'where' }] },
  })
}
