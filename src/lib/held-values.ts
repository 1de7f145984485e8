// Keeps values that come before their receiver, in order.

export class HeldValues<T> {
  #take: ((value: T) => void) | undefined
  #held: T[] = []

  give(value: T): void {
    if (this.#take === undefined) this.#held.push(value)
    else this.#take(value)
  }

  /** Call this once. The receiver gets the kept values, and then every later one. */
  readonly onEach = (take: (value: T) => void): void => {
    this.#take = take
    for (const value of this.#held.splice(0)) take(value)
  }
}
