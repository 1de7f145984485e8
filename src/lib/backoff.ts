// Waiting a little longer after each failure, and not all at the same moment.
import { CancelledError } from './errors.ts'

export interface BackoffOptions {
  readonly firstMs: number
  readonly longestMs: number
}

export class Backoff {
  readonly #options: BackoffOptions
  #nextMs: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#nextMs = options.firstMs
  }

  /** Waits between half of the next delay and all of it. Throws `CancelledError` when the signal fires. */
  async wait(signal: AbortSignal): Promise<void> {
    const delayMs = this.#nextMs
    this.#nextMs = Math.min(delayMs * 2, this.#options.longestMs)
    await delay(delayMs * (0.5 + Math.random() / 2), signal)
  }

  /** After a success the next failure waits briefly again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs
  }
}

/** Throws `CancelledError` when the signal fires before the time is over. Keeps the process alive: somebody is waiting. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CancelledError(signal.reason))
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(new CancelledError(signal.reason))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
