// Knows all watches with their progress, and finds slow clients. An event only changes one number of its watch. Everything else is computed
// once a second or on request.
import type { WatchQuery } from '../api/list-query.ts'
import type { ByteSink } from '../http/http.ts'
import { type Clock, repeat } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Family, gauge } from '../lib/measure.ts'
import type { Watch } from '../registry/read.ts'
import { type ClientName, type WatchClient, WatchClients } from './watch-clients.ts'
import type { WatchMeasures } from './watch-measures.ts'
import { WatchMemory, type WatchMemoryHolder } from './watch-memory.ts'

const CHECK_MS = 1000
/** A client that leaves bytes unread for this long is slow. A slow client is found within five seconds. */
const SLOW_MS = 2000
/** The largest number of marks of one watch. */
const MOST_MARKS = 16
/** Longer selectors are cut off in the status. */
const LONGEST_SELECTOR = 256

/** The objects of a watch, and its user. */
export interface Watched extends ClientName {
  readonly version: string
  /** Empty: all namespaces. */
  readonly namespace: string
  readonly labelSelector: string
  readonly fieldSelector: string
}

export interface WatcherStatus extends Watched {
  readonly since: string
  /** The newest revision that was sent; empty: none. */
  readonly resourceVersion: string
  /** The number of revisions that the watch is behind. 0: all events were sent. */
  readonly lag: number
  readonly sentBytes: number
  readonly waitingBytes: number
  /** The time for which the oldest waiting bytes have waited, to the second. */
  readonly waitingMs: number
  /** The counts of the client in the last five minutes. */
  readonly reconnects: number
  readonly relists: number
}

export interface WatchersOptions {
  /** Real time, which decides whether a client is slow. */
  readonly clock: Clock
  readonly log: Log
  readonly measures: WatchMeasures
  /** The number of workers. Absent: 1. */
  readonly workers?: number
  /** The newest revision of the cache. */
  readonly revision: () => number
}

export class Watchers {
  readonly families: readonly Family[]
  readonly #options: WatchersOptions
  readonly #open = new Set<OpenWatch>()
  readonly #clients = new WatchClients()
  readonly #memory: WatchMemory
  #stopChecking: (() => void) | undefined

