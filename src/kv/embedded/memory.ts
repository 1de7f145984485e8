// The in-memory engine, for tests, benchmarks and `--in-memory`. It has copy-on-write trees: a store of any size is forked in constant
// time, and a return to a snapshot takes time in proportion to the changes since. Every write is complete when its call returns. History
// grows until `compact` is called, or to its limit.
import { type Clock, systemClock } from '../../lib/clock.ts'
import { throwIfCancelled } from '../../lib/errors.ts'
import { differences, newSortedTree } from '../../lib/sorted-tree.ts'
import { compareStrings } from '../../lib/text-order.ts'
import {
  ABSENT,
  type Batch,
  type Commit,
  isAsExpected,
  type KeyValue,
  KvError,
  type KvEvent,
  type KvWatch,
  type Revision,
  type WatchRequest,
  type WriteResult,
} from '../kv.ts'
import {
  type LeaseId,
  NO_LEASE,
  type RangeWatchRequest,
  type StoredEvent,
  type StoredGetResult,
  type StoredHistory,
  type StoredItem,
  type StoredListResult,
  type StoredRange,
  type TransactionalKv,
  type TransactionRequest,
} from '../transactional.ts'
import { ExpiryQueue } from './expiry-queue.ts'
import { isInRange, sortRange, toSortKey } from '../key-order.ts'
import { type HistoryEntry, MemoryHistory, type MemoryState } from './memory-history.ts'
import { MemoryChanges } from './memory-changes.ts'
import { MemoryLeases } from './memory-leases.ts'
import { MemoryTransaction } from './memory-transaction.ts'
import { checkReadable, checkWrites } from './request-check.ts'
import { EmbeddedItem } from './stored-item.ts'
import { HistoryWatch, HistoryWatchSet, type WatchSource } from './history-watch.ts'

export interface MemoryOptions {
  readonly clock?: Clock
  /** The limit of the history. Beyond it the oldest part is dropped as if it were compacted. Absent: no limit. */
  readonly historyBytes?: number
  /** The first state. Absent: the store is empty. */
  readonly snapshot?: MemorySnapshot
}

/** The state, history, deadlines and revisions of a store at a moment. It never changes. Any number of stores may begin with it. */
export interface MemorySnapshot {
  readonly state: MemoryState
  readonly history: MemoryHistory
  readonly expiries: ExpiryQueue
  readonly newest: Revision
  readonly oldest: Revision
}

export interface MemoryKv extends TransactionalKv {
  /**
   * A second store with the same state, history, deadlines and revisions, in constant time. The two are independent from then
   * on: the writes, compactions, watches and `close` of one do not affect the other. Leases stay with the first.
   */
  fork(): MemoryKv
  /** Takes constant time. */
  snapshot(): MemorySnapshot
  /**
   * Goes back to the state of the snapshot, with the deadlines of its keys. Each key that differs is put or deleted
   * at a revision of its own, as if a client had written it. Watches see all of these changes, and revisions never go back.
   * Returns the number of changes.
   */
  restore(snapshot: MemorySnapshot): number
  /** The number of open watches and timers. Cancelled calls must not leave any. */
  readonly liveHandles: number
}

export function openMemory(options: MemoryOptions = {}): MemoryKv {
  return new MemoryEngine(options, options.snapshot ?? emptySnapshot())
}

function emptySnapshot(): MemorySnapshot {
  return {
    state: newSortedTree(compareStrings),
    history: new MemoryHistory(2),
    expiries: new ExpiryQueue(),
    newest: 1,
    oldest: 1,
  }
}

/** Each time after this many awaited writes, other work gets a turn of the event loop. */
const WRITES_A_TURN = 256

class MemoryEngine implements MemoryKv, WatchSource {
  readonly #clock: Clock
  readonly #state: MemoryState
  readonly #history: MemoryHistory
  readonly #historyBytes: number
  readonly #expiries: ExpiryQueue
  readonly #leases = new MemoryLeases()
  readonly #watchers = new HistoryWatchSet()
  newest: Revision
  oldest: Revision
  ended: KvError | undefined
  #alarm: { readonly atMs: number; readonly cancel: () => void } | undefined
  #writes = 0
  #nextTurn: Promise<void> | undefined

  constructor(options: Pick<MemoryOptions, 'clock' | 'historyBytes'>, from: MemorySnapshot) {
    this.#clock = options.clock ?? systemClock
    this.#historyBytes = options.historyBytes ?? Number.POSITIVE_INFINITY
    this.#state = from.state.clone()
    this.#history = from.history.fork(from.state)
    this.#expiries = from.expiries.fork()
    this.newest = from.newest
    this.oldest = from.oldest
    this.#setAlarm()
  }

