// Lets the clients of a run pass, or holds all of them up: while it is closed nothing is under way, and what was written down is whole.

export class Gate {
  #closing = new AbortController()
  #opened: PromiseWithResolvers<void> | undefined
  readonly #under = new Set<Promise<unknown>>()

  /** Does it when the gate is open. The signal asks what would go on for long to end, since the gate is to be closed. */
  async through<Result>(work: (closing: AbortSignal) => Promise<Result>): Promise<Result> {
    while (this.#opened !== undefined) await this.#opened.promise
    const doing = work(this.#closing.signal)
    this.#under.add(doing)
    try {
      return await doing
    } finally {
      this.#under.delete(doing)
    }
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#opened = Promise.withResolvers()
    this.#closing.abort()
    await Promise.allSettled(this.#under)
  }

  open(): void {
    this.#closing = new AbortController()
    this.#opened?.resolve()
    this.#opened = undefined
  }
}
