// The content of the log of a durable store at one moment, read from a snapshot of its tables. Garbage that a compaction has not
// removed yet is left out.
import { throwIfCancelled } from '../../lib/errors.ts'
import type { Revision } from '../kv.ts'
import type { LeaseId, StoredChange, StoredHistory } from '../transactional.ts'
import { toItem } from './range-read.ts'
import type { LogEntry, LogPlace } from './records.ts'
import type { Snapshot, Tables } from './tables.ts'

/** A piece ends after this many changes, or this many bytes of values. */
const PIECE_CHANGES = 512
const PIECE_BYTES = 1024 * 1024

interface Source {
  readonly tables: Tables
  /** Throws if the store is closed. */
  readonly checkOpen: () => void
  readonly onRead: (items: number, bytes: number) => void
  readonly onRelease: () => void
}

interface Piece {
  readonly entries: readonly LogEntry[]
  readonly bytes: number
  /** Absent: this is the last piece. */
  readonly next: LogPlace | undefined
}

export class LoggedChanges implements StoredHistory {
  readonly newest: Revision
  readonly oldest: Revision
  readonly leases: readonly (readonly [LeaseId, number])[]
  readonly #source: Source
  readonly #snapshot: Snapshot

  constructor(source: Source) {
    const { tables } = source
    this.#source = source
    this.#snapshot = tables.takeSnapshot()
    const { newest, oldest } = tables.counters(this.#snapshot)
    this.newest = newest
    this.oldest = oldest
    this.leases = [...tables.leases(this.#snapshot)]
  }

  async *changes(signal: AbortSignal): AsyncGenerator<readonly StoredChange[]> {
    for (let from: LogPlace | undefined = { revision: 0, sub: 0 }; from !== undefined; ) {
      await new Promise((resolve) => setImmediate(resolve))
      throwIfCancelled(signal)
      this.#source.checkOpen()
      const { entries, bytes, next } = this.#piece(from)
      this.#source.onRead(entries.length, bytes)
      yield entries.filter((entry) => this.#isWithinReach(entry)).map(toChange)
      from = next
    }
  }

  isCurrentAt({ key, revision, item }: StoredChange, at: Revision): boolean {
    if (item === undefined || revision > at) return false
    const supersededAt = this.#source.tables.supersededAt(key, revision, this.#snapshot)
    return supersededAt === undefined || supersededAt > at
  }

  [Symbol.dispose](): void {
    this.#source.tables.release(this.#snapshot)
    this.#source.onRelease()
  }

  #piece(from: LogPlace): Piece {
    const entries: LogEntry[] = []
    let bytes = 0
    for (const entry of this.#source.tables.log(from, this.newest + 1, this.#snapshot)) {
      if (entries.length >= PIECE_CHANGES || bytes >= PIECE_BYTES) return { entries, bytes, next: entry }
      entries.push(entry)
      bytes += entry.value?.length ?? 0
    }
    return { entries, bytes, next: undefined }
  }

  #isWithinReach(entry: LogEntry): boolean {
    return entry.revision >= this.oldest || this.isCurrentAt(toChange(entry), this.oldest)
  }
}

function toChange(entry: LogEntry): StoredChange {
  const { key, revision, sub, value, deadlineMs } = entry
  return { key, revision, sub, item: value === undefined ? undefined : toItem(entry), deadlineMs }
}
