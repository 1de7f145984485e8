// The messages of `proto/etcd/rpc.proto`: their types, how they are read and written, and the calls that carry them. Absent
// fields read as their zero; numbers are exact, or reading throws. Fields are written from the last to the first.
import type { KeyValue } from '../kv.ts'
import { ProtobufReader } from '../../wire/protobuf-reader.ts'
import { MessageWriter } from '../../wire/message-writer.ts'

export interface Header {
  readonly revision: number
  /** Rises with each election of a leader. */
  readonly raftTerm: number
}

/** Every answer tells the store's newest revision. */
export interface Answer {
  readonly header: Header
}

export interface WireKeyValue {
  readonly key: string
  readonly value: Buffer
  readonly modRevision: number
  readonly createRevision: number
  /** 0: none. */
  readonly lease: number | bigint
}

export interface RangeRequest {
  readonly key: string
  /** Absent: just the key. */
  readonly rangeEnd?: string | undefined
  readonly limit?: number | undefined
  readonly revision?: number | undefined
  /** Whatever the member has itself, without asking the others. */
  readonly serializable?: boolean
}

export interface RangeResponse extends Answer {
  readonly kvs: readonly WireKeyValue[]
  readonly more: boolean
  readonly count: number
}

/** The key has this revision, where 0 is that of a key that is not there. */
export interface Compare {
  readonly target: typeof COMPARE_MOD
  readonly key: string
  readonly modRevision: number
}

/** `Compare.Target.MOD`; the result to compare for, `EQUAL`, is the default. */
export const COMPARE_MOD = 2

export type RequestOp =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: string; readonly value: Buffer; readonly lease?: number } }
  | { readonly deleteRange: { readonly key: string } }

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

export interface TxnResponse extends Answer {
  readonly succeeded: boolean
  readonly responses: readonly { readonly range: RangeResponse | null }[]
}

export interface WatchCreateRequest {
  readonly key: string
  readonly rangeEnd?: string | undefined
  readonly startRevision: number
  readonly progressNotify?: boolean
  readonly prevKv?: boolean | undefined
  readonly fragment?: boolean
}

export type WatchRequestMessage =
  | { readonly createRequest: WatchCreateRequest }
  | { readonly progressRequest: Readonly<Record<string, never>> }

/** `Event.Type.DELETE`; the other one is a put. */
export const EVENT_DELETE = 1

export interface WireEvent {
  readonly type: number
  readonly kv: WireKeyValue
  readonly prevKv: WireKeyValue | null
}

export interface WatchResponse extends Answer {
  readonly created: boolean
  readonly canceled: boolean
  readonly compactRevision: number
  readonly cancelReason: string
  readonly fragment: boolean
  readonly events: readonly WireEvent[]
}

export interface Method<Request, Response> {
  readonly path: string
  /** Leaves so many bytes free before the message; absent: none. */
  readonly serialize: (request: Request, room?: number) => Buffer
  readonly deserialize: (bytes: Buffer) => Response
}

export const RANGE: Method<RangeRequest, RangeResponse> = method('KV/Range', {
  size: ({ key, rangeEnd = '' }) => 3 * (key.length + rangeEnd.length),
  write: writeRange,
  read: readRange,
})

export const TXN: Method<TxnRequest, TxnResponse> = method('KV/Txn', {
  size: ({ compare, success, failure }) => {
    let size = 0
    for (const { key } of compare) size += 3 * key.length + FIELD_BYTES
    for (const op of success) size += sizeOfOp(op)
    for (const op of failure) size += sizeOfOp(op)
    return size
  },
  write: (writer, { compare, success, failure }) => {
    for (const op of failure.toReversed()) writer.message(3, () => writeOp(writer, op))
    for (const op of success.toReversed()) writer.message(2, () => writeOp(writer, op))
    for (const condition of compare.toReversed()) writer.message(1, () => writeCompare(writer, condition))
  },
  read: (reader) => {
    let header = NO_HEADER
    let succeeded = false
    const responses: TxnResponse['responses'][number][] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      if (tag === delimited(1)) header = reader.message(readHeader)
      else if (tag === number(2)) succeeded = reader.bool()
      else if (tag === delimited(3)) responses.push(reader.message(readResponseOp))
      else reader.skip(tag)
    }
    return { header, succeeded, responses }
  },
})

