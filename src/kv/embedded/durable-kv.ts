// The durable engine joins tables, the write queue, watchers, expiry and compaction. Each part has its invariants in its own file.
import { cancellable } from '../../lib/cancellable.ts'
import type { Clock } from '../../lib/clock.ts'
import { throwIfCancelled } from '../../lib/errors.ts'
import { type MaybePromise, settle, whenKnown } from '../../lib/maybe-promise.ts'
import type { RestorableKv, SkipRequest } from '../copy.ts'
import {
  ABSENT,
  type Batch,
  type Commit,
  isAsExpected,
  KvError,
  type KvWatch,
  type Put,
  type Revision,
  type StoreSize,
  type WatchRequest,
  type WriteResult,
} from '../kv.ts'
import type {
  LeaseId,
  RangeWatchRequest,
  StoredEvent,
  StoredGetResult,
  StoredHistory,
  StoredItem,
  StoredListResult,
  StoredRange,
  TransactionalKv,
  TransactionRequest,
} from '../transactional.ts'
import { Compactor } from './compactor.ts'
import { toEvent } from './log-event.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Draft } from './draft.ts'
import { DraftTransaction } from './draft-transaction.ts'
import { Expirer } from './expirer.ts'
import { isInRange } from '../key-order.ts'
import { LoggedChanges } from './logged-changes.ts'
import type { MappedMemory } from './mapped-memory.ts'
import { itemAt, RangeRead, toItem } from './range-read.ts'
import { RecentEntries } from './recent-entries.ts'
import type { LogEntry } from './records.ts'
import { checkReadable, checkWrites } from './request-check.ts'
import { FreeSpace } from './free-space.ts'
import type { Change, Counters } from './table-writer.ts'
import type { Tables } from './tables.ts'
import { HistoryWatch, HistoryWatchSet, type WatchSource } from './history-watch.ts'
import { type Job, WriteQueue } from './write-queue.ts'

interface Parts {
  readonly directory: DataDirectory
  readonly tables: Tables
  readonly counters: Counters
  readonly clock: Clock
  readonly maxBytes: number
  readonly keptBytes: number
  readonly mapped: MappedMemory
}

/** The size of one read of the log, for a watcher that is behind the entries in memory. */
const LOG_PIECE_REVISIONS = 512
const LOG_PIECE_BYTES = 4 * 1024 * 1024

export class DurableKv implements TransactionalKv, RestorableKv, WatchSource {
  readonly #directory: DataDirectory
  readonly #tables: Tables
  readonly #clock: Clock
  readonly #space: FreeSpace
  readonly #queue: WriteQueue
  readonly #expirer: Expirer
  readonly #compactor: Compactor
  readonly #watchers = new HistoryWatchSet()
  readonly #recent = new RecentEntries()
  readonly #mapped: MappedMemory
  /** The tables stay open until these reads are done. */
  readonly #reads = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined
  ended: KvError | undefined

