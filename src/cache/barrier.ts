// Consistent reads share their cost: one linearizable read of the newest revision serves all reads that came before it began. Reads that
// come while it is under way share the next one. A read is answered when the cache has reached the revision. With a remote storage, the
// reads of one turn of the event loop wait for the end of the turn and share one linearizable read. Otherwise the first read would use one
// alone, and the others would wait for the next one.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Progress } from './progress.ts'

/** The time that a client waits for a version. Then the storage answers. */
const PATIENCE_MS = 3_000

/** A storage that answers sooner is within this process. */
const FAR_MS = 0.2

export class Barrier {
  readonly #clock: Clock
  readonly #newest: () => Promise<number>
  readonly #progress: Progress
  #running: Promise<number> | undefined
  #next: Promise<boolean> | undefined
  #isFar = false

  /**
   * `clock` measures whether the storage is remote. With the clock of a test it is never remote, because the order of events must not
   * depend on the machine.
   */
  constructor(clock: Clock, progress: Progress, newest: () => Promise<number>) {
    this.#clock = clock
    this.#progress = progress
    this.#newest = newest
  }

  /**
   * Resolves to true when the cache has a state that was current at some moment after the call. False: the cache did not reach such a state
   * in time. Rejects with the errors of the storage. There is no signal, because reads share the call, and the storage has its own
   * deadline.
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
