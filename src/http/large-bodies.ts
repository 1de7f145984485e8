// Large bodies, a few at a time and in the order in which they came. What a body is made into takes up to fifty times its bytes, and of
// many that share the processor none would be done in time.
import { cancellableWait } from '../lib/cancellable.ts'

/** Smaller ones pass by. */
const LARGE_BYTES = 64 * 1024
/** Of those that are being worked on, together: five or six of the largest. */
const MOST_BYTES = 16 * 1024 * 1024
/** Of those that are being worked on, together: what they are made into is most of what a small server holds. */
const MUCH_BYTES = 1024 * 1024

interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

export class LargeBodies {
  readonly #waiting = new Set<Waiting>()
  readonly #onMuch: (isMuch: boolean) => void
  #taken = 0

  /** `onMuch`: told when there begins to be much to work on, and when that is over. */
  constructor(onMuch: (isMuch: boolean) => void = () => {}) {
    this.#onMuch = onMuch
  }

  /** Undefined: it may be worked on at once. Throws `CancelledError` when the signal fires first. */
  enter(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (bytes < LARGE_BYTES) return undefined
    if (this.#waiting.size === 0 && this.#fits(bytes)) {
      this.#take(bytes)
      return undefined
    }
    return cancellableWait(signal, (go) => {
      const waiting = { bytes, go }
      this.#waiting.add(waiting)
      return () => this.#waiting.delete(waiting)
    })
  }

  /** To be called once for each body that has entered. */
  leave(bytes: number): void {
    if (bytes < LARGE_BYTES) return
    this.#take(-bytes)
    for (const { bytes: next, go } of this.#waiting) {
      if (!this.#fits(next)) return
      this.#take(next)
      go()
    }
  }

  #take(bytes: number): void {
    const wasMuch = this.#taken >= MUCH_BYTES
    this.#taken += bytes
    const isMuch = this.#taken >= MUCH_BYTES
    if (isMuch !== wasMuch) this.#onMuch(isMuch)
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= MOST_BYTES
  }
}
