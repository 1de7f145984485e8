// The requests of etcd's KV API, read from the wire. A field that is not there is its zero, one that nobody knows is passed over.
// Keys become texts (`key-text.ts`); identifiers of leases keep all of their 64 bits.
import { ProtobufReader } from '../../wire/protobuf-reader.ts'
import { keyFromBytes } from '../key-text.ts'
import type { LeaseId } from '../transactional.ts'

export interface RangeRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly limit: number
  readonly revision: number
  readonly sortOrder: number
  readonly sortTarget: number
  readonly keysOnly: boolean
  readonly countOnly: boolean
  readonly minModRevision: number
  readonly maxModRevision: number
  readonly minCreateRevision: number
  readonly maxCreateRevision: number
}

export interface PutRequest {
  readonly key: string
  readonly value: Buffer
  readonly lease: LeaseId
  readonly prevKv: boolean
  readonly ignoreValue: boolean
  readonly ignoreLease: boolean
}

export interface DeleteRangeRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly prevKv: boolean
}

/** `Compare.CompareTarget` and `Compare.CompareResult`. */
export const COMPARE_VERSION = 0
export const COMPARE_CREATE = 1
export const COMPARE_MOD = 2
export const COMPARE_VALUE = 3
export const COMPARE_LEASE = 4
export const EQUAL = 0
export const GREATER = 1
export const LESS = 2
export const NOT_EQUAL = 3

export interface Compare {
  readonly result: number
  readonly target: number
  readonly key: string
  readonly rangeEnd: string
  /** What is compared with: a version, a revision or a lease. */
  readonly number: bigint
  readonly value: Buffer
  /** What of these is given, as a target; absent: nothing. */
  readonly given: number | undefined
}

export type RequestOp =
  | { readonly kind: 'range'; readonly range: RangeRequest }
  | { readonly kind: 'put'; readonly put: PutRequest }
  | { readonly kind: 'deleteRange'; readonly deleteRange: DeleteRangeRequest }
  | { readonly kind: 'txn'; readonly txn: TxnRequest }
  | { readonly kind: 'none' }

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

type Growing<Message> = { -readonly [Field in keyof Message]: Message[Field] }
/** By the tags of their fields. */
type Fields<Message> = Readonly<Record<number, (reader: ProtobufReader, message: Growing<Message>) => void>>

/** The tags of fields. One of another type than here is passed over, as one of another number. */
export const number = (field: number): number => field << 3
export const delimited = (field: number): number => (field << 3) | 2

/** A reader of messages that begin as `empty`. */
export function messageReader<Message extends object>(
  empty: Message,
  fields: Fields<Message>,
): (reader: ProtobufReader) => Message {
  return (reader) => {
    const message: Growing<Message> = { ...empty }
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      const read = fields[tag]
      if (read === undefined) reader.skip(tag)
      else read(reader, message)
    }
    return message
  }
}

export function readMessage<Message>(bytes: Buffer, read: (reader: ProtobufReader) => Message): Message {
  return read(new ProtobufReader(bytes))
}

export function readKey(reader: ProtobufReader): string {
  return keyFromBytes(reader.bytes())
}

/** Numbers that nothing of ours reaches need not be exact. */
export function readNumber(reader: ProtobufReader): number {
  return Number(reader.int64())
}

export function readInteger(reader: ProtobufReader): bigint {
  return BigInt(reader.int64())
}

const NO_BYTES = Buffer.alloc(0)

