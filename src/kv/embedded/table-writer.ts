// Writes changes to the tables.
import { InvariantError } from '../../lib/errors.ts'
import type { Revision } from '../kv.ts'
import { type LeaseId, NO_LEASE } from '../transactional.ts'
import type { OpenTables } from './open-tables.ts'
import {
  encodeEntry,
  encodeGarbage,
  encodeKey,
  encodeLeased,
  encodeNumbers,
  encodePlace,
  encodeState,
  encodeVersionKey,
  type KeyState,
  type LogEntry,
  type LogPlace,
} from './records.ts'

export const NEWEST: Readonly<Buffer> = Buffer.from('newest')
export const OLDEST: Readonly<Buffer> = Buffer.from('oldest')

const NO_BYTES: Readonly<Buffer> = Buffer.alloc(0)

export interface Counters {
  readonly newest: Revision
  /** The oldest readable revision, which is the revision of the last compaction. */
  readonly oldest: Revision
}

/** One change of one key, and the state before it. */
export interface Change {
  readonly entry: LogEntry
  readonly before: KeyState | undefined
}

/** No method may fail: all decisions were made before. */
export interface TableWriter {
  change(change: Change): void
  forgetVersion(version: LogPlace & { readonly key: Buffer }): void
  forgetDelete(place: LogPlace): void
  forgetGarbage(by: LogPlace): void
  /** Undefined: the lease is removed. */
  lease(lease: LeaseId, seconds: number | undefined): void
  count(counters: Partial<Counters>): void
}

/** For use within a commit only. The commit settles the promises of single writes. */
export function tableWriter(open: OpenTables): TableWriter {
  return {
    change: ({ entry, before }) => {
      const key = encodeKey(entry.key)
      append(open, encodePlace(entry), encodeEntry(entry, key))
      if (entry.value === undefined) void open.live.remove(key)
      else void open.live.put(key, encodeState(entry))
      moveLease(open, key, before?.lease ?? NO_LEASE, entry.lease)
      if (before !== undefined) {
        const { revision, sub } = before
        // The value has two parts: the revision that replaced the old version, and the `sub` of the old version.
        void open.past.put(encodeVersionKey(key, revision), encodePlace({ revision: entry.revision, sub }))
        const garbage = encodeGarbage({ key, revision, sub, byDelete: entry.value === undefined })
        void open.garbage.put(encodePlace(entry), garbage)
        if (before.deadlineMs > 0) void open.expiry.remove(encodeNumbers(before.deadlineMs, before.revision))
      }
      if (entry.deadlineMs > 0) void open.expiry.put(encodeNumbers(entry.deadlineMs, entry.revision), key)
    },
    forgetVersion: ({ key, revision, sub }) => {
      void open.past.remove(encodeVersionKey(key, revision))
      void open.log.remove(encodePlace({ revision, sub }))
    },
    forgetDelete: (place) => {
      void open.log.remove(encodePlace(place))
    },
    forgetGarbage: (by) => {
      void open.garbage.remove(encodePlace(by))
    },
    lease: (lease, seconds) => {
      if (seconds === undefined) void open.leases.remove(encodeLeased(lease))
      else void open.leases.put(encodeLeased(lease), encodeNumbers(seconds))
    },
    count: (counters) => {
      if (counters.newest !== undefined) void open.counters.put(NEWEST, encodeNumbers(counters.newest))
      if (counters.oldest !== undefined) void open.counters.put(OLDEST, encodeNumbers(counters.oldest))
    },
  }
}

function moveLease(open: OpenTables, key: Buffer, from: LeaseId, to: LeaseId): void {
  if (from === to) return
  if (from !== NO_LEASE) void open.leased.remove(encodeLeased(from, key))
  if (to !== NO_LEASE) void open.leased.put(encodeLeased(to, key), NO_BYTES)
}

/** Appending fills the pages. Otherwise each page would stay half empty. */
function append(open: OpenTables, key: Buffer, value: Buffer): void {
  const appending = open.log as unknown as {
    put(key: Buffer, value: Buffer, options: { append: true }): Promise<boolean>
  }
  const appended = appending.put(key, value, { append: true })
  appended.then(
    (wasLast) => {
      if (!wasLast) throw new InvariantError('a revision was not newer than all others')
    },
    // The commit fails too, and reports the reason.
    () => undefined,
  )
}
