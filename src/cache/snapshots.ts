// The states of a type at its latest revisions: one a change, each a copy-on-write clone, so a past moment costs what
// changed since. Kept for 75 s or until the storage is compacted (D9), unless there is too much of it.
import { InvariantError } from '../lib/errors.ts'
import type { SortedTree } from '../lib/sorted-tree.ts'
import type { CachedItem } from './cached-object.ts'
import { RevisionQueue } from './revision-queue.ts'

export type ItemTree = SortedTree<string, CachedItem>

/** A type from one revision until the next snapshot's. Never written to. */
export interface Snapshot {
  readonly revision: number
  readonly tree: ItemTree
  /** How many of the items cannot be read. */
  readonly unreadable: number
  readonly atMs: number
  /** What keeping the state before this one costs: the bytes of what was replaced. */
  readonly bytes: number
}

const SNAPSHOT_MS = 75_000

export interface SnapshotLimits {
  readonly snapshots: number
  readonly bytes: number
}

export class Snapshots {
  readonly #limits: SnapshotLimits
  readonly #queue = new RevisionQueue<Snapshot>()
  #bytes = 0

  constructor(first: Snapshot, limits: SnapshotLimits) {
    this.#limits = limits
    this.#queue.add(first)
  }

  get newest(): Snapshot {
    const { last } = this.#queue
    if (last === undefined) throw new InvariantError('a type without a state')
    return last
  }

  /** The lowest revision that `at` can answer for. */
  get oldestRevision(): number {
    return this.#queue.first?.revision ?? this.newest.revision
  }

  add(snapshot: Snapshot): void {
    // Several changes can be of one revision; only what was there at its end is a state.
    if (snapshot.revision === this.newest.revision && this.#queue.size > 1) {
      this.#bytes -= this.newest.bytes
      this.#queue.removeLast()
    }
    this.#queue.add(snapshot)
    this.#bytes += snapshot.bytes
    this.#dropWhile(() => this.#queue.size > this.#limits.snapshots || this.#bytes > this.#limits.bytes)
    this.expire(snapshot.atMs)
  }

  /** The state at the end of a revision; undefined where that is no longer known. */
  at(revision: number): Snapshot | undefined {
    return this.#queue.at(this.#queue.placeAfter(revision) - 1)
  }

  /** Lets go of what has been out of date for too long; the newest state always stays. */
  expire(nowMs: number): void {
    this.#dropWhile((next) => next.atMs < nowMs - SNAPSHOT_MS)
  }

  /** The storage forgot what was before this revision, so we do. */
  compact(revision: number): void {
    this.#dropWhile((next) => next.revision <= revision)
  }

  /** A state goes when the one that followed it is all that is still needed. */
  #dropWhile(isEnough: (next: Snapshot) => boolean): void {
    for (let next = this.#queue.at(1); next !== undefined && isEnough(next); next = this.#queue.at(1)) {
      this.#queue.removeFirst()
      this.#bytes -= next.bytes
    }
  }
}
