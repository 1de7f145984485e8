// The pods that wait to be scheduled: by priority, and of one priority in their order. A pod that did not fit waits until there may be
// room, and longer after each attempt.
import type { Clock } from '../../lib/clock.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000
/** Pods are tried again after this time, in case room became free without an event. */
const AT_LATEST_MS = 300_000

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
  #wake: (() => void) | undefined
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

  /** There may be room for pods that did not fit; `isNow`: without their pause. */
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

  /** `schedule` resolves to false if the pod did not fit. A call that throws counts as that too, and its error is thrown at the end. */
  async run(signal: AbortSignal, schedule: (key: string) => Promise<boolean>): Promise<void> {
    const stop = (): void => this.#wake?.()
    signal.addEventListener('abort', stop, { once: true })
    while (!signal.aborted) {
      const key = this.#next()
      if (key === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      const priority = this.#priorities.get(key) ?? 0
      const attempts = (this.#unfit.get(key)?.attempts ?? 0) + 1
      this.remove(key)
      const notBeforeMs = this.#clock.now() + Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS)
      // Set before the attempt, so that room that appears meanwhile counts.
      this.#unfit.set(key, { priority, attempts, notBeforeMs })
      if (await schedule(key)) this.#unfit.delete(key)
      else this.#alarmAt(this.#clock.now() + AT_LATEST_MS)
    }
    this.#alarm?.callOff()
    signal.removeEventListener('abort', stop)
  }

  #put(key: string, priority: number): void {
    this.#priorities.set(key, priority)
    const waiting = this.#waiting.get(priority)
    if (waiting === undefined) this.#waiting.set(priority, new Set([key]))
    else waiting.add(key)
    this.#wake?.()
  }

  #next(): string | undefined {
    let best: number | undefined
    for (const [priority, keys] of this.#waiting) {
      if (keys.size === 0) this.#waiting.delete(priority)
      else if (best === undefined || priority > best) best = priority
    }
    if (best === undefined) return undefined
    const [first] = this.#waiting.get(best)!
    return first
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
