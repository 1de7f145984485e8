// The states of a type at its latest revisions, one for each change (D9), for 75 s or until the storage is compacted, as far as the history
// goes back. Few of them are kept: a copy-on-write clone makes every later change copy the nodes that it touches, which for a create is nearly
// a third of all it costs. States that were asked for are kept, and one in so many changes; any other state is made again from the next
// that was kept, by undoing what was changed up to it.
import type { SortedTree } from '../lib/sorted-tree.ts'
import type { CachedItem } from './cached-object.ts'
import type { History } from './history.ts'
import { NODE_BYTES, type PastBudget, STATE_BYTES } from './past-budget.ts'
import { RevisionQueue } from './revision-queue.ts'

export type ItemTree = SortedTree<string, CachedItem>

/** Never changed. */
export interface Snapshot {
  /** From here on it is the state. */
  readonly revision: number
  readonly tree: ItemTree
  readonly unreadable: number
}

interface TakenSnapshot extends Snapshot {
  readonly bytes: number
}

interface KeptSnapshot extends TakenSnapshot {
  /** The revision of the next change: its own where it was taken between two changes of one revision, and then it is no state. */
  readonly until: number
}

/** What the type has now: other objects with each change. */
export interface CurrentState {
  readonly tree: ItemTree
  readonly unreadable: number
}

export interface SnapshotsOptions {
  readonly revision: number
  /** Has every change since that revision, or says up to where not. */
  readonly history: History
  readonly budget: PastBudget
  readonly current: CurrentState
}

const SNAPSHOT_MS = 75_000

/** To make a state again takes no more than this: half a millisecond, a whole one among 100,000 objects. */
export const MOST_UNDONE = 256

/** In a node of a tree, at least. */
const NODE_ITEMS = 16

export class Snapshots {
  readonly #history: History
  readonly #budget: PastBudget
  readonly #current: CurrentState
  readonly #kept = new RevisionQueue<KeptSnapshot>()
  #bytes = 0
  /** Of the last change. */
  #revision: number
  /** Undefined if it was not asked for since. */
  #newest: TakenSnapshot | undefined
  /** Since the last snapshot. */
  #changes = 0
  /** States before this revision have gone. */
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

  /** The type has another state, and its history the change. */
  changed(revision: number): void {
    const before = this.#newest
    this.#newest = undefined
    if (before !== undefined) this.#keep({ ...before, until: revision })
    this.#revision = revision
    this.#changes++
    if (this.#changes >= MOST_UNDONE) this.#newest = this.#take()
  }

  /** The state at the end of a revision; undefined where that is no longer known. */
  at(revision: number): Snapshot | undefined {
    if (revision >= this.#revision) return this.newest
    if (revision < this.oldestRevision) return undefined
    const next = this.#kept.placeAfter(revision)
    const last = this.#kept.at(next - 1)
    if (last !== undefined && revision < last.until) return last
    return this.#before(this.#kept.at(next) ?? this.newest, revision)
  }

  /** Lets go of what has been out of date for too long; the newest state always stays. */
  expire(nowMs: number): void {
    this.#raiseFloor(this.#history.lastRevision(({ atMs }) => atMs < nowMs - SNAPSHOT_MS))
  }

  /** Forgets what the storage has compacted. */
  compact(compacted: number): void {
    this.#raiseFloor(this.#history.lastRevision(({ revision }) => revision <= compacted))
  }

  /** Of the oldest that is kept; undefined where there is none. */
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
    // It has the nodes of one change for itself, and of each other one at most a leaf.
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
