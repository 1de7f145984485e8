// Stops the writes of a replica that has lost leadership: no write is decided or carried out after the lease has expired, and
// every write is bound to the revision that it was decided on.
import type { Clock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import type { Store } from '../store/store.ts'

export class Fence {
  readonly #clock: Clock
  #heldUntilMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether writes may pass, by this replica's own clock. */
  get isOpen(): boolean {
    return this.#clock.now() < this.#heldUntilMs
  }

  /** Opens the fence until this time, unless it is opened for longer or closed before. */
  openUntil(milliseconds: number): void {
    this.#heldUntilMs = milliseconds
  }

  close(): void {
    this.#heldUntilMs = Number.NEGATIVE_INFINITY
  }

  /** The same store for writers inside the fence. Their writes throw `CancelledError` if the fence is closed. */
  around(store: Store): Store {
    const check = (): void => {
      if (!this.isOpen) throw new CancelledError('leadership was lost')
    }
    return {
      get: (key, at, signal) => store.get(key, at, signal),
      list: (request, signal) => store.list(request, signal),
      watch: (request, signal) => store.watch(request, signal),
      untilPresent: (resource, signal) => store.untilPresent?.(resource, signal),
      write: (key, decide, signal) =>
        store.write(
          key,
          async (current) => {
            check()
            const outcome = await decide(current)
            check()
            return outcome
          },
          signal,
        ),
    }
  }
}
