// The current objects of a type by the values of the labels that readers select by equality: a thousand watches of one label each
// do not look at every object a thousand times. A key is indexed when it is first asked for, and may be replaced by another.
import { compareStrings } from '../lib/text-order.ts'
import { labelValue } from '../store/selection.ts'
import type { CachedObject } from './cached-object.ts'

/** So many keys are indexed at a time. A key that was used within this time is not replaced. */
const MOST_KEYS = 4
const KEPT_MS = 60_000
/**
 * The first request for a key indexes so many objects at once. The rest follows in smaller pieces, each in a turn of the
 * event loop. Requests before the end walk over all objects.
 */
const PIECE = 50_000
const LATER_PIECE = 10_000
/** With more values than this a key is not indexed: each takes memory of its own. */
const MOST_VALUES = 50_000
/** If more than one object in so many matches, a walk over the tree is cheaper than sorting. */
const WORTHWHILE = 8
const FEW = 64

export interface CurrentObjects {
  readonly size: number
  readonly nowMs: number
  /** In the order of keys, from this one on. */
  objects(from: string): Iterable<CachedObject>
}

export class LabelIndex {
  readonly #keys = new Map<string, IndexedKey>()

  add(object: CachedObject): void {
    for (const indexed of this.#keys.values()) indexed.add(object)
  }

  remove(object: CachedObject): void {
    for (const indexed of this.#keys.values()) indexed.remove(object)
  }

  /** The matching objects in the order of keys. Undefined: walk over all objects. */
  find(
    label: { readonly key: string; readonly value: string },
    everything: CurrentObjects,
  ): CachedObject[] | undefined {
    const indexed = this.#keys.get(label.key) ?? this.#begin(label.key, everything)
    if (indexed === undefined) return undefined
    indexed.usedMs = everything.nowMs
    if (!indexed.isWhole) return undefined
    const found = indexed.find(label.value)
    if (found === undefined) return []
    if (found.size > FEW && found.size * WORTHWHILE > everything.size) return undefined
    return [...found.values()].sort((a, b) => compareStrings(a.key, b.key))
  }

  #begin(key: string, everything: CurrentObjects): IndexedKey | undefined {
    if (!this.#makeRoom(everything.nowMs)) return undefined
    const begun = new IndexedKey(key)
    this.#keys.set(key, begun)
    begun.look(everything, PIECE)
    const goOn = (): void => {
      if (begun.isLooking && this.#keys.get(key) === begun) setImmediate(look)
    }
    const look = (): void => {
      begun.look(everything, LATER_PIECE)
      goOn()
    }
    goOn()
    return begun
  }

  #makeRoom(nowMs: number): boolean {
    if (this.#keys.size < MOST_KEYS) return true
    for (const [key, { usedMs }] of this.#keys) {
      if (nowMs - usedMs < KEPT_MS) continue
      this.#keys.delete(key)
      return true
    }
    return false
  }
}

class IndexedKey {
  usedMs = 0
  readonly #key: string
  readonly #values = new Map<string, Map<string, CachedObject>>()
  /** Objects before this one are indexed. Undefined: all are. */
  #next: string | undefined = ''
  #hasTooManyValues = false

  constructor(key: string) {
    this.#key = key
  }

  add(object: CachedObject): void {
    const value = this.#hasTooManyValues ? undefined : labelValue(object.labelText, this.#key)
    if (value === undefined) return
    const known = this.#values.get(value)
    if (known !== undefined) known.set(object.key, object)
    else if (this.#values.size < MOST_VALUES) this.#values.set(value, new Map([[object.key, object]]))
    else this.#giveUp()
  }

  remove(object: CachedObject): void {
    const value = labelValue(object.labelText, this.#key)
    if (value === undefined) return
    const found = this.#values.get(value)
    found?.delete(object.key)
    if (found?.size === 0) this.#values.delete(value)
  }

  get isLooking(): boolean {
    return this.#next !== undefined && !this.#hasTooManyValues
  }

  get isWhole(): boolean {
    return this.#next === undefined && !this.#hasTooManyValues
  }

  /** Indexes some more objects. Later changes are indexed already. */
  look(everything: CurrentObjects, count: number): void {
    if (this.#next !== undefined) this.#next = this.#lookFrom(this.#next, everything, count)
  }

  find(value: string): ReadonlyMap<string, CachedObject> | undefined {
    return this.#values.get(value)
  }

  #lookFrom(next: string, everything: CurrentObjects, count: number): string | undefined {
    let left = count
    for (const object of everything.objects(next)) {
      if (left-- === 0) return object.key
      this.add(object)
      if (this.#hasTooManyValues) return undefined
    }
    return undefined
  }

  #giveUp(): void {
    this.#hasTooManyValues = true
    this.#values.clear()
  }
}
