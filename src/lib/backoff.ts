// Exponential backoff with jitter.
import { cancellableWait } from './cancellable.ts'

interface BackoffOptions {
  readonly firstMs: number
  readonly longestMs: number
  /** A number from 0 to 1 for the jitter. Absent: `Math.random`. */
  readonly chance?: (() => number) | undefined
}

export class Backoff {
  readonly #options: BackoffOptions
  #nextMs: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#nextMs = options.firstMs
  }

  /** Returns between half and all of a delay. The delay doubles with each call, up to `longestMs`. */
  nextDelayMs(longestMs = this.#options.longestMs): number {
    const mostMs = Math.min(this.#nextMs, longestMs)
    this.#nextMs = Math.min(mostMs * 2, longestMs)
    const { chance = Math.random } = this.#options
    return mostMs * (0.5 + chance() / 2)
  }

  /** Waits for the next delay. Throws `CancelledError` when the signal fires. */
  wait(signal: AbortSignal): Promise<void> {
    return cancellableWait(signal, (done) => {
      const timer = setTimeout(done, this.nextDelayMs())
      return () => clearTimeout(timer)
    })
  }

  /** Call this after a success: the next delay is a short one again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs
  }
}
