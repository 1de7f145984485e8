// Waits until everything is loaded.
import type { Clock } from '../lib/clock.ts'

export class Loaded {
  readonly #clock: Clock
  readonly #isLoaded: () => boolean
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock, isLoaded: () => boolean) {
    this.#clock = clock
    this.#isLoaded = isLoaded
  }

  /** Wakes all waiting callers. */
  tell(): void {
    for (const done of this.#waiting) done()
  }

  /** Resolves to true when everything is loaded. False: the signal has fired, or the time was over first. */
  wait(signal: AbortSignal, timeoutMs?: number): Promise<boolean> {
    if (this.#isLoaded()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        cancel()
        signal.removeEventListener('abort', done)
        resolve(this.#isLoaded())
      }
      const cancel = timeoutMs === undefined ? (): void => {} : this.#clock.callAfter(timeoutMs, done)
      this.#waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }
}
