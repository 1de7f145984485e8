// The revision that the cache has reached, and the reads that wait for a later one. The watch delivers every write under the prefix.
// Because of writes elsewhere, the cache also requests the revision from the watch.
import type { Clock } from '../lib/clock.ts'

/**
 * The time before the first request for progress. A write arrives within milliseconds, so a longer wait is for a revision that is not in
 * the stream.
 */
const FIRST_NUDGE_MS = 10
const NUDGE_MS = 100

export interface WaitOptions {
  readonly timeoutMs: number
  /** Do not wait if progress cannot be requested: the storage can answer instead. */
  readonly onlyIfAskable?: boolean
  readonly signal?: AbortSignal
}

interface Waiter {
  readonly revision: number
  readonly onlyIfAskable: boolean
  readonly done: (isReached: boolean) => void
}

export class Progress {
  readonly #clock: Clock
  /** Requests progress from the stream. False: the stream cannot report progress. */
  readonly #ask: () => boolean
  readonly #waiters = new Set<Waiter>()
  /** The waiters without a time limit. No progress is requested for them. */
  readonly #patient = new Set<Pick<Waiter, 'revision' | 'done'>>()
  #revision = 0
  #isOver = false
  #cancelNudge: (() => void) | undefined

  constructor(clock: Clock, ask: () => boolean) {
    this.#clock = clock
    this.#ask = ask
  }

  get revision(): number {
    return this.#revision
  }

  advance(revision: number): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.done(true)
    for (const waiter of this.#patient) if (waiter.revision <= revision) waiter.done(true)
  }

  /** Starts again at this revision, after a load. */
  reset(revision: number): void {
    this.#revision = 0
    this.advance(revision)
  }

  /** Call this when the stream has ended: all waits fail. */
  end(): void {
    this.#isOver = true
    for (const waiter of this.#waiters) waiter.done(false)
    for (const waiter of this.#patient) waiter.done(false)
  }

  /** Resolves to true when the revision is reached, without a time limit. False: the stream has ended, or the signal has fired. */
  async whenReached(revision: number, signal: AbortSignal): Promise<boolean> {
    if (revision <= this.#revision) return true
    if (signal.aborted || this.#isOver) return false
    return new Promise((resolve) => {
      const giveUp = (): void => waiter.done(false)
      const done = (isReached: boolean): void => {
        this.#patient.delete(waiter)
        signal.removeEventListener('abort', giveUp)
        resolve(isReached)
      }
      const waiter = { revision, done }
      this.#patient.add(waiter)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Resolves to whether the revision was reached in time. Also false if the signal has fired. */
  async reach(revision: number, options: WaitOptions): Promise<boolean> {
    if (revision <= this.#revision) return true
    const { timeoutMs, signal, onlyIfAskable = false } = options
    if (signal?.aborted === true || this.#isOver) return false
    return new Promise((resolve) => {
      const done = (isReached: boolean): void => {
        this.#waiters.delete(waiter)
        cancelTimer()
        signal?.removeEventListener('abort', giveUp)
        if (this.#waiters.size === 0) this.#stopNudging()
        resolve(isReached)
      }
      const giveUp = (): void => done(false)
      const waiter: Waiter = { revision, onlyIfAskable, done }
      const cancelTimer = this.#clock.callAfter(timeoutMs, giveUp)
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiters.add(waiter)
      this.#cancelNudge ??= this.#clock.callAfter(FIRST_NUDGE_MS, this.#nudge)
    })
  }

  readonly #nudge = (): void => {
    this.#cancelNudge = this.#clock.callAfter(NUDGE_MS, this.#nudge)
    if (this.#ask()) return
    for (const waiter of this.#waiters) if (waiter.onlyIfAskable) waiter.done(false)
  }

  #stopNudging(): void {
    this.#cancelNudge?.()
    this.#cancelNudge = undefined
  }
}
