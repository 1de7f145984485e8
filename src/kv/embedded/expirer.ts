// Deletes expired keys of the durable engine through the write queue, each with a revision of its own. Deadlines are stored, so
// keys that expired while the store was closed are deleted soon after it is opened.
import type { Clock } from '../../lib/clock.ts'
import type { LogEntry } from './records.ts'
import type { Tables } from './tables.ts'
import type { WriteQueue } from './write-queue.ts'

const KEYS_AT_ONCE = 256

/** Later than any deadline. */
const END_OF_TIME_MS = 2 ** 47

/** The wait after a failure, usually a full disk. */
const RETRY_MS = 1000

export class Expirer {
  readonly #tables: Tables
  readonly #queue: WriteQueue
  readonly #clock: Clock
  #alarm: { readonly atMs: number; readonly cancel: () => void } | undefined
  #busy = false
  #stopped = false

  constructor(from: { tables: Tables; queue: WriteQueue; clock: Clock }) {
    this.#tables = from.tables
    this.#queue = from.queue
    this.#clock = from.clock
  }

  get isWaiting(): boolean {
    return this.#alarm !== undefined
  }

  start(): void {
    const [first] = this.#tables.expiries(END_OF_TIME_MS, 1)
    if (first !== undefined) this.#ringAt(first.deadlineMs)
  }

  stop(): void {
    this.#stopped = true
    this.#alarm?.cancel()
    this.#alarm = undefined
  }

  /** Call this for every committed entry. */
  observe(entry: LogEntry): void {
    if (entry.deadlineMs > 0) this.#ringAt(entry.deadlineMs)
  }

  #ringAt(atMs: number): void {
    if (this.#stopped || (this.#alarm !== undefined && this.#alarm.atMs <= atMs)) return
    this.#alarm?.cancel()
    const cancel = this.#clock.callAfter(atMs - this.#clock.now(), () => {
      this.#alarm = undefined
      return this.#expire()
    })
    this.#alarm = { atMs, cancel }
  }

  async #expire(): Promise<void> {
    if (this.#busy || this.#stopped) return
    this.#busy = true
    const now = this.#clock.now()
    const due = [...this.#tables.expiries(Math.floor(now), KEYS_AT_ONCE)]
    const outcomes = await Promise.allSettled(due.map(({ key, revision }) => this.#remove(key, revision)))
    this.#busy = false
    if (this.#stopped) return
    if (outcomes.some(({ status }) => status === 'rejected')) this.#ringAt(now + RETRY_MS)
    else this.start()
  }

  #remove(key: string, revision: number): Promise<void> {
    return this.#queue.run((draft) => {
      if (draft.revisionOf(key) === revision) draft.remove(key)
    })
  }
}
