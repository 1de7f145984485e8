// The states of a type at its latest revisions, one for each change (D9). They go back as far as the history, but at most 75 s, and not
// beyond a compaction of the storage. Few of them are kept. A kept state is a copy-on-write clone: the next changes must copy the nodes
// that they touch, which is nearly a third of the cost of a create. Requested states are kept, and one state for every `MOST_UNDONE`
// changes. Any other state is rebuilt from the next kept state, by undoing the changes between the two states.
import type { SortedTree } from '../lib/sorted-tree.ts'
import type { CachedItem } from './cached-object.ts'
import type { History } from './history.ts'
import { NODE_BYTES, type PastBudget, STATE_BYTES } from './past-budget.ts'
import { RevisionQueue } from './revision-queue.ts'

export type ItemTree = SortedTree<string, CachedItem>

/** A state, which never changes. */
export interface Snapshot {
  /** The first revision of the state. */
  readonly revision: number
  readonly tree: ItemTree
  readonly unreadable: number
}

interface TakenSnapshot extends Snapshot {
  readonly bytes: number
}

interface KeptSnapshot extends TakenSnapshot {
  /** The revision of the next change. If it is the same revision, the snapshot has only a part of that revision and is not a state. */
  readonly until: number
}

/** The current objects of the type. Each change modifies them. */
export interface CurrentState {
  readonly tree: ItemTree
  readonly unreadable: number
}

export interface SnapshotsOptions {
  readonly revision: number
  /** The history of the type, with every change since `revision` or since its floor. */
  readonly history: History
  readonly budget: PastBudget
  readonly current: CurrentState
}

const SNAPSHOT_MS = 75_000

/** The largest number of changes to undo. Undoing them takes half a millisecond, or a whole millisecond among 100,000 objects. */
export const MOST_UNDONE = 256

/** The smallest number of entries in a node of a tree. */
const NODE_ITEMS = 16

export class Snapshots {
  readonly #history: History
  readonly #budget: PastBudget
  readonly #current: CurrentState
  readonly #kept = new RevisionQueue<KeptSnapshot>()
  #bytes = 0
  /** The revision of the last change. */
  #revision: number
  /** The newest state. Undefined: it was not requested since the last change. */
  #newest: TakenSnapshot | undefined
  /** The number of changes since the last snapshot. */
  #changes = 0
  /** States before this revision are dropped. */
  #floor: number

  constructor({ revision, history, budget, current }: SnapshotsOptions) {
    this.#revision = revision
    this.#floor = revision
    this.#history = history
    this.#budget = budget
    this.#current = current
  }

  get bytes(): number {
    return this.#bytes
  }

  get newest(): Snapshot {
    return (this.#newest ??= this.#take())
  }

  isNewest(snapshot: Snapshot): boolean {
    return snapshot === this.#newest
  }

  get oldestRevision(): number {
    return Math.max(this.#floor, this.#history.floor)
  }

  /** Call this after a change, when the history has the change. */
  changed(revision: number): void {
    const before = this.#newest
    this.#newest = undefined
    if (before !== undefined) this.#keep({ ...before, until: revision })
    this.#revision = revision
    this.#changes++
    if (this.#changes >= MOST_UNDONE) this.#newest = this.#take()
  }

  /** The state at the end of a revision. Undefined: the state was dropped. */
  at(revision: number): Snapshot | undefined {
    if (revision >= this.#revision) return this.newest
    if (revision < this.oldestRevision) return undefined
    const next = this.#kept.placeAfter(revision)
    const last = this.#kept.at(next - 1)
    if (last !== undefined && revision < last.until) return last
    return this.#before(this.#kept.at(next) ?? this.newest, revision)
  }

  /** Drops states that have been out of date for too long. The newest state always stays. */
  expire(nowMs: number): void {
    this.#raiseFloor(this.#history.lastRevision(({ atMs }) => atMs < nowMs - SNAPSHOT_MS))
  }

  /** Drops the states that the storage has compacted. */
  compact(compacted: number): void {
    this.#raiseFloor(this.#history.lastRevision(({ revision }) => revision <= compacted))
  }

  /** The revision of the oldest kept state. Undefined: no state is kept. */
  get firstRevision(): number | undefined {
    return this.#kept.first?.revision
  }

  forgetFirst(): void {
    const first = this.#kept.removeFirst()
    if (first !== undefined) this.#count(-first.bytes)
  }

  forgetAll(): void {
    while (this.#kept.size > 0) this.forgetFirst()
  }

  #take(): TakenSnapshot {
    const { tree, unreadable } = this.#current
    // The snapshot owns the nodes of one change, and at most one leaf for each other change.
    const leaves = Math.min(Math.max(this.#changes - 1, 0), tree.size / NODE_ITEMS)
    this.#changes = 0
    return { revision: this.#revision, tree: tree.clone(), unreadable, bytes: STATE_BYTES + leaves * NODE_BYTES }
  }

  #keep(snapshot: KeptSnapshot): void {
    this.#kept.add(snapshot)
    this.#count(snapshot.bytes)
    this.#forgetUseless()
  }

  #before(later: Snapshot, revision: number): Snapshot {
    const tree = later.tree.clone()
    let { unreadable } = later
    for (const { key, previous } of this.#history.between(revision, later.revision).toReversed()) {
      if (tree.get(key)?.kind === 'unreadable') unreadable--
      if (previous?.kind === 'unreadable') unreadable++
      if (previous === undefined) tree.delete(key)
      else tree.set(key, previous)
    }
    return { revision, tree, unreadable }
  }

  #raiseFloor(revision: number | undefined): void {
    if (revision !== undefined && revision > this.#floor) this.#floor = revision
    this.#forgetUseless()
  }

  #forgetUseless(): void {
    const { oldestRevision } = this
    while ((this.#kept.first?.until ?? Infinity) <= oldestRevision) this.forgetFirst()
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#budget.used += bytes
  }
}