export interface CompactionRequest {
  readonly revision: number
  /** Resolves when it is done, not when it was begun. */
  readonly physical?: boolean
}

export const COMPACT: Method<CompactionRequest, Answer> = method('KV/Compact', {
  write: (writer, { revision, physical }) => {
    writer.flag(2, physical)
    writer.number(1, revision)
  },
  read: readAnswer,
})

export const WATCH: Method<WatchRequestMessage, WatchResponse> = method('Watch/Watch', {
  write: (writer, request) => {
    if ('progressRequest' in request) writer.message(3, () => undefined)
    else writer.message(1, () => writeWatchCreate(writer, request.createRequest))
  },
  read: readWatch,
})

export const LEASE_GRANT: Method<{ readonly ttl: number; readonly id: number }, Answer> = method('Lease/LeaseGrant', {
  write: (writer, { ttl, id }) => {
    writer.number(2, id)
    writer.number(1, ttl)
  },
  read: readAnswer,
})

/** Below zero: there is no such lease, or no longer. */
export const LEASE_TIME_TO_LIVE: Method<{ readonly id: number | bigint }, Answer & { readonly ttl: number }> = method(
  'Lease/LeaseTimeToLive',
  {
    write: (writer, { id }) => writer.integer(1, id),
    read: (reader) => {
      let header = NO_HEADER
      let ttl = 0
      for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
        if (tag === delimited(1)) header = reader.message(readHeader)
        else if (tag === number(3)) ttl = Number(reader.int64())
        else reader.skip(tag)
      }
      return { header, ttl }
    },
  },
)

export const AUTHENTICATE: Method<{ readonly name: string; readonly password: string }, { readonly token: string }> =
  method('Auth/Authenticate', {
    write: (writer, { name, password }) => {
      writer.text(2, password)
      writer.text(1, name)
    },
    read: (reader) => {
      let token = ''
      for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
        if (tag === delimited(2)) token = reader.looseText()
        else reader.skip(tag)
      }
      return { token }
    },
  })

export function toKeyValue({ key, value, modRevision, createRevision }: WireKeyValue): KeyValue {
  return { key, value, revision: modRevision, createRevision }
}

interface Codec<Request, Response> {
  /** About how long a request is, without its small fields; absent: short. */
  readonly size?: (request: Request) => number
  readonly write: (writer: MessageWriter, request: Request) => void
  readonly read: (reader: ProtobufReader) => Response
}

/** The small fields of a message, and the tags and lengths of others. */
const FIELD_BYTES = 40

export function method<Request, Response>(
  path: string,
  { size, write, read }: Codec<Request, Response>,
): Method<Request, Response> {
  return {
    path: `/etcdserverpb.${path}`,
    serialize: (request, room = 0) => {
      const writer = new MessageWriter((size?.(request) ?? FIELD_BYTES) + FIELD_BYTES + room)
      write(writer, request)
      return writer.finishBehind(room)
    },
    deserialize: (bytes) => read(new ProtobufReader(bytes)),
  }
}

function sizeOfOp(op: RequestOp): number {
  if ('put' in op) return 3 * op.put.key.length + op.put.value.length + FIELD_BYTES
  const { key } = 'range' in op ? op.range : op.deleteRange
  return 3 * key.length + FIELD_BYTES
}

function writeRange(writer: MessageWriter, request: RangeRequest): void {
  const { key, rangeEnd, limit, revision, serializable } = request
  writer.flag(7, serializable)
  writer.number(4, revision)
  writer.number(3, limit)
  writer.text(2, rangeEnd)
  writer.text(1, key)
}

function writeCompare(writer: MessageWriter, { target, key, modRevision }: Compare): void {
  writer.number(6, modRevision)
  writer.text(3, key)
  writer.number(2, target)
}

