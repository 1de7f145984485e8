// Transactions as etcd has them. First all comparisons, also of transactions within it, on what is there before; then the
// operations of the way that is taken, each on what those before it have left.
import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { StoredItem, Transaction } from '../transactional.ts'
import { arranged, needsAll, toKeyRange } from './ranges.ts'
import {
  type Compare,
  COMPARE_CREATE,
  COMPARE_LEASE,
  COMPARE_MOD,
  COMPARE_VALUE,
  COMPARE_VERSION,
  type DeleteRangeRequest,
  EQUAL,
  GREATER,
  LESS,
  NOT_EQUAL,
  type PutRequest,
  type RangeRequest,
  type RequestOp,
  type TxnRequest,
} from './requests.ts'
import type { DeleteRangeAnswer, OpAnswer, PutAnswer, RangeAnswer, TxnAnswer } from './responses.ts'
import { failure } from './rpc-failure.ts'

/** What reads at a past revision have found; the past does not change. */
export type PastReads = ReadonlyMap<RangeRequest, RangeAnswer | Error>

interface Decided {
  readonly succeeded: boolean
  readonly ops: readonly (Exclude<RequestOp, { kind: 'txn' }> | { readonly kind: 'decided'; readonly txn: Decided })[]
}

export function runTxn(transaction: Transaction, request: TxnRequest, past: PastReads): TxnAnswer {
  return execute(transaction, decide(transaction, request), past)
}

function decide(transaction: Transaction, request: TxnRequest): Decided {
  const succeeded = request.compare.every((compare) => holds(transaction, compare))
  const ops = (succeeded ? request.success : request.failure).map((op) =>
    op.kind === 'txn' ? { kind: 'decided' as const, txn: decide(transaction, op.txn) } : op,
  )
  return { succeeded, ops }
}

function execute(transaction: Transaction, { succeeded, ops }: Decided, past: PastReads): TxnAnswer {
  const responses = ops.map((op): OpAnswer => {
    switch (op.kind) {
      case 'range':
        return { kind: 'range', range: runRange(transaction, op.range, past) }
      case 'put':
        return { kind: 'put', put: runPut(transaction, op.put) }
      case 'deleteRange':
        return { kind: 'deleteRange', deleteRange: runDeleteRange(transaction, op.deleteRange) }
      case 'decided':
        return { kind: 'txn', txn: execute(transaction, op.txn, past) }
      case 'none':
        throw failure('keyNotFound')
    }
  })
  return { revision: transaction.newest, succeeded, responses }
}

function runRange(transaction: Transaction, request: RangeRequest, past: PastReads): RangeAnswer {
  const found = past.get(request)
  if (found instanceof Error) throw found
  const revision = transaction.newest
  if (found !== undefined) return { ...found, revision }
  const { keysOnly, countOnly, limit } = request
  const range = toKeyRange(request)
  const isLimited = limit > 0 && !needsAll(request)
  const most = isLimited ? limit + 1 : Number.POSITIVE_INFINITY
  const items = countOnly ? [] : transaction.items(range, most)
  const count = countOnly || isLimited ? transaction.keys(range).length : items.length
  return { revision, ...arranged(items, request), count, keysOnly }
}

export function runPut(transaction: Transaction, request: PutRequest): PutAnswer {
  const { key, ignoreValue, ignoreLease, prevKv } = request
  if (request.lease !== 0n && transaction.secondsOfLease(request.lease) === undefined) throw failure('leaseNotFound')
  const previous = ignoreValue || ignoreLease || prevKv ? transaction.get(key) : undefined
  if ((ignoreValue || ignoreLease) && previous === undefined) throw failure('keyNotFound')
  const value = ignoreValue ? previous!.value : request.value
  const lease = ignoreLease ? previous!.lease : request.lease
  transaction.put({ key, value, lease })
  return { revision: transaction.newest, previous: prevKv ? previous : undefined }
}

function runDeleteRange(transaction: Transaction, request: DeleteRangeRequest): DeleteRangeAnswer {
  const range = toKeyRange(request)
  const previous = request.prevKv ? transaction.items(range, Number.POSITIVE_INFINITY) : []
  const keys = request.prevKv ? previous.map(({ key }) => key) : transaction.keys(range)
  for (const key of keys) transaction.remove(key)
  return { revision: transaction.newest, deleted: keys.length, previous }
}

/** One that is a call of its own, of any number of keys. */
export function runDelete(transaction: Transaction, request: DeleteRangeRequest): MaybePromise<DeleteRangeAnswer> {
  if (request.prevKv) return runDeleteRange(transaction, request)
  return whenKnown(transaction.removeRange(toKeyRange(request)), (deleted) => {
    return { revision: transaction.newest, deleted, previous: [] }
  })
}

function holds(transaction: Transaction, compare: Compare): boolean {
  const items =
    compare.rangeEnd === ''
      ? [transaction.get(compare.key)].filter((item) => item !== undefined)
      : transaction.items(toKeyRange(compare), Number.POSITIVE_INFINITY)
  // A key that is not there has no value to compare with; its numbers are zero.
  if (items.length === 0) return compare.target !== COMPARE_VALUE && isAsked(compare, orderOf(0n, numberOf(compare)))
  return items.every((item) => isAsked(compare, orderOfItem(item, compare)))
}

/** Of something else than the target nothing is given: that is zero. */
function numberOf({ target, given, number }: Compare): bigint {
  return given === target ? number : 0n
}

const NO_BYTES = Buffer.alloc(0)

function orderOfItem(item: StoredItem, compare: Compare): number {
  const number = numberOf(compare)
  switch (compare.target) {
    case COMPARE_VERSION:
      return orderOf(BigInt(item.version), number)
    case COMPARE_CREATE:
      return orderOf(BigInt(item.createRevision), number)
    case COMPARE_MOD:
      return orderOf(BigInt(item.revision), number)
    case COMPARE_LEASE:
      return orderOf(item.lease, number)
    default:
      return Buffer.compare(item.value, compare.given === COMPARE_VALUE ? compare.value : NO_BYTES)
  }
}

function orderOf(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isAsked({ result }: Compare, order: number): boolean {
  switch (result) {
    case EQUAL:
      return order === 0
    case NOT_EQUAL:
      return order !== 0
    case GREATER:
      return order > 0
    case LESS:
      return order < 0
    default:
      return true
  }
}
