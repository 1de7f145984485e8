// Opens the file of the durable engine in LMDB, with its tables. A table that an older format has not is made empty.
import { type Database, open, type RootDatabase } from 'lmdb'
import { PAGE_BYTES } from './data-file.ts'

type Table = Database<Buffer, Buffer>

/** Address space, not memory or disk. LMDB remaps where a store outgrows it. */
const MAP_BYTES = 16 * 1024 ** 3

/** Each list that takes more than one turn holds one. */
const MAX_READERS = 1000

/** The file, opened. */
export interface OpenTables {
  readonly root: RootDatabase<Buffer, Buffer>
  /** Every change by its revision and its number in that, with its value: the truth, of which the others are indexes. */
  readonly log: Table
  /** The current state by key. */
  readonly live: Table
  /** The superseded versions by key and revision: when they were superseded. */
  readonly past: Table
  /** The same by the revision that superseded them, and deletes: what compaction goes by. */
  readonly garbage: Table
  /** Keys with a TTL, by deadline and revision. */
  readonly expiry: Table
  /** Leases, with the seconds that they were asked for. */
  readonly leases: Table
  /** The keys of leases, by lease. */
  readonly leased: Table
  readonly counters: Table
}

/** To read: what is there is not changed, and another process may have it open. A table that an older format has not is then missing. */
export function openTables(directory: string, readOnly = false): OpenTables {
  const format = { encoding: 'binary', keyEncoding: 'binary' } as const
  const root: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    ...format,
    readOnly,
    pageSize: PAGE_BYTES,
    mapSize: MAP_BYTES,
    maxReaders: MAX_READERS,
    // Without this a commit is acknowledged before it is on the disk.
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
