// A watch over stored history is only a cursor. It reads the history after its cursor on demand, so that a slow consumer buffers nothing
// and never slows a writer. If that history was compacted meanwhile, the watch ends with `compacted`.
import { CancelledError, InvariantError } from '../../lib/errors.ts'
import { type Batch, KvError, type KvEvent, type KvWatch, type Revision } from '../kv.ts'

/** The interface of an engine for watchers. */
export interface WatchSource {
  /** The newest revision that watchers may see. */
  readonly newest: Revision
  /** The oldest revision whose events are kept. */
  readonly oldest: Revision
  /** Set once the engine is closed. */
  readonly ended: Error | undefined
}

/**
 * Reads a bounded number of events after `after` for the watcher, as complete revisions. `revision` is the last revision that was read. The
 * caller makes sure that the history goes beyond `after`.
 */
export type ReadAfter<Event> = (after: Revision) => Batch<Event>

interface FollowedWatch {
  readonly cursor: Revision
  readonly wake: () => void
}

/** The watchers of one engine. They are woken together, at most once a turn of the event loop, so that events come in batches. */
export class HistoryWatchSet {
  readonly #watchers = new Set<FollowedWatch>()
  #wakeIsDue = false

  get size(): number {
    return this.#watchers.size
  }

  /** The revision of the slowest watcher. Infinity: there is no watcher. */
  get slowest(): Revision {
    let slowest = Number.POSITIVE_INFINITY
    for (const { cursor } of this.#watchers) slowest = Math.min(slowest, cursor)
    return slowest
  }

  add(watcher: FollowedWatch): void {
    this.#watchers.add(watcher)
  }

  delete(watcher: FollowedWatch): void {
    this.#watchers.delete(watcher)
  }

  wakeSoon(): void {
    if (this.#wakeIsDue || this.#watchers.size === 0) return
    this.#wakeIsDue = true
    setImmediate(() => {
      this.#wakeIsDue = false
      this.wake()
    })
  }

  wake(): void {
    for (const watcher of this.#watchers) watcher.wake()
  }
}

/** The piece of history that was read has no events for this watcher, and there is more history. */
const READ_ON = Symbol('read on')

export class HistoryWatch<Event = KvEvent> implements KvWatch<Event> {
  readonly #source: WatchSource
  readonly #peers: HistoryWatchSet
  readonly #readAfter: ReadAfter<Event>
  readonly #signal: AbortSignal
  #cursor: Revision
  #progressIsDue = false
  /** Resolves in the next turn of the event loop. Set if history was read in this turn. */
  #nextTurn: Promise<void> | undefined
  #started = false
  #done = false
  #resume: (() => void) | undefined

  constructor(from: {
    source: WatchSource
    peers: HistoryWatchSet
    after: Revision
    readAfter: ReadAfter<Event>
    signal: AbortSignal
  }) {
    this.#source = from.source
    this.#peers = from.peers
    this.#readAfter = from.readAfter
    this.#signal = from.signal
    this.#cursor = from.after
  }

  get cursor(): Revision {
    return this.#cursor
  }

  requestProgress(): boolean {
    this.#progressIsDue = true
    this.wake()
    return true
  }

  readonly wake = (): void => {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  };

  [Symbol.asyncIterator](): AsyncIterator<Batch<Event>> {
    if (this.#started) throw new InvariantError('a watch can be iterated only once')
    this.#started = true
    this.#peers.add(this)
    this.#signal.addEventListener('abort', this.wake, { once: true })
    return {
      next: () => this.#next(),
      return: async () => {
        this.#finish()
        return { done: true, value: undefined }
      },
    }
  }

  async #next(): Promise<IteratorResult<Batch<Event>>> {
    while (!this.#done) {
      // One piece of history in each turn: a watcher that catches up must not delay other work.
      await this.#nextTurn
      const read = this.#read()
      if (read !== undefined && read !== READ_ON) return { done: false, value: read }
      if (read === undefined) await new Promise<void>((resolve) => (this.#resume = resolve))
    }
    return { done: true, value: undefined }
  }

  #read(): Batch<Event> | typeof READ_ON | undefined {
    try {
      if (this.#signal.aborted) throw new CancelledError(this.#signal.reason)
      if (this.#source.ended !== undefined) throw this.#source.ended
      return this.#readOn()
    } catch (error) {
      this.#finish()
      throw error
    }
  }

  #readOn(): Batch<Event> | typeof READ_ON | undefined {
    const { newest, oldest } = this.#source
    if (this.#cursor < newest) {
      if (this.#cursor + 1 < oldest) {
        throw new KvError('compacted', `history before revision ${oldest} has been compacted`, {
          compactRevision: oldest,
        })
      }
      const batch = this.#readAfter(this.#cursor)
      this.#takeTurn()
      this.#cursor = batch.revision
      if (batch.events.length > 0) return batch
      if (this.#cursor < newest) return READ_ON
    }
    if (!this.#progressIsDue) return undefined
    this.#progressIsDue = false
    return { events: [], revision: newest }
  }

  #takeTurn(): void {
    this.#nextTurn = new Promise((resolve) => {
      setImmediate(() => {
        this.#nextTurn = undefined
        resolve()
      })
    })
  }

  #finish(): void {
    this.#done = true
    this.#peers.delete(this)
    this.#signal.removeEventListener('abort', this.wake)
    this.wake()
  }
}
