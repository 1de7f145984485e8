// Turns of the event loop, shared out among connections: of very many requests that come at once on a connection some begin in each
// turn, and a single request on another connection begins in the next turn.

/** What requests may take of one turn, about; then each connection has only one more begun in it. */
const TURN_MS = 20
/** The most requests that begin in one turn, however short they are. Fewer would cost: what is written goes out once a turn. */
const MOST_REQUESTS = 32
/** Requests that take less than this are never too many for a turn. */
const CHEAP_MS = TURN_MS / MOST_REQUESTS
/** Of the last turn, in what is expected of the next. */
const WEIGHT = 0.25

export class RequestTurns {
  /** Another one in each turn in which requests are begun. */
  number = 0
  #begun = 0
  #expectedMs = 0
  /** When the first one began, by the clock, and by processor time where requests may be dear. */
  #startMs = 0
  #usage: NodeJS.CpuUsage | undefined

  /** A request has begun; whether its connection may go on with the next one in this turn. */
  noteRequest(): boolean {
    if (this.#begun++ === 0) {
      this.#startMs = performance.now()
      this.#usage = this.#expectedMs < CHEAP_MS ? undefined : process.threadCpuUsage()
      setImmediate(this.#end)
    }
    // Most of a request is done when its connection is through with what it read: what it took so far says little.
    return this.#begun < MOST_REQUESTS && this.#begun * this.#expectedMs < TURN_MS
  }

  readonly #end = (): void => {
    const requestMs = this.#takenMs() / this.#begun
    this.#expectedMs += (requestMs - this.#expectedMs) * WEIGHT
    this.#begun = 0
    this.number++
  }

  /** On a busy machine the clock tells what others took as well; the system is asked, which takes a while, where that matters. */
  #takenMs(): number {
    if (this.#usage === undefined) return performance.now() - this.#startMs
    const { user, system } = process.threadCpuUsage(this.#usage)
    return (user + system) / 1000
  }
}
