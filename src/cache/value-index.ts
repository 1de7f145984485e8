// The current objects of a type by one text of each: the value of a label or of a field. It is built in pieces, each in a turn of the event
// loop, and follows changes from the start. With too many values the index gives up, because each value takes memory of its own.
import type { CachedObject } from './cached-object.ts'

export interface CurrentObjects {
  readonly size: number
  readonly nowMs: number
  /** The objects in the order of their keys, from this key on. */
  objects(from: string): Iterable<CachedObject>
}

export interface ValueIndexOptions {
  /** Must always return the same for an object. Undefined: the object is not in the index. */
  readonly valueOf: (object: CachedObject) => string | undefined
  readonly mostValues: number
}

export interface Building {
  /** The number of objects that are indexed in the first turn. */
  readonly first: number
  /** The number of objects in each later turn. */
  readonly later: number
  /** False: the index is no longer needed. */
  readonly isWanted: () => boolean
}

export class ValueIndex {
  readonly #options: ValueIndexOptions
  readonly #values = new Map<string, Map<string, CachedObject>>()
  /** Objects before this key are indexed. Undefined: all objects are indexed. */
  #next: string | undefined = ''
  #isGivenUp = false
  #size = 0

  constructor(options: ValueIndexOptions) {
    this.#options = options
  }

  /** The number of indexed objects. */
  get size(): number {
    return this.#size
  }

  get values(): number {
    return this.#values.size
  }

  get state(): 'building' | 'whole' | 'given up' {
    if (this.#isGivenUp) return 'given up'
    return this.#next === undefined ? 'whole' : 'building'
  }

  add(object: CachedObject): void {
    const value = this.#isGivenUp ? undefined : this.#options.valueOf(object)
    if (value === undefined) return
    const known = this.#values.get(value)
    if (known === undefined && this.#values.size >= this.#options.mostValues) return this.#giveUp()
    const bucket = known ?? new Map<string, CachedObject>()
    if (known === undefined) this.#values.set(value, bucket)
    const before = bucket.size
    bucket.set(object.key, object)
    this.#size += bucket.size - before
  }

  remove(object: CachedObject): void {
    const value = this.#isGivenUp ? undefined : this.#options.valueOf(object)
    const bucket = value === undefined ? undefined : this.#values.get(value)
    if (value === undefined || bucket === undefined) return
    if (bucket.delete(object.key)) this.#size--
    if (bucket.size === 0) this.#values.delete(value)
  }

  find(value: string): ReadonlyMap<string, CachedObject> | undefined {
    return this.#values.get(value)
  }

  build(everything: CurrentObjects, { first, later, isWanted }: Building): void {
    this.#look(everything, first)
    const goOn = (): void => {
      if (this.state === 'building' && isWanted()) setImmediate(look)
    }
    const look = (): void => {
      this.#look(everything, later)
      goOn()
    }
    goOn()
  }

  /** Indexes some more objects. Objects that have changed meanwhile are indexed already. */
  #look(everything: CurrentObjects, count: number): void {
    if (this.#next !== undefined) this.#next = this.#lookFrom(this.#next, everything, count)
  }

  #lookFrom(next: string, everything: CurrentObjects, count: number): string | undefined {
    let left = count
    for (const object of everything.objects(next)) {
      if (left-- === 0) return object.key
      this.add(object)
      if (this.#isGivenUp) return undefined
    }
    return undefined
  }

  #giveUp(): void {
    this.#isGivenUp = true
    this.#values.clear()
    this.#size = 0
  }
}