export const readRange: (reader: ProtobufReader) => RangeRequest = messageReader<RangeRequest>(
  {
    key: '',
    rangeEnd: '',
    limit: 0,
    revision: 0,
    sortOrder: 0,
    sortTarget: 0,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  },
  {
    [delimited(1)]: (reader, range) => (range.key = readKey(reader)),
    [delimited(2)]: (reader, range) => (range.rangeEnd = readKey(reader)),
    [number(3)]: (reader, range) => (range.limit = readNumber(reader)),
    [number(4)]: (reader, range) => (range.revision = readNumber(reader)),
    [number(5)]: (reader, range) => (range.sortOrder = readNumber(reader)),
    [number(6)]: (reader, range) => (range.sortTarget = readNumber(reader)),
    [number(8)]: (reader, range) => (range.keysOnly = reader.bool()),
    [number(9)]: (reader, range) => (range.countOnly = reader.bool()),
    [number(10)]: (reader, range) => (range.minModRevision = readNumber(reader)),
    [number(11)]: (reader, range) => (range.maxModRevision = readNumber(reader)),
    [number(12)]: (reader, range) => (range.minCreateRevision = readNumber(reader)),
    [number(13)]: (reader, range) => (range.maxCreateRevision = readNumber(reader)),
  },
)

export const readPut: (reader: ProtobufReader) => PutRequest = messageReader<PutRequest>(
  { key: '', value: NO_BYTES, lease: 0n, prevKv: false, ignoreValue: false, ignoreLease: false },
  {
    [delimited(1)]: (reader, put) => (put.key = readKey(reader)),
    [delimited(2)]: (reader, put) => (put.value = reader.bytes()),
    [number(3)]: (reader, put) => (put.lease = readInteger(reader)),
    [number(4)]: (reader, put) => (put.prevKv = reader.bool()),
    [number(5)]: (reader, put) => (put.ignoreValue = reader.bool()),
    [number(6)]: (reader, put) => (put.ignoreLease = reader.bool()),
  },
)

export const readDeleteRange: (reader: ProtobufReader) => DeleteRangeRequest = messageReader<DeleteRangeRequest>(
  { key: '', rangeEnd: '', prevKv: false },
  {
    [delimited(1)]: (reader, range) => (range.key = readKey(reader)),
    [delimited(2)]: (reader, range) => (range.rangeEnd = readKey(reader)),
    [number(3)]: (reader, range) => (range.prevKv = reader.bool()),
  },
)

function setNumber(compare: Growing<Compare>, given: number, value: bigint): void {
  compare.number = value
  compare.given = given
}

const readCompare = messageReader<Compare>(
  { result: 0, target: 0, key: '', rangeEnd: '', number: 0n, value: NO_BYTES, given: undefined },
  {
    [number(1)]: (reader, compare) => (compare.result = readNumber(reader)),
    [number(2)]: (reader, compare) => (compare.target = readNumber(reader)),
    [delimited(3)]: (reader, compare) => (compare.key = readKey(reader)),
    [number(4)]: (reader, compare) => setNumber(compare, COMPARE_VERSION, readInteger(reader)),
    [number(5)]: (reader, compare) => setNumber(compare, COMPARE_CREATE, readInteger(reader)),
    [number(6)]: (reader, compare) => setNumber(compare, COMPARE_MOD, readInteger(reader)),
    [delimited(7)]: (reader, compare) => {
      compare.value = reader.bytes()
      compare.given = COMPARE_VALUE
    },
    [number(8)]: (reader, compare) => setNumber(compare, COMPARE_LEASE, readInteger(reader)),
    [delimited(64)]: (reader, compare) => (compare.rangeEnd = readKey(reader)),
  },
)

function readOp(reader: ProtobufReader): RequestOp {
  let op: RequestOp = { kind: 'none' }
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) op = { kind: 'range', range: reader.message(readRange) }
    else if (tag === delimited(2)) op = { kind: 'put', put: reader.message(readPut) }
    else if (tag === delimited(3)) op = { kind: 'deleteRange', deleteRange: reader.message(readDeleteRange) }
    else if (tag === delimited(4)) op = { kind: 'txn', txn: reader.message(readTxn) }
    else reader.skip(tag)
  }
  return op
}

export function readTxn(reader: ProtobufReader): TxnRequest {
  const [compare, success, failure]: [Compare[], RequestOp[], RequestOp[]] = [[], [], []]
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) compare.push(reader.message(readCompare))
    else if (tag === delimited(2)) success.push(reader.message(readOp))
    else if (tag === delimited(3)) failure.push(reader.message(readOp))
    else reader.skip(tag)
  }
  return { compare, success, failure }
}
