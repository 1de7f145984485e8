// Encodes and decodes items. A chunk consists of whole records. The last chunk of a backup ends with a record that has the number of all
// items.
import type { CopiedItem } from '../copy.ts'
import { keyFromBytes, keyToBytes } from '../key-text.ts'
import { BackupError } from './backup-error.ts'

const ITEM = 1
const END = 2

/** Revisions have 48 bits, as in the embedded store. */
const NUMBER_BYTES = 6
const REVISION_AT = 1
const CREATE_REVISION_AT = REVISION_AT + NUMBER_BYTES
const TTL_AT = CREATE_REVISION_AT + NUMBER_BYTES
const KEY_LENGTH_AT = TTL_AT + NUMBER_BYTES
const VALUE_LENGTH_AT = KEY_LENGTH_AT + 4
const KEY_AT = VALUE_LENGTH_AT + 4

export function encodeItem(item: CopiedItem): Buffer {
  const key = keyToBytes(item.key)
  const bytes = Buffer.allocUnsafe(KEY_AT + key.length + item.value.length)
  bytes[0] = ITEM
  bytes.writeUIntBE(item.revision, REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(item.createRevision, CREATE_REVISION_AT, NUMBER_BYTES)
  bytes.writeUIntBE(item.ttlSeconds ?? 0, TTL_AT, NUMBER_BYTES)
  bytes.writeUInt32BE(key.length, KEY_LENGTH_AT)
  bytes.writeUInt32BE(item.value.length, VALUE_LENGTH_AT)
  key.copy(bytes, KEY_AT)
  item.value.copy(bytes, KEY_AT + key.length)
  return bytes
}

export function encodeEnd(count: number): Buffer {
  const bytes = Buffer.alloc(1 + NUMBER_BYTES)
  bytes[0] = END
  bytes.writeUIntBE(count, 1, NUMBER_BYTES)
  return bytes
}

export interface Chunk {
  readonly items: readonly CopiedItem[]
  /** The number of all items. Only the last chunk has it. */
  readonly end: number | undefined
}

/** Throws if the chunk does not consist of whole records. Values are views of the chunk. */
export function decodeChunk(chunk: Buffer): Chunk {
  const items: CopiedItem[] = []
  let at = 0
  while (at < chunk.length) {
    const rest = chunk.subarray(at)
    if (rest[0] === END && rest.length === 1 + NUMBER_BYTES) return { items, end: rest.readUIntBE(1, NUMBER_BYTES) }
    if (rest[0] !== ITEM || rest.length < KEY_AT) throw new BackupError('it is damaged: a record is unknown')
    const valueAt = KEY_AT + rest.readUInt32BE(KEY_LENGTH_AT)
    const end = valueAt + rest.readUInt32BE(VALUE_LENGTH_AT)
    if (end > rest.length) throw new BackupError('it is damaged: a record is longer than its chunk')
    const ttlSeconds = rest.readUIntBE(TTL_AT, NUMBER_BYTES)
    items.push({
      key: keyFromBytes(rest, KEY_AT, valueAt),
      value: rest.subarray(valueAt, end),
      revision: rest.readUIntBE(REVISION_AT, NUMBER_BYTES),
      createRevision: rest.readUIntBE(CREATE_REVISION_AT, NUMBER_BYTES),
      ...(ttlSeconds === 0 ? {} : { ttlSeconds }),
    })
    at += end
  }
  return { items, end: undefined }
}
