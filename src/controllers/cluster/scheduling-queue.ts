// The pods that wait to be scheduled. The highest priority comes first. Pods of equal priority stay in the order of their arrival. A pod
// that did not fit waits until there may be room, and longer after each attempt.
import type { Clock } from '../../lib/clock.ts'
import { addToSet } from '../../lib/map-entries.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000
/** The number of pods that are scheduled at the same time: the assignment of a pod is a write, and the others need not wait for it. */
const AT_ONCE = 16
/** Pods are tried again after this time, in case room became free without an event. */
const AT_LATEST_MS = 300_000

/** `done`: the pod has a node, or no longer needs one. `unfit`: it fits no node. `failed`: it is tried again after its pause. */
export type ScheduleResult = 'done' | 'unfit' | 'failed'

interface Unfit {
  readonly priority: number
  readonly attempts: number
  readonly notBeforeMs: number
}

export class SchedulingQueue {
  readonly #clock: Clock
  /** The keys of waiting pods by priority. */
  readonly #waiting = new Map<number, Set<string>>()
  readonly #priorities = new Map<string, number>()
  readonly #unfit = new Map<string, Unfit>()
  /** The keys of the pods that are being scheduled. */
  readonly #underWay = new Set<string>()
  #idle: (() => void)[] = []
  #alarm: { readonly atMs: number; readonly callOff: () => void } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(key: string, priority: number): void {
    if (this.#priorities.has(key) || this.#unfit.has(key)) return
    this.#put(key, priority)
  }

  remove(key: string): void {
    this.#unfit.delete(key)
    const priority = this.#priorities.get(key)
    if (priority === undefined) return
    this.#priorities.delete(key)
    this.#waiting.get(priority)?.delete(key)
  }

  /** Call this when there may be room for pods that did not fit. `isNow`: they do not wait for the end of their pause. */
  tryAgain(isNow = false): void {
    if (this.#unfit.size === 0) return
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const [key, { priority, notBeforeMs }] of this.#unfit) {
      if (isNow || notBeforeMs <= now) this.#put(key, priority)
      else next = Math.min(next, notBeforeMs)
    }
    if (next < Number.POSITIVE_INFINITY) this.#alarmAt(next)
  }

  /**
   * Schedules pods until the signal fires. `schedule` must choose the node of a pod before it waits for anything. `turn` waits for a turn of
   * the event loop.
   */
  async run(
    signal: AbortSignal,
    turn: () => Promise<void>,
    schedule: (key: string) => Promise<ScheduleResult>,
  ): Promise<void> {
    const stop = (): void => this.#wake()
    signal.addEventListener('abort', stop, { once: true })
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#work(signal, turn, schedule)))
    this.#alarm?.callOff()
    signal.removeEventListener('abort', stop)
  }

  async #work(
    signal: AbortSignal,
    turn: () => Promise<void>,
    schedule: (key: string) => Promise<ScheduleResult>,
  ): Promise<void> {
    while (!signal.aborted) {
      await turn()
      if (signal.aborted) return
      const key = this.#next()
      if (key === undefined) {
        await new Promise<void>((resolve) => this.#idle.push(resolve))
        continue
      }
      const priority = this.#priorities.get(key) ?? 0
      const attempts = (this.#unfit.get(key)?.attempts ?? 0) + 1
      this.remove(key)
      const notBeforeMs = this.#clock.now() + Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS)
      // The pod is noted before the attempt, because room may become free during the attempt.
      this.#unfit.set(key, { priority, attempts, notBeforeMs })
      this.#underWay.add(key)
      try {
        const result = await schedule(key)
        if (result === 'done') this.#unfit.delete(key)
        else this.#alarmAt(result === 'failed' ? notBeforeMs : this.#clock.now() + AT_LATEST_MS)
      } finally {
        this.#underWay.delete(key)
      }
    }
  }

  #wake(): void {
    for (const resume of this.#idle.splice(0)) resume()
  }

  #put(key: string, priority: number): void {
    this.#priorities.set(key, priority)
    addToSet(this.#waiting, priority, key)
    this.#wake()
  }

  #next(): string | undefined {
    let best: number | undefined
    let found: string | undefined
    for (const [priority, keys] of this.#waiting) {
      if (keys.size === 0) this.#waiting.delete(priority)
      if (best !== undefined && priority <= best) continue
      const key = keys.values().find((one) => !this.#underWay.has(one))
      if (key !== undefined) [best, found] = [priority, key]
    }
    return found
  }

  #alarmAt(atMs: number): void {
    if (this.#alarm !== undefined && this.#alarm.atMs <= atMs) return
    this.#alarm?.callOff()
    const callOff = this.#clock.callAfter(atMs - this.#clock.now(), () => {
      this.#alarm = undefined
      this.tryAgain()
    })
    this.#alarm = { atMs, callOff }
  }
}