  constructor(options: WatchersOptions) {
    this.#options = options
    this.#memory = new WatchMemory(options.measures, options.workers)
    this.families = [
      gauge('quarterdeck_watchers', 'Open watches, by how many revisions they lag behind at most.', ['lag'], {
        refresh: (family) => {
          for (const bound of [...LAG_BOUNDS, MORE]) family.of(String(bound)).value = 0
          const newest = options.revision()
          for (const watch of this.#open) family.of(lagBound(watch.lag(newest))).value++
        },
      }),
    ]
  }

  /**
   * Adds a watch that a client requests. The caller must end it, even if the watch fails. Throws `ApiError` 429 if the client's watches
   * take too much memory.
   */
  begin(watched: Watched, start: WatchQuery['start'], holder: WatchMemoryHolder): OpenWatch {
    this.#memory.take(holder)
    const now = this.#options.clock.now()
    const client = this.#clients.of(watched, now)
    if (start.kind === 'state') this.#noteList(client)
    client.began(now)
    const watch = new OpenWatch(watched, { client, holder, openedAt: this.#options.clock.timeOfDay() })
    this.#open.add(watch)
    this.#stopChecking ??= repeat(this.#options.clock, CHECK_MS, () => this.#check())
    return watch
  }

  end(watch: OpenWatch): void {
    if (!this.#open.delete(watch)) return
    this.#memory.giveBack(watch.holder)
    this.#clients.ended(watch.client, this.#options.clock.now())
    if (this.#open.size > 0) return
    // The checks stop with the last watch, so that a stopped server has no timer left.
    this.#stopChecking?.()
    this.#stopChecking = undefined
  }

  /** Call this when a client begins a list. */
  noteList(name: ClientName): void {
    const client = this.#clients.find(name, this.#options.clock.now())
    if (client !== undefined) this.#noteList(client)
  }

  /** The longest waits come first. */
  statuses(): readonly WatcherStatus[] {
    const newest = this.#options.revision()
    const now = this.#options.clock.now()
    return inOrderOfWaiting(Array.from(this.#open, (watch) => watch.status(newest, now)))
  }

  get revision(): number {
    return this.#options.revision()
  }

  #noteList(client: WatchClient): void {
    const { clock, log, measures } = this.#options
    const meaning = client.listed(clock.now())
    if (meaning !== 'loop' && meaning !== 'loopBegins') return
    const { group, resource } = client.name
    measures.relistLoops.of(group, resource).value++
    if (meaning === 'loopBegins') log.warn({ ...client.name }, 'client relists in a loop')
  }

  #check(): void {
    const { clock, log, measures } = this.#options
    const now = clock.now()
    for (const watch of this.#open) {
      if (!watch.becomesSlow(now)) continue
      const { group, version, resource } = watch.watched
      measures.slow.of(group, version, resource).value++
      const { since: _, ...told } = watch.status(this.#options.revision(), now)
      log.warn(told, 'watch client does not keep up')
    }
  }
}

/** The longest waits come first. */
export function inOrderOfWaiting<W extends WatcherStatus>(watchers: readonly W[]): readonly W[] {
  return watchers.toSorted((a, b) => b.waitingMs - a.waitingMs || b.lag - a.lag || b.waitingBytes - a.waitingBytes)
}

/** A number of bytes, and the time by which they were written. */
interface Mark {
  readonly bytes: number
  readonly at: number
}

export class OpenWatch {
  /** The newest revision that was sent. */
  revision = 0
  readonly watched: Watched
  readonly client: WatchClient
  readonly holder: WatchMemoryHolder
  readonly #openedAt: number
  #watch: Watch | undefined
  #sink: ByteSink | undefined
  /** The marks of the waiting bytes, oldest first. */
  readonly #marks: Mark[] = []
  #isSlow = false

  constructor(
    watched: Watched,
    { client, holder, openedAt }: Pick<OpenWatch, 'client' | 'holder'> & { readonly openedAt: number },
  ) {
    this.watched = watched
    this.client = client
    this.holder = holder
    this.#openedAt = openedAt
  }

  /** Call this when the events of the watch begin. */
  flows(watch: Watch, sink: ByteSink): void {
    this.#watch = watch
    this.#sink = sink
  }

  lag(newest: number): number {
    const watch = this.#watch
    if (watch?.passedOn !== undefined) return Math.max(0, newest - (watch.passedOn() ?? newest))
    const isWaiting = this.revision > 0 && (this.#sink?.waitingBytes ?? 0) > 0
    return isWaiting ? Math.max(0, newest - this.revision) : 0
  }

  /** Whether the watcher's client has become slow since the last call. Call this at intervals. */
  becomesSlow(now: number): boolean {
    const wasSlow = this.#isSlow
    this.#isSlow = this.#waitingMs(now) >= SLOW_MS
    return this.#isSlow && !wasSlow
  }

  status(newest: number, now: number): WatcherStatus {
    const { bytes, waitingBytes } = this.#sink ?? NOTHING_YET
    const { labelSelector, fieldSelector } = this.watched
    return {
      ...this.watched,
      labelSelector: labelSelector.slice(0, LONGEST_SELECTOR),
      fieldSelector: fieldSelector.slice(0, LONGEST_SELECTOR),
      since: `${new Date(this.#openedAt).toISOString().slice(0, 19)}Z`,
      resourceVersion: this.revision === 0 ? '' : String(this.revision),
      lag: this.lag(newest),
      sentBytes: Math.max(0, bytes - waitingBytes),
      waitingBytes,
      waitingMs: Math.round(this.#waitingMs(now)),
      reconnects: this.client.reconnects.recent(now),
      relists: this.client.relists.recent(now),
    }
  }

  /** The time for which the oldest unread bytes have waited: since the first mark whose bytes the client has not taken yet. */
  #waitingMs(now: number): number {
    const { bytes, waitingBytes } = this.#sink ?? NOTHING_YET
    const marks = this.#marks
    const taken = bytes - waitingBytes
    while (waitingBytes === 0 ? marks.length > 0 : (marks[0]?.bytes ?? Infinity) <= taken) marks.shift()
    if (waitingBytes > 0 && bytes > (marks.at(-1)?.bytes ?? 0)) marks.push({ bytes, at: now })
    if (marks.length > MOST_MARKS) marks.splice(1, 1)
    return now - (marks[0]?.at ?? now)
  }
}

const NOTHING_YET: Pick<ByteSink, 'bytes' | 'waitingBytes'> = Object.freeze({ bytes: 0, waitingBytes: 0 })

const LAG_BOUNDS: readonly number[] = [0, 10, 100, 1000, 10_000]
const MORE = '+Inf'

function lagBound(lag: number): string {
  return LAG_BOUNDS.find((bound) => lag <= bound)?.toString() ?? MORE
}
