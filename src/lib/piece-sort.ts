// Merge sort in pieces: short runs are sorted by the platform, and merged until one is left.

const RUN = 2048

/** Two runs that are becoming one, and how far. */
interface Merge<T> {
  readonly left: readonly T[]
  readonly right: readonly T[]
  readonly out: T[]
  l: number
  r: number
}

export class PieceSort<T> {
  readonly #compare: (a: T, b: T) => number
  /** Runs that are in order; those behind `#sorted` are not yet. */
  #runs: T[][]
  #sorted = 0
  #merged: T[][] = []
  #merge: Merge<T> | undefined

  constructor(things: readonly T[], compare: (a: T, b: T) => number) {
    this.#compare = compare
    this.#runs = []
    for (let at = 0; at < things.length; at += RUN) this.#runs.push(things.slice(at, at + RUN))
  }

  /** What is in order when `step` has said so. */
  get result(): readonly T[] {
    return this.#runs[0] ?? []
  }

  /** Does a piece; true when all is in order. */
  step(): boolean {
    if (this.#sorted < this.#runs.length) {
      this.#runs[this.#sorted]!.sort(this.#compare)
      this.#sorted += 1
      return false
    }
    if (this.#merge !== undefined) return this.#mergeOn(this.#merge)
    if (this.#runs.length + this.#merged.length <= 1) {
      this.#runs = [...this.#merged, ...this.#runs]
      return true
    }
    this.#nextMerge()
    return false
  }

  #nextMerge(): void {
    const [left, right, ...others] = this.#runs
    if (left === undefined || right === undefined) {
      this.#runs = left === undefined ? this.#merged : [...this.#merged, left]
      this.#merged = []
      this.#sorted = this.#runs.length
      return
    }
    this.#runs = others
    this.#sorted = others.length
    this.#merge = { left, right, out: [], l: 0, r: 0 }
  }

  #mergeOn(merge: Merge<T>): boolean {
    const { left, right, out } = merge
    for (let i = 0; i < RUN; i++) {
      const [a, b] = [left[merge.l], right[merge.r]]
      if (a === undefined && b === undefined) {
        this.#merged.push(out)
        this.#merge = undefined
        return false
      }
      // Equal ones stay in the order in which they came.
      const takesLeft = b === undefined || (a !== undefined && this.#compare(a, b) <= 0)
      out.push(takesLeft ? a! : b)
      if (takesLeft) merge.l += 1
      else merge.r += 1
    }
    return false
  }
}
