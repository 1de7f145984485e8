// A clock that stands still until a test moves it.
import type { Clock } from '../../src/lib/clock.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

interface Alarm {
  readonly at: number
  readonly callback: () => MaybePromise<void>
}

export class ManualClock implements Clock {
  #now: number
  readonly #alarms = new Set<Alarm>()

  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  timeOfDay(): number {
    return this.#now
  }

  callAfter(delayMs: number, callback: () => MaybePromise<void>): () => void {
    const alarm = { at: this.#now + Math.max(0, delayMs), callback }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** How many alarms are set: what has been started and not called off. */
  get pending(): number {
    return this.#alarms.size
  }

  /** Moves on, calling what falls due on the way at its own moment and in order. */
  advance(byMs: number): void {
    const end = this.#now + byMs
    for (;;) {
      const due = [...this.#alarms].filter((alarm) => alarm.at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#alarms.delete(due)
      this.#now = Math.max(this.#now, due.at)
      void due.callback()
    }
    this.#now = end
  }
}
