// Lists of the durable engine, current and past. They are read in pieces, with turns of the event loop between the pieces. All pieces of a
// list read one snapshot.
import { InvariantError, throwIfCancelled } from '../../lib/errors.ts'
import { KvError, type Revision } from '../kv.ts'
import { damagedValue } from '../damaged-value.ts'
import { keyFromBytes } from '../key-text.ts'
import { NO_LEASE, type StoredItem, type StoredRange } from '../transactional.ts'
import { encodeBound, encodeVersionKey, type KeyState, type LogEntry, type LogPlace } from './records.ts'
import { EmbeddedItem } from './stored-item.ts'
import type { KeyRef, Snapshot, Tables, VersionRef } from './tables.ts'

/** A piece ends after this many keys, or this many bytes of values. */
const PIECE_KEYS = 1000
const PIECE_BYTES = 4 * 1024 * 1024

/** The number of keys that are counted in one turn. LMDB counts some ten million a second. */
const PIECE_COUNTED = 20_000

/** The place where the next piece of a walk begins. */
interface Place {
  readonly live: Buffer
  readonly past: Buffer
}

interface Piece {
  readonly refs: readonly Ref[]
  readonly next: Place | undefined
}

/** A key and the place of its value. */
type Ref = KeyRef | VersionRef

export class RangeRead {
  readonly #tables: Tables
  readonly #snapshot: Snapshot
  readonly #start: Buffer
  readonly #end: Buffer
  readonly #at: Revision | undefined
  readonly #signal: AbortSignal

  constructor(from: { tables: Tables; snapshot: Snapshot; range: StoredRange; signal: AbortSignal }) {
    this.#tables = from.tables
    this.#snapshot = from.snapshot
    this.#start = encodeBound(from.range.start)
    this.#end = encodeBound(from.range.end)
    this.#at = from.range.at
    this.#signal = from.signal
  }

  async items(limit: number): Promise<{ items: StoredItem[]; more: boolean }> {
    const items: StoredItem[] = []
    let bytes = 0
    for (let from: Place | undefined = this.#beginning(); from !== undefined; ) {
      // One item more than the limit tells whether there are more.
      const piece = this.#piece(from, Math.min(PIECE_KEYS, limit - items.length + 1))
      for (const ref of piece.refs) {
        if (items.length === limit) return { items, more: true }
        const item = entryItem(this.#entryOf(ref))
        items.push(item)
        bytes += item.value.length
        if (bytes < PIECE_BYTES) continue
        bytes = 0
        await this.#nextTurn()
      }
      from = piece.next
      if (from !== undefined) await this.#nextTurn()
    }
    return { items, more: false }
  }

  /** The log entries of the items in the range, some megabytes at a time. */
  async *entries(): AsyncGenerator<readonly PutEntry[]> {
    let entries: PutEntry[] = []
    let bytes = 0
    for (let from: Place | undefined = this.#beginning(); from !== undefined; ) {
      const piece = this.#piece(from, PIECE_KEYS)
      for (const ref of piece.refs) {
        const entry = this.#entryOf(ref)
        entries.push(entry)
        bytes += entry.value.length
        if (bytes < PIECE_BYTES) continue
        yield entries
        entries = []
        bytes = 0
      }
      from = piece.next
      await this.#nextTurn()
    }
    yield entries
  }

  async count(): Promise<number> {
    let count = 0
    if (this.#at === undefined) {
      const range = { end: this.#end, limit: Number.MAX_SAFE_INTEGER, snapshot: this.#snapshot }
      let start = this.#start
      for (;;) {
        const next = this.#tables.liveKeyAt(PIECE_COUNTED, { start, ...range })
        if (next === undefined) return count + this.#tables.countLive({ start, ...range })
        count += PIECE_COUNTED
        start = next
        await this.#nextTurn()
      }
    }
    for (let place: Place | undefined = this.#beginning(); place !== undefined; ) {
      const piece = this.#piece(place, PIECE_KEYS)
      count += piece.refs.length
      place = piece.next
      if (place !== undefined) await this.#nextTurn()
    }
    return count
  }

  #beginning(): Place {
    return { live: this.#start, past: encodeVersionKey(this.#start, 0) }
  }

  #piece(place: Place, limit: number): Piece {
    return this.#at === undefined ? this.#newestPiece(place, limit) : this.#pastPiece(place, limit, this.#at)
  }

  #newestPiece(place: Place, limit: number): Piece {
    const range = { start: place.live, end: this.#end, limit: limit + 1, snapshot: this.#snapshot }
    const refs = [...this.#tables.live(range)]
    const next = refs.length > limit ? { live: refs[limit]!.key, past: place.past } : undefined
    return { refs: refs.slice(0, limit), next }
  }

  /**
   * At a past revision a key has its newest version, if that is old enough, or else the superseded version that was its newest then. Both
   * tables are walked side by side, in the order of keys.
   */
  #pastPiece(place: Place, limit: number, at: Revision): Piece {
    const bounds = { limit: PIECE_KEYS + 1, snapshot: this.#snapshot }
    const live = this.#tables.live({ start: place.live, end: this.#end, ...bounds })
    const past = this.#tables.past({ start: place.past, end: encodeVersionKey(this.#end, 0), ...bounds })
    try {
      return mergePiece(new Head(live), new Head(past), { limit, at, end: this.#end })
    } finally {
      live.return(undefined)
      past.return(undefined)
    }
  }

  #entryOf(ref: Ref): PutEntry {
    const [place, state] = 'state' in ref ? [ref.state, ref.state] : [ref, undefined]
    return entryAt(() => this.#tables.entryOf(place, this.#snapshot, ref.key), {
      place,
      state,
      key: () => keyFromBytes(ref.key),
    })
  }

  async #nextTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    throwIfCancelled(this.#signal)
  }
}

/** An iterator that shows its next value. */
class Head<T> {
  readonly #source: Generator<T>
  taken = 0
  value: T | undefined

