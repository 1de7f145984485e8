// What the contract's tests work on: one store, a corner of it that is theirs alone, and short words for what they do there.
import { afterEach, beforeEach, expect } from 'vitest'
import {
  ABSENT,
  type Batch,
  type KeyValue,
  type Kv,
  KvError,
  type KvErrorCode,
  type KvEvent,
  type ListResult,
  prefixRange,
  type Range,
  type Revision,
  type WatchRequest,
  type WriteResult,
  putKey,
  removeKey,
} from '../../../src/kv/kv.ts'

export interface StoreUnderTest {
  readonly kv: Kv
  /** Ends in `/`; no key is under it yet, and nobody else writes there. */
  readonly prefix: string
  /** How many watches and timers the engine holds, where it can tell. */
  readonly liveHandles?: () => number
  /** Moves the engine's clock on, where that is in our hands; otherwise the tests wait for real. */
  readonly advance?: (ms: number) => void
}

export interface KvContractOptions {
  /** Called for each test. The test closes `kv`; nobody else writes to the store meanwhile. */
  readonly open: () => Promise<StoreUnderTest>
  /** Every `open` gives a store that nothing was ever written to. */
  readonly startsEmpty: boolean
  /** How many keys the test of size writes; absent: 100,000. */
  readonly manyKeys?: number
}

export type OpenSubject = () => Subject

/** Opens a store for each test of the surrounding `describe`, and closes it. */
export function subjectOfEachTest(options: KvContractOptions): OpenSubject {
  const open: { subject?: Subject } = {}
  beforeEach(async () => {
    open.subject = new Subject(await options.open())
  })
  afterEach(async () => {
    await open.subject?.dispose()
  })
  return () => open.subject!
}

export class Subject {
  readonly kv: Kv
  readonly prefix: string
  readonly store: StoreUnderTest
  readonly #scope = new AbortController()

  constructor(store: StoreUnderTest) {
    this.store = store
    this.kv = store.kv
    this.prefix = store.prefix
  }

  get signal(): AbortSignal {
    return this.#scope.signal
  }

  async dispose(): Promise<void> {
    this.#scope.abort()
    await this.kv.close()
  }

  /** Losing is the caller's to look at. */
  put(name: string, value: string | Buffer, expected: Revision = ABSENT, ttlSeconds?: number): Promise<WriteResult> {
    const request = { key: this.prefix + name, value: Buffer.from(value), expected }
    return putKey(this.kv, ttlSeconds === undefined ? request : { ...request, ttlSeconds }, this.signal)
  }

  delete(name: string, expected: Revision): Promise<WriteResult> {
    return removeKey(this.kv, { key: this.prefix + name, expected }, this.signal)
  }

  /** A put that must win; gives its revision. */
  async write(
    name: string,
    value: string | Buffer,
    expected: Revision = ABSENT,
    ttlSeconds?: number,
  ): Promise<Revision> {
    return won(await this.put(name, value, expected, ttlSeconds))
  }

  /** A delete that must win; gives its revision. */
  async remove(name: string, expected: Revision): Promise<Revision> {
    return won(await this.delete(name, expected))
  }

  /** Names and the revisions that they are expected at, and what is written: `null` removes. */
  commit(
    expected: Readonly<Record<string, Revision>>,
    writes: Readonly<Record<string, string | null>>,
    ttlSeconds?: number,
  ): Promise<WriteResult> {
    const commit = {
      expected: Object.entries(expected).map(([name, revision]) => ({ key: this.prefix + name, revision })),
      writes: Object.entries(writes).map(([name, value]) => {
        const key = this.prefix + name
        return value === null ? { key } : { key, value: Buffer.from(value), ttlSeconds }
      }),
    }
    return this.kv.commit(commit, this.signal)
  }

  async read(name: string, at?: Revision): Promise<KeyValue | undefined> {
    return (await this.kv.get(this.prefix + name, at === undefined ? {} : { at }, this.signal)).item
  }

  list(range: Partial<Range> = {}): Promise<ListResult> {
    return this.kv.list({ ...prefixRange(this.prefix), ...range }, this.signal)
  }

  /** Every item under the prefix at `at`, by name: its value as text. */
  async contents(at?: Revision): Promise<Record<string, string>> {
    return this.byName((await this.list(at === undefined ? {} : { at })).items)
  }

  byName(items: readonly KeyValue[]): Record<string, string> {
    return Object.fromEntries(items.map((item) => [item.key.slice(this.prefix.length), item.value.toString()]))
  }

  newest(): Promise<Revision> {
    return this.kv.newestRevision(this.signal)
  }

  watch(request: Partial<WatchRequest> & { after: Revision }, signal = this.signal): WatchRecorder {
    return new WatchRecorder(this.kv, { prefix: this.prefix, ...request }, signal)
  }
}

function won(result: WriteResult): Revision {
  expect(result.ok).toBe(true)
  return result.revision
}

/** Follows a watch and remembers what it saw. */
export class WatchRecorder {
  readonly batches: Batch[] = []
  readonly events: KvEvent[] = []
  /** What the watch ended with; `undefined` where it just ended. */
  readonly ended: Promise<unknown>
  readonly requestProgress: () => boolean
  readonly #waiting = new Set<() => void>()

  constructor(kv: Kv, request: WatchRequest, signal: AbortSignal) {
    const watch = kv.watch(request, signal)
    this.requestProgress = () => watch.requestProgress()
    this.ended = this.#follow(watch).then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  /** Waits until `enough`; fails with what the watch ended with, if it did before. */
  async until(enough: () => boolean): Promise<void> {
    const ended = this.ended.then((reason) => {
      if (!enough()) throw new Error(`the watch ended after ${this.events.length} events`, { cause: reason })
    })
    while (!enough()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await Promise.race([promise, ended])
      this.#waiting.delete(resolve)
    }
  }

  /** Waits for so many events and gives them. */
  async seen(count: number): Promise<readonly KvEvent[]> {
    await this.until(() => this.events.length >= count)
    return this.events
  }

  get revisions(): readonly Revision[] {
    return this.events.map((event) => event.revision)
  }

  async #follow(watch: AsyncIterable<Batch>): Promise<void> {
    for await (const batch of watch) {
      this.batches.push(batch)
      this.events.push(...batch.events)
      for (const resolve of this.#waiting) resolve()
    }
  }
}

/** The promise must fail with a `KvError` of this code; gives the error. */
export async function failsWith(code: KvErrorCode, promise: Promise<unknown>): Promise<KvError> {
  const error = await promise.then(
    (value) => ({ resolved: value }),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(KvError)
  expect((error as KvError).code).toBe(code)
  return error as KvError
}

/** Runs `task` for 0 to `count - 1`, at most `concurrency` at a time. */
export async function forEachOf(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker))
}
