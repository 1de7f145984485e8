// The content of a store in the form of etcd 3.6's database: its buckets and their keys.
import type { BoltBucket, BoltPair } from '../bolt/bolt.ts'
import { KeyValue, StoredLease } from '../gen/rpc.ts'
import type { Revision } from '../kv.ts'
import type { LeaseId, StoredChange, StoredHistory } from '../transactional.ts'
import { encode } from '../rpc.ts'
import { type Identity, RAFT_TERM } from './identity.ts'

/** The version of the database in files of etcd 3.6. */
export const STORAGE_VERSION = '3.6.0'

export interface Member extends Identity {
  readonly clientUrls: readonly string[]
}

/** The parts of a database that are not in the store's history. */
export interface Surroundings {
  readonly member: Member
  /** The time by the store's clock, in milliseconds since 1970. */
  readonly nowMs: number
}

export const KEY_BUCKET = 'key'
export const META_BUCKET = 'meta'

/** Keys of the meta bucket that change without writes. Hashes skip them. */
export const PASSING_META: ReadonlySet<string> = new Set(['consistent_index', 'term', 'storageVersion'])

/** The buckets of the database, in the order of their names. */
export function backendBuckets(
  history: StoredHistory,
  { member, nowMs }: Surroundings,
  signal: AbortSignal,
): readonly BoltBucket[] {
  const { memberId } = member
  const leases = new Map(history.leases)
  return [
    bucket('alarm', []),
    bucket('auth', [pair('authRevision', encodeNumber(1))]),
    bucket('authRoles', []),
    bucket('authUsers', []),
    bucket('cluster', [pair('clusterVersion', STORAGE_VERSION)]),
    {
      name: KEY_BUCKET,
      pairs: async function* () {
        for await (const changes of history.changes(signal)) {
          for (const { deadlineMs } of changes) {
            if (deadlineMs > nowMs) leases.set(leaseOf(deadlineMs), Math.ceil((endOf(deadlineMs) - nowMs) / 1000))
          }
          yield changes.map(keyPair)
        }
      },
    },
    { name: 'lease', pairs: () => inOnePiece(leasePairs(leases)) },
    bucket('members', [pair(memberId.toString(16), memberJson(member))]),
    bucket('members_removed', []),
    bucket(META_BUCKET, metaPairs(history, memberId)),
  ]
}

/**
 * The lease for a key that expires without a lease. etcd has no such keys. Only a server that has the store to itself writes them. Keys
 * that expire in the same minute share a lease, with an id that clients do not choose.
 */
function leaseOf(deadlineMs: number): LeaseId {
  return EXPIRY_LEASES + BigInt(endOf(deadlineMs) / MINUTE_MS)
}

const EXPIRY_LEASES = 0x7164_0000_0000_0000n
const MINUTE_MS = 60_000

function endOf(deadlineMs: number): number {
  return Math.ceil(deadlineMs / MINUTE_MS) * MINUTE_MS
}

/** A change as a pair: the key is the place of the change in history. */
export function keyPair(change: StoredChange): BoltPair {
  const { item, deadlineMs } = change
  if (item === undefined)
    return [encodeRevision(change.revision, change.sub, 'delete'), encode(KeyValue, { key: change.key })]
  const { version } = item
  const stored = deadlineMs === 0 ? item : { ...item, version, lease: leaseOf(deadlineMs) }
  return [encodeRevision(change.revision, change.sub), encode(KeyValue, stored)]
}

const NUMBER_BYTES = 8
const REVISION_BYTES = 2 * NUMBER_BYTES + 1
const SEPARATOR = '_'.charCodeAt(0)
const TOMBSTONE = 't'.charCodeAt(0)

function encodeRevision(revision: Revision, sub = 0, kind: 'put' | 'delete' = 'put'): Buffer {
  const bytes = Buffer.allocUnsafe(kind === 'put' ? REVISION_BYTES : REVISION_BYTES + 1)
  bytes.writeBigUInt64BE(BigInt(revision), 0)
  bytes[NUMBER_BYTES] = SEPARATOR
  bytes.writeBigUInt64BE(BigInt(sub), NUMBER_BYTES + 1)
  if (kind === 'delete') bytes[REVISION_BYTES] = TOMBSTONE
  return bytes
}

function leasePairs(leases: ReadonlyMap<LeaseId, number>): readonly BoltPair[] {
  return [...leases].map(leasePair).sort(([a], [b]) => Buffer.compare(a, b))
}

function leasePair([id, seconds]: readonly [LeaseId, number]): BoltPair {
  return [encodeNumber(BigInt.asUintN(64, id)), encode(StoredLease, { id, ttl: seconds })]
}

function metaPairs({ newest, oldest }: StoredHistory, memberId: bigint): readonly BoltPair[] {
  const isCompacted = oldest > 1
  return [
    pair('confState', `{"voters":[${memberId}],"auto_leave":false}`),
    pair('consistent_index', encodeNumber(newest)),
    ...(isCompacted ? [pair('finishedCompactRev', encodeRevision(oldest))] : []),
    ...(isCompacted ? [pair('scheduledCompactRev', encodeRevision(oldest))] : []),
    pair('storageVersion', STORAGE_VERSION),
    pair('term', encodeNumber(RAFT_TERM)),
  ]
}

function memberJson({ memberId, name, clientUrls }: Member): string {
  // `JSON.stringify` cannot write this id: it is larger than the exact numbers of JavaScript.
  return `{"id":${memberId},"peerURLs":[],"name":${JSON.stringify(name)},"clientURLs":${JSON.stringify(clientUrls)}}`
}

function bucket(name: string, pairs: readonly BoltPair[]): BoltBucket {
  return { name, pairs: () => inOnePiece(pairs) }
}

async function* inOnePiece(pairs: readonly BoltPair[]): AsyncGenerator<readonly BoltPair[]> {
  yield pairs
}

function pair(key: string, value: string | Buffer): BoltPair {
  return [Buffer.from(key), Buffer.from(value)]
}

function encodeNumber(number: number | bigint): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}
