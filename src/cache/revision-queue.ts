// A queue in the order of revisions, with binary search.

export class RevisionQueue<T extends { readonly revision: number }> {
  /** Entries before `#first` were removed. */
  #all: (T | undefined)[] = []
  #first = 0

  get size(): number {
    return this.#all.length - this.#first
  }

  get first(): T | undefined {
    return this.#all[this.#first]
  }

  at(place: number): T | undefined {
    return this.#all[this.#first + place]
  }

  add(entry: T): void {
    this.#all.push(entry)
  }

  removeFirst(): T | undefined {
    const entry = this.#all[this.#first]
    if (entry === undefined) return undefined
    this.#all[this.#first] = undefined
    this.#first++
    if (this.#first >= 64 && this.#first >= this.#all.length / 2) this.#shed([])
    return entry
  }

  addInFront(entries: readonly T[]): void {
    this.#shed(entries)
  }

  /** The place of the first item of a later revision. `size`: there is none. */
  placeAfter(revision: number): number {
    return this.placeBehind((entry) => entry.revision <= revision)
  }

  /** The place of the first item for which `isBefore` is false. `isBefore` must be true for all items before this place. */
  placeBehind(isBefore: (entry: T) => boolean): number {
    let low = this.#first
    let high = this.#all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(this.#all[middle]!)) low = middle + 1
      else high = middle
    }
    return low - this.#first
  }

  slice(from: number, to: number): readonly T[] {
    return this.#all.slice(this.#first + from, this.#first + to) as readonly T[]
  }

  #shed(inFront: readonly T[]): void {
    this.#all = [...inFront, ...this.#all.slice(this.#first)]
    this.#first = 0
  }
}
