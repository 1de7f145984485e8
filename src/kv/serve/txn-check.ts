// What etcd refuses of a transaction before it looks at any key: too many operations, and a key that would be changed twice.
import type { DeleteRangeRequest, PutRequest, RequestOp, TxnRequest } from '../gen/rpc.ts'
import { sortRange, toSortKey } from '../key-order.ts'
import { checkRange } from './ranges.ts'
import { failure } from './rpc-failure.ts'

/** etcd's default. */
const MAX_OPS = 128

export function checkPut({ key, value, lease, ignoreValue, ignoreLease }: PutRequest): void {
  if (key === '') throw failure('emptyKey')
  if (ignoreValue && value.length > 0) throw failure('valueProvided')
  if (ignoreLease && lease !== 0n) throw failure('leaseProvided')
}

export function checkDeleteRange({ key }: DeleteRangeRequest): void {
  if (key === '') throw failure('emptyKey')
}

export function checkTxn(request: TxnRequest): void {
  checkOps(request, MAX_OPS)
  changesOf(request.success)
  changesOf(request.failure)
}

/** Transactions within it have what it leaves them of the operations. */
function checkOps({ compare, success, failure: otherwise }: TxnRequest, most: number): void {
  const count = Math.max(compare.length, success.length, otherwise.length)
  if (count > most) throw failure('tooManyOps')
  for (const { key } of compare) if (key === '') throw failure('emptyKey')
  for (const op of [...success, ...otherwise]) checkOp(op, most - count)
}

function checkOp({ range, put, deleteRange, txn }: RequestOp, most: number): void {
  if (range !== undefined) return checkRange(range)
  if (put !== undefined) return checkPut(put)
  if (deleteRange !== undefined) return checkDeleteRange(deleteRange)
  if (txn !== undefined) return checkOps(txn, most)
  // As etcd answers an operation that it does not know.
  throw failure('keyNotFound')
}

/** From sort key to sort key. */
type Interval = readonly [string, string]

interface Changes {
  readonly puts: Set<string>
  readonly deletes: readonly Interval[]
}

/** Throws where a key is put twice, or put and deleted; of the two ways that a transaction can go only one is taken. */
function changesOf(ops: readonly RequestOp[]): Changes {
  const puts = new Set<string>()
  let deletes = merged(ops.flatMap(({ deleteRange }) => (deleteRange === undefined ? [] : [intervalOf(deleteRange)])))
  for (const { txn } of ops) {
    if (txn === undefined) continue
    const [one, other] = [changesOf(txn.success), changesOf(txn.failure)]
    for (const key of one.puts.union(other.puts)) addPut(key, puts, deletes)
    deletes = merged([...deletes, ...one.deletes, ...other.deletes])
  }
  for (const { put } of ops) if (put !== undefined) addPut(toSortKey(put.key), puts, deletes)
  return { puts, deletes }
}

/** Of a range without an end etcd takes the zero byte that says so for its end: it has no key that is also put. */
function intervalOf({ key, rangeEnd }: DeleteRangeRequest): Interval {
  return sortRange({ start: key, end: rangeEnd === '' ? `${key}\0` : rangeEnd })
}

function addPut(key: string, puts: Set<string>, deletes: readonly Interval[]): void {
  if (puts.has(key) || isInOne(key, deletes)) throw failure('duplicateKey')
  puts.add(key)
}

/** In their order, those that touch as one. */
function merged(intervals: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = []
  for (const [start, end] of intervals.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = result.at(-1)
    if (start >= end) continue
    if (last === undefined || start > last[1]) result.push([start, end])
    else if (end > last[1]) result[result.length - 1] = [last[0], end]
  }
  return result
}

function isInOne(key: string, intervals: readonly Interval[]): boolean {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (intervals[middle]![0] <= key) low = middle + 1
    else high = middle
  }
  const last = intervals[low - 1]
  return last !== undefined && key < last[1]
}
