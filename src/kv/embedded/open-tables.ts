// Opens the file of the durable engine in LMDB, with its tables. Tables that an older format does not have are created empty.
import { type Database, open, type RootDatabase } from 'lmdb'
import { PAGE_BYTES } from './data-file.ts'

type Table = Database<Buffer, Buffer>

/** Address space, not memory or disk. LMDB maps more if a store outgrows it. */
const MAP_BYTES = 16 * 1024 ** 3

/** Each list of more than one turn is a reader. */
const MAX_READERS = 1000

export interface OpenTables {
  readonly root: RootDatabase<Buffer, Buffer>
  /** Every change with its value, by its revision and its number in the revision. Most other tables are indexes of this table. */
  readonly log: Table
  /** The current state by key. */
  readonly live: Table
  /** The revisions that superseded past versions, by key and revision. */
  readonly past: Table
  /** The past versions, by the change that superseded or deleted them, for compaction. */
  readonly garbage: Table
  /** Keys with a TTL, by deadline and revision. */
  readonly expiry: Table
  /** Leases, with their seconds. */
  readonly leases: Table
  /** The keys of leases, by lease. */
  readonly leased: Table
  readonly counters: Table
}

/**
 * `readOnly`: nothing is changed, and another process may have the file open. Tables that an older format does not have are missing then.
 */
export function openTables(directory: string, readOnly = false): OpenTables {
  const format = { encoding: 'binary', keyEncoding: 'binary' } as const
  const root: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    ...format,
    readOnly,
    pageSize: PAGE_BYTES,
    mapSize: MAP_BYTES,
    maxReaders: MAX_READERS,
    // With overlapping syncs, a commit would be acknowledged before it is on the disk.
    overlappingSync: false,
    // The engine gathers writes itself.
    eventTurnBatching: false,
  })
  const table = (name: string): Table => root.openDB<Buffer, Buffer>(name, format)
  try {
    return {
      root,
      log: table('log'),
      live: table('live'),
      past: table('past'),
      garbage: table('garbage'),
      expiry: table('expiry'),
      leases: table('leases'),
      leased: table('leased'),
      counters: table('counters'),
    }
  } catch (error) {
    void root.close()
    throw error
  }
}
