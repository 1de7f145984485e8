// An active fault: the number of its hits, and the callers that wait for them.
import { cancellableWait } from '../../lib/cancellable.ts'
import type { Clock } from '../../lib/clock.ts'
import { FaultError, type FaultSpec } from './fault-spec.ts'

/** A fault that was injected. `using fault = …` removes it at the end of the block. */
export interface Fault extends Disposable {
  /** The number of requests, watches or calls of the store that the fault has hit. */
  readonly hits: number
  /** Resolves after this number of hits, 1 by default. Rejects if the fault is removed before. */
  whenHit(times?: number): Promise<void>
  /** Ends the fault and releases everything that it holds back. A second call has no effect. */
  remove(): void
}

interface Waiter {
  readonly times: number
  readonly done: PromiseWithResolvers<void>
}

export class InjectedFault<Spec extends FaultSpec = FaultSpec> implements Fault {
  hits = 0
  readonly id: string
  readonly spec: Spec
  readonly #removed = new AbortController()
  readonly #onRemove: () => void
  #waiters: readonly Waiter[] = []

  constructor(id: string, spec: Spec, onRemove: () => void) {
    this.id = id
    this.spec = spec
    this.#onRemove = onRemove
  }

  /** Fires when the fault is removed. */
  get removed(): AbortSignal {
    return this.#removed.signal
  }

  hit(): void {
    this.hits++
    for (const { times, done } of this.#waiters) if (this.hits >= times) done.resolve()
    this.#waiters = this.#waiters.filter(({ times }) => this.hits < times)
  }

  whenHit(times = 1): Promise<void> {
    if (this.hits >= times) return Promise.resolve()
    const done = Promise.withResolvers<void>()
    // If no caller waits any more, a rejection must not end the process.
    done.promise.catch(() => {})
    if (this.removed.aborted) done.reject(this.#tooFew())
    else this.#waiters = [...this.#waiters, { times, done }]
    return done.promise
  }

  /** Waits until the fault is removed, or for this time. Throws `CancelledError` when the signal fires. */
  async wait(signal: AbortSignal, most?: { readonly clock: Clock; readonly milliseconds: number }): Promise<void> {
    const { removed } = this
    if (removed.aborted) return
    await cancellableWait(signal, (done) => {
      removed.addEventListener('abort', done, { once: true })
      const cancel = most?.clock.callAfter(most.milliseconds, done)
      return () => {
        removed.removeEventListener('abort', done)
        cancel?.()
      }
    })
  }

  remove(): void {
    if (this.removed.aborted) return
    this.#onRemove()
    this.#removed.abort()
    for (const { done } of this.#waiters) done.reject(this.#tooFew())
    this.#waiters = []
  }

  [Symbol.dispose](): void {
    this.remove()
  }

  #tooFew(): FaultError {
    return new FaultError(`the fault was removed after ${this.hits} hits: ${JSON.stringify(this.spec)}`)
  }
}

/** The fault as `/debug/faults` shows it. */
export function reportOf({
  id,
  spec,
  hits,
}: InjectedFault): FaultSpec & { readonly id: string; readonly hits: number } {
  return { id, ...spec, hits }
}
