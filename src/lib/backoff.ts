// Exponential backoff with jitter.
import { cancellableWait } from './cancellable.ts'

interface BackoffOptions {
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
  wait(signal: AbortSignal): Promise<void> {
    const delayMs = this.#nextMs * (0.5 + Math.random() / 2)
    this.#nextMs = Math.min(this.#nextMs * 2, this.#options.longestMs)
    return cancellableWait(signal, (done) => {
      const timer = setTimeout(done, delayMs)
      return () => clearTimeout(timer)
    })
  }

  /** After a success the next failure waits briefly again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs
  }
}
