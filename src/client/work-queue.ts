// The keys of the objects that a controller has to look at. Invariants: only one worker at a time works on a key. A key that is added
// during this work is worked on once more. The outcome of the last work decides when the key is added again without a change.
import { type Clock, programClock } from '../lib/clock.ts'
import { patiently } from './waiting.ts'

export interface WorkQueueOptions {
  readonly clock: Clock
  /** The largest number of keys that are worked on at the same time. */
  readonly concurrency: number
  readonly firstRetryMs: number
  readonly longestRetryMs: number
  /** Resolves to the delay after which the key is due again. Undefined: only when it is added. After an error the queue retries the key. */
  readonly work: (key: string) => Promise<number | undefined>
  /** `retryMs`: undefined if the key is not tried again. */
  readonly onError: (key: string, error: unknown, retryMs: number | undefined) => void
}

/** An error that another try would repeat: the object is reconciled again only when something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}

export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #due = new Set<string>()
  readonly #running = new Set<string>()
  /** Keys that were added while they were worked on. */
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  /** Functions that call off the delays. */
  readonly #delays = new Map<string, () => void>()
  /** Functions that tell a clock that the work it began is done. */
  readonly #ends = new Map<string, () => void>()
  readonly #stopped = Promise.withResolvers<void>()
  #stage: 'waiting' | 'working' | 'stopping' = 'waiting'

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  add(key: string): void {
    if (this.#stage === 'stopping') return
    if (this.#running.has(key)) this.#again.add(key)
    else this.#due.add(key)
    this.#begin()
  }

  /** Works until the signal fires. Resolves when the last work is finished. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    this.#stage = 'working'
    signal.addEventListener('abort', () => this.#stop(), { once: true })
    this.#begin()
    await this.#stopped.promise
  }

  #stop(): void {
    this.#stage = 'stopping'
    for (const callOff of this.#delays.values()) callOff()
    for (const end of this.#ends.values()) end()
    if (this.#running.size === 0) this.#stopped.resolve()
  }

  #begin(): void {
    if (this.#stage !== 'working') return
    for (const key of this.#due) {
      if (this.#running.size >= this.#options.concurrency) return
      this.#due.delete(key)
      this.#running.add(key)
      void this.#workOn(key)
    }
  }

  async #workOn(key: string): Promise<void> {
    const { work, clock } = this.#options
    try {
      const afterMs = await work(key)
      this.#failures.delete(key)
      this.#comeBack(key, afterMs, [clock])
    } catch (error) {
      this.#failed(key, error)
    }
    this.#ends.get(key)?.()
    this.#ends.delete(key)
    this.#running.delete(key)
    if (this.#again.delete(key)) this.#due.add(key)
    if (this.#stage === 'stopping' && this.#running.size === 0) this.#stopped.resolve()
    this.#begin()
  }

  #failed(key: string, error: unknown): void {
    // The queue stops: the failed work is not repeated.
    if (this.#stage === 'stopping') return
    const { firstRetryMs, longestRetryMs, onError, clock } = this.#options
    const failures = this.#failures.get(key) ?? 0
    const isTerminal = error instanceof TerminalError
    const retryMs = isTerminal ? undefined : Math.min(firstRetryMs * 2 ** failures, longestRetryMs)
    if (isTerminal) this.#failures.delete(key)
    else this.#failures.set(key, failures + 1)
    onError(key, error, retryMs)
    // A server may be back before a test moves the time.
    this.#comeBack(key, retryMs, [...new Set([programClock, clock])])
  }

  /** Adds the key when the first of the clocks has reached the delay. A clock that a test moves waits for the work. */
  #comeBack(key: string, delayMs: number | undefined, clocks: readonly Clock[]): void {
    this.#delays.get(key)?.()
    this.#delays.delete(key)
    if (delayMs === undefined || this.#stage === 'stopping') return
    const add = (): Promise<void> => {
      callOff()
      this.#delays.delete(key)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#ends.set(key, resolve)
      this.add(key)
      return patiently(promise)
    }
    const delays = clocks.map((clock) => clock.callAfter(delayMs, add))
    const callOff = (): void => delays.forEach((cancel) => cancel())
    this.#delays.set(key, callOff)
  }
}
