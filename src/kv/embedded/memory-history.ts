// The history of an in-memory store since the last compaction: entries in pieces, and for each finished piece the state after it. To make a
// past state, the few later entries are undone in the state of its piece. So its cost does not depend on its age.
import { type SortedTree, compareNumbers, newSortedTree } from '../../lib/sorted-tree.ts'
import type { Revision } from '../kv.ts'
import type { StoredItem } from '../transactional.ts'
import { toSortKey } from '../key-order.ts'
import { firstFrom } from './revision-order.ts'

/** The state of a store: items by the sort keys of their keys. */
export type MemoryState = SortedTree<string, StoredItem>

/** One change of one key. A revision has one or several changes. Entries never change, and forks share them. */
export interface HistoryEntry {
  readonly key: string
  readonly revision: Revision
  /** The new item. Undefined: a delete. */
  readonly item: StoredItem | undefined
  readonly previous: StoredItem | undefined
}

interface Piece {
  readonly entries: readonly HistoryEntry[]
  /** The state at the end of the piece's last revision. */
  readonly after: MemoryState
  readonly bytes: number
}

/**
 * The limits of a piece: entries, and bytes of values. A compaction may leave this much behind, and a read of the past may undo this much.
 */
const PIECE_ENTRIES = 512
const PIECE_BYTES = 4 * 1024 * 1024

/** The memory of an entry besides its value: the entry itself, its item and its part of the states. */
const ENTRY_BYTES = 512

/** The number of rebuilt states that are remembered. All pages of a list need the same state. */
const REMEMBERED_STATES = 4

export class MemoryHistory {
  /** Finished pieces by the revision of their first entry. */
  readonly #pieces: SortedTree<Revision, Piece>
  #tail: HistoryEntry[] = []
  #tailFirst: Revision
  #tailBytes = 0
  #bytes = 0
  readonly #rebuilt = new Map<Revision, MemoryState>()

  constructor(next: Revision, pieces: SortedTree<Revision, Piece> = newSortedTree(compareNumbers)) {
    this.#tailFirst = next
    this.#pieces = pieces
    for (const { bytes } of pieces.values()) this.#bytes += bytes
  }

  get bytes(): number {
    return this.#bytes + this.#tailBytes
  }

  /** Adds all changes of a revision. `state` is the state of the store with these changes. */
  append(entries: readonly HistoryEntry[], state: MemoryState): void {
    for (const entry of entries) {
      this.#tail.push(entry)
      this.#tailBytes += ENTRY_BYTES + (entry.item?.value.length ?? 0)
    }
    if (this.#tail.length >= PIECE_ENTRIES || this.#tailBytes >= PIECE_BYTES) this.#finishPiece(state)
  }

  /** Takes constant time: both histories share the finished pieces. */
  fork(state: MemoryState): MemoryHistory {
    this.#finishPiece(state)
    return new MemoryHistory(this.#tailFirst, this.#pieces.clone())
  }

  /** The entries of one piece from `revision` on. */
  entriesFrom(revision: Revision): readonly HistoryEntry[] {
    const { entries, first } = this.#pieceOf(revision)
    return revision <= first ? entries : entries.slice(firstFrom(entries, revision))
  }

  getAt(key: string, revision: Revision, state: MemoryState): StoredItem | undefined {
    const { entries, after } = this.#pieceOf(revision)
    for (let i = firstFrom(entries, revision + 1); i < entries.length; i++) {
      const entry = entries[i]!
      if (entry.key === key) return entry.previous
    }
    return (after ?? state).get(toSortKey(key))
  }

  /** The state at the end of `revision`. Do not change it. `state` is the newest state. */
  stateAt(revision: Revision, state: MemoryState): MemoryState {
    const remembered = this.#rebuilt.get(revision)
    if (remembered !== undefined) return remembered
    const { entries, after } = this.#pieceOf(revision)
    const rebuilt = (after ?? state).clone()
    const from = firstFrom(entries, revision + 1)
    for (let i = entries.length - 1; i >= from; i--) {
      const { key, previous } = entries[i]!
      if (previous === undefined) rebuilt.delete(toSortKey(key))
      else rebuilt.set(toSortKey(key), previous)
    }
    if (this.#rebuilt.size >= REMEMBERED_STATES) this.#rebuilt.delete(this.#rebuilt.keys().next().value!)
    this.#rebuilt.set(revision, rebuilt)
    return rebuilt
  }

  /** Drops every piece that ends before `revision`. */
  dropBefore(revision: Revision): void {
    const keepFrom = revision < this.#tailFirst ? this.#pieces.getPairOrNextLower(revision)?.[0] : this.#tailFirst
    if (keepFrom !== undefined) this.#dropPieces(keepFrom)
    for (const remembered of this.#rebuilt.keys()) if (remembered < revision) this.#rebuilt.delete(remembered)
  }

  /** Drops the oldest finished piece and returns the oldest revision that is left. Undefined: there is only the unfinished piece. */
  dropFirstPiece(): Revision | undefined {
    if (this.#pieces.size === 0) return undefined
    const [, second = this.#tailFirst] = this.#pieces.keys()
    this.dropBefore(second)
    return second
  }

  #dropPieces(before: Revision): void {
    this.#pieces.forRange(0, before, false, (_first, { bytes }) => {
      this.#bytes -= bytes
    })
    this.#pieces.deleteRange(0, before, false)
  }

  /**
   * The piece of `revision`, or the first piece for earlier revisions. `after` is absent for the unfinished piece,
   * whose state is the newest.
   */
  #pieceOf(revision: Revision): { first: Revision; entries: readonly HistoryEntry[]; after?: MemoryState } {
    if (revision < this.#tailFirst) {
      const found = this.#pieces.getPairOrNextLower(revision) ?? this.#pieces.getPairOrNextHigher(revision)
      if (found !== undefined) return { first: found[0], ...found[1] }
    }
    return { first: this.#tailFirst, entries: this.#tail }
  }

  #finishPiece(state: MemoryState): void {
    if (this.#tail.length === 0) return
    this.#pieces.set(this.#tailFirst, { entries: this.#tail, after: state.clone(), bytes: this.#tailBytes })
    this.#bytes += this.#tailBytes
    this.#tailFirst = this.#tail.at(-1)!.revision + 1
    this.#tail = []
    this.#tailBytes = 0
  }
}
