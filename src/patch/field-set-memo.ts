// Remembers sets of fields. Objects of a kind mostly come from a few templates and have the same fields: their sets are made, checked and
// written once. The number of remembered sets is bounded, and the oldest are dropped first.
import { isMap, type Value, type ValueMap } from '../api/value.ts'
import type { ObjectShape } from '../schema/table.ts'
import { type FieldSet, isLargerThan, setOfFields } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts'

const MAX_SETS = 64
const MAX_TEXT_LENGTH = 16 * 1024

/** There is one memo for each served version of a kind. */
export class FieldSetMemo {
  readonly #byOutline = new Map<string, FieldSet>()
  readonly #byText = new Map<string, FieldSet>()
  readonly #byRecord = new WeakMap<ValueMap, FieldSet>()
  readonly #stripped = new WeakMap<FieldSet, FieldSet>()
  readonly #byNames = new WeakMap<readonly string[], FieldSet>()
  readonly #fitting = new WeakMap<FieldSet, ObjectShape>()

  /** The set for values of this outline. `use` names the purpose of the set. Without an outline the set is not remembered. */
  ofOutline(use: string, outline: string | undefined, make: () => FieldSet): FieldSet {
    if (outline === undefined) return make()
    const key = use + outline
    const known = this.#byOutline.get(key)
    if (known !== undefined) return known
    const made = this.#shared(make())
    keep(this.#byOutline, key, made)
    return made
  }

  /** The set of the fields with these dotted names. Callers pass the same lists again and again. */
  ofNames(dotted: readonly string[]): FieldSet {
    let known = this.#byNames.get(dotted)
    if (known === undefined) this.#byNames.set(dotted, (known = setOfFields(dotted)))
    return known
  }

  /** The set of a stored FieldsV1 object, which many API objects can share. Undefined: the FieldsV1 object cannot be read. */
  ofStored(fields: Value | undefined): FieldSet | undefined {
    if (!isMap(fields)) return decodeFieldsV1(fields, true)
    let known = this.#byRecord.get(fields)
    if (known !== undefined) return known
    known = this.#readOnce(fields)
    if (known !== undefined) this.#byRecord.set(fields, known)
    return known
  }

  #readOnce(fields: ValueMap): FieldSet | undefined {
    const text = textOf(fields)
    const known = text === undefined ? undefined : this.#byText.get(text)
    if (known !== undefined) return known
    const decoded = decodeFieldsV1(fields, true)
    if (text !== undefined && decoded !== undefined) keep(this.#byText, text, decoded)
    return decoded
  }

  /** The result of `strip`, with its FieldsV1 form. The result is remembered for this set. */
  stripped(set: FieldSet, strip: (set: FieldSet) => FieldSet): FieldSet {
    let known = this.#stripped.get(set)
    if (known === undefined) this.#stripped.set(set, (known = this.#shared(strip(set))))
    return known
  }

  /** The set with its FieldsV1 form. Equal forms share one set. A very large set is returned as it is. */
  #shared(set: FieldSet): FieldSet {
    if (isLargerThan(set, MAX_TEXT_LENGTH / 4)) return set
    const written = encodeFieldsV1(set)
    const text = textOf(written)
    const known = text === undefined ? undefined : this.#byText.get(text)
    if (known !== undefined) return known
    const shared = { ...set, written }
    if (text !== undefined) keep(this.#byText, text, shared)
    return shared
  }

  /** The result of `reconcile`. If `reconcile` does not change a set, the set is remembered with the shape. */
  reconciled(set: FieldSet, shape: ObjectShape, reconcile: (set: FieldSet, shape: ObjectShape) => FieldSet): FieldSet {
    if (this.#fitting.get(set) === shape) return set
    const result = reconcile(set, shape)
    if (result === set) this.#fitting.set(set, shape)
    return result
  }
}

function keep(sets: Map<string, FieldSet>, key: string, set: FieldSet): void {
  const [oldest] = sets.keys()
  if (sets.size >= MAX_SETS && oldest !== undefined) sets.delete(oldest)
  sets.set(key, set)
}

/** Undefined: the text is too long to be kept, or the object has values that `JSON.stringify` cannot write. */
function textOf(fields: ValueMap): string | undefined {
  try {
    const text = JSON.stringify(fields)
    return text.length <= MAX_TEXT_LENGTH ? text : undefined
  } catch {
    return undefined
  }
}
