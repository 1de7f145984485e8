// How long turns of an event loop last, by processor time: a busy machine does not matter. Garbage collection is told apart.
import { PerformanceObserver } from 'node:perf_hooks'

/** In milliseconds. */
export interface LongestTurn {
  /** Without garbage collection. */
  readonly ms: number
  /** Of the turn that collected longest. */
  readonly gcMs: number
}

/** A turn in which nothing was done but to look takes less. */
const IDLE_MS = 0.2
/** Shorter turns are not remembered. */
const NOTED_MS = 5

interface Span {
  readonly start: number
  readonly end: number
  readonly ms: number
}

/** Looks at every turn of this thread's event loop from its start until it is stopped. */
export class TurnMeter {
  #last = process.threadCpuUsage()
  #lastAt = performance.now()
  #turns: Span[] = []
  #collections: Span[] = []
  #isOver = false
  readonly #observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      this.#collections.push({ start: startTime, end: startTime + duration, ms: duration })
    }
  })

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
    setImmediate(this.#look)
  }

  /** Of the turns since the last call. */
  async longest(): Promise<LongestTurn> {
    // The turn that is under way ends, and collections are told of a turn later.
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 1))
    const [turns, collections] = [this.#turns, this.#collections]
    this.#turns = []
    this.#collections = []
    let [ms, gcMs] = [0, 0]
    for (const turn of turns) {
      const within = collections.filter(({ start, end }) => start >= turn.start && end <= turn.end)
      const collected = within.reduce((sum, { ms: each }) => sum + each, 0)
      ms = Math.max(ms, turn.ms - collected)
      gcMs = Math.max(gcMs, Math.min(collected, turn.ms))
    }
    return { ms, gcMs }
  }

  stop(): void {
    this.#isOver = true
    this.#observer.disconnect()
  }

  readonly #look = (): void => {
    const { user, system } = process.threadCpuUsage(this.#last)
    const ms = (user + system) / 1000
    const now = performance.now()
    if (ms > NOTED_MS) this.#turns.push({ start: this.#lastAt, end: now, ms })
    if (this.#isOver) return
    this.#last = process.threadCpuUsage()
    this.#lastAt = now
    // Every turn is looked at while something is done. While the event loop only waits, it does not spin.
    if (ms > IDLE_MS) setImmediate(this.#look).unref()
    else setTimeout(this.#look, 1).unref()
  }
}
