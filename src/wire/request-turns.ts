// Turns of the event loop, shared out among connections: whoever sends very many requests at once has some of them begun in each
// turn, and whoever sends one has it begun in the next.

/** What requests may take of one turn, about; then each connection has only one more begun in it. */
const TURN_MS = 20
/** More are not begun in one turn, whatever those before them took. Fewer would cost: what is written goes out once a turn. */
const MOST_REQUESTS = 32
/** Of the last turn, in what is expected of the next. */
const WEIGHT = 0.25

export class RequestTurns {
  /** Another one in each turn in which requests are begun. */
  number = 0
  #begun = 0
  #expectedMs = 0
  /** When the first one began. Not by the clock: on a busy machine that tells what others took. */
  #usage: NodeJS.CpuUsage = { user: 0, system: 0 }

  /** A request has begun; whether its connection may go on with the next one in this turn. */
  noteRequest(): boolean {
    if (this.#begun++ === 0) {
      this.#usage = process.threadCpuUsage()
      setImmediate(this.#end)
    }
    // Most of a request is done when its connection is through with what it read: what it took so far says little.
    return this.#begun < MOST_REQUESTS && this.#begun * this.#expectedMs < TURN_MS
  }

  readonly #end = (): void => {
    const { user, system } = process.threadCpuUsage(this.#usage)
    const requestMs = (user + system) / 1000 / this.#begun
    this.#expectedMs += (requestMs - this.#expectedMs) * WEIGHT
    this.#begun = 0
    this.number++
  }
}
