// Writes answers with many keys in pieces, as the client reads them.
import { varintSize } from '../../wire/varint.ts'
import { type KeyValue, RangeResponse } from '../gen/rpc.ts'
import { keyToBytes } from '../key-text.ts'
import { encode, type Given } from '../rpc.ts'
import { NO_LEASE } from '../transactional.ts'
import { headerOf, type Identity } from './identity.ts'
import type { Answer } from './service.ts'

/** The bytes of items in a piece. */
const PIECE_BYTES = 256 * 1024

/** The pieces of an answer, which are made on demand, and their total size. */
export function rangePieces(
  { header, kvs = [], more, count }: Answer<RangeResponse>,
  identity: Identity,
): { readonly bytes: number; readonly pieces: Iterable<Buffer> } {
  const head = encode(RangeResponse, { header: headerOf(identity, header.revision) })
  const tail = encode(RangeResponse, { more, count })
  let bytes = head.length + tail.length
  for (const kv of kvs) bytes += delimitedLength(lengthOf(kv))
  const pieces = function* (): Generator<Buffer> {
    yield head
    for (let start = 0, end = 0; start < kvs.length; start = end) {
      let size = 0
      while (end < kvs.length && size < PIECE_BYTES) size += lengthOf(kvs[end++]!)
      yield encode(RangeResponse, { kvs: kvs.slice(start, end) })
    }
    yield tail
  }
  return { bytes, pieces: pieces() }
}

/** The length of a field with its tag and its length prefix. */
function delimitedLength(bytes: number): number {
  return 1 + varintSize(bytes) + bytes
}

/** The encoded size of an item. */
function lengthOf({ key = '', value, createRevision, revision, version, lease = NO_LEASE }: Given<KeyValue>): number {
  let bytes = delimitedLength(key.isWellFormed() ? Buffer.byteLength(key) : keyToBytes(key).length)
  for (const number of [createRevision, revision, version]) if (number) bytes += 1 + varintSize(number)
  if (value !== undefined && value.length > 0) bytes += delimitedLength(value.length)
  // A negative number has ten bytes.
  if (lease !== NO_LEASE) bytes += 1 + (lease < 0 ? 10 : Math.ceil(BigInt(lease).toString(2).length / 7))
  return bytes
}
