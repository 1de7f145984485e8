// The encoding of keys and records in the durable engine. Numbers are 48-bit and big-endian, so that bytes compare as numbers do.
// Every log record has a checksum: a mismatch is `corrupt`, never an answer.
import { crc32 } from 'node:zlib'
import { KvError, type Revision } from '../kv.ts'
import { type LeaseId, NO_LEASE } from '../transactional.ts'
import { keyFromBytes, keyToBytes } from '../key-text.ts'
import { MAX_KEY_BYTES } from './request-check.ts'

/** The place of an entry in the log: its revision and its number among the changes of the revision. A single write has the number 0. */
export interface LogPlace {
  readonly revision: Revision
  readonly sub: number
}

/** One change of one key in the log. */
export interface LogEntry extends LogPlace {
  readonly key: string
  /** The revision that created the key. 0 for a delete. */
  readonly createRevision: Revision
  /** The previous revision of the key. 0: the key was absent. */
  readonly previousRevision: Revision
  /** The number of the previous change within its revision. */
  readonly previousSub: number
  /** The number of puts since the key was created. 0 for a delete. */
  readonly version: number
  readonly lease: LeaseId
  /** The expiry of the key, in milliseconds since 1970. 0: never. */
  readonly deadlineMs: number
  /** The new value. Undefined: a delete. */
  readonly value: Buffer | undefined
}

/** The state of a key without its value: enough to decide a write and to find the value. */
export type KeyState = Pick<LogEntry, 'revision' | 'sub' | 'createRevision' | 'deadlineMs' | 'version' | 'lease'>

const NUMBER_BYTES = 6

const CRC_AT = 0
const KIND_AT = 4
const REVISION_AT = 5
const CREATE_REVISION_AT = REVISION_AT + NUMBER_BYTES
const PREVIOUS_REVISION_AT = CREATE_REVISION_AT + NUMBER_BYTES
const DEADLINE_AT = PREVIOUS_REVISION_AT + NUMBER_BYTES
const KEY_LENGTH_AT = DEADLINE_AT + NUMBER_BYTES
const KEY_AT = KEY_LENGTH_AT + 2

/** Long records have these fields before the key. */
const SUB_AT = KEY_AT
const PREVIOUS_SUB_AT = SUB_AT + NUMBER_BYTES
const VERSION_AT = PREVIOUS_SUB_AT + NUMBER_BYTES
const LEASE_AT = VERSION_AT + NUMBER_BYTES
const LEASE_BYTES = 8
const LONG_KEY_AT = LEASE_AT + LEASE_BYTES

const PUT = 1
const DELETE = 2
/** The kinds of long records. A single first write and a single delete do not need them. Format 1 has only short records. */
const LONG_PUT = 3
const LONG_DELETE = 4

/** `key` is the bytes of the entry's key. */
export function encodeEntry(entry: LogEntry, key: Buffer = encodeKey(entry.key)): Buffer {
  const isLong = entry.sub > 0 || entry.previousSub > 0 || entry.version > 1 || entry.lease !== NO_LEASE
  const keyAt = isLong ? LONG_KEY_AT : KEY_AT
  const bytes = Buffer.allocUnsafe(keyAt + key.length + (entry.value?.length ?? 0))
  if (entry.value === undefined) bytes[KIND_AT] = isLong ? LONG_DELETE : DELETE
  else bytes[KIND_AT] = isLong ? LONG_PUT : PUT
  bytes.writeUIntBE(entry.revision, REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.createRevision, CREATE_REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.previousRevision, PREVIOUS_REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.deadlineMs, DEADLINE_AT, NUMBER_BYTES)
  bytes.writeUInt16BE(key.length, KEY_LENGTH_AT)
  if (isLong) {
    bytes.writeUIntBE(entry.sub, SUB_AT, NUMBER_BYTES)
    bytes.writeUIntBE(entry.previousSub, PREVIOUS_SUB_AT, NUMBER_BYTES)
    bytes.writeUIntBE(entry.version, VERSION_AT, NUMBER_BYTES)
    bytes.writeBigInt64BE(entry.lease, LEASE_AT)
  }
  key.copy(bytes, keyAt)
  entry.value?.copy(bytes, keyAt + key.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(KIND_AT)), CRC_AT)
  return bytes
}

