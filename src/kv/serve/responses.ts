// The answers of etcd's KV API, written to the wire from the last field to the first. What is zero is left out.
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { Revision } from '../kv.ts'
import { keyToBytes } from '../key-text.ts'
import type { StoredItem } from '../transactional.ts'

/** Who answers. */
export interface Identity {
  readonly clusterId: bigint
  readonly memberId: bigint
  readonly name: string
}

/** There is one member, and it has never been elected anew. */
export const RAFT_TERM = 1

export interface RangeAnswer {
  readonly revision: Revision
  readonly items: readonly StoredItem[]
  readonly more: boolean
  readonly count: number
  readonly keysOnly: boolean
}

export type OpAnswer =
  | { readonly kind: 'range'; readonly range: RangeAnswer }
  | { readonly kind: 'put'; readonly put: PutAnswer }
  | { readonly kind: 'deleteRange'; readonly deleteRange: DeleteRangeAnswer }
  | { readonly kind: 'txn'; readonly txn: TxnAnswer }

export interface PutAnswer {
  readonly revision: Revision
  readonly previous: StoredItem | undefined
}

export interface DeleteRangeAnswer {
  readonly revision: Revision
  readonly deleted: number
  readonly previous: readonly StoredItem[]
}

export interface TxnAnswer {
  readonly revision: Revision
  readonly succeeded: boolean
  readonly responses: readonly OpAnswer[]
}

/** What a message of small fields takes, about. */
const SMALL_BYTES = 64

/** A message behind the room that gRPC needs before it. */
export function written(write: (writer: MessageWriter) => void, bytes = 0): Buffer {
  const writer = new MessageWriter(bytes + SMALL_BYTES + PREFIX_BYTES)
  write(writer)
  return writer.finishBehind(PREFIX_BYTES)
}

export function writeHeader(writer: MessageWriter, { clusterId, memberId }: Identity, revision: Revision): void {
  writer.message(1, () => {
    writer.number(4, RAFT_TERM)
    writer.number(3, revision)
    writer.integer(2, memberId)
    writer.integer(1, clusterId)
  })
}

/** A header within an answer. */
function writeInnerHeader(writer: MessageWriter, revision: Revision): void {
  writer.message(1, () => writer.number(3, revision))
}

export function sizeOfItem(item: StoredItem): number {
  return item.key.length + item.value.length + SMALL_BYTES
}

export function writeKey(writer: MessageWriter, field: number, key: string): void {
  if (key.isWellFormed()) writer.text(field, key)
  else writer.bytes(field, keyToBytes(key))
}

export function writeItem(writer: MessageWriter, item: StoredItem, keysOnly = false): void {
  writer.integer(6, item.lease)
  if (!keysOnly) writer.bytes(5, item.value)
  writer.number(4, item.version)
  writer.number(3, item.revision)
  writer.number(2, item.createRevision)
  writeKey(writer, 1, item.key)
}

export function sizeOfRange({ items, keysOnly }: RangeAnswer): number {
  let bytes = 0
  for (const item of items) bytes += keysOnly ? item.key.length + SMALL_BYTES : sizeOfItem(item)
  return bytes
}

export function writeRange(writer: MessageWriter, { items, more, count, keysOnly }: RangeAnswer): void {
  writer.number(4, count)
  writer.flag(3, more)
  for (let i = items.length - 1; i >= 0; i--) writer.message(2, () => writeItem(writer, items[i]!, keysOnly))
}

export function writePut(writer: MessageWriter, { previous }: PutAnswer): void {
  if (previous !== undefined) writer.message(2, () => writeItem(writer, previous))
}

export function writeDeleteRange(writer: MessageWriter, { deleted, previous }: DeleteRangeAnswer): void {
  for (const item of previous.toReversed()) writer.message(3, () => writeItem(writer, item))
  writer.number(2, deleted)
}

export function writeTxn(writer: MessageWriter, { succeeded, responses }: TxnAnswer): void {
  for (const response of responses.toReversed()) writer.message(3, () => writeOp(writer, response))
  writer.flag(2, succeeded)
}

function writeOp(writer: MessageWriter, op: OpAnswer): void {
  switch (op.kind) {
    case 'range':
      return writer.message(1, () => {
        writeRange(writer, op.range)
        writeInnerHeader(writer, op.range.revision)
      })
    case 'put':
      return writer.message(2, () => {
        writePut(writer, op.put)
        writeInnerHeader(writer, op.put.revision)
      })
    case 'deleteRange':
      return writer.message(3, () => {
        writeDeleteRange(writer, op.deleteRange)
        writeInnerHeader(writer, op.deleteRange.revision)
      })
    case 'txn':
      return writer.message(4, () => {
        writeTxn(writer, op.txn)
        // As etcd, which leaves it empty.
        writeInnerHeader(writer, 0)
      })
  }
}
