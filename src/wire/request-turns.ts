// Shares turns of the event loop among connections. If very many requests arrive at once on a connection, only some of them begin in each
// turn. So a single request on another connection begins in the next turn.

/** The time for requests in one turn. Afterwards each connection may begin one more request in the turn. */
const TURN_MS = 20
/** The largest number of requests that begin in one turn. Fewer would cost more: written bytes are sent once a turn. */
const MOST_REQUESTS = 32
/** If requests are shorter, `MOST_REQUESTS` of them fit in a turn. */
const CHEAP_MS = TURN_MS / MOST_REQUESTS
/** The weight of the last turn in the estimate for the next. */
const WEIGHT = 0.25

export class RequestTurns {
  /** Changes with each turn of the event loop that begins a request. */
  number = 0
  #begun = 0
  #expectedMs = 0
  /** The time when the first request of the turn began, and the processor time at that moment if requests may take long. */
  #startMs = 0
  #usage: NodeJS.CpuUsage | undefined

  /** Call this after a request has begun. Returns whether its connection may begin the next one in this turn. */
  noteRequest(): boolean {
    if (this.#begun++ === 0) {
      this.#startMs = performance.now()
      this.#usage = this.#expectedMs < CHEAP_MS ? undefined : process.threadCpuUsage()
      setImmediate(this.#end)
    }
    // Most of the work follows after the connection has handled its bytes, so the time so far says little.
    return this.#begun < MOST_REQUESTS && this.#begun * this.#expectedMs < TURN_MS
  }

  readonly #end = (): void => {
    const requestMs = this.#takenMs() / this.#begun
    this.#expectedMs += (requestMs - this.#expectedMs) * WEIGHT
    this.#begun = 0
    this.number++
  }

  /**
   * On a busy machine the clock includes the time of other processes. The processor time, which takes a slower system call, is read only if
   * this matters.
   */
  #takenMs(): number {
    if (this.#usage === undefined) return performance.now() - this.#startMs
    const { user, system } = process.threadCpuUsage(this.#usage)
    return (user + system) / 1000
  }
}
