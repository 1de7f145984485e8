// Sends bookmarks to watchers: once a minute, and shortly before a watch ends.
import type { Clock } from '../lib/clock.ts'
import type { Watcher } from './watcher.ts'

const TICK_MS = 1_000
const INTERVAL_MS = 60_000
/** The last bookmark is sent this long before a watch ends. */
const BEFORE_END_MS = 2_000

interface Due {
  atMs: number
  readonly endMs: number
}

export class Bookmarks {
  readonly #clock: Clock
  readonly #revision: () => number
  readonly #due = new Map<Watcher, Due>()
  #tickAtMs = Number.POSITIVE_INFINITY
  #cancelTick: (() => void) | undefined

  constructor(clock: Clock, revision: () => number) {
    this.#clock = clock
    this.#revision = revision
  }

  add(watcher: Watcher, timeoutMilliseconds: number | undefined): void {
    const now = this.#clock.now()
    const endMs = timeoutMilliseconds === undefined ? Number.POSITIVE_INFINITY : now + timeoutMilliseconds
    const atMs = nextDue(now, endMs)
    if (atMs === undefined) return
    this.#due.set(watcher, { atMs, endMs })
    if (atMs < this.#tickAtMs) this.#tickAt(atMs)
  }

  remove(watcher: Watcher): void {
    this.#due.delete(watcher)
    if (this.#due.size === 0) this.#tickAt(Number.POSITIVE_INFINITY)
  }

  /** The next tick is at least `TICK_MS` from now, because thousands of watchers are due at different moments. */
  #tickAt(atMs: number): void {
    this.#cancelTick?.()
    this.#tickAtMs = atMs
    const inMs = Math.max(TICK_MS, atMs - this.#clock.now())
    this.#cancelTick = atMs === Number.POSITIVE_INFINITY ? undefined : this.#clock.callAfter(inMs, this.#tick)
  }

  readonly #tick = (): void => {
    const now = this.#clock.now()
    const revision = this.#revision()
    let nextMs = Number.POSITIVE_INFINITY
    for (const [watcher, due] of this.#due) {
      if (due.atMs <= now) {
        watcher.bookmark(revision)
        const next = nextDue(now, due.endMs)
        if (next === undefined) {
          this.#due.delete(watcher)
          continue
        }
        due.atMs = next
      }
      nextMs = Math.min(nextMs, due.atMs)
    }
    this.#tickAt(nextMs)
  }
}

/** The time of the next bookmark. Undefined: there is none. */
function nextDue(nowMs: number, endMs: number): number | undefined {
  const last = endMs - BEFORE_END_MS
  return last > nowMs ? Math.min(nowMs + INTERVAL_MS, last) : undefined
}
