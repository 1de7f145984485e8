// The indexes of a type that the operator has configured. They find objects by the values at places such as `status.phase`. A query that
// requires one of a few values at such a place looks only at the objects with these values.
import type { IndexedPlace } from '../api/indexed-place.ts'
import type { SelectableField } from '../api/selector-fields.ts'
import { fieldText } from '../store/selection.ts'
import type { Pin } from '../store/store.ts'
import type { CachedObject } from './cached-object.ts'
import { type CurrentObjects, ValueIndex } from './value-index.ts'

/** A place with more values than this is not indexed. */
const MOST_VALUES = 200_000
/** Values are compared up to this length, so that long values take no more memory. */
const LONGEST_VALUE = 128
/** The number of objects that are indexed in one turn of the event loop, if there were objects before the index. */
const PIECE = 1_000
/** If more than one object in this many has the values, the query looks at all objects. */
const WORTHWHILE = 2
const FEW = 64

/** Objects by the values at one place. */
export interface Lookup {
  readonly name: string
  find(value: string): ReadonlyMap<string, CachedObject> | undefined
}

export interface FoundByIndex {
  readonly name: string
  /** The candidates, in any order. Some may not match. */
  readonly objects: CachedObject[]
  /** If present, the candidates are exactly the objects with the values of this pin. */
  readonly pin?: Pin
}

export interface IndexLoad {
  readonly name: string
  readonly objects: number
  readonly values: number
  readonly state: ValueIndex['state']
}

export class PathIndexes {
  readonly #byPath = new Map<string, PathIndex>()

  /** Replaces the indexes. Indexes that stay keep their values. New indexes are built from the current objects. */
  set(places: readonly IndexedPlace[], everything: CurrentObjects): void {
    const wanted = new Map(places.map((place) => [keyOf(place.path), place]))
    for (const key of this.#byPath.keys()) if (!wanted.has(key)) this.#byPath.delete(key)
    for (const [key, place] of wanted) {
      if (this.#byPath.has(key)) continue
      const index = new PathIndex(place)
      this.#byPath.set(key, index)
      index.build(everything, { first: PIECE, later: PIECE, isWanted: () => this.#byPath.get(key) === index })
    }
  }

  add(object: CachedObject): void {
    for (const index of this.#byPath.values()) index.add(object)
  }

  remove(object: CachedObject): void {
    for (const index of this.#byPath.values()) index.remove(object)
  }

  /** Undefined: there is no such index, or it is not complete. */
  at(path: Pin['path']): Lookup | undefined {
    const index = this.#byPath.get(keyOf(path))
    return index?.state === 'whole' ? index : undefined
  }

  loads(): readonly IndexLoad[] {
    return Array.from(this.#byPath.values(), ({ name, size, values, state }) => ({
      name,
      objects: size,
      values,
      state,
    }))
  }
}

class PathIndex extends ValueIndex implements Lookup {
  readonly name: string

  constructor({ name, path }: IndexedPlace) {
    const field: SelectableField = { name, paths: [path], absent: '', indexed: true }
    super({ valueOf: ({ bytes }) => fieldText(bytes, field).slice(0, LONGEST_VALUE), mostValues: MOST_VALUES })
    this.name = name
  }

  override find(value: string): ReadonlyMap<string, CachedObject> | undefined {
    return super.find(value.slice(0, LONGEST_VALUE))
  }
}

function keyOf(path: Pin['path']): string {
  return path.join('\0')
}

/** Finds objects by the index with the fewest candidates. Undefined: no index helps. `size`: the number of all objects. */
export function findPinned(
  pins: readonly Pin[],
  lookupAt: (path: Pin['path']) => Lookup | undefined,
  size: number,
): FoundByIndex | undefined {
  let best:
    | { readonly pin: Pin; readonly name: string; readonly buckets: ReadonlySet<ReadonlyMap<string, CachedObject>> }
    | undefined
  let least = Math.max(FEW, size / WORTHWHILE)
  for (const pin of pins) {
    const { path, values } = pin
    const lookup = lookupAt(path)
    if (lookup === undefined) continue
    const buckets = new Set<ReadonlyMap<string, CachedObject>>()
    for (const value of values) {
      const bucket = lookup.find(value)
      if (bucket !== undefined) buckets.add(bucket)
    }
    const count = buckets.values().reduce((sum, bucket) => sum + bucket.size, 0)
    if (count > least || (count === least && best !== undefined)) continue
    least = count
    best = { pin, name: lookup.name, buckets }
  }
  if (best === undefined) return undefined
  const { pin, name } = best
  const objects = [...best.buckets].flatMap((bucket) => [...bucket.values()])
  return pin.values.every(({ length }) => length < LONGEST_VALUE) ? { name, objects, pin } : { name, objects }
}
