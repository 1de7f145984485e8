// What happened to a type lately, in order: where watchers start from a past version, and where slow ones catch up. Complete
// behind `floor`; what is older is to be had from the storage, if at all. A type in which nothing happens forgets nothing (D8).
import type { Change } from '../store/change.ts'
import { RevisionQueue } from './revision-queue.ts'

/** A change, with what finds those who watch it. */
export interface HistoryRecord {
  readonly revision: number
  readonly change: Change
  /** Relative to the type. */
  readonly key: string
  /** The values of indexed fields, before and now. */
  readonly before: readonly string[] | undefined
  readonly now: readonly string[] | undefined
  readonly atMs: number
  /** What keeping it costs. */
  readonly bytes: number
}

export interface HistoryLimits {
  /** What is younger than this is kept, unless there is too much of it. */
  readonly milliseconds: number
  readonly records: number
  readonly bytes: number
}

export const HISTORY_LIMITS: HistoryLimits = Object.freeze({
  milliseconds: 330_000,
  records: 100_000,
  bytes: 64 << 20,
})

export class History {
  readonly #limits: HistoryLimits
  readonly #queue = new RevisionQueue<HistoryRecord>()
  #bytes = 0
  #floor: number

  constructor(floor: number, limits: HistoryLimits) {
    this.#floor = floor
    this.#limits = limits
  }

  /** Every change after this revision is here. */
  get floor(): number {
    return this.#floor
  }

  add(record: HistoryRecord): void {
    this.#queue.add(record)
    this.#bytes += record.bytes
    this.#dropWhile(() => this.#isTooMuch())
    this.expire(record.atMs)
  }

  expire(nowMs: number): void {
    this.#dropWhile((first) => first.atMs < nowMs - this.#limits.milliseconds)
  }

  /** Puts what happened before our time in front: all of what is behind `floor` and before the first that we have. */
  extendBack(records: readonly HistoryRecord[], floor: number): void {
    if (floor >= this.#floor) return
    this.#queue.addInFront(records)
    this.#floor = floor
    for (const record of records) this.#bytes += record.bytes
    this.#dropWhile(() => this.#isTooMuch())
  }

  /**
   * The records after a revision, which must not be below `floor`: as many as are asked for and whatever else is of the last
   * one's revision. `isAll`: nothing is behind them.
   */
  after(revision: number, count: number): { readonly records: readonly HistoryRecord[]; readonly isAll: boolean } {
    const start = this.#queue.placeAfter(revision)
    const last = this.#queue.at(start + count - 1)
    const end = last === undefined ? this.#queue.size : this.#queue.placeAfter(last.revision)
    return { records: this.#queue.slice(start, end), isAll: end === this.#queue.size }
  }

  #isTooMuch(): boolean {
    return this.#queue.size > this.#limits.records || this.#bytes > this.#limits.bytes
  }

  #dropWhile(isEnough: (first: HistoryRecord) => boolean): void {
    for (let { first } = this.#queue; first !== undefined && isEnough(first); { first } = this.#queue) {
      this.#queue.removeFirst()
      this.#bytes -= first.bytes
      this.#floor = first.revision
    }
  }
}
