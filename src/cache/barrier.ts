// Freshness for everyone at once: one linearizable read of the newest revision serves all who came before it began; those
// who come while it is under way share the next. Then the cache only has to get there.
import type { Progress } from './progress.ts'

/** As long as a client waits for a version; then the storage is asked itself. */
const PATIENCE_MS = 3_000

export class Barrier {
  readonly #newest: () => Promise<number>
  readonly #progress: Progress
  #running: Promise<number> | undefined
  #next: Promise<boolean> | undefined

  constructor(progress: Progress, newest: () => Promise<number>) {
    this.#progress = progress
    this.#newest = newest
  }

  /**
   * Resolves to true when the cache shows a state that was current at some moment after the call, to false where it does not
   * get there in time. Throws what the storage throws. Takes no signal: it is shared, and the storage has its own deadline.
   */
  pass(): Promise<boolean> {
    if (this.#running === undefined) return this.#begin()
    this.#next ??= this.#running.then(
      () => this.#beginNext(),
      () => this.#beginNext(),
    )
    return this.#next
  }

  #beginNext(): Promise<boolean> {
    this.#next = undefined
    return this.#begin()
  }

  async #begin(): Promise<boolean> {
    this.#running = this.#newest()
    let revision: number
    try {
      revision = await this.#running
    } finally {
      this.#running = undefined
    }
    return this.#progress.reach(revision, { timeoutMs: PATIENCE_MS, onlyIfAskable: true })
  }
}
