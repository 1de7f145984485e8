// A queue of keys to reconcile, each at most once at a time and at most once in the queue. A failed key is retried with exponential
// backoff.
import type { Clock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { CountedTurns } from '../lib/turns.ts'
import type { ControllerParts } from './controllers.ts'
import { QueueMeasures, type QueueTally } from './queue-measures.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 30_000
/** Work that has nothing to write does not wait for anything. Thousands of such keys would take one turn of the event loop. */
const MOST_IN_TURN = 8

export interface WorkQueueOptions {
  /** The name in the log and in metrics. */
  readonly name: string
  readonly workers: number
  /** Resolves to true if the key must be retried after a pause. */
  readonly work: (key: string, signal: AbortSignal) => Promise<boolean | void>
}

export class WorkQueue {
  readonly #clock: Clock
  readonly #log: Log
  readonly #options: WorkQueueOptions
  readonly #tally: QueueTally
  /** The keys with the times of their arrival, by `performance.now()`. */
  readonly #waiting = new Map<string, number>()
  readonly #turns = new CountedTurns(MOST_IN_TURN)
  /** The keys that were added while they were being worked on. */
  readonly #again = new Set<string>()
  readonly #attempts = new Map<string, number>()
  /** The delayed additions of keys. */
  readonly #timers = new Map<string, { readonly atMs: number; readonly callOff: () => void }>()
  #wake: (() => void)[] = []

  constructor({ clock, log, queues }: Pick<ControllerParts, 'clock' | 'log' | 'queues'>, options: WorkQueueOptions) {
    this.#clock = clock
    this.#log = log
    this.#options = options
    this.#tally = (queues ?? new QueueMeasures()).of(options.name)
  }

  add(key: string): void {
    if (this.#tally.busy.has(key)) {
      this.#again.add(key)
      return
    }
    this.#timers.get(key)?.callOff()
    this.#timers.delete(key)
    if (!this.#waiting.has(key)) {
      this.#waiting.set(key, performance.now())
      this.#tally.adds.value++
      this.#tally.depth.value = this.#waiting.size
    }
    this.#wake.shift()?.()
  }

  /** Of several delays of a key, the first to end counts. */
  addAfter(key: string, milliseconds: number): void {
    const atMs = this.#clock.now() + milliseconds
    const known = this.#timers.get(key)
    if (this.#waiting.has(key) || (known !== undefined && known.atMs <= atMs)) return
    known?.callOff()
    const callOff = this.#clock.callAfter(milliseconds, () => {
      this.#timers.delete(key)
      this.add(key)
    })
    this.#timers.set(key, { atMs, callOff })
  }

  /** Works until the signal fires. Resolves when no work is running any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      for (const { callOff } of this.#timers.values()) callOff()
      for (const wake of this.#wake) wake()
      this.#wake = []
    }
    signal.addEventListener('abort', stop, { once: true })
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#worker(signal)))
    signal.removeEventListener('abort', stop)
  }

  async #worker(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [next] = this.#waiting
      if (next === undefined) {
        await new Promise<void>((resolve) => this.#wake.push(resolve))
        continue
      }
      const [key, cameAt] = next
      const began = performance.now()
      this.#waiting.delete(key)
      this.#tally.depth.value = this.#waiting.size
      this.#tally.waitSeconds.observe((began - cameAt) / 1000)
      this.#tally.busy.set(key, began)
      const again = await this.#attempt(key, signal)
      this.#tally.busy.delete(key)
      this.#tally.workSeconds.observe((performance.now() - began) / 1000)
      if (signal.aborted) return
      if (this.#again.delete(key)) this.add(key)
      else if (again) this.#later(key)
      await this.#turns.next()
    }
  }

  async #attempt(key: string, signal: AbortSignal): Promise<boolean> {
    try {
      const again = await this.#options.work(key, signal)
      if (again !== true) this.#attempts.delete(key)
      return again === true
    } catch (error) {
      if (!(error instanceof CancelledError) && !signal.aborted) {
        const attempt = this.#attempts.get(key) ?? 0
        this.#log.warn({ err: error, controller: this.#options.name, key, attempt }, 'reconcile failed, will retry')
      }
      return true
    }
  }

  #later(key: string): void {
    const attempt = this.#attempts.get(key) ?? 0
    this.#attempts.set(key, attempt + 1)
    this.#tally.retries.value++
    this.addAfter(key, Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS))
  }
}
