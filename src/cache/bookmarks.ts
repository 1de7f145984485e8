// When watchers get bookmarks: once a minute, and shortly before a watch ends.
import type { Clock } from '../lib/clock.ts'
import type { Watcher } from './watcher.ts'

const TICK_MS = 1_000
const INTERVAL_MS = 60_000
/** The last bookmark goes out this long before a watch ends. */
const BEFORE_END_MS = 2_000

interface Due {
  atMs: number
  readonly endMs: number
}

export class Bookmarks {
  readonly #clock: Clock
  readonly #revision: () => number
  readonly #due = new Map<Watcher, Due>()
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
    this.#cancelTick ??= this.#clock.callAfter(TICK_MS, this.#tick)
  }

  remove(watcher: Watcher): void {
    this.#due.delete(watcher)
    if (this.#due.size > 0) return
    this.#cancelTick?.()
    this.#cancelTick = undefined
  }

  readonly #tick = (): void => {
    this.#cancelTick = this.#clock.callAfter(TICK_MS, this.#tick)
    const now = this.#clock.now()
    const revision = this.#revision()
    for (const [watcher, due] of this.#due) {
      if (due.atMs > now) continue
      watcher.bookmark(revision)
      const next = nextDue(now, due.endMs)
      if (next === undefined) this.remove(watcher)
      else due.atMs = next
    }
  }
}

/** Undefined: never again. */
function nextDue(nowMs: number, endMs: number): number | undefined {
  const last = endMs - BEFORE_END_MS
  return last > nowMs ? Math.min(nowMs + INTERVAL_MS, last) : undefined
}