/** The value of the entry is a view of `bytes`. `key`: the expected key, if it is known. */
export function decodeEntry(bytes: Buffer, revision: Revision, key?: Buffer): LogEntry {
  if (
    bytes.length < KEY_AT ||
    bytes.readUInt32BE(CRC_AT) !== crc32(bytes.subarray(KIND_AT)) ||
    bytes.readUIntBE(REVISION_AT, NUMBER_BYTES) !== revision
  ) {
    throw new KvError('corrupt', `the record of revision ${revision} is damaged`)
  }
  const kind = bytes[KIND_AT]
  const isPut = kind === PUT || kind === LONG_PUT
  const isLong = kind === LONG_PUT || kind === LONG_DELETE
  const keyAt = isLong ? LONG_KEY_AT : KEY_AT
  const valueAt = keyAt + bytes.readUInt16BE(KEY_LENGTH_AT)
  if (key !== undefined && key.compare(bytes, keyAt, valueAt) !== 0) {
    throw new KvError('corrupt', `the record of revision ${revision} belongs to another key`)
  }
  const createRevision = bytes.readUIntBE(CREATE_REVISION_AT, NUMBER_BYTES)
  return {
    key: keyFromBytes(bytes, keyAt, valueAt),
    revision,
    sub: isLong ? bytes.readUIntBE(SUB_AT, NUMBER_BYTES) : 0,
    createRevision,
    previousRevision: bytes.readUIntBE(PREVIOUS_REVISION_AT, NUMBER_BYTES),
    previousSub: isLong ? bytes.readUIntBE(PREVIOUS_SUB_AT, NUMBER_BYTES) : 0,
    deadlineMs: bytes.readUIntBE(DEADLINE_AT, NUMBER_BYTES),
    version: isLong ? bytes.readUIntBE(VERSION_AT, NUMBER_BYTES) : isPut ? leastVersion(revision, createRevision) : 0,
    lease: isLong ? bytes.readBigInt64BE(LEASE_AT) : NO_LEASE,
    value: isPut ? bytes.subarray(valueAt) : undefined,
  }
}

/** Format 1 did not count the writes of a key: a key with several writes counts as written twice. */
function leastVersion(revision: Revision, createRevision: Revision): number {
  return revision === createRevision ? 1 : 2
}

/**
 * The state after a single first write has three numbers, as in format 1. Other states have five numbers, and the lease if there is one.
 */
const SHORT_STATE_BYTES = 3 * NUMBER_BYTES
const STATE_BYTES = 5 * NUMBER_BYTES
const LEASED_STATE_BYTES = STATE_BYTES + LEASE_BYTES

export function encodeState(state: KeyState): Buffer {
  const { revision, createRevision, deadlineMs, sub, version, lease } = state
  if (lease !== NO_LEASE) {
    const bytes = Buffer.allocUnsafe(LEASED_STATE_BYTES)
    encodeNumbers(revision, createRevision, deadlineMs, sub, version).copy(bytes)
    bytes.writeBigInt64BE(lease, STATE_BYTES)
    return bytes
  }
  return sub === 0 && version === 1
    ? encodeNumbers(revision, createRevision, deadlineMs)
    : encodeNumbers(revision, createRevision, deadlineMs, sub, version)
}

export function decodeState(bytes: Buffer): KeyState {
  const { length } = bytes
  const isShort = length === SHORT_STATE_BYTES
  if (!isShort && length !== STATE_BYTES && length !== LEASED_STATE_BYTES) {
    throw new KvError('corrupt', 'the record of a key is damaged')
  }
  const revision = decodeNumber(bytes)
  const createRevision = decodeNumber(bytes, 1)
  return {
    revision,
    sub: isShort ? 0 : decodeNumber(bytes, 3),
    createRevision,
    deadlineMs: decodeNumber(bytes, 2),
    version: isShort ? leastVersion(revision, createRevision) : decodeNumber(bytes, 4),
    lease: length === LEASED_STATE_BYTES ? bytes.readBigInt64BE(STATE_BYTES) : NO_LEASE,
  }
}

/** A past version, and whether a delete ended it. */
export interface GarbageRecord extends LogPlace {
  readonly key: Buffer
  readonly byDelete: boolean
}

export function encodeGarbage({ key, revision, sub, byDelete }: GarbageRecord): Buffer {
  const isLong = sub > 0
  const place = encodePlace({ revision, sub })
  const kind = byDelete ? (isLong ? LONG_DELETE : DELETE) : isLong ? LONG_PUT : PUT
  return Buffer.concat([Buffer.of(kind), place, key])
}