  constructor(source: Generator<T>) {
    this.#source = source
    this.value = this.#pull()
  }

  take(): void {
    this.taken++
    this.value = this.#pull()
  }

  #pull(): T | undefined {
    const { done, value } = this.#source.next()
    return done === true ? undefined : value
  }
}

function mergePiece(
  live: Head<KeyRef>,
  past: Head<VersionRef>,
  bounds: { limit: number; at: Revision; end: Buffer },
): Piece {
  const refs: Ref[] = []
  for (;;) {
    const [newer, older] = [live.value, past.value]
    if (newer === undefined && older === undefined) return { refs, next: undefined }
    if (refs.length >= bounds.limit || live.taken + past.taken >= PIECE_KEYS) {
      return { refs, next: placeOf(newer, older, bounds.end) }
    }
    if (older === undefined || (newer !== undefined && Buffer.compare(newer.key, older.key) < 0)) {
      if (newer!.state.revision <= bounds.at) refs.push(newer!)
      live.take()
    } else {
      if (older.revision <= bounds.at && bounds.at < older.supersededAt) refs.push(older)
      past.take()
    }
  }
}

function placeOf(newer: KeyRef | undefined, older: VersionRef | undefined, end: Buffer): Place {
  return {
    live: newer === undefined ? end : newer.key,
    past: older === undefined ? encodeVersionKey(end, 0) : encodeVersionKey(older.key, older.revision),
  }
}

export type PutEntry = LogEntry & { readonly value: Buffer }

/** The parts of an entry that the indexes have. */
interface KnownOfEntry {
  readonly place: LogPlace
  /** Set for the newest version of a key. */
  readonly state: KeyState | undefined
  readonly key: () => string
}

/** Reads an entry. If its record is missing or damaged, its value is a mark (`damaged-value.ts`). */
function entryAt(read: () => LogEntry | undefined, known: KnownOfEntry): PutEntry {
  const { revision } = known.place
  try {
    const entry = read()
    if (entry?.value !== undefined) return entry as PutEntry
    return damagedEntry(known, `the record of revision ${revision} is missing`)
  } catch (error) {
    if (!(error instanceof KvError) || error.code !== 'corrupt') throw error
    return damagedEntry(known, error.message)
  }
}

function damagedEntry({ place, state, key }: KnownOfEntry, problem: string): PutEntry {
  const { revision, sub } = place
  return {
    key: key(),
    revision,
    sub,
    createRevision: state?.createRevision ?? revision,
    previousRevision: 0,
    previousSub: 0,
    version: state?.version ?? 1,
    lease: state?.lease ?? NO_LEASE,
    deadlineMs: state?.deadlineMs ?? 0,
    value: damagedValue(problem),
  }
}

/** The item of a change. `state`: set if the change is the newest of its key. */
export function itemAt(tables: Pick<Tables, 'entryOf'>, key: string, place: LogPlace, state?: KeyState): StoredItem {
  const read = (): LogEntry | undefined => {
    const entry = tables.entryOf(place)
    return entry?.key === key ? entry : undefined
  }
  return entryItem(entryAt(read, { place, state, key: () => key }))
}

export function toItem(entry: LogEntry): StoredItem {
  if (entry.value === undefined) throw new InvariantError(`revision ${entry.revision} put nothing`)
  return entryItem(entry as PutEntry)
}

function entryItem({ key, value, revision, createRevision, version, lease, sub }: PutEntry): StoredItem {
  return new EmbeddedItem({ key, value, revision, createRevision, version, lease, sub })
}
