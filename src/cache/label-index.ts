// The current objects of a type by the values of the labels that readers select by equality. So a thousand watches, each with one label
// value, do not look at every object a thousand times. A label key is indexed at the first request for it, and may be replaced by another
// key.
import { labelValue } from '../store/selection.ts'
import type { CachedObject } from './cached-object.ts'
import { type CurrentObjects, ValueIndex } from './value-index.ts'

/** The largest number of indexed keys, and the time after its last use in which a key is not replaced. */
const MOST_KEYS = 4
const KEPT_MS = 60_000
/**
 * The first request for a key indexes this many objects at once. The other objects follow in smaller pieces, each in a turn of the event
 * loop. Requests before the end walk over all objects.
 */
const PIECE = 50_000
const LATER_PIECE = 10_000
/** With more values than this a key is not indexed, because each value takes memory. */
const MOST_VALUES = 50_000
/** If more than one object in this many matches, a walk over the tree is cheaper than sorting. */
const WORTHWHILE = 8
const FEW = 64

export class LabelIndex {
  readonly #keys = new Map<string, IndexedKey>()

  add(object: CachedObject): void {
    for (const indexed of this.#keys.values()) indexed.add(object)
  }

  remove(object: CachedObject): void {
    for (const indexed of this.#keys.values()) indexed.remove(object)
  }

  /** The matching objects, in any order. Undefined: walk over all objects. */
  find(
    label: { readonly key: string; readonly value: string },
    everything: CurrentObjects,
  ): CachedObject[] | undefined {
    const indexed = this.#keys.get(label.key) ?? this.#begin(label.key, everything)
    if (indexed === undefined) return undefined
    indexed.usedMs = everything.nowMs
    if (indexed.state !== 'whole') return undefined
    const found = indexed.find(label.value)
    if (found === undefined) return []
    if (found.size > FEW && found.size * WORTHWHILE > everything.size) return undefined
    return [...found.values()]
  }

  #begin(key: string, everything: CurrentObjects): IndexedKey | undefined {
    if (!this.#makeRoom(everything.nowMs)) return undefined
    const begun = new IndexedKey(key)
    this.#keys.set(key, begun)
    begun.build(everything, { first: PIECE, later: LATER_PIECE, isWanted: () => this.#keys.get(key) === begun })
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

class IndexedKey extends ValueIndex {
  usedMs = 0

  constructor(key: string) {
    super({ valueOf: (object) => labelValue(object.labelText, key), mostValues: MOST_VALUES })
  }
}
