// Deferred work on the members of lists and maps, done in turns. Code that walks a large document defers its long lists, and
// hands out results that are filled in later.
import { sortInPieces } from './piece-sort.ts'
import { compareStrings } from './text-order.ts'
import type { Turns } from './turns.ts'

/** Fewer things are done at once. */
export const MANY = 32
const MANY_TO_SORT = 4096
/** Looking at the clock costs as much as a few small things. */
const BATCH = 16

const DONE = (): boolean => true

export class Later {
  readonly #work: (() => boolean)[] = []

  /** Calls `visit` for every number below `count`, in order: at once where they are few. */
  each(count: number, visit: (index: number) => void): void {
    if (count < MANY) {
      for (let i = 0; i < count; i++) visit(i)
      return
    }
    let at = 0
    this.#work.push(() => {
      for (const end = Math.min(at + BATCH, count); at < end; at++) visit(at)
      return at === count
    })
  }

  /** Calls `then` with the texts in order, as the platform sorts them: at once where they are few. */
  sort(texts: readonly string[], then: (sorted: readonly string[]) => void): void {
    this.sortBy(texts, compareStrings, then)
  }

  sortBy<T>(things: readonly T[], compare: (a: T, b: T) => number, then: (sorted: readonly T[]) => void): void {
    if (things.length < MANY_TO_SORT) return then(things.toSorted(compare))
    const sorting = sortInPieces(things, compare)
    this.#work.push(() => {
      const piece = sorting.next()
      if (piece.done === true) then(piece.value)
      return piece.done === true
    })
  }

  /** Does all that was put off, and what is put off meanwhile. Throws what a visit throws; the rest is not done then. */
  async done(turns: Turns): Promise<void> {
    for (let next = 0; next < this.#work.length; ) {
      if (turns.isOver) await turns.next()
      if (!this.#work[next]!()) continue
      // What it held on to is not needed any more.
      this.#work[next] = DONE
      next += 1
    }
    this.#work.length = 0
  }
}
