// Checks a transaction before its keys are read, as etcd does: the number of operations, and keys that would change twice.
import type { DeleteRangeRequest, PutRequest, RequestOp, TxnRequest } from '../gen/rpc.ts'
import { sortRange, toSortKey } from '../key-order.ts'
import { checkRange } from './ranges.ts'
import { failure } from './rpc-failure.ts'

/** etcd's default limit for the operations of a transaction. */
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

/** Inner transactions may have the rest of the allowed operations. */
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
  // The answer of etcd to an unknown operation.
  throw failure('keyNotFound')
}

/** A range of sort keys: its start, and its exclusive end. */
type Interval = readonly [string, string]

interface Changes {
  readonly puts: Set<string>
  readonly deletes: readonly Interval[]
}

/**
 * The changes of all operations. Throws if a key is put twice, or put and deleted. The two branches of an inner transaction cannot
 * conflict, because only one of them runs.
 */
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

/** The end of a range without an end is the zero byte. etcd compares this end like any other here, so the range is empty. */
function intervalOf({ key, rangeEnd }: DeleteRangeRequest): Interval {
  return sortRange({ start: key, end: rangeEnd === '' ? `${key}\0` : rangeEnd })
}

function addPut(key: string, puts: Set<string>, deletes: readonly Interval[]): void {
  if (puts.has(key) || isInOne(key, deletes)) throw failure('duplicateKey')
  puts.add(key)
}

/** The intervals in order. Intervals that touch or overlap are joined. */
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
