// The objects of a type by the values of an indexed field, as they are now: a list of the pods of one node does not look at
// the pods of the others.
import type { SelectableField } from '../api/selector-fields.ts'
import { compareStrings } from '../lib/sorted-tree.ts'
import { fieldText } from '../store/selection.ts'
import type { CachedObject } from './cached-object.ts'

export class FieldIndex {
  readonly fields: readonly SelectableField[]
  readonly #values: readonly Map<string, Map<string, CachedObject>>[]

  constructor(fields: readonly SelectableField[]) {
    this.fields = fields
    this.#values = fields.map(() => new Map<string, Map<string, CachedObject>>())
  }

  /** Reads the object's values off its bytes, once, and files it under them. */
  add(object: CachedObject): void {
    if (this.fields.length === 0) return
    const { bytes } = object
    object.indexed = this.fields.map((field, place) => {
      const values = this.#values[place]
      const value = fieldText(bytes, field)
      const known = values?.get(value)
      if (known === undefined) values?.set(value, new Map([[object.key, object]]))
      else known.set(object.key, object)
      return value
    })
  }

  remove(object: CachedObject): void {
    for (const [place, value] of object.indexed?.entries() ?? []) {
      const known = this.#values[place]?.get(value)
      known?.delete(object.key)
      if (known?.size === 0) this.#values[place]?.delete(value)
    }
  }

  /** In the order of keys; undefined where the field has no index here. */
  find(field: SelectableField, value: string): readonly CachedObject[] | undefined {
    const place = this.placeOf(field)
    if (place < 0) return undefined
    const found = [...(this.#values[place]?.get(value)?.values() ?? [])]
    return found.sort((a, b) => compareStrings(a.key, b.key))
  }

  placeOf(field: SelectableField): number {
    return this.fields.findIndex((known) => known.name === field.name)
  }
}
