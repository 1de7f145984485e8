// One watch: first a state, then history, then live events. Live events wait in a small batch. If the reader is too slow, the batch is
// dropped and reread from history at the cursor. If the history no longer reaches back to the cursor, the watch ends with 410.
import type { WatchEvent } from '../api/read.ts'
import { CancelledError } from '../lib/errors.ts'
import { initialEvents } from '../store/change.ts'
import { tooOldResourceVersion, unreadableObjects } from '../store/errors.ts'
import type { Matcher } from '../store/selection.ts'
import type { ListPage, StoredResource } from '../store/store.ts'
import type { History, HistoryRecord } from './history.ts'
import type { Scope, WatcherIndex } from './watcher-index.ts'

/** If there are more pending events than this, all are dropped and reread from history. */
const MOST_PENDING = 256
/** The number of records that are read at a time while catching up. */
const CATCH_UP_RECORDS = 500
/** The number of records for a slow matcher. */
const SLOW_RECORDS = 50

export interface WatcherOptions {
  readonly resource: StoredResource
  readonly scope: Scope
  /** The prefix of all keys in the watched namespace. Empty: all keys. */
  readonly prefix: string
  readonly matcher: Matcher | undefined
  readonly history: History
  readonly index: WatcherIndex<Watcher>
  /** The watch begins after this revision. */
  readonly after: number
  /** The state as of that revision, for watches that begin with a state. */
  readonly state: ListPage['batches'] | undefined
  readonly bookmarks: boolean
  readonly skipUnreadable: boolean
  readonly onEnd: (watcher: Watcher) => void
}

export class Watcher implements AsyncIterableIterator<readonly WatchEvent[]> {
  readonly #options: WatcherOptions
  readonly #signal: AbortSignal
  readonly #onAbort = (): void => this.fail(new CancelledError(this.#signal.reason))
  #state: AsyncGenerator<readonly WatchEvent[]> | undefined
  /** All selected changes up to this revision were delivered. The value is up to date only while `#isBehind`. */
  #cursor: number
  #isBehind = true
  /** The records of the history that are still to be matched, in a later turn. */
  #unmatched: readonly HistoryRecord[] = []
  #pending: WatchEvent[] = []
  /** The revision to reread from if the pending events are dropped. */
  #beforePending = 0
  #failure: unknown
  #isEnded = false
  #wake: (() => void) | undefined
  /** Set while following: takes each event as it happens. */
  #take: ((event: WatchEvent) => boolean) | undefined
  #stopFollowing: ((isMore: boolean) => void) | undefined

