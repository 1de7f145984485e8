// Collects the faults of one object in the order of its fields, up to a limit: an object can have as many faults as it has
// bytes. Long lists may be validated later; a place is kept for their faults.
import { Later, MANY } from '../lib/later.ts'
import type { Turns } from '../lib/turns.ts'
import type { FieldError } from './field-error.ts'

const MAX_FAULTS = 10_000
/** Texts show what is wrong, which can be a whole list for each of its items. */
const MAX_CHARACTERS = 2 * 1024 * 1024

class TooManyFaults extends Error {}

/** The last of the faults where others were not looked for. */
const NOT_ALL: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: validation stopped at too many errors; correct the existing errors to complete validation',
}

/** Faults that were found one after the other, with places among them for those of parts that are looked at later. */
class Section {
  readonly faults: FieldError[] = []
  readonly #places: { readonly before: number; readonly section: Section }[] = []

  keepPlace(): Section {
    const section = new Section()
    this.#places.push({ before: this.faults.length, section })
    return section
  }

  all(): readonly FieldError[] {
    if (this.#places.length === 0) return this.faults
    let from = 0
    const all: FieldError[] = []
    for (const { before, section } of this.#places) {
      for (; from < before; from++) all.push(this.faults[from]!)
      for (const fault of section.all()) all.push(fault)
    }
    for (; from < this.faults.length; from++) all.push(this.faults[from]!)
    return all
  }
}

export class FaultList {
  readonly #later: Later | undefined
  readonly #whole = new Section()
  /** Where what is found now belongs. */
  #here = this.#whole
  #count = 0
  #characters = 0

  constructor(later?: Later) {
    this.#later = later
  }

  /** Those of the part that is being looked at. */
  get found(): readonly FieldError[] {
    return this.#here.faults
  }

  /** In the order of the object. */
  all(): readonly FieldError[] {
    const all = this.#whole.all()
    return this.isFull ? [...all, NOT_ALL] : all
  }

  /** What is found from here on belongs behind everything that was. */
  beginAgain(): void {
    this.#here = this.#whole
  }

  get isFull(): boolean {
    return this.#count >= MAX_FAULTS || this.#characters >= MAX_CHARACTERS
  }

  /** Throws when these are enough; only for use within `faultsOf`. */
  add(fault: FieldError): void {
    this.#here.faults.push(fault)
    this.#count += 1
    this.#characters += fault.field.length + fault.message.length
    if (this.isFull) throw new TooManyFaults()
  }

  /** Looks at each of so many things, and then does `then`: later where they are many. */
  each(count: number, look: (index: number) => void, then?: () => void): void {
    if (this.#later === undefined || count < MANY) {
      for (let i = 0; i < count; i++) look(i)
      then?.()
      return
    }
    const place = this.#here.keepPlace()
    this.#later.each(count + 1, (i) => {
      if (this.isFull) return
      this.#here = place
      untilFull(() => (i < count ? look(i) : then?.()))
    })
  }
}

function untilFull(find: () => void): void {
  try {
    find()
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error
  }
}

/** What `find` adds to a list until it returns or the list is full. */
export function faultsOf(find: (list: FaultList) => void): readonly FieldError[] {
  const list = new FaultList()
  untilFull(() => find(list))
  return list.all()
}

/** The same for a large object, in turns: one step after the other, until there are faults. */
export async function faultsInTurns(
  turns: Turns,
  stepsOf: (list: FaultList) => readonly (() => void)[],
): Promise<readonly FieldError[]> {
  const later = new Later()
  const list = new FaultList(later)
  for (const step of stepsOf(list)) {
    list.beginAgain()
    untilFull(step)
    await later.done(turns)
    if (list.all().length > 0) break
  }
  return list.all()
}
