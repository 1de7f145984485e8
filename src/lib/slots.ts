// A counting semaphore. Waiting callers are served in their order.
import { cancellableWait } from './cancellable.ts'

export class Slots {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(size: number) {
    this.#free = size
  }

  /** Undefined: the caller has a slot now. Otherwise resolves when it has one. Throws `CancelledError` when the signal fires. */
  take(signal: AbortSignal): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--
      return undefined
    }
    return cancellableWait(signal, (go) => {
      this.#waiting.add(go)
      return () => this.#waiting.delete(go)
    })
  }

  /** Gives a slot back. The caller that has waited longest gets it. */
  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else next()
  }
}
