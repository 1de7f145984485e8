// The current objects of a type by the values of the labels that readers select by equality: a thousand watches of one label each
// do not look at every object a thousand times. A key is indexed when it is first asked for, and may be replaced by another.
import { compareStrings } from '../lib/text-order.ts'
import { labelValue } from '../store/selection.ts'
import type { CachedObject } from './cached-object.ts'

/** So many keys are indexed at a time; one that was used within this time is not given up for another. */
const MOST_KEYS = 4
const KEPT_MS = 60_000
/** Making an index looks at everything in one go; beyond this it would be felt. */
const MOST_OBJECTS = 50_000
/** Where more than one object in so many is found, the order of the tree is cheaper than sorting. */
const WORTHWHILE = 8
const FEW = 64

interface IndexedKey {
  readonly values: Map<string, Map<string, CachedObject>>
  usedMs: number
}

export class LabelIndex {
  readonly #keys = new Map<string, IndexedKey>()

  add(object: CachedObject): void {
    for (const [key, { values }] of this.#keys) file(values, key, object)
  }

  remove(object: CachedObject): void {
    for (const [key, { values }] of this.#keys) {
      const value = labelValue(object.labelText, key)
      if (value === undefined) continue
      const found = values.get(value)
      found?.delete(object.key)
      if (found?.size === 0) values.delete(value)
    }
  }

  /** In the order of keys; undefined where walking over everything is better, or all that can be done. */
  find(
    label: { readonly key: string; readonly value: string },
    everything: CurrentObjects,
  ): CachedObject[] | undefined {
    const indexed = this.#keys.get(label.key) ?? this.#make(label.key, everything)
    if (indexed === undefined) return undefined
    indexed.usedMs = everything.nowMs
    const found = indexed.values.get(label.value)
    if (found === undefined) return []
    if (found.size > FEW && found.size * WORTHWHILE > everything.size) return undefined
    return [...found.values()].sort((a, b) => compareStrings(a.key, b.key))
  }

  #make(key: string, everything: CurrentObjects): IndexedKey | undefined {
    if (everything.size > MOST_OBJECTS || !this.#makeRoom(everything.nowMs)) return undefined
    const values: IndexedKey['values'] = new Map()
    for (const object of everything.objects()) file(values, key, object)
    const made = { values, usedMs: everything.nowMs }
    this.#keys.set(key, made)
    return made
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

export interface CurrentObjects {
  readonly size: number
  readonly nowMs: number
  objects(): Iterable<CachedObject>
}

function file(values: IndexedKey['values'], key: string, object: CachedObject): void {
  const value = labelValue(object.labelText, key)
  if (value === undefined) return
  const known = values.get(value)
  if (known === undefined) values.set(value, new Map([[object.key, object]]))
  else known.set(object.key, object)
}