  fork(): MemoryKv {
    return new MemoryEngine({ clock: this.#clock, historyBytes: this.#historyBytes }, this.snapshot())
  }

  snapshot(): MemorySnapshot {
    this.#checkOpen()
    return {
      state: this.#state.clone(),
      history: this.#history.fork(this.#state),
      expiries: this.#expiries.fork(),
      newest: this.newest,
      oldest: this.oldest,
    }
  }

  restore({ state, expiries }: MemorySnapshot): number {
    this.#checkOpen()
    const before = this.newest
    const { removed, put } = differences(this.#state, state)
    for (const item of removed) this.#remove(item)
    for (const item of put) {
      const deadlineMs = expiries.of(item.key)?.deadlineMs
      const current = this.#state.get(toSortKey(item.key))
      const isSame = current !== undefined && current.value.equals(item.value)
      if (!isSame || deadlineMs !== this.#expiries.of(item.key)?.deadlineMs) this.#put(item, current, deadlineMs)
    }
    this.#setAlarm()
    return this.newest - before
  }

  get liveHandles(): number {
    return this.#watchers.size + (this.#alarm === undefined ? 0 : 1)
  }

  async get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<StoredGetResult> {
    this.#begin(signal)
    const { at } = options
    if (at === undefined) return { revision: this.newest, item: this.#state.get(toSortKey(key)) }
    checkReadable(at, this)
    return { revision: this.newest, item: this.#history.getAt(key, at, this.#state) }
  }

  async list(range: StoredRange, signal: AbortSignal): Promise<StoredListResult> {
    this.#begin(signal)
    if (range.at !== undefined) checkReadable(range.at, this)
    const state = range.at === undefined ? this.#state : this.#history.stateAt(range.at, this.#state)
    const [start, end] = sortRange(range)
    const limit = range.limit ?? Number.POSITIVE_INFINITY
    const items: StoredItem[] = []
    let more = false
    state.forRange(start, end, false, (_key, item) => {
      more = items.length >= limit
      if (more) return { break: 0 }
      items.push(item)
      return undefined
    })
    const page = { revision: this.newest, items, more }
    // If a range ends before it begins, the tree's own count is not zero.
    return range.countAll === true ? { ...page, count: Math.max(0, state.forRange(start, end, false)) } : page
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<WriteResult> {
    this.#begin(signal)
    checkWrites(commit)
    const lost = commit.expected.find(
      (one) => !isAsExpected(one, this.#state.get(toSortKey(one.key))?.revision ?? ABSENT),
    )
    if (lost !== undefined) {
      return { ok: false, revision: this.newest, current: this.#state.get(toSortKey(lost.key)) }
    }
    const transaction = new MemoryTransaction({ state: this.#state, leases: this.#leases, newest: this.newest })
    const deadlines = new Map<string, number>()
    for (const write of commit.writes) {
      const { key } = write
      if (write.value !== undefined) {
        const { value, ttlSeconds } = write
        if (ttlSeconds !== undefined) deadlines.set(key, this.#clock.now() + ttlSeconds * 1000)
        transaction.put({ key, value, lease: NO_LEASE })
      } else if (this.#state.has(toSortKey(key))) transaction.remove(key)
    }
    if (transaction.entries.length > 0) this.#record(transaction.entries, (key) => deadlines.get(key))
    this.#setAlarm()
    return this.#inTurn({ ok: true, revision: this.newest })
  }

  async transact<Result>(request: TransactionRequest<Result>, signal: AbortSignal): Promise<Result> {
    this.#begin(signal)
    const transaction = new MemoryTransaction({ state: this.#state, leases: this.#leases, newest: this.newest })
    try {
      const result = request.run(transaction)
      if (transaction.entries.length > 0) this.#record(transaction.entries)
      this.#setAlarm()
      return await this.#inTurn(result)
    } catch (error) {
      transaction.goBack()
      throw error
    }
  }

  watch({ prefix, after, withPrevious = false }: WatchRequest, signal: AbortSignal): KvWatch {
    const readAfter = (from: Revision): Batch =>
      this.#readAfter(
        from,
        (key) => key.startsWith(prefix),
        (entry) => toEvent(entry, withPrevious),
      )
    return new HistoryWatch({ source: this, peers: this.#watchers, after, readAfter, signal })
  }

  watchRange(request: RangeWatchRequest, signal: AbortSignal): KvWatch<StoredEvent> {
    const includes = isInRange(request)
    const readAfter = (from: Revision): Batch<StoredEvent> =>
      this.#readAfter(from, includes, (entry) => toStoredEvent(entry, request.withPrevious))
    return new HistoryWatch({ source: this, peers: this.#watchers, after: request.after, readAfter, signal })
  }

  leases(): Iterable<readonly [LeaseId, number]> {
    return this.#leases.all()
  }

  openHistory(): StoredHistory {
    return new MemoryChanges(this.snapshot(), [...this.leases()])
  }

  async compact(upTo: Revision, signal: AbortSignal): Promise<void> {
    this.#begin(signal)
    if (upTo > this.newest) throw new KvError('future', `revision ${upTo} has not happened yet`)
    if (upTo <= this.oldest) return
    this.oldest = upTo
    this.#history.dropBefore(upTo)
  }

  async newestRevision(signal: AbortSignal): Promise<Revision> {
    this.#begin(signal)
    return this.newest
  }

  async checkHealth(signal: AbortSignal): Promise<void> {
    this.#begin(signal)
  }

  async size(): Promise<undefined> {
    return undefined
  }

  async close(): Promise<void> {
    this.ended ??= new KvError('closed', 'the store is closed')
    this.#setAlarm()
    this.#watchers.wake()
  }

  #readAfter<Event>(
    after: Revision,
    includes: (key: string) => boolean,
    toEventOf: (entry: HistoryEntry) => Event,
  ): Batch<Event> {
    const entries = this.#history.entriesFrom(after + 1)
    const events: Event[] = []
    for (const entry of entries) if (includes(entry.key)) events.push(toEventOf(entry))
    // Revision 1, the revision of an empty store, has no entry.
    return { events, revision: entries.at(-1)?.revision ?? this.newest }
  }

  #begin(signal: AbortSignal): void {
    throwIfCancelled(signal)
    this.#checkOpen()
  }

  #checkOpen(): void {
    if (this.ended !== undefined) throw this.ended
  }

  #put(
    { key, value }: Pick<KeyValue, 'key' | 'value'>,
    previous: StoredItem | undefined,
    deadlineMs: number | undefined,
  ): void {
    const revision = this.newest + 1
    const createRevision = previous?.createRevision ?? revision
    const version = (previous?.version ?? 0) + 1
    const item = new EmbeddedItem({ key, value, revision, createRevision, version, lease: NO_LEASE, sub: 0 })
    this.#state.set(toSortKey(key), item)
    this.#record([{ key, revision, item, previous }], () => deadlineMs)
  }

  #remove(item: StoredItem): void {
    this.#state.delete(toSortKey(item.key))
    this.#record([{ key: item.key, revision: this.newest + 1, item: undefined, previous: item }])
  }

  /** Records the changes of a revision. The state already has them. */
  #record(entries: readonly HistoryEntry[], deadlineOf: (key: string) => number | undefined = () => undefined): void {
    this.newest++
    this.#history.append(entries, this.#state)
    if (this.#history.bytes > this.#historyBytes) this.oldest = this.#history.dropFirstPiece() ?? this.oldest
    for (const { key, revision, item, previous } of entries) {
      const deadlineMs = deadlineOf(key)
      this.#expiries.set(key, deadlineMs === undefined ? undefined : { key, revision, deadlineMs })
      this.#leases.move(key, previous?.lease ?? NO_LEASE, item?.lease ?? NO_LEASE)
    }
    this.#watchers.wakeSoon()
  }

  #setAlarm(): void {
    const due = this.ended === undefined ? this.#expiries.first?.deadlineMs : undefined
    if (due === this.#alarm?.atMs) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (due === undefined) return
    const cancel = this.#clock.callAfter(due - this.#clock.now(), () => {
      this.#alarm = undefined
      this.#expire()
    })
    this.#alarm = { atMs: due, cancel }
  }

  #expire(): void {
    const now = this.#clock.now()
    for (let i = 0; i < WRITES_A_TURN; i++) {
      const first = this.#expiries.first
      if (first === undefined || first.deadlineMs > now) break
      this.#remove(this.#state.get(toSortKey(first.key))!)
    }
    this.#setAlarm()
  }

  async #inTurn<Result>(result: Result): Promise<Result> {
    if (++this.#writes < WRITES_A_TURN) return result
    this.#nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#writes = 0
        this.#nextTurn = undefined
        resolve()
      })
    })
    await this.#nextTurn
    return result
  }
}

function toEvent(entry: HistoryEntry, withPrevious: boolean): KvEvent {
  const { key, revision, item } = entry
  const previous = withPrevious && entry.previous !== undefined ? { previous: entry.previous } : undefined
  if (item === undefined) return { kind: 'delete', key, revision, ...previous }
  const { value, createRevision } = item
  return { kind: 'put', key, value, revision, createRevision, ...previous }
}

function toStoredEvent({ key, revision, item, previous: before }: HistoryEntry, withPrevious: boolean): StoredEvent {
  const previous = withPrevious ? before : undefined
  return item === undefined ? { kind: 'delete', key, revision, previous } : { kind: 'put', item, previous }
}
