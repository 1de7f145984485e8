// The recent changes of a type, in order. A watch from a past version starts here, and a slow watch catches up here. The history has all
// changes after `floor`. Older changes may still be in the storage. As long as no change is dropped, `floor` stays (D8).
import type { Change } from '../store/change.ts'
import type { CachedItem } from './cached-object.ts'
import type { PastBudget, PastLimits } from './past-budget.ts'
import { RevisionQueue } from './revision-queue.ts'

/** A change, with the values that select its watchers. */
export interface HistoryRecord {
  readonly revision: number
  readonly change: Change
  /** The key within the type. */
  readonly key: string
  /** The object before the change, readable or not. Undefined: there was no object. */
  readonly previous: CachedItem | undefined
  /** The values of indexed fields, before and after the change. */
  readonly before: readonly string[] | undefined
  readonly now: readonly string[] | undefined
  readonly atMs: number
  readonly bytes: number
}

export interface HistoryLimits extends PastLimits {
  /** Younger records are kept, unless there are too many. */
  readonly milliseconds: number
  /** The largest number of records of a type. */
  readonly records: number
}

export const HISTORY_LIMITS: HistoryLimits = Object.freeze({
  milliseconds: 330_000,
  records: 100_000,
  bytes: 32 << 20,
  mostBytes: 128 << 20,
})

export class History {
  readonly #limits: Pick<HistoryLimits, 'milliseconds' | 'records'>
  readonly #budget: PastBudget
  readonly #queue = new RevisionQueue<HistoryRecord>()
  #bytes = 0
  #floor: number
  /** Whether the revision of the floor may have changed several objects. */
  #isFloorShared: boolean

  constructor(
    from: { readonly revision: number; readonly isShared: boolean },
    limits: Pick<HistoryLimits, 'milliseconds' | 'records'>,
    budget: PastBudget,
  ) {
    this.#floor = from.revision
    this.#isFloorShared = from.isShared
    this.#limits = limits
    this.#budget = budget
  }

  get bytes(): number {
    return this.#bytes
  }

  get firstRevision(): number | undefined {
    return this.#queue.first?.revision
  }

  /** The history has every change after this revision. */
  get floor(): number {
    return this.#floor
  }

  /**
   * The position for a watcher that has seen this revision. The watcher may have seen only some changes of a revision that changed several
   * objects, so it gets all of them again (D35).
   */
  resumedAfter(revision: number): number {
    const behind = this.#queue.placeAfter(revision)
    const isShared =
      revision === this.#floor
        ? this.#isFloorShared
        : this.#queue.at(behind - 1)?.revision === revision && this.#queue.at(behind - 2)?.revision === revision
    return isShared ? revision - 1 : revision
  }

  add(record: HistoryRecord): void {
    this.#queue.add(record)
    this.#count(record.bytes)
    this.#dropWhile(() => this.#queue.size > this.#limits.records)
    this.expire(record.atMs)
  }

  /** Forgets all records of the oldest revision. */
  forgetFirst(): void {
    const { first } = this.#queue
    if (first !== undefined) this.#dropWhile(({ revision }) => revision === first.revision)
  }

  forgetAll(): void {
    this.#dropWhile(() => true)
  }

  expire(nowMs: number): void {
    this.#dropWhile((first) => first.atMs < nowMs - this.#limits.milliseconds)
  }

  /** Prepends older records: all after `floor` and before the first record here. */
  extendBack(records: readonly HistoryRecord[], floor: number): void {
    if (floor >= this.#floor) return
    this.#queue.addInFront(records)
    this.#floor = floor
    this.#isFloorShared = true
    for (const record of records) this.#count(record.bytes)
    this.#dropWhile(() => this.#queue.size > this.#limits.records)
  }

  /**
   * Returns the next `count` records after a revision, and the rest of the last one's revision. The given revision must not be below
   * `floor`. `isAll`: there are no more records.
   */
  after(revision: number, count: number): { readonly records: readonly HistoryRecord[]; readonly isAll: boolean } {
    const start = this.#queue.placeAfter(revision)
    const last = this.#queue.at(start + count - 1)
    const end = last === undefined ? this.#queue.size : this.#queue.placeAfter(last.revision)
    return { records: this.#queue.slice(start, end), isAll: end === this.#queue.size }
  }

  /** The records after `revision` and up to `upTo`. `revision` must not be below `floor`. */
  between(revision: number, upTo: number): readonly HistoryRecord[] {
    return this.#queue.slice(this.#queue.placeAfter(revision), this.#queue.placeAfter(upTo))
  }

  /** The revision of the newest record that `isOld` accepts. Undefined: there is no such record. */
  lastRevision(isOld: (record: HistoryRecord) => boolean): number | undefined {
    return this.#queue.at(this.#queue.placeBehind(isOld) - 1)?.revision
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#budget.used += bytes
  }

  #dropWhile(isEnough: (first: HistoryRecord) => boolean): void {
    for (let { first } = this.#queue; first !== undefined && isEnough(first); { first } = this.#queue) {
      this.#queue.removeFirst()
      this.#count(-first.bytes)
      this.#isFloorShared = first.revision === this.#floor || this.#queue.first?.revision === first.revision
      this.#floor = first.revision
    }
  }
}
