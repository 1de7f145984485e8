// One watch: first a state, then history, then live events. Live events wait in a small batch. If the reader is too slow, the batch is
// dropped and reread from history at the cursor. Behind the oldest history: 410.
import type { WatchEvent } from '../api/read.ts'
import { CancelledError } from '../lib/errors.ts'
import { initialEvents } from '../store/change.ts'
import { tooOldResourceVersion, unreadableObjects } from '../store/errors.ts'
import type { Matcher } from '../store/selection.ts'
import type { ListPage, StoredResource } from '../store/store.ts'
import type { History, HistoryRecord } from './history.ts'
import type { Scope, WatcherIndex } from './watcher-index.ts'

/** Pending events beyond this are dropped and reread from history. */
const MOST_PENDING = 256
/** Records read at a time while catching up. */
const CATCH_UP_RECORDS = 500
/** The same for a matcher that takes long. */
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
  /** The state as of that revision, for watches that begin with one. */
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
  /** All selected changes up to here were delivered. Current only while `#isBehind`. */
  #cursor: number
  #isBehind = true
  #pending: WatchEvent[] = []
  /** The place to reread from if the pending events are dropped. */
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
    // A watch without history to read is live before the first read.
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
      if (this.#isBehind) this.#catchUp()
      else await new Promise<void>((resolve) => (this.#wake = resolve))
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

  /** A change in this watcher's scope has just happened. */
  offer(record: HistoryRecord): void {
    if (this.#isBehind || this.#isEnded || record.revision <= this.#cursor) return
    if (this.#take !== undefined) return this.#accept(record)
    if (this.#pending.length === 0) this.#beforePending = record.revision - 1
    this.#accept(record)
    if (this.#pending.length > MOST_PENDING) {
      this.#pending = []
      this.#isBehind = true
      this.#cursor = this.#beforePending
    } else if (this.#pending.length > 0) this.#rouse()
  }

  /** Sends a bookmark, unless older events are pending or its revision is not new. */
  bookmark(revision: number): void {
    if (!this.#options.bookmarks || this.#isBehind || this.#isEnded) return
    if (revision <= this.#options.after) return
    if (this.#pending.length === 0) this.#beforePending = revision
    this.#hand({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.#rouse()
  }

  /** Pending events are still delivered before the error. */
  fail(error: unknown): void {
    if (!this.#isEnded) this.#failure = error
    this.#end()
  }

  /** Pending events are still delivered before the end. */
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
      // This watcher cannot get the events that its client requested. The other watchers still get them.
      this.fail(error)
    }
  }

  /** A callback that throws ends its own watch only. */
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
    if (this.#cursor < history.floor) {
      this.fail(tooOldResourceVersion(this.#cursor, history.floor))
      return
    }
    this.#beforePending = this.#cursor
    const { records, isAll } = history.after(this.#cursor, matcher?.isSlow === true ? SLOW_RECORDS : CATCH_UP_RECORDS)
    for (const record of records) {
      this.#accept(record)
      if (this.#failure !== undefined) return
      this.#cursor = record.revision
    }
    if (isAll) this.#isBehind = false
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
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#options.index.remove(this.#options.scope, this)
    this.#options.onEnd(this)
    this.#unfollow(true)
    this.#rouse()
  }
}
