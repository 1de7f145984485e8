// The tables of the durable engine in LMDB. Only this file and `open-tables.ts` know LMDB. Reads come from mapped memory. A commit is one
// transaction: another thread writes and syncs all of it or nothing.
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from 'lmdb'
import { runInTurns, Turns } from '../../lib/turns.ts'
import { KvError, type Revision } from '../kv.ts'
import type { LeaseId } from '../transactional.ts'
import { toCommitError } from './commit-error.ts'
import { PAGE_BYTES } from './data-file.ts'
import {
  decodeEntry,
  decodeGarbage,
  decodeLeased,
  decodeNumber,
  decodePlace,
  decodeState,
  decodeVersionKey,
  encodeBound,
  encodeKey,
  encodeLeased,
  encodeNumbers,
  encodePlace,
  encodeVersionKey,
  type GarbageRecord,
  type KeyState,
  type LogEntry,
  type LogPlace,
} from './records.ts'
import { keyFromBytes } from '../key-text.ts'
import { type OpenTables, openTables } from './open-tables.ts'
import { isTooLong } from './request-check.ts'
import { type Counters, NEWEST, OLDEST, tableWriter, type TableWriter } from './table-writer.ts'

/** A frozen view for a read of more than one turn of the event loop. Release it. */
export interface Snapshot {
  readonly transaction: Transaction
}

export interface KeyRef {
  readonly key: Buffer
  readonly state: KeyState
}

/** A past version of a key, valid from `revision` until `supersededAt`. */
export interface VersionRef extends LogPlace {
  readonly key: Buffer
  readonly supersededAt: Revision
}

/** A version that the change `by` superseded or deleted. */
export interface Garbage extends GarbageRecord {
  readonly by: LogPlace
}

export interface RangeOfTable {
  readonly start: Buffer
  readonly end: Buffer
  readonly limit: number
  readonly snapshot?: Snapshot
}

interface TableStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
  readonly entryCount: number
}

/** The files that LMDB opens: the data, the data again for its metadata, and the lock. */
const FILES_OF_STORE = 3

/** The number of keys in a checked piece. The check detects a wrong key only if it sorts at or after the end of its piece. */
const PIECE_CHECKED = 64

/** The last lease in the order of bytes, which puts negative numbers last. */
const LAST_LEASE: LeaseId = -1n

export class Tables {
  readonly #directory: string
  readonly #file: string
  readonly #inode: number
  #open: OpenTables
  #snapshots = 0

  /** `directory` must have been prepared. */
  constructor(directory: string, readOnly = false) {
    this.#directory = directory
    this.#file = join(directory, 'data.mdb')
    this.#open = openTables(directory, readOnly)
    this.#inode = statSync(this.#file).ino
  }

  counters(snapshot?: Snapshot): Counters {
    return { newest: this.newest(snapshot), oldest: this.#counter(OLDEST, snapshot) }
  }

  newest(snapshot?: Snapshot): Revision {
    return this.#counter(NEWEST, snapshot)
  }

  #counter(name: Buffer, snapshot?: Snapshot): number {
    const bytes = this.#open.counters.get(name, options(snapshot))
    return bytes === undefined ? 1 : decodeNumber(bytes)
  }

