// A group of writes. The writes are decided one after another, before the group is written. Each write is checked against the store and the
// earlier writes of the group. A commit writes the whole group or nothing.
import { newSortedTree, type SortedTree } from '../../lib/sorted-tree.ts'
import { compareStrings } from '../../lib/text-order.ts'
import { ABSENT, type Revision } from '../kv.ts'
import { type KeyRange, type LeaseId, NO_LEASE, type StoredItem } from '../transactional.ts'
import { sortRange, toSortKey } from '../key-order.ts'
import { keyFromBytes } from '../key-text.ts'
import { itemAt } from './range-read.ts'
import { encodeBound, type KeyState, type LogPlace } from './records.ts'
import { EmbeddedItem } from './stored-item.ts'
import type { Change, TableWriter } from './table-writer.ts'
import type { Tables } from './tables.ts'

export type DraftSource = Pick<Tables, 'stateOf' | 'entryOf' | 'live' | 'secondsOfLease' | 'keysOfLease'>

/** The state of a key in the draft, with its value if the draft has put the key. */
interface DraftState extends KeyState {
  readonly value?: Buffer
}

interface Put {
  readonly key: string
  readonly value: Buffer
  readonly deadlineMs: number
  readonly lease?: LeaseId
}

/** A state of the draft, to go back to. */
export interface DraftMark {
  readonly changes: number
  readonly extras: number
  readonly newest: Revision
}

/** The number of changes that are written in a millisecond. */
const PIECE = 100

export class Draft {
  readonly #tables: DraftSource
  readonly #touched = new Map<string, DraftState | undefined>()
  /** The touched keys in order. Made for the first read of a range. */
  #inOrder: SortedTree<string, string> | undefined
  readonly #leases = new Map<LeaseId, number | undefined>()
  readonly changes: Change[] = []
  readonly #extras: ((writer: TableWriter) => void)[] = []
  #newest: Revision

  constructor(tables: DraftSource, newest: Revision) {
    this.#tables = tables
    this.#newest = newest
  }

  /** The newest revision, including the revisions of the draft. */
  get newest(): Revision {
    return this.#newest
  }

  get isEmpty(): boolean {
    return this.changes.length === 0 && this.#extras.length === 0
  }

  /** The revision of the key. `ABSENT`: the key does not exist. */
  revisionOf(key: string): Revision {
    return this.stateOf(key)?.revision ?? ABSENT
  }

  stateOf(key: string): DraftState | undefined {
    return this.#touched.has(key) ? this.#touched.get(key) : this.#tables.stateOf(key)
  }

  itemOf(key: string): StoredItem | undefined {
    const state = this.stateOf(key)
    if (state === undefined) return undefined
    const { value } = state
    return value === undefined ? itemAt(this.#tables, key, state, state) : new EmbeddedItem({ ...state, key, value })
  }

  /** Puts the key at a new revision, or as one of several changes of a revision. */
  put(put: Put, place: LogPlace = { revision: this.#newest + 1, sub: 0 }): Revision {
    const { key, value, deadlineMs, lease = NO_LEASE } = put
    const before = this.stateOf(key)
    const createRevision = before?.createRevision ?? place.revision
    const state = { ...place, createRevision, deadlineMs, version: (before?.version ?? 0) + 1, lease }
    return this.#change({ key, place, before, after: { ...state, value } })
  }

  /** The key must exist. */
  remove(key: string, place: LogPlace = { revision: this.#newest + 1, sub: 0 }): Revision {
    return this.#change({ key, place, before: this.stateOf(key), after: undefined })
  }

  /** The keys of the range in order, at this point of the draft. */
  *keysIn(range: KeyRange): Generator<string> {
    this.#inOrder ??= sorted(this.#touched.keys())
    const [start, end] = sortRange(range)
    const touched: string[] = []
    this.#inOrder.forRange(start, end, false, (_, key) => void touched.push(key))
    let at = 0
    for (const key of this.#storedKeys(range)) {
      const sortKey = toSortKey(key)
      for (; at < touched.length && toSortKey(touched[at]!) < sortKey; at++) {
        if (this.#touched.get(touched[at]!) !== undefined) yield touched[at]!
      }
      if (!this.#touched.has(key)) yield key
    }
    for (; at < touched.length; at++) if (this.#touched.get(touched[at]!) !== undefined) yield touched[at]!
  }

  secondsOfLease(lease: LeaseId): number | undefined {
    return this.#leases.has(lease) ? this.#leases.get(lease) : this.#tables.secondsOfLease(lease)
  }

  keysOfLease(lease: LeaseId): readonly string[] {
    const keys = new Set(this.#tables.keysOfLease(lease))
    for (const [key, state] of this.#touched) {
      if (state?.lease === lease) keys.add(key)
      else keys.delete(key)
    }
    return [...keys]
  }

  /** Undefined: the lease is removed. */
  setLease(lease: LeaseId, seconds: number | undefined): void {
    this.#leases.set(lease, seconds)
    this.also((writer) => writer.lease(lease, seconds))
  }

  /** The next change gets a higher revision. */
  skipTo(revision: Revision): void {
    this.#newest = Math.max(this.#newest, revision)
    this.also(() => undefined)
  }

  /** Adds another write to the same commit. */
  also(write: (writer: TableWriter) => void): void {
    this.#extras.push(write)
  }

  writeTo(writer: TableWriter): void {
    for (const change of this.changes) writer.change(change)
    this.#writeRest(writer)
  }

  /** Writes the same as `writeTo`, and yields between pieces. */
  *writeInPieces(writer: TableWriter): Generator<void, void> {
    for (const [i, change] of this.changes.entries()) {
      writer.change(change)
      if (i % PIECE === PIECE - 1) yield
    }
    this.#writeRest(writer)
  }

  mark(): DraftMark {
    return { changes: this.changes.length, extras: this.#extras.length, newest: this.#newest }
  }

  /** Undoes all changes of keys since the mark. */
  goBack({ changes, extras, newest }: DraftMark): void {
    for (const { entry, before } of this.changes.splice(changes).reverse()) this.#touched.set(entry.key, before)
    this.#extras.splice(extras)
    this.#newest = newest
  }

  #writeRest(writer: TableWriter): void {
    for (const write of this.#extras) write(writer)
    writer.count({ newest: this.#newest })
  }

  *#storedKeys({ start, end }: KeyRange): Generator<string> {
    const range = { start: encodeBound(start), end: encodeBound(end), limit: Number.MAX_SAFE_INTEGER }
    for (const { key } of this.#tables.live(range)) yield keyFromBytes(key)
  }

  #change({ key, place, before, after }: DraftChange): Revision {
    const { revision, sub } = place
    this.#newest = revision
    this.#touched.set(key, after)
    this.#inOrder?.set(toSortKey(key), key)
    const previous = { previousRevision: before?.revision ?? ABSENT, previousSub: before?.sub ?? 0 }
    const state = after ?? { ...GONE, revision, sub }
    this.changes.push({ entry: { ...state, key, ...previous, value: after?.value }, before })
    return revision
  }
}

interface DraftChange {
  readonly key: string
  readonly place: LogPlace
  readonly before: DraftState | undefined
  /** Undefined: the key is removed. */
  readonly after: DraftState | undefined
}

const GONE = Object.freeze({ createRevision: ABSENT, deadlineMs: 0, version: 0, lease: NO_LEASE })

function sorted(keys: Iterable<string>): SortedTree<string, string> {
  const tree = newSortedTree<string, string>(compareStrings)
  for (const key of keys) tree.set(toSortKey(key), key)
  return tree
}
