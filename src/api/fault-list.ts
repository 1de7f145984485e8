// The faults of one object while they are being found. There is an end to them: nobody mends thousands at once, and an object
// can have as many as it has bytes.
import type { FieldError } from './field-error.ts'

const MOST_FAULTS = 10_000
/** Texts show what is wrong, which can be a whole list for each of its items. */
const MOST_CHARACTERS = 2 * 1024 * 1024

/** Thrown where enough faults have been found; `faultsOf` ends with it. */
class EnoughFaults extends Error {}

/** The last of the faults where others were not looked for. */
const NOT_ALL: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: validation stopped at too many errors; correct the existing errors to complete validation',
}

export class FaultList {
  readonly found: FieldError[] = []
  #characters = 0

  /** Throws when these are enough; only for use within `faultsOf`. */
  add(fault: FieldError): void {
    this.found.push(fault)
    this.#characters += fault.field.length + fault.message.length
    if (this.found.length >= MOST_FAULTS || this.#characters >= MOST_CHARACTERS) throw new EnoughFaults()
  }
}

/** What `find` adds to a list until it returns or the list is full. */
export function faultsOf(find: (list: FaultList) => void): readonly FieldError[] {
  const list = new FaultList()
  try {
    find(list)
    return list.found
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error
    return [...list.found, NOT_ALL]
  }
}
