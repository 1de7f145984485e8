// Turns of the event loop, shared out among connections: whoever sends very many requests at once has some of them begun in each
// turn, and whoever sends one has it begun in the next.

/**
 * When so many requests have begun in one turn, or they have taken so long, each connection has only one more begun in it. Time
 * alone does not tell: most of a request is done when its connection is through with what it read.
 */
const REQUESTS = 16
const TURN_MS = 10

export class Turns {
  /** Another one in each turn in which requests are begun. */
  number = 0
  #beganAt = 0
  #begun = 0

  /** A request has begun; whether its connection may go on with the next one in this turn. */
  noteRequest(): boolean {
    if (this.#begun++ === 0) {
      this.#beganAt = performance.now()
      setImmediate(this.#end)
    }
    return this.#begun < REQUESTS && performance.now() - this.#beganAt < TURN_MS
  }

  readonly #end = (): void => {
    this.#begun = 0
    this.number++
  }
}
