// A store that cannot be reached, and a store whose changes do not reach this replica. Invariant: nothing is lost. When the fault is removed,
// all withheld changes come in order.
import { cancellableWait } from '../../lib/cancellable.ts'
import { type Batch, type Kv, KvError, type KvWatch, type WatchRequest } from '../../kv/kv.ts'
import type { StoreSpec } from './fault-spec.ts'
import type { InjectedFault } from './injected-fault.ts'

type StoreFault = InjectedFault<StoreSpec>

export class StoreFaults {
  #faults: readonly StoreFault[] = []
  readonly #waiting = new Set<() => void>()

  add(fault: StoreFault): void {
    this.#faults = [...this.#faults, fault]
    fault.removed.addEventListener('abort', () => this.#drop(fault), { once: true })
  }

  /** The same store with the injected faults. */
  wrap(kv: Kv): Kv {
    return {
      get: (key, options, signal) => this.#reach() ?? kv.get(key, options, signal),
      list: (range, signal) => this.#reach() ?? kv.list(range, signal),
      commit: (commit, signal) => this.#reach() ?? kv.commit(commit, signal),
      watch: (request, signal) => this.#watch(kv, request, signal),
      compact: (upTo, signal) => this.#reach() ?? kv.compact(upTo, signal),
      newestRevision: (signal) => this.#reach() ?? kv.newestRevision(signal),
      checkHealth: (signal) => this.#reach() ?? kv.checkHealth(signal),
      size: (signal) => this.#reach() ?? kv.size(signal),
      close: () => kv.close(),
    }
  }

  /** The failure of a call during an outage. Undefined: there is no outage. */
  #reach(): Promise<never> | undefined {
    if (this.#faults.length === 0) return undefined
    const outage = this.#faults.find(({ spec }) => spec.fault === 'storeOutage')
    if (outage === undefined) return undefined
    outage.hit()
    return Promise.reject(new KvError('unavailable', 'the store is away: a fault was injected'))
  }

  #watch(kv: Kv, request: WatchRequest, signal: AbortSignal): KvWatch {
    const watch = kv.watch(request, signal)
    return {
      requestProgress: () => this.#faults.length === 0 && watch.requestProgress(),
      [Symbol.asyncIterator]: () => {
        const batches = watch[Symbol.asyncIterator]()
        const next = async (): Promise<IteratorResult<Batch>> => {
          const step = await batches.next()
          if (this.#faults.length > 0) await this.#released(signal)
          return step
        }
        return { next, return: async () => (await batches.return?.()) ?? { done: true, value: undefined } }
      },
    }
  }

  async #released(signal: AbortSignal): Promise<void> {
    for (const fault of this.#faults) if (fault.spec.fault === 'staleReplica') fault.hit()
    await cancellableWait(signal, (done) => {
      this.#waiting.add(done)
      return () => this.#waiting.delete(done)
    })
  }

  #drop(fault: StoreFault): void {
    this.#faults = this.#faults.filter((other) => other !== fault)
    if (this.#faults.length === 0) for (const done of this.#waiting) done()
  }
}
