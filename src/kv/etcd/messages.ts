// The messages of `proto/etcd/rpc.proto` as types, and the calls that carry them. Absent fields read as their zero; numbers
// are exact, or reading throws.
import protobuf from 'protobufjs/minimal.js'
import type { KeyValue } from '../kv.ts'
import { etcd } from './gen/messages.js'

export interface Header {
  readonly revision: number
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
}

export interface RangeRequest {
  readonly key: string
  /** Absent: just the key. */
  readonly rangeEnd?: string
  readonly limit?: number
  readonly revision?: number
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
  readonly rangeEnd?: string
  readonly startRevision: number
  readonly progressNotify?: boolean
  readonly prevKv?: boolean
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

export interface StatusResponse extends Answer {
  readonly version: string
  readonly dbSize: number
  readonly errors: readonly string[]
}

export interface Method<Request, Response> {
  readonly path: string
  readonly serialize: (request: Request) => Buffer
  readonly deserialize: (bytes: Buffer) => Response
}

export const RANGE: Method<RangeRequest, RangeResponse> = method('KV/Range', 'RangeRequest', 'RangeResponse')
export const TXN: Method<TxnRequest, TxnResponse> = method('KV/Txn', 'TxnRequest', 'TxnResponse')
export const COMPACT: Method<{ readonly revision: number }, Answer> = method(
  'KV/Compact',
  'CompactionRequest',
  'CompactionResponse',
)
export const WATCH: Method<WatchRequestMessage, WatchResponse> = method('Watch/Watch', 'WatchRequest', 'WatchResponse')
export const LEASE_GRANT: Method<{ readonly ttl: number; readonly id: number }, Answer> = method(
  'Lease/LeaseGrant',
  'LeaseGrantRequest',
  'LeaseGrantResponse',
)
export const STATUS: Method<object, StatusResponse> = method('Maintenance/Status', 'StatusRequest', 'StatusResponse')
export const AUTHENTICATE: Method<{ readonly name: string; readonly password: string }, { readonly token: string }> =
  method('Auth/Authenticate', 'AuthenticateRequest', 'AuthenticateResponse')

export function toKeyValue({ key, value, modRevision, createRevision }: WireKeyValue): KeyValue {
  return { key, value, revision: modRevision, createRevision }
}

function method<Request extends object, Response>(
  path: string,
  request: string,
  response: string,
): Method<Request, Response> {
  const { encode } = etcd[request]!
  const { decode } = etcd[response]!
  return {
    path: `/etcdserverpb.${path}`,
    serialize: (message) => encode(message).finish() as Buffer,
    deserialize: (bytes) => decode(new ExactReader(bytes)) as Response,
  }
}

/** Reads 64-bit integers as numbers without an object on the way, and keeps no fields that are not in the description. */
class ExactReader extends protobuf.BufferReader {
  override discardUnknown = true

  override int64(): never {
    let value = 0
    let factor = 1
    while (this.pos < this.len) {
      const byte = this.buf[this.pos++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a 64-bit integer that no number can hold')
        // The declared type is that of the package `long`, which is never made here.
        return value as never
      }
      factor *= 0x80
    }
    throw new RangeError('a message ends within a number')
  }

  /** Bytes that are not UTF-8 do not fail the whole answer: such keys are not ours. */
  override stringVerify(): string {
    return this.string()
  }
}
