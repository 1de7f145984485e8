// Consistent reads that share their cost: one linearizable read of the newest revision serves all reads that came before it began; those
// who come while it is under way share the next. Then the cache only has to reach that revision. With a remote storage those who
// come in one turn of the event loop go together: otherwise the first would go alone, and the others wait for it.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Progress } from './progress.ts'

/** As long as a client waits for a version; then the storage answers. */
const PATIENCE_MS = 3_000

/** A storage within this process answers sooner. */
const FAR_MS = 0.2

export class Barrier {
  readonly #clock: Clock
  readonly #newest: () => Promise<number>
  readonly #progress: Progress
  #running: Promise<number> | undefined
  #next: Promise<boolean> | undefined
  #isFar = false

  /** `clock`: by which a storage is far. Where it is moved by hand none is: what happens in which order must not depend on the machine. */
  constructor(clock: Clock, progress: Progress, newest: () => Promise<number>) {
    this.#clock = clock
    this.#progress = progress
    this.#newest = newest
  }

  /**
   * True when the cache has a state that was current at some moment after the call, false where it does not get there in time.
   * Throws what the storage throws. Takes no signal: it is shared, and the storage has its own deadline.
   */
  pass(): Promise<boolean> {
    if (this.#next === undefined && this.#running === undefined && !this.#isFar) return this.#ask()
    this.#next ??= this.#askNext()
    return this.#next
  }

  async #askNext(): Promise<boolean> {
    if (this.#running === undefined) await setImmediate()
    else await this.#running.catch(() => undefined)
    this.#next = undefined
    return this.#ask()
  }

  async #ask(): Promise<boolean> {
    const began = this.#clock.now()
    this.#running = this.#newest()
    let revision: number
    try {
      revision = await this.#running
    } finally {
      this.#running = undefined
      this.#isFar = this.#clock.now() - began > FAR_MS
    }
    return this.#progress.reach(revision, { timeoutMs: PATIENCE_MS, onlyIfAskable: true })
  }
}
