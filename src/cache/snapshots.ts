// The states of a type at its latest revisions: one for each change, each a copy-on-write clone that costs what has changed
// since. Kept for 75 s or until the storage is compacted (D9), within the budget.
import { InvariantError } from '../lib/errors.ts'
import type { SortedTree } from '../lib/sorted-tree.ts'
import type { CachedItem } from './cached-object.ts'
import { type PastBudget, STATE_BYTES } from './past-budget.ts'
import { RevisionQueue } from './revision-queue.ts'

export type ItemTree = SortedTree<string, CachedItem>

/** The state of a type from one revision until the next snapshot's. */
export interface Snapshot {
  readonly revision: number
  readonly tree: ItemTree
  readonly unreadable: number
  readonly atMs: number
}

const SNAPSHOT_MS = 75_000

export class Snapshots {
  readonly #most: number
  readonly #budget: PastBudget
  readonly #queue = new RevisionQueue<Snapshot>()

  constructor(first: Snapshot, most: number, budget: PastBudget) {
    this.#most = most
    this.#budget = budget
    this.#queue.add(first)
  }

  get bytes(): number {
    return (this.#queue.size - 1) * STATE_BYTES
  }

  get newest(): Snapshot {
    const { last } = this.#queue
    if (last === undefined) throw new InvariantError('a type has no snapshot')
    return last
  }

  get oldestRevision(): number {
    return this.#queue.first?.revision ?? this.newest.revision
  }

  add(snapshot: Snapshot): void {
    // Several changes can be of one revision; only what was there at its end is a state.
    if (snapshot.revision === this.newest.revision && this.#queue.size > 1) this.#queue.removeLast()
    else this.#budget.used += STATE_BYTES
    this.#queue.add(snapshot)
    this.#dropWhile(() => this.#queue.size > this.#most)
    this.expire(snapshot.atMs)
  }

  /** Of the oldest; undefined where there is only the newest. */
  get firstRevision(): number | undefined {
    return this.#queue.size > 1 ? this.#queue.first?.revision : undefined
  }

  forgetFirst(): void {
    let isFirst = true
    this.#dropWhile(() => isFirst && !(isFirst = false))
  }

  forgetAll(): void {
    this.#dropWhile(() => true)
  }

  /** The state at the end of a revision; undefined where that is no longer known. */
  at(revision: number): Snapshot | undefined {
    return this.#queue.at(this.#queue.placeAfter(revision) - 1)
  }

  /** Lets go of what has been out of date for too long; the newest state always stays. */
  expire(nowMs: number): void {
    this.#dropWhile((next) => next.atMs < nowMs - SNAPSHOT_MS)
  }

  /** Forgets what the storage has compacted. */
  compact(revision: number): void {
    this.#dropWhile((next) => next.revision <= revision)
  }

  /** A snapshot is dropped when its successor is enough. */
  #dropWhile(isEnough: (next: Snapshot) => boolean): void {
    for (let next = this.#queue.at(1); next !== undefined && isEnough(next); next = this.#queue.at(1)) {
      this.#queue.removeFirst()
      this.#budget.used -= STATE_BYTES
    }
  }
}
