// Turns of the event loop, shared out among connections: whoever sends very many requests at once has some of them begun in each
// turn, and whoever sends one has it begun in the next.

/** When requests have taken so long in one turn, each connection has only one more begun. */
const TURN_MS = 10

export class Turns {
  /** Another one in each turn in which requests are begun. */
  number = 0
  #beganAt = 0
  #hasBegun = false

  /** A request has begun; whether its connection may go on with the next one in this turn. */
  noteRequest(): boolean {
    const now = performance.now()
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#beganAt = now
      setImmediate(this.#end)
    }
    return now - this.#beganAt < TURN_MS
  }

  readonly #end = (): void => {
    this.#hasBegun = false
    this.number++
  }
}
