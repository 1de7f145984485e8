// The failures of etcd's API. Codes and messages are etcd's, since clients depend on them.
import { CancelledError } from '../../lib/errors.ts'
import { ProtobufError } from '../../wire/protobuf-error.ts'
import { KvError, type KvErrorCode } from '../kv.ts'

export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  /** The status code of gRPC. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const CANCELLED = 1
const UNKNOWN = 2
const INVALID_ARGUMENT = 3
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const FAILED_PRECONDITION = 9
const OUT_OF_RANGE = 11
const UNIMPLEMENTED = 12
const INTERNAL = 13
const UNAVAILABLE = 14
const DATA_LOSS = 15

export type FailureName = keyof typeof FAILURES

const FAILURES = {
  emptyKey: [INVALID_ARGUMENT, 'etcdserver: key is not provided'],
  keyNotFound: [INVALID_ARGUMENT, 'etcdserver: key not found'],
  valueProvided: [INVALID_ARGUMENT, 'etcdserver: value is provided'],
  leaseProvided: [INVALID_ARGUMENT, 'etcdserver: lease is provided'],
  tooManyOps: [INVALID_ARGUMENT, 'etcdserver: too many operations in txn request'],
  duplicateKey: [INVALID_ARGUMENT, 'etcdserver: duplicate key given in txn request'],
  invalidSortOption: [INVALID_ARGUMENT, 'etcdserver: invalid sort option'],
  tooLarge: [INVALID_ARGUMENT, 'etcdserver: request is too large'],
  compacted: [OUT_OF_RANGE, 'etcdserver: mvcc: required revision has been compacted'],
  future: [OUT_OF_RANGE, 'etcdserver: mvcc: required revision is a future revision'],
  full: [RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded'],
  tooManyRequests: [RESOURCE_EXHAUSTED, 'etcdserver: too many requests'],
  leaseNotFound: [NOT_FOUND, 'etcdserver: requested lease not found'],
  leaseExists: [FAILED_PRECONDITION, 'etcdserver: lease already exists'],
  leaseTtlTooLarge: [OUT_OF_RANGE, 'etcdserver: too large lease TTL'],
  stopped: [UNAVAILABLE, 'etcdserver: server stopped'],
  corrupt: [DATA_LOSS, 'etcdserver: corrupt cluster'],
} as const satisfies Record<string, readonly [number, string]>

export function failure(name: FailureName): RpcFailure {
  const [status, message] = FAILURES[name]
  return new RpcFailure(status, message)
}

export function unimplemented(message: string): RpcFailure {
  return new RpcFailure(UNIMPLEMENTED, message)
}

const BY_CODE: Readonly<Partial<Record<KvErrorCode, FailureName>>> = {
  compacted: 'compacted',
  future: 'future',
  full: 'full',
  'too-large': 'tooLarge',
  closed: 'stopped',
  corrupt: 'corrupt',
}

const STATUS_OF_CODE: Readonly<Partial<Record<KvErrorCode, number>>> = {
  unavailable: UNAVAILABLE,
  denied: PERMISSION_DENIED,
}

/** The failure for the client. Undefined: the error is a fault of this server, and its message is not for clients. */
export function toFailure(error: unknown): RpcFailure | undefined {
  if (error instanceof RpcFailure) return error
  if (error instanceof CancelledError) return new RpcFailure(CANCELLED, 'context canceled')
  if (error instanceof ProtobufError)
    return new RpcFailure(INTERNAL, `grpc: error unmarshalling request: ${error.message}`)
  if (!(error instanceof KvError)) return undefined
  const known = BY_CODE[error.code]
  return known === undefined ? new RpcFailure(STATUS_OF_CODE[error.code] ?? UNKNOWN, error.message) : failure(known)
}

export const INTERNAL_FAILURE: RpcFailure = new RpcFailure(INTERNAL, 'internal error')
