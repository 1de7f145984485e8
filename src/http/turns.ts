// Turns of the event loop, shared out among connections: whoever sends very many requests at once has some of them begun in each
// turn, and whoever sends one has it begun in the next.

/** What requests may take of one turn, about; then each connection has only one more begun in it. */
const TURN_MS = 20
/** More are not begun in one turn, whatever those before them took. Fewer would cost: what is written goes out once a turn. */
const MOST_REQUESTS = 32
/** Of the last turn, in what is expected of the next. */
const WEIGHT = 0.25

export class Turns {
  /** Another one in each turn in which requests are begun. */
  number = 0
  #beganAt = 0
  #begun = 0
  #expectedMs = 0

  /** A request has begun; whether its connection may go on with the next one in this turn. */
  noteRequest(): boolean {
    if (this.#begun++ === 0) {
      this.#beganAt = performance.now()
      setImmediate(this.#end)
    }
    if (this.#begun >= MOST_REQUESTS) return false
    // Most of a request is done when its connection is through with what it read: the time until now says little of that.
    const tookMs = Math.max(performance.now() - this.#beganAt, this.#begun * this.#expectedMs)
    return tookMs < TURN_MS
  }

  readonly #end = (): void => {
    const requestMs = (performance.now() - this.#beganAt) / this.#begun
    this.#expectedMs += (requestMs - this.#expectedMs) * WEIGHT
    this.#begun = 0
    this.number++
  }
}
