// At most so many at a time; who comes later waits, and goes first come, first served.
import { CancelledError } from './errors.ts'

export class Slots {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(size: number) {
    this.#free = size
  }

  /** Undefined where a slot was free: then it is taken already. Throws `CancelledError` when the signal fires. */
  take(signal: AbortSignal): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--
      return undefined
    }
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      const go = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        this.#waiting.delete(go)
        reject(new CancelledError(signal.reason))
      }
      this.#waiting.add(go)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Gives back what `take` took: to the one who has waited longest, where somebody has. */
  give(): void {
    for (const go of this.#waiting) {
      this.#waiting.delete(go)
      return go()
    }
    this.#free++
  }
}