  /** The revision of the last entry of the log. 0: the log has no entry. */
  lastLogged(): Revision {
    for (const bytes of this.#open.log.getKeys({ reverse: true, limit: 1 })) return decodeNumber(bytes)
    return 0
  }

  stateOf(key: string): KeyState | undefined {
    const bytes = isTooLong(key) ? undefined : this.#open.live.get(encodeKey(key))
    return bytes === undefined ? undefined : decodeState(bytes)
  }

  /** Undefined: the change was compacted, or its record is lost. Throws `corrupt` if the record is damaged, or belongs to another key. */
  entryOf(place: LogPlace, snapshot?: Snapshot, key?: Buffer): LogEntry | undefined {
    const bytes = this.#open.log.get(encodePlace(place), options(snapshot))
    return bytes === undefined ? undefined : decodeEntry(bytes, place.revision, key)
  }

  /** The next revision that put or deleted the key. Undefined: none. */
  supersededAt(key: string, revision: Revision, snapshot: Snapshot): Revision | undefined {
    const bytes = this.#open.past.get(encodeVersionKey(encodeKey(key), revision), options(snapshot))
    return bytes === undefined ? undefined : decodePlace(bytes).revision
  }

  /** The newest superseded version of the key at or before `revision`. */
  versionOf(key: string, revision: Revision): VersionRef | undefined {
    if (isTooLong(key)) return undefined
    const keyBytes = encodeKey(key)
    const [start, end] = [encodeVersionKey(keyBytes, revision), encodeVersionKey(keyBytes, 0)]
    const range = this.#open.past.getRange({ start, end, reverse: true, limit: 1, inclusiveEnd: true })
    for (const { key: bytes, value } of range) return toVersionRef(bytes, value)
    return undefined
  }

  *live(range: RangeOfTable): Generator<KeyRef> {
    for (const { key, value } of this.#open.live.getRange(toLmdbRange(range))) yield { key, state: decodeState(value) }
  }

  *past(range: RangeOfTable): Generator<VersionRef> {
    for (const { key, value } of this.#open.past.getRange(toLmdbRange(range))) yield toVersionRef(key, value)
  }

  *log(from: LogPlace, to: Revision, snapshot?: Snapshot): Generator<LogEntry> {
    const range = { start: encodePlace(from), end: encodeNumbers(to), ...options(snapshot) }
    for (const { key, value } of this.#open.log.getRange(range)) yield decodeEntry(value, decodeNumber(key))
  }

  /** The versions that the revisions up to and including `upTo` have superseded, in order. */
  *garbage(upTo: Revision, limit: number): Generator<Garbage> {
    const range = { start: encodeNumbers(0), end: encodeNumbers(upTo + 1), limit }
    for (const { key, value } of this.#open.garbage.getRange(range))
      yield { by: decodePlace(key), ...decodeGarbage(value) }
  }

  /** The keys with the first deadlines, up to and including `deadlineMs`. */
  *expiries(deadlineMs: number, limit: number): Generator<{ key: string; revision: Revision; deadlineMs: number }> {
    const range = { start: encodeNumbers(0, 0), end: encodeNumbers(deadlineMs + 1, 0), limit }
    for (const { key, value } of this.#open.expiry.getRange(range)) {
      yield { key: keyFromBytes(value), deadlineMs: decodeNumber(key), revision: decodeNumber(key, 1) }
    }
  }

  secondsOfLease(lease: LeaseId): number | undefined {
    const bytes = this.#open.leases.get(encodeLeased(lease))
    return bytes === undefined ? undefined : decodeNumber(bytes)
  }

  *leases(snapshot?: Snapshot): Generator<readonly [LeaseId, number]> {
    const leases = this.#open.leases.getRange(options(snapshot))
    for (const { key, value } of leases) yield [decodeLeased(key).lease, decodeNumber(value)]
  }

  *keysOfLease(lease: LeaseId): Generator<string> {
    const range = { start: encodeLeased(lease), end: encodeLeased(lease + 1n) }
    for (const bytes of this.#open.leased.getKeys(lease === LAST_LEASE ? { start: range.start } : range)) {
      yield keyFromBytes(decodeLeased(bytes).key)
    }
  }

  countLive(range: RangeOfTable): number {
    return this.#open.live.getKeysCount(toLmdbRange(range))
  }

  /**
   * Throws `corrupt` if written keys are not found in order. Then an inner page is damaged, or a key has changed, and the keys after it
   * would seem to be missing. LMDB counts ten million keys a second.
   */
  checkKeys(): void {
    const { entryCount } = this.#open.live.getStats() as TableStats
    const all = { end: encodeBound(undefined), limit: Number.MAX_SAFE_INTEGER }
    let start: Buffer = Buffer.of(0)
    let found = 0
    for (let next = this.liveKeyAt(PIECE_CHECKED, { start, ...all }); next !== undefined; ) {
      found += this.countLive({ start, ...all, end: next })
      start = next
      next = this.liveKeyAt(PIECE_CHECKED, { start, ...all })
    }
    found += this.countLive({ start, ...all })
    if (found === entryCount) return
    const problem = `of ${entryCount} keys only ${found} can be read in order: the file is damaged`
    throw new KvError('corrupt', `${this.#file}: ${problem}; restore a backup`)
  }

  /** The key `offset` keys after the start of the range, if the range has that many. */
  liveKeyAt(offset: number, range: RangeOfTable): Buffer | undefined {
    for (const key of this.#open.live.getKeys({ ...toLmdbRange(range), limit: 1, offset })) return key
    return undefined
  }

  takeSnapshot(): Snapshot {
    const transaction = this.#open.root.useReadTransaction()
    this.#snapshots++
    return { transaction }
  }

  release(snapshot: Snapshot): void {
    this.#snapshots--
    snapshot.transaction.done()
  }

  /**
   * Closes the file and opens it again, to release the mapped memory. Do not call it during a commit. False if a reader has a
   * snapshot, or the file cannot be opened again.
   */
  async remap(): Promise<boolean> {
    // A new turn of the event loop: LMDB's close has nothing to wait for then, so no other code runs until the file is open again.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#snapshots > 0 || !this.#canOpenAgain()) return false
    await this.#open.root.close()
    this.#open = openTables(this.#directory)
    return true
  }

  /**
   * Resolves when all of `write` is on the disk and visible to new reads. Throws `KvError` if nothing was written, and `unknown` if that is
   * not certain. After `unknown`, the tables cannot be used any more. One commit at a time.
   */
  async commit(write: (writer: TableWriter) => void): Promise<void> {
    await this.#commit(() => this.#open.root.batch(() => write(tableWriter(this.#open))))
  }

  /**
   * Like `commit`, but takes several turns of the event loop: other work may run wherever `write` yields. Meanwhile reads see the state
   * before the commit.
   */
  async commitInTurns(write: (writer: TableWriter) => Generator<void, void>): Promise<void> {
    // Reads through the handle of a long transaction would see the transaction. So the transaction has a handle of its own on the same
    // file.
    if (!this.#canOpenAgain()) return this.commit((writer) => write(writer).forEach(() => {}))
    const own = openTables(this.#directory)
    try {
      await this.#commit(() => own.root.childTransaction(() => runInTurns(write(tableWriter(own)), new Turns())))
    } finally {
      await own.root.close()
    }
  }

  async #commit(begin: () => Promise<unknown>): Promise<void> {
    try {
      await begin()
    } catch (error) {
      throw await toCommitError(error, () => this.#canBegin())
    }
    this.#open.root.resetReadTxn()
  }

  async sizeBytes(): Promise<number> {
    return (await stat(this.#file)).size
  }

  /** The used bytes of the file. Freed pages are used again before the file grows. */
  usedBytes(): number {
    let pages = 0
    for (const table of [this.#open.log, this.#open.live, this.#open.past, this.#open.garbage, this.#open.expiry]) {
      const stats = table.getStats() as TableStats
      pages += stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
    }
    return pages * PAGE_BYTES
  }

  async close(): Promise<void> {
    await this.#open.root.close()
  }

  /**
   * Whether the file can be opened again. If the file were gone, LMDB would begin an empty file. If it could not be opened, LMDB would end
   * the process.
   */
  #canOpenAgain(): boolean {
    const opened: number[] = []
    try {
      // Not the lock file: closing it here would release the lock.
      for (let i = 0; i < FILES_OF_STORE; i++) opened.push(openSync(this.#file, 'r+'))
      return opened.every((file) => fstatSync(file).ino === this.#inode)
    } catch {
      return false
    } finally {
      for (const file of opened) closeSync(file)
    }
  }

  /** Whether LMDB still takes transactions. After some failures it takes none, and would never answer. */
  #canBegin(): boolean {
    try {
      this.#open.root.transactionSync(() => undefined)
      return true
    } catch {
      return false
    }
  }
}

function options(snapshot: Snapshot | undefined): { transaction?: Transaction } {
  return snapshot === undefined ? {} : { transaction: snapshot.transaction }
}

function toLmdbRange(range: RangeOfTable): { start: Buffer; end: Buffer; limit: number; transaction?: Transaction } {
  const { start, end, limit } = range
  return { start, end, limit, ...options(range.snapshot) }
}

function toVersionRef(key: Buffer, value: Buffer): VersionRef {
  const { revision: supersededAt, sub } = decodePlace(value)
  return { ...decodeVersionKey(key), sub, supersededAt }
}
