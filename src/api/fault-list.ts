// Collects the faults of one object in the order of its fields, up to a limit: an object can have as many faults as it has
// bytes.
import type { FieldError } from './field-error.ts'

const MAX_FAULTS = 10_000
/**
 * The largest number of characters in all messages together. A message shows the wrong value, so the message about each list item can show
 * the whole list.
 */
const MAX_CHARACTERS = 2 * 1024 * 1024

class TooManyFaults extends Error {}

/** The last fault of a list that is full. */
const NOT_ALL: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: validation stopped at too many errors; correct the existing errors to complete validation',
}

export class FaultList {
  readonly #found: FieldError[] = []
  readonly #known: Set<string> | undefined
  #added = 0
  #characters = 0

  /** `isOnce`: equal faults are added only once. */
  constructor(isOnce = false) {
    if (isOnce) this.#known = new Set()
  }

  get found(): readonly FieldError[] {
    return this.#found
  }

  /** Throws when the list is full, so only functions within `faultsOf` may call this. */
  add(fault: FieldError): void {
    if (this.#isNew(fault)) this.#found.push(fault)
    // A repeated fault counts too: its message took as long to write.
    this.#added++
    this.#characters += fault.field.length + fault.message.length
    if (this.#added >= MAX_FAULTS || this.#characters >= MAX_CHARACTERS) throw new TooManyFaults()
  }

  #isNew({ reason, field, message }: FieldError): boolean {
    if (this.#known === undefined) return true
    const { size } = this.#known
    return this.#known.add(`${reason} ${field} ${message}`).size > size
  }
}

/** The faults that `find` adds to a list until it returns or the list is full. */
export function faultsOf(find: (list: FaultList) => void, isOnce = false): readonly FieldError[] {
  const list = new FaultList(isOnce)
  try {
    find(list)
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error
    return [...list.found, NOT_ALL]
  }
  return list.found
}