function writeOp(writer: MessageWriter, op: RequestOp): void {
  if ('range' in op) writer.message(1, () => writeRange(writer, op.range))
  else if ('deleteRange' in op) writer.message(3, () => writer.text(1, op.deleteRange.key))
  else
    writer.message(2, () => {
      writer.number(3, op.put.lease)
      writer.bytes(2, op.put.value)
      writer.text(1, op.put.key)
    })
}

function writeWatchCreate(writer: MessageWriter, request: WatchCreateRequest): void {
  writer.flag(8, request.fragment)
  writer.flag(6, request.prevKv)
  writer.flag(4, request.progressNotify)
  writer.number(3, request.startRevision)
  writer.text(2, request.rangeEnd)
  writer.text(1, request.key)
}

/** The tags of fields. One of another type than here is passed over, as one of another number. */
export const number = (field: number): number => field << 3
export const delimited = (field: number): number => (field << 3) | 2

export const NO_HEADER: Header = Object.freeze({ revision: 0, raftTerm: 0 })
const NO_BYTES = Buffer.alloc(0)
const NO_KEY_VALUE: WireKeyValue = Object.freeze({
  key: '',
  value: NO_BYTES,
  modRevision: 0,
  createRevision: 0,
  lease: 0,
})

function readHeader(reader: ProtobufReader): Header {
  let [revision, raftTerm] = [0, 0]
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === number(3)) revision = reader.safeUint()
    else if (tag === number(4)) raftTerm = reader.safeUint()
    else reader.skip(tag)
  }
  return { revision, raftTerm }
}

export function readAnswer(reader: ProtobufReader): Answer {
  let header = NO_HEADER
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) header = reader.message(readHeader)
    else reader.skip(tag)
  }
  return { header }
}

function readKeyValue(reader: ProtobufReader): WireKeyValue {
  let key = ''
  let value: Buffer = NO_BYTES
  let modRevision = 0
  let createRevision = 0
  let lease: number | bigint = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) key = reader.looseText()
    else if (tag === number(2)) createRevision = reader.safeUint()
    else if (tag === number(3)) modRevision = reader.safeUint()
    else if (tag === delimited(5)) value = reader.bytes()
    else if (tag === number(6)) lease = reader.int64()
    else reader.skip(tag)
  }
  return { key, value, modRevision, createRevision, lease }
}

function readRange(reader: ProtobufReader): RangeResponse {
  let header = NO_HEADER
  let more = false
  let count = 0
  const kvs: WireKeyValue[] = []
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) header = reader.message(readHeader)
    else if (tag === delimited(2)) kvs.push(reader.message(readKeyValue))
    else if (tag === number(3)) more = reader.bool()
    else if (tag === number(4)) count = reader.safeUint()
    else reader.skip(tag)
  }
  return { header, kvs, more, count }
}

function readResponseOp(reader: ProtobufReader): TxnResponse['responses'][number] {
  let range: RangeResponse | null = null
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) range = reader.message(readRange)
    else reader.skip(tag)
  }
  return { range }
}

function readEvent(reader: ProtobufReader): WireEvent {
  let type = 0
  let kv = NO_KEY_VALUE
  let prevKv: WireKeyValue | null = null
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === number(1)) type = reader.safeUint()
    else if (tag === delimited(2)) kv = reader.message(readKeyValue)
    else if (tag === delimited(3)) prevKv = reader.message(readKeyValue)
    else reader.skip(tag)
  }
  return { type, kv, prevKv }
}

function readWatch(reader: ProtobufReader): WatchResponse {
  let header = NO_HEADER
  let created = false
  let canceled = false
  let compactRevision = 0
  let cancelReason = ''
  let fragment = false
  const events: WireEvent[] = []
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) header = reader.message(readHeader)
    else if (tag === number(3)) created = reader.bool()
    else if (tag === number(4)) canceled = reader.bool()
    else if (tag === number(5)) compactRevision = reader.safeUint()
    else if (tag === delimited(6)) cancelReason = reader.looseText()
    else if (tag === number(7)) fragment = reader.bool()
    else if (tag === delimited(11)) events.push(reader.message(readEvent))
    else reader.skip(tag)
  }
  return { header, created, canceled, compactRevision, cancelReason, fragment, events }
}