  constructor(parts: Parts) {
    const { tables, counters, clock } = parts
    this.#directory = parts.directory
    this.#tables = tables
    this.#clock = clock
    this.#mapped = parts.mapped
    this.#space = new FreeSpace({ tables, folder: parts.directory.path, maxBytes: parts.maxBytes })
    this.#queue = new WriteQueue({
      tables,
      space: this.#space,
      newest: counters.newest,
      publish: (changes) => this.#publish(changes),
      between: () => (this.#mapped.isTooMuch ? this.#remap() : undefined),
    })
    this.#expirer = new Expirer({ tables, queue: this.#queue, clock })
    this.#compactor = new Compactor({
      tables,
      queue: this.#queue,
      oldest: counters.oldest,
      keptBytes: parts.keptBytes,
    })
  }

  /** Resumes expiry and compaction. */
  start(): void {
    this.#expirer.start()
    this.#compactor.resume()
  }

  get oldest(): Revision {
    return this.#compactor.oldest
  }

  get newest(): Revision {
    return this.#queue.newest
  }

  get liveHandles(): number {
    return this.#watchers.size + (this.#expirer.isWaiting ? 1 : 0)
  }

  async get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<StoredGetResult> {
    this.#begin(signal)
    const { at } = options
    const newest = this.#newestInTables()
    if (at !== undefined) checkReadable(at, { newest, oldest: this.oldest })
    const state = this.#tables.stateOf(key)
    if (state === undefined || (at !== undefined && state.revision > at)) {
      return { revision: newest, item: at === undefined ? undefined : this.#pastItem(key, at) }
    }
    return { revision: newest, item: itemAt(this.#tables, key, state, state) }
  }

  async list(range: StoredRange, signal: AbortSignal): Promise<StoredListResult> {
    this.#begin(signal)
    const list = this.#list(range, signal)
    this.#reads.add(list)
    try {
      return await list
    } finally {
      this.#reads.delete(list)
    }
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<WriteResult> {
    this.#begin(signal)
    checkWrites(commit)
    const { writes } = commit
    const nowMs = this.#clock.now()
    const decide = (draft: Draft): WriteResult => {
      const lost = commit.expected.find((one) => !isAsExpected(one, draft.revisionOf(one.key)))
      if (lost !== undefined) return { ok: false, revision: draft.newest, current: draft.itemOf(lost.key) }
      if (writes.some(({ value }) => value !== undefined)) this.#space.check()
      const revision = draft.newest + 1
      let sub = 0
      for (const write of writes) {
        const place = { revision, sub }
        if (write.value !== undefined) draft.put({ ...write, deadlineMs: deadlineOf(write, nowMs) }, place)
        else if (draft.revisionOf(write.key) !== ABSENT) draft.remove(write.key, place)
        else continue
        sub++
      }
      return { ok: true, revision: draft.newest }
    }
    const bytes = writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    return this.#write({ bytes, freesSpace: writes.every(({ value }) => value === undefined), decide }, signal)
  }

  async transact<Result>(request: TransactionRequest<Result>, signal: AbortSignal): Promise<Result> {
    this.#begin(signal)
    const { bytes, freesSpace, run } = request
    const decide = (draft: Draft): MaybePromise<Result> => {
      const mark = draft.mark()
      return settle(
        () => run(new DraftTransaction(draft, () => this.#space.check())),
        (result): Result => result,
        (error) => {
          draft.goBack(mark)
          throw error
        },
      )
    }
    return this.#write({ bytes, freesSpace, decide }, signal)
  }

  watch({ prefix, after, withPrevious = false }: WatchRequest, signal: AbortSignal): KvWatch {
    const readAfter = (from: Revision): Batch =>
      this.#readAfter(
        from,
        (key) => key.startsWith(prefix),
        (entry) => toEvent(entry, withPrevious ? this.#previous(entry) : undefined),
      )
    return new HistoryWatch({ source: this, peers: this.#watchers, after, readAfter, signal })
  }

  watchRange(request: RangeWatchRequest, signal: AbortSignal): KvWatch<StoredEvent> {
    const includes = isInRange(request)
    const readAfter = (from: Revision): Batch<StoredEvent> =>
      this.#readAfter(from, includes, (entry) => {
        const previous = request.withPrevious ? this.#previous(entry) : undefined
        return entry.value === undefined
          ? { kind: 'delete', key: entry.key, revision: entry.revision, previous }
          : { kind: 'put', item: toItem(entry), previous }
      })
    return new HistoryWatch({ source: this, peers: this.#watchers, after: request.after, readAfter, signal })
  }

  leases(): Iterable<readonly [LeaseId, number]> {
    return this.#tables.leases()
  }

  openHistory(): StoredHistory {
    this.#checkOpen()
    const { promise: released, resolve } = Promise.withResolvers<void>()
    this.#reads.add(released)
    return new LoggedChanges({
      tables: this.#tables,
      checkOpen: () => this.#checkOpen(),
      onRead: (items, bytes) => this.#mapped.note(items, bytes),
      onRelease: () => {
        this.#reads.delete(released)
        resolve()
        this.#letGoOfMemory()
      },
    })
  }

  async compact(upTo: Revision, signal: AbortSignal): Promise<void> {
    this.#begin(signal)
    if (upTo > this.newest) throw new KvError('future', `revision ${upTo} has not happened yet`)
    await cancellable(this.#compactor.compact(upTo), signal)
  }

  async skipTo({ revision }: SkipRequest, signal: AbortSignal): Promise<void> {
    this.#begin(signal)
    await this.#queue.run((draft) => draft.skipTo(revision))
    await this.compact(revision, signal)
  }

  async newestRevision(signal: AbortSignal): Promise<Revision> {
    this.#begin(signal)
    return this.#newestInTables()
  }

  /** Tries another commit if the last one failed. */
  async checkHealth(signal: AbortSignal): Promise<void> {
    this.#begin(signal)
    this.#tables.newest()
    if (this.#queue.failure !== undefined) await this.#queue.run((draft) => draft.also(() => undefined))
    await this.#space.refresh(0)
    this.#space.check()
  }

  async size(signal: AbortSignal): Promise<StoreSize> {
    this.#begin(signal)
    return this.#space.size()
  }

  async close(): Promise<void> {
    this.ended ??= new KvError('closed', 'the store is closed')
    this.#closing ??= this.#close()
    await this.#closing
  }

  #readAfter<Event>(
    after: Revision,
    includes: (key: string) => boolean,
    toEventOf: (entry: LogEntry) => Event,
  ): Batch<Event> {
    const events: Event[] = []
    let revision = after
    for (const entry of this.#entriesAfter(after)) {
      revision = entry.revision
      if (includes(entry.key)) events.push(toEventOf(entry))
    }
    // Revision 1, the revision of an empty store, has no entry.
    return { events, revision: Math.max(revision, 1) }
  }

  #begin(signal: AbortSignal): void {
    throwIfCancelled(signal)
    this.#checkOpen()
  }

  #checkOpen(): void {
    if (this.ended !== undefined) throw this.ended
    if (this.#queue.isBroken)
      throw new KvError('unavailable', this.#queue.failure!.message, { cause: this.#queue.failure })
  }

  /** The newest revision for reads of the tables. Reads may see a commit before this class knows of its completion. */
  #newestInTables(): Revision {
    return this.#queue.isCommitting ? this.#tables.newest() : this.newest
  }

  #pastItem(key: string, at: Revision): StoredItem | undefined {
    const version = this.#tables.versionOf(key, at)
    return version === undefined || version.supersededAt <= at ? undefined : itemAt(this.#tables, key, version)
  }

  async #list(range: StoredRange, signal: AbortSignal): Promise<StoredListResult> {
    // Page after page of a large store must not delay other work.
    await new Promise((resolve) => setImmediate(resolve))
    const snapshot = this.#tables.takeSnapshot()
    try {
      const revision = this.#tables.newest(snapshot)
      if (range.at !== undefined) checkReadable(range.at, { newest: revision, oldest: this.oldest })
      const read = new RangeRead({ tables: this.#tables, snapshot, range, signal })
      const page = await read.items(range.limit ?? Number.POSITIVE_INFINITY)
      this.#mapped.note(
        page.items.length,
        page.items.reduce((sum, { value }) => sum + value.length, 0),
      )
      return range.countAll === true ? { revision, ...page, count: await read.count() } : { revision, ...page }
    } finally {
      this.#tables.release(snapshot)
      this.#letGoOfMemory()
    }
  }

  /** The queue reopens the file only between groups of writes. So this method adds an empty group after reads. */
  #letGoOfMemory(): void {
    if (this.#mapped.isTooMuch) this.#queue.run(() => {}).catch(() => {})
  }

  /** Decides a write in its turn, unless it is cancelled. Answers when its change, or the change that it lost against, is on the disk. */
  #write<Result>(
    write: Pick<Job, 'bytes' | 'freesSpace'> & { readonly decide: (draft: Draft) => MaybePromise<Result> },
    signal: AbortSignal,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result
      this.#queue.add({
        bytes: write.bytes,
        freesSpace: write.freesSpace,
        decide: (draft) => {
          throwIfCancelled(signal)
          return whenKnown(write.decide(draft), (decided) => void (result = decided))
        },
        done: () => resolve(result),
        fail: reject,
      })
    })
  }

  #publish(changes: readonly Change[]): void {
    this.#recent.forgetRead(this.#watchers.slowest)
    for (const { entry } of changes) {
      this.#mapped.note(1, entry.value?.length ?? 0)
      this.#recent.add(entry)
      this.#expirer.observe(entry)
    }
    this.#watchers.wakeSoon()
  }

  async #remap(): Promise<void> {
    if (await this.#tables.remap()) this.#mapped.renewed()
  }

  #entriesAfter(after: Revision): Iterable<LogEntry> {
    return this.#recent.from(after + 1) ?? this.#loggedAfter(after)
  }

  *#loggedAfter(after: Revision): Generator<LogEntry> {
    const to = Math.min(this.newest, after + LOG_PIECE_REVISIONS)
    let next = Math.max(after + 1, 2)
    let bytes = 0
    for (const entry of this.#tables.log({ revision: next, sub: 0 }, to + 1)) {
      const isSameRevision = entry.revision === next - 1 && entry.sub > 0
      if (!isSameRevision && bytes >= LOG_PIECE_BYTES) return
      if (!isSameRevision && entry.revision !== next++) break
      yield entry
      bytes += entry.value?.length ?? 0
      this.#mapped.note(1, entry.value?.length ?? 0)
    }
    if (next <= to) throw new KvError('corrupt', `the record of revision ${next} is missing`)
  }

  #previous({ previousRevision: revision, previousSub: sub }: LogEntry): StoredItem | undefined {
    const before = revision > 0 ? this.#tables.entryOf({ revision, sub }) : undefined
    return before === undefined ? undefined : toItem(before)
  }

  async #close(): Promise<void> {
    this.#watchers.wake()
    this.#expirer.stop()
    await this.#compactor.stop()
    await Promise.allSettled(this.#reads)
    await this.#queue.drained()
    await this.#tables.close()
    this.#directory.release()
  }
}

function deadlineOf({ ttlSeconds }: Put, nowMs: number): number {
  return ttlSeconds === undefined ? 0 : Math.ceil(nowMs + ttlSeconds * 1000)
}