  constructor(options: WatcherOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    const { after, bookmarks, state } = options
    this.#state = state && initialEvents({ revision: after, batches: state }, bookmarks)
    this.#cursor = after
    options.index.add(options.scope, this)
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
    // The watch catches up at once, so that a watch without history to read is live before the first read.
    else if (this.#state === undefined) this.#catchUp()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<readonly WatchEvent[], undefined>> {
    if (this.#state !== undefined) {
      const initial = await this.#orFail(this.#state.next())
      if (initial.done !== true) return initial
      this.#state = undefined
    }
    for (;;) {
      if (this.#pending.length > 0) return { done: false, value: this.#takePending() }
      if (this.#failure !== undefined) throw this.#failure
      if (this.#isEnded) return { done: true, value: undefined }
      if (this.#isBehind) {
        const turns = this.#options.matcher?.turns
        if (turns?.isOver === true) await turns.next()
        this.#catchUp()
      } else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  follow(take: (event: WatchEvent) => boolean): Promise<boolean> {
    if (this.#state !== undefined || this.#isBehind || this.#isEnded || this.#pending.length > 0) {
      return Promise.resolve(true)
    }
    this.#take = take
    return new Promise((resolve) => (this.#stopFollowing = resolve))
  }

  passedOn(): number | undefined {
    if (this.#isBehind) return this.#cursor
    return this.#pending.length > 0 ? this.#beforePending : undefined
  }

  async return(): Promise<IteratorResult<readonly WatchEvent[], undefined>> {
    await this.#state?.return(undefined)
    this.#end()
    return { done: true, value: undefined }
  }

  /** Takes a change in this watcher's scope that has just happened. */
  offer(record: HistoryRecord): void {
    if (this.#isBehind || this.#isEnded || record.revision <= this.#cursor) return
    // The reader matches the record, in its turn: with many such watches, one change would take long.
    if (this.#options.matcher?.turns !== undefined) return this.#fallBehind(record.revision - 1)
    if (this.#take !== undefined) return this.#accept(record)
    if (this.#pending.length === 0) this.#beforePending = record.revision - 1
    this.#accept(record)
    if (this.#pending.length > MOST_PENDING) {
      this.#pending = []
      this.#isBehind = true
      this.#cursor = this.#beforePending
    } else if (this.#pending.length > 0) this.#rouse()
  }

  #fallBehind(cursor: number): void {
    this.#isBehind = true
    this.#cursor = cursor
    this.#unfollow(true)
    this.#rouse()
  }

  /** Sends a bookmark, unless the watcher is behind, or the revision is not after the start of the watch. */
  bookmark(revision: number): void {
    if (!this.#options.bookmarks || this.#isBehind || this.#isEnded) return
    if (revision <= this.#options.after) return
    if (this.#pending.length === 0) this.#beforePending = revision
    this.#hand({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.#rouse()
  }

  /** Ends the watch with an error. Pending events are still delivered before it. */
  fail(error: unknown): void {
    if (!this.#isEnded) this.#failure = error
    this.#end()
  }

  /** Ends the watch without an error. Pending events are still delivered before the end. */
  finish(): void {
    this.#end()
  }

  #accept(record: HistoryRecord): void {
    const { prefix, matcher, resource, skipUnreadable } = this.#options
    if (prefix !== '' && !record.key.startsWith(prefix)) return
    const { unreadable } = record.change
    if (unreadable !== undefined) {
      if (!skipUnreadable) this.fail(unreadableObjects(resource, 'watch', [unreadable]))
      return
    }
    try {
      const event = record.change.eventFor(matcher)
      if (event !== undefined) this.#hand(event)
    } catch (error) {
      // This watcher cannot get the events that its client requested. The other watchers still get theirs.
      this.fail(error)
    }
  }

  /** Delivers an event. A callback that throws ends only its own watch. */
  #hand(event: WatchEvent): void {
    if (this.#take === undefined) {
      this.#pending.push(event)
      return
    }
    try {
      if (!this.#take(event)) this.#unfollow(false)
    } catch (error) {
      this.fail(error)
    }
  }

  #unfollow(isMore: boolean): void {
    const stop = this.#stopFollowing
    this.#take = this.#stopFollowing = undefined
    stop?.(isMore)
  }

  #catchUp(): void {
    const { history, matcher } = this.#options
    if (this.#isEnded) return
    this.#beforePending = this.#cursor
    if (this.#unmatched.length > 0) {
      // Meanwhile there may be further records, so the watch is not live yet.
      this.#match(this.#unmatched)
      return
    }
    if (this.#cursor < history.floor) {
      this.fail(tooOldResourceVersion(this.#cursor, history.floor))
      return
    }
    const { records, isAll } = history.after(this.#cursor, matcher?.isSlow === true ? SLOW_RECORDS : CATCH_UP_RECORDS)
    if (this.#match(records) && isAll) this.#isBehind = false
  }

  /** Whether all records were matched. If the turn is over before, the rest waits for the next one. */
  #match(records: readonly HistoryRecord[]): boolean {
    const turns = this.#options.matcher?.turns
    for (const [i, record] of records.entries()) {
      if (turns?.isOver === true) {
        this.#unmatched = records.slice(i)
        return false
      }
      this.#accept(record)
      if (this.#failure !== undefined) return false
      // The revision of a transaction has several records, and is passed after the last of them.
      if (records[i + 1]?.revision !== record.revision) this.#cursor = record.revision
    }
    this.#unmatched = []
    return true
  }

  async #orFail<T>(step: Promise<T>): Promise<T> {
    try {
      return await step
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  #takePending(): readonly WatchEvent[] {
    const taken = this.#pending
    this.#pending = []
    return taken
  }

  #rouse(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#unmatched = []
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#options.index.remove(this.#options.scope, this)
    this.#options.onEnd(this)
    this.#unfollow(true)
    this.#rouse()
  }
}