export function decodeGarbage(bytes: Buffer): GarbageRecord {
  const kind = bytes[0]
  const isLong = kind === LONG_PUT || kind === LONG_DELETE
  const placeEnd = 1 + (isLong ? 2 : 1) * NUMBER_BYTES
  return {
    key: bytes.subarray(placeEnd),
    ...decodePlace(bytes.subarray(1, placeEnd)),
    byDelete: kind === DELETE || kind === LONG_DELETE,
  }
}

/** Places sort in the order of the writes. */
export function encodePlace({ revision, sub }: LogPlace): Buffer {
  return sub === 0 ? encodeNumbers(revision) : encodeNumbers(revision, sub)
}

export function decodePlace(bytes: Buffer): LogPlace {
  return { revision: decodeNumber(bytes), sub: bytes.length > NUMBER_BYTES ? decodeNumber(bytes, 1) : 0 }
}

export function encodeNumbers(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES)
  for (const [index, number] of numbers.entries()) bytes.writeUIntBE(number, index * NUMBER_BYTES, NUMBER_BYTES)
  return bytes
}

/** The number at `index` of the result of `encodeNumbers`. */
export function decodeNumber(bytes: Buffer, index = 0): number {
  return bytes.readUIntBE(index * NUMBER_BYTES, NUMBER_BYTES)
}

export function encodeKey(key: string): Buffer {
  return keyToBytes(key)
}

/** Encodes a lease and one of its keys. The bytes sort by lease. Without `key`, they sort before all keys of the lease. */
export function encodeLeased(lease: LeaseId, key: Buffer = NOTHING): Buffer {
  const bytes = Buffer.allocUnsafe(LEASE_BYTES + key.length)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, lease))
  key.copy(bytes, LEASE_BYTES)
  return bytes
}

const NOTHING = Buffer.alloc(0)

export function decodeLeased(bytes: Buffer): { readonly lease: LeaseId; readonly key: Buffer } {
  return { lease: bytes.readBigInt64BE(), key: bytes.subarray(LEASE_BYTES) }
}

/**
 * A bound of a range may be longer than any key. A bound that is cut at the length of the longest key still sorts the same way. Two more
 * bytes are kept, so that a zero byte there keeps its escape.
 */
const MAX_BOUND_BYTES = MAX_KEY_BYTES + 2

/** Encodes a bound of a range. Undefined: the bound after all keys. */
export function encodeBound(bound: string | undefined): Buffer {
  return bound === undefined ? Buffer.alloc(MAX_BOUND_BYTES, 0xff) : keyToBytes(bound).subarray(0, MAX_BOUND_BYTES)
}

const ZERO = 0
const ESCAPED = 0xff

/**
 * Encodes the place of a past version. Places sort by key, then by revision. A zero byte within the key is escaped, and two zero bytes end
 * the key. So a key sorts before all longer keys that begin with it. `key` may be a bound.
 */
export function encodeVersionKey(key: Buffer, revision: Revision): Buffer {
  const escaped = key.includes(ZERO) ? escapeZeros(key).subarray(0, MAX_BOUND_BYTES) : key
  const bytes = Buffer.alloc(escaped.length + 2 + NUMBER_BYTES)
  escaped.copy(bytes)
  bytes.writeUIntBE(revision, bytes.length - NUMBER_BYTES, NUMBER_BYTES)
  return bytes
}

export function decodeVersionKey(bytes: Buffer): { readonly key: Buffer; readonly revision: Revision } {
  const escaped = bytes.subarray(0, -2 - NUMBER_BYTES)
  const revision = bytes.readUIntBE(bytes.length - NUMBER_BYTES, NUMBER_BYTES)
  return { key: escaped.includes(ZERO) ? unescapeZeros(escaped) : escaped, revision }
}

function escapeZeros(key: Buffer): Buffer {
  const bytes: number[] = []
  for (const byte of key) {
    bytes.push(byte)
    if (byte === ZERO) bytes.push(ESCAPED)
  }
  return Buffer.from(bytes)
}

function unescapeZeros(escaped: Buffer): Buffer {
  return Buffer.from(escaped.filter((_, index) => index === 0 || escaped[index - 1] !== ZERO))
}
