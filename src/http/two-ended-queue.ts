// A queue that is served from both ends in turn, the newest and the oldest: an item does not wait for all before it, and never for
// more than twice as many.

export class TwoEndedQueue<T> {
  /** By number, all from `#oldest` to below `#next`. */
  readonly #waiting = new Map<number, T>()
  #oldest = 0
  #next = 0
  #isNewestsTurn = true

  get length(): number {
    return this.#waiting.size
  }

  add(one: T): void {
    this.#waiting.set(this.#next++, one)
  }

  take(): T | undefined {
    if (this.#waiting.size === 0) return undefined
    const number = this.#isNewestsTurn ? --this.#next : this.#oldest++
    this.#isNewestsTurn = !this.#isNewestsTurn
    const one = this.#waiting.get(number)
    this.#waiting.delete(number)
    return one
  }
}
