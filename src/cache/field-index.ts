// The current objects of a type by the values of indexed fields: a list of the pods of one node does not look at the pods of other nodes.
import type { SelectableField } from '../api/selector-fields.ts'
import { fieldText } from '../store/selection.ts'
import type { CachedObject, IndexedFields } from './cached-object.ts'
import type { IndexLoad, Lookup } from './path-index.ts'

/** All objects with one value of a field. They share the string of this value. */
interface Bucket {
  readonly value: string
  readonly objects: Map<string, CachedObject>
}

export class FieldIndex {
  readonly fields: readonly SelectableField[]
  /** The places of the fields. Objects refer to this record, and may outlive the index. */
  readonly #places: IndexedFields
  readonly #buckets: readonly Map<string, Bucket>[]
  /** Set until the first search: all current objects, whose values another index has read. */
  #shared: (() => Iterable<CachedObject>) | undefined

  constructor(fields: readonly SelectableField[], shared?: () => Iterable<CachedObject>) {
    this.fields = fields
    this.#places = { placeOf: (name) => fields.findIndex((known) => known.name === name) }
    this.#buckets = fields.map(() => new Map<string, Bucket>())
    this.#shared = shared
  }

  add(object: CachedObject): void {
    if (this.fields.length === 0) return
    const { bytes } = object
    const values = this.fields.map((field) => fieldText(bytes, field))
    object.index(this.#places, this.#shared === undefined ? this.#file(object, values) : values)
  }

  /** Adds the object to its buckets. Returns the same values as shared strings. */
  #file(object: CachedObject, values: readonly string[]): readonly string[] {
    return values.map((value, place) => {
      const bucket = this.#bucket(place, value)
      bucket.objects.set(object.key, object)
      return bucket.value
    })
  }

  remove(object: CachedObject): void {
    for (const [place, value] of object.indexed?.entries() ?? []) {
      const bucket = this.#buckets[place]?.get(value)
      bucket?.objects.delete(object.key)
      if (bucket?.objects.size === 0) this.#buckets[place]?.delete(value)
    }
  }

  /** Returns the objects with this value, in any order. Undefined: the field is not indexed. */
  find(field: SelectableField, value: string): CachedObject[] | undefined {
    const place = this.placeOf(field.name)
    if (place < 0) return undefined
    return [...(this.#bucketsAt(place)?.get(value)?.objects.values() ?? [])]
  }

  /** Returns the index of the field at a path. Undefined: the field is not indexed. */
  at(path: readonly string[]): Lookup | undefined {
    const place = this.fields.findIndex(({ paths: [only, other], absent }) => {
      return other === undefined && absent === '' && only?.join('\0') === path.join('\0')
    })
    const buckets = place < 0 ? undefined : this.#bucketsAt(place)
    return buckets && { name: this.fields[place]!.name, find: (value) => buckets.get(value)?.objects }
  }

  loads(): readonly IndexLoad[] {
    const objects = (buckets: Map<string, Bucket>): number =>
      buckets.values().reduce((sum, bucket) => sum + bucket.objects.size, 0)
    return this.fields.map(({ name }, place) => {
      const buckets = this.#bucketsAt(place)!
      return { name, objects: objects(buckets), values: buckets.size, state: 'whole' }
    })
  }

  #bucketsAt(place: number): Map<string, Bucket> | undefined {
    for (const object of this.#shared?.() ?? []) this.#file(object, object.indexed ?? [])
    this.#shared = undefined
    return this.#buckets[place]
  }

  placeOf(field: string): number {
    return this.#places.placeOf(field)
  }

  #bucket(place: number, value: string): Bucket {
    const buckets = this.#buckets[place]
    const known = buckets?.get(value)
    if (known !== undefined) return known
    const made = { value, objects: new Map<string, CachedObject>() }
    buckets?.set(value, made)
    return made
  }
}
