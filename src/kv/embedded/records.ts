// The encoding of keys and records in the durable engine. Numbers are 48-bit and big-endian, so that bytes compare as numbers do.
// Every log record has a checksum: a mismatch is `corrupt`, never an answer.
import { crc32 } from 'node:zlib'
import { KvError, type Revision } from '../kv.ts'
import { MAX_KEY_BYTES } from './request-check.ts'

/** One revision, as the log holds it. */
export interface LogEntry {
  readonly key: string
  readonly revision: Revision
  /** The revision that made the key, since it was last absent; 0 for a delete. */
  readonly createRevision: Revision
  /** The key's revision before this one; 0: it was absent. */
  readonly previousRevision: Revision
  /** When the key expires, in milliseconds since 1970; 0: never. */
  readonly deadlineMs: number
  /** What was put; absent: a delete. */
  readonly value: Buffer | undefined
}

/** What is known of a key without its value: enough to decide a write and to find the value. */
export type KeyState = Pick<LogEntry, 'revision' | 'createRevision' | 'deadlineMs'>

const NUMBER_BYTES = 6

const CRC_AT = 0
const KIND_AT = 4
const REVISION_AT = 5
const CREATE_REVISION_AT = REVISION_AT + NUMBER_BYTES
const PREVIOUS_REVISION_AT = CREATE_REVISION_AT + NUMBER_BYTES
const DEADLINE_AT = PREVIOUS_REVISION_AT + NUMBER_BYTES
const KEY_LENGTH_AT = DEADLINE_AT + NUMBER_BYTES
const KEY_AT = KEY_LENGTH_AT + 2

const PUT = 1
const DELETE = 2

export function encodeEntry(entry: LogEntry): Buffer {
  const keyBytes = Buffer.byteLength(entry.key)
  const bytes = Buffer.allocUnsafe(KEY_AT + keyBytes + (entry.value?.length ?? 0))
  bytes[KIND_AT] = entry.value === undefined ? DELETE : PUT
  bytes.writeUIntBE(entry.revision, REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.createRevision, CREATE_REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.previousRevision, PREVIOUS_REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(entry.deadlineMs, DEADLINE_AT, NUMBER_BYTES)
  bytes.writeUInt16BE(keyBytes, KEY_LENGTH_AT)
  bytes.write(entry.key, KEY_AT)
  entry.value?.copy(bytes, KEY_AT + keyBytes)
  bytes.writeUInt32BE(crc32(bytes.subarray(KIND_AT)), CRC_AT)
  return bytes
}

/** The entry's value is a part of `bytes`, not a copy. */
export function decodeEntry(bytes: Buffer, revision: Revision): LogEntry {
  if (
    bytes.length < KEY_AT ||
    bytes.readUInt32BE(CRC_AT) !== crc32(bytes.subarray(KIND_AT)) ||
    bytes.readUIntBE(REVISION_AT, NUMBER_BYTES) !== revision
  ) {
    throw new KvError('corrupt', `the record of revision ${revision} is damaged`)
  }
  const valueAt = KEY_AT + bytes.readUInt16BE(KEY_LENGTH_AT)
  return {
    key: bytes.toString('utf8', KEY_AT, valueAt),
    revision,
    createRevision: bytes.readUIntBE(CREATE_REVISION_AT, NUMBER_BYTES),
    previousRevision: bytes.readUIntBE(PREVIOUS_REVISION_AT, NUMBER_BYTES),
    deadlineMs: bytes.readUIntBE(DEADLINE_AT, NUMBER_BYTES),
    value: bytes[KIND_AT] === PUT ? bytes.subarray(valueAt) : undefined,
  }
}

export function encodeState(state: KeyState): Buffer {
  return encodeNumbers(state.revision, state.createRevision, state.deadlineMs)
}

export function decodeState(bytes: Buffer): KeyState {
  if (bytes.length !== 3 * NUMBER_BYTES) throw new KvError('corrupt', 'the record of a key is damaged')
  return {
    revision: decodeNumber(bytes),
    createRevision: decodeNumber(bytes, 1),
    deadlineMs: decodeNumber(bytes, 2),
  }
}

/** A version that is history, and whether a delete made it so. */
export interface GarbageRecord {
  readonly key: Buffer
  readonly revision: Revision
  readonly byDelete: boolean
}

export function encodeGarbage(garbage: GarbageRecord): Buffer {
  const bytes = Buffer.allocUnsafe(1 + NUMBER_BYTES + garbage.key.length)
  bytes[0] = garbage.byDelete ? DELETE : PUT
  bytes.writeUIntBE(garbage.revision, 1, NUMBER_BYTES)
  garbage.key.copy(bytes, 1 + NUMBER_BYTES)
  return bytes
}

export function decodeGarbage(bytes: Buffer): GarbageRecord {
  return {
    key: bytes.subarray(1 + NUMBER_BYTES),
    revision: bytes.readUIntBE(1, NUMBER_BYTES),
    byDelete: bytes[0] === DELETE,
  }
}

export function encodeNumbers(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES)
  for (const [index, number] of numbers.entries()) bytes.writeUIntBE(number, index * NUMBER_BYTES, NUMBER_BYTES)
  return bytes
}

/** The number at `index` of those that `encodeNumbers` wrote. */
export function decodeNumber(bytes: Buffer, index = 0): number {
  return bytes.readUIntBE(index * NUMBER_BYTES, NUMBER_BYTES)
}

export function encodeKey(key: string): Buffer {
  return Buffer.from(key)
}

/**
 * A bound of a range may be longer than any key. Cut after the longest key it still sorts the same way. Two bytes more, so that
 * a zero byte there keeps its escape.
 */
const MAX_BOUND_BYTES = MAX_KEY_BYTES + 2

export function encodeBound(bound: string): Buffer {
  return Buffer.from(bound).subarray(0, MAX_BOUND_BYTES)
}

const ZERO = 0
const ESCAPED = 0xff

/**
 * A past version of a key: sorted by key, then by revision. A zero byte within the key is escaped and two of them end it,
 * so that a key sorts before all keys that it is a prefix of. The key may be a bound.
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
