// The meaning of a failed call. etcd distinguishes its errors only by their texts. So the text is looked up first, and then the gRPC
// status. Invariant: a verdict is `certain` only if etcd refused the call before it did anything.
import { InvariantError } from '../../lib/errors.ts'
import { KvError, type KvErrorCode } from '../kv.ts'

/** A call that ended with a gRPC status other than OK. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly status: number
  /** The address of the member, as the operator wrote it. */
  readonly endpoint: string

  constructor(status: number, message: string, endpoint: string) {
    super(message)
    this.status = status
    this.endpoint = endpoint
  }
}

/** A call that etcd has not processed. */
export class UntouchedError extends RpcError {}

export type Verdict =
  /** Worth a retry. `certain`: this attempt did nothing. */
  | { readonly kind: 'again'; readonly certain: boolean }
  /** Nothing was done: the token is not valid any more. */
  | { readonly kind: 'authenticate' }
  /** Nothing was done: the lease that the put names is gone. */
  | { readonly kind: 'lease-gone' }
  /** Nothing was done: there is a lease with that number. */
  | { readonly kind: 'lease-exists' }
  /** Nothing was done, and trying again does not help. */
  | { readonly kind: 'fail'; readonly code: KvErrorCode }
  /** etcd calls the request invalid: a bug of ours. */
  | { readonly kind: 'bug' }

const REFUSED: Verdict = { kind: 'again', certain: true }
const IN_DOUBT: Verdict = { kind: 'again', certain: false }
const LOGIN: Verdict = { kind: 'authenticate' }

const BY_TEXT: Readonly<Record<string, Verdict>> = Object.freeze({
  'etcdserver: mvcc: required revision has been compacted': { kind: 'fail', code: 'compacted' },
  'etcdserver: mvcc: required revision is a future revision': { kind: 'fail', code: 'future' },
  'etcdserver: mvcc: database space exceeded': { kind: 'fail', code: 'full' },
  'etcdserver: request is too large': { kind: 'fail', code: 'too-large' },
  'etcdserver: corrupt cluster': { kind: 'fail', code: 'corrupt' },
  'etcdserver: permission denied': { kind: 'fail', code: 'denied' },
  'etcdserver: authentication failed, invalid user ID or password': { kind: 'fail', code: 'denied' },
  'etcdserver: user name not found': { kind: 'fail', code: 'denied' },
  'etcdserver: invalid auth token': LOGIN,
  'etcdserver: revision of auth store is old': LOGIN,
  'etcdserver: user name is empty': LOGIN,
  'etcdserver: no leader': REFUSED,
  'etcdserver: too many requests': REFUSED,
  'etcdserver: rpc not supported for learner': REFUSED,
  'etcdserver: not capable': REFUSED,
  'etcdserver: requested lease not found': { kind: 'lease-gone' },
  'etcdserver: lease already exists': { kind: 'lease-exists' },
})

/** The gRPC status of a call that the member does not support. */
export const UNIMPLEMENTED = 12

/** The verdicts by the numbers of gRPC's statuses. */
const BY_STATUS: Readonly<Record<number, Verdict>> = Object.freeze({
  1: IN_DOUBT, // CANCELLED by etcd, not by us
  2: IN_DOUBT, // UNKNOWN
  4: IN_DOUBT, // DEADLINE_EXCEEDED
  7: { kind: 'fail', code: 'denied' }, // PERMISSION_DENIED
  8: IN_DOUBT, // RESOURCE_EXHAUSTED: also if HTTP/2 throttles the connection
  10: IN_DOUBT, // ABORTED
  [UNIMPLEMENTED]: { kind: 'fail', code: 'unavailable' }, // UNIMPLEMENTED: not an etcd of version 3
  13: IN_DOUBT, // INTERNAL
  14: IN_DOUBT, // UNAVAILABLE
  15: { kind: 'fail', code: 'corrupt' }, // DATA_LOSS
  16: LOGIN, // UNAUTHENTICATED
})

export function judge(error: RpcError): Verdict {
  if (error instanceof UntouchedError) return REFUSED
  const known = Object.hasOwn(BY_TEXT, error.message) ? BY_TEXT[error.message] : undefined
  if (known !== undefined) return known
  // The server's gRPC layer refuses a message over its limit before etcd sees it.
  if (error.message.startsWith('grpc: received message larger than max')) return { kind: 'fail', code: 'too-large' }
  return BY_STATUS[error.status] ?? { kind: 'bug' }
}

/** The error to throw if nothing was written and the call is not repeated. */
export function failure(error: RpcError, verdict: Verdict): KvError | InvariantError {
  const message = `etcd at ${error.endpoint}: ${error.message}`
  switch (verdict.kind) {
    case 'fail':
      return new KvError(verdict.code, message, { cause: error })
    case 'again':
      return new KvError('unavailable', message, { cause: error })
    case 'authenticate':
      return new KvError('denied', message, { cause: error })
    case 'lease-gone':
    case 'lease-exists':
    case 'bug':
      return new InvariantError(message, { cause: error })
  }
}
