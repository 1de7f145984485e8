// A queue that serves its newest and its oldest item by turns. A new item need not wait for all items before it, and no item waits for more
// than twice as many.

export class TwoEndedQueue<T> {
  /** The items by their numbers, from `#oldest` up to `#next` - 1. */
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
