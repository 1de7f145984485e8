// A clock that stands still until it is moved, and then waits for the work of its server.
import type { Clock as WaitingClock } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The time of a server. Clients with `new Client({ clock: server.clock, … })` use it too. */
export interface Clock extends WaitingClock {
  /**
   * Advances the time of a server that was started with `clock: 'virtual'`, by milliseconds or by a duration such as `1h30m` or `250ms`.
   * Everything that falls due on the way happens in order, each at its own time: leases, events and tokens expire, watches end and get
   * bookmarks, and controllers repeat their rounds and retry failed work. The clients of `server.client()` do so too: informers resync, leases
   * are renewed or taken over. Resolves when the server and these clients have done all the work that follows, except work that waits for other
   * programs. Rejects if the server uses the system's clock.
   */
  advance(duration: number | string): Promise<void>
}

interface Alarm {
  readonly atMs: number
  readonly callback: () => MaybePromise<void>
}

export class VirtualClock implements Clock {
  #nowMs: number
  readonly chance?: () => number
  readonly #settled: () => Promise<void>
  /** Sorted by their time. Alarms of the same time are in the order in which they were set. */
  readonly #alarms: Alarm[] = []
  #moving: Promise<void> = Promise.resolve()

  /**
   * `settled` resolves when all work that does not wait for this clock is done. `chance`: the random numbers of a simulated run that can be
   * repeated. All waits of such a run use this clock.
   */
  constructor(startMs: number, settled: () => Promise<void>, chance?: () => number) {
    this.#nowMs = startMs
    this.#settled = settled
    if (chance !== undefined) this.chance = chance
  }

  now(): number {
    return this.#nowMs
  }

  timeOfDay(): number {
    return this.#nowMs
  }

  callAfter(delayMs: number, callback: () => MaybePromise<void>): () => void {
    const alarm = { atMs: this.#nowMs + Math.max(0, delayMs), callback }
    const after = this.#alarms.findLastIndex(({ atMs }) => atMs <= alarm.atMs)
    this.#alarms.splice(after + 1, 0, alarm)
    return () => {
      const at = this.#alarms.indexOf(alarm)
      if (at !== -1) this.#alarms.splice(at, 1)
    }
  }

  async advance(duration: number | string): Promise<void> {
    const milliseconds = millisecondsOf(duration)
    // Concurrent calls run one after another: the second call moves the clock further.
    const moved = this.#moving.then(() => this.#moveTo(this.#nowMs + milliseconds))
    this.#moving = moved.catch(() => {})
    await moved
  }

  async #moveTo(endMs: number): Promise<void> {
    await this.#settled()
    for (let next = this.#alarms[0]; next !== undefined && next.atMs <= endMs; next = this.#alarms[0]) {
      this.#nowMs = next.atMs
      const due = this.#alarms.filter(({ atMs }) => atMs <= this.#nowMs)
      // One alarm may cancel another that is due at the same moment.
      const work: Promise<void>[] = []
      for (const alarm of due) {
        const begun = this.#take(alarm) ? alarm.callback() : undefined
        // The work of a repeatable run may wait for this clock, so the clock does not wait for that work.
        if (begun !== undefined && this.chance === undefined) work.push(begun)
      }
      await Promise.all(work)
      await this.#settled()
    }
    this.#nowMs = endMs
  }

  #take(alarm: Alarm): boolean {
    const at = this.#alarms.indexOf(alarm)
    if (at === -1) return false
    this.#alarms.splice(at, 1)
    return true
  }
}

/** Throws if the duration is negative or cannot be read. */
function millisecondsOf(duration: number | string): number {
  const milliseconds = typeof duration === 'string' ? parsedMilliseconds(duration) : duration
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds
  const Wrong = typeof milliseconds === 'number' ? RangeError : TypeError
  const given = String(duration)
  throw new Wrong(`time cannot be advanced by ${given}: say milliseconds, or a duration as in '90s' or '1h30m'`)
}

function parsedMilliseconds(text: string): number {
  const parsed = parseDuration(text)
  return parsed.ok ? Number(parsed.nanoseconds) / 1e6 : Number.NaN
}
