// Transactions of etcd. First all comparisons run, including those of inner transactions, on the state before the transaction. Then the
// operations of the chosen branch run, each on the result of the earlier operations.
import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import {
  type Compare,
  CompareResult,
  CompareTarget,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { StoredItem, Transaction } from '../transactional.ts'
import { arranged, needsAll, toKeyRange } from './ranges.ts'
import { failure } from './rpc-failure.ts'
import type { Answer } from './service.ts'

/** The results of reads at past revisions, which do not change. */
export type PastReads = ReadonlyMap<RangeRequest, Given<RangeResponse> | Error>

interface Decided {
  readonly succeeded: boolean
  readonly ops: readonly (RequestOp | Decided)[]
}

export function runTxn(transaction: Transaction, request: TxnRequest, past: PastReads): Answer<TxnResponse> {
  return { ...execute(transaction, decide(transaction, request), past), header: { revision: transaction.newest } }
}

function decide(transaction: Transaction, request: TxnRequest): Decided {
  const succeeded = request.compare.every((compare) => holds(transaction, compare))
  const ops = (succeeded ? request.success : request.failure).map((op) =>
    op.txn === undefined ? op : decide(transaction, op.txn),
  )
  return { succeeded, ops }
}

function execute(transaction: Transaction, { succeeded, ops }: Decided, past: PastReads): Given<TxnResponse> {
  const responses = ops.map((op): Given<ResponseOp> => {
    // As in etcd, the header of an inner transaction is empty.
    if ('succeeded' in op) return { txn: { ...execute(transaction, op, past), header: {} } }
    if (op.range !== undefined) return { range: runRange(transaction, op.range, past) }
    if (op.put !== undefined) return { put: runPut(transaction, op.put) }
    if (op.deleteRange !== undefined) return { deleteRange: runDeleteRange(transaction, op.deleteRange) }
    throw failure('keyNotFound')
  })
  return { succeeded, responses }
}

function runRange(transaction: Transaction, request: RangeRequest, past: PastReads): Given<RangeResponse> {
  const found = past.get(request)
  if (found instanceof Error) throw found
  const header = { revision: transaction.newest }
  if (found !== undefined) return { ...found, header }
  const { countOnly, limit } = request
  const range = toKeyRange(request)
  const isLimited = limit > 0 && !needsAll(request)
  const most = isLimited ? limit + 1 : Number.POSITIVE_INFINITY
  const items = countOnly ? [] : transaction.items(range, most)
  const count = countOnly || isLimited ? transaction.keys(range).length : items.length
  return { header, ...arranged(items, request), count }
}

export function runPut(transaction: Transaction, request: PutRequest): Answer<PutResponse> {
  const { key, ignoreValue, ignoreLease, prevKv } = request
  if (request.lease !== 0n && transaction.secondsOfLease(request.lease) === undefined) throw failure('leaseNotFound')
  const previous = ignoreValue || ignoreLease || prevKv ? transaction.get(key) : undefined
  if ((ignoreValue || ignoreLease) && previous === undefined) throw failure('keyNotFound')
  const value = ignoreValue ? previous!.value : request.value
  const lease = ignoreLease ? previous!.lease : request.lease
  transaction.put({ key, value, lease })
  return { header: { revision: transaction.newest }, prevKv: prevKv ? previous : undefined }
}

function runDeleteRange(transaction: Transaction, request: DeleteRangeRequest): Answer<DeleteRangeResponse> {
  const range = toKeyRange(request)
  const prevKvs = request.prevKv ? transaction.items(range, Number.POSITIVE_INFINITY) : []
  const keys = request.prevKv ? prevKvs.map(({ key }) => key) : transaction.keys(range)
  for (const key of keys) transaction.remove(key)
  return { header: { revision: transaction.newest }, deleted: keys.length, prevKvs }
}

/** Runs a DeleteRange call that is not part of a transaction. It may delete any number of keys. */
export function runDelete(
  transaction: Transaction,
  request: DeleteRangeRequest,
): MaybePromise<Answer<DeleteRangeResponse>> {
  if (request.prevKv) return runDeleteRange(transaction, request)
  return whenKnown(transaction.removeRange(toKeyRange(request)), (deleted) => {
    return { header: { revision: transaction.newest }, deleted }
  })
}

function holds(transaction: Transaction, compare: Compare): boolean {
  const items =
    compare.rangeEnd === ''
      ? [transaction.get(compare.key)].filter((item) => item !== undefined)
      : transaction.items(toKeyRange(compare), Number.POSITIVE_INFINITY)
  // A missing key has no value to compare. Its numbers are zero.
  if (items.length === 0)
    return compare.target !== CompareTarget.VALUE && isAsked(compare, orderOf(0n, numberOf(compare)))
  return items.every((item) => isAsked(compare, orderOfItem(item, compare)))
}

/** The number to compare with. Zero if the request gives no number for the target. */
function numberOf({ target, version, createRevision, modRevision, lease }: Compare): bigint {
  const given = [version, createRevision, modRevision, undefined, lease]
  return given[target] ?? 0n
}

const NO_BYTES = Buffer.alloc(0)

function orderOfItem(item: StoredItem, compare: Compare): number {
  const number = numberOf(compare)
  switch (compare.target) {
    case CompareTarget.VERSION:
      return orderOf(BigInt(item.version), number)
    case CompareTarget.CREATE:
      return orderOf(BigInt(item.createRevision), number)
    case CompareTarget.MOD:
      return orderOf(BigInt(item.revision), number)
    case CompareTarget.LEASE:
      return orderOf(item.lease, number)
    default:
      return Buffer.compare(item.value, compare.value ?? NO_BYTES)
  }
}

function orderOf(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isAsked({ result }: Compare, order: number): boolean {
  switch (result) {
    case CompareResult.EQUAL:
      return order === 0
    case CompareResult.NOT_EQUAL:
      return order !== 0
    case CompareResult.GREATER:
      return order > 0
    case CompareResult.LESS:
      return order < 0
    default:
      return true
  }
}
