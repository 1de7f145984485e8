// A kv whose faults are in the test's hands: watches that stall, break or lose history, reads that fail. What it does right it
// leaves to the kv below.
import type {
  Batch,
  Commit,
  GetResult,
  Kv,
  KvWatch,
  ListResult,
  Range,
  StoreSize,
  WatchRequest,
  WriteResult,
} from '../../src/kv/kv.ts'

export class FaultyKv implements Kv {
  readonly #kv: Kv
  readonly #watches = new Set<FaultyWatch>()
  /** Thrown by every read and write while it is set. */
  failure: Error | undefined
  /** Whether watches can be asked how far they are. */
  tellsProgress = true
  /** How often the newest revision was asked for. */
  newestAsked = 0

  constructor(kv: Kv) {
    this.#kv = kv
  }

  /** Watches deliver nothing until `release`. */
  hold(): void {
    for (const watch of this.#watches) watch.hold()
  }

  release(): void {
    for (const watch of this.#watches) watch.release()
  }

  /** Every watch that is running ends with this error at its next turn. */
  breakWatches(error: Error): void {
    for (const watch of this.#watches) watch.break(error)
  }

  get(key: string, options: { readonly at?: number }, signal: AbortSignal): Promise<GetResult> {
    return this.#orFail(() => this.#kv.get(key, options, signal))
  }

  list(range: Range, signal: AbortSignal): Promise<ListResult> {
    return this.#orFail(() => this.#kv.list(range, signal))
  }

  commit(commit: Commit, signal: AbortSignal): Promise<WriteResult> {
    return this.#orFail(() => this.#kv.commit(commit, signal))
  }

  watch(request: WatchRequest, signal: AbortSignal): KvWatch {
    const watch = new FaultyWatch(this.#kv.watch(request, signal), {
      tellsProgress: () => this.tellsProgress,
      onEnd: () => this.#watches.delete(watch),
    })
    this.#watches.add(watch)
    return watch
  }

  compact(upTo: number, signal: AbortSignal): Promise<void> {
    return this.#kv.compact(upTo, signal)
  }

  newestRevision(signal: AbortSignal): Promise<number> {
    this.newestAsked++
    return this.#orFail(() => this.#kv.newestRevision(signal))
  }

  checkHealth(signal: AbortSignal): Promise<void> {
    return this.#orFail(() => this.#kv.checkHealth(signal))
  }

  size(signal: AbortSignal): Promise<StoreSize | undefined> {
    return this.#kv.size(signal)
  }

  close(): Promise<void> {
    this.release()
    return this.#kv.close()
  }

  async #orFail<T>(call: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure
    return call()
  }
}

interface WatchFaults {
  readonly tellsProgress: () => boolean
  readonly onEnd: () => void
}

class FaultyWatch implements KvWatch {
  readonly #watch: KvWatch
  readonly #faults: WatchFaults
  #held: PromiseWithResolvers<void> | undefined
  #error: Error | undefined

  constructor(watch: KvWatch, faults: WatchFaults) {
    this.#watch = watch
    this.#faults = faults
  }

  hold(): void {
    this.#held ??= Promise.withResolvers()
  }

  release(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  break(error: Error): void {
    this.#error = error
    this.release()
    // Rouses a watch that waits for something to happen.
    this.#watch.requestProgress()
  }

  requestProgress(): boolean {
    return this.#faults.tellsProgress() && this.#watch.requestProgress()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    try {
      for await (const batch of this.#watch) {
        await this.#held?.promise
        if (this.#error !== undefined) throw this.#error
        yield batch
      }
    } finally {
      this.#faults.onEnd()
    }
  }
}
