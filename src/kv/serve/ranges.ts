// Ranges of etcd's API: finds the keys of a request, and selects and orders the items of the answer.
import {
  type KeyValue,
  type RangeRequest,
  RangeRequestSortOrder as Order,
  RangeRequestSortTarget as By,
} from '../gen/rpc.ts'
import { toSortKey } from '../key-order.ts'
import type { Given } from '../rpc.ts'
import type { KeyRange, StoredItem } from '../transactional.ts'
import { failure } from './rpc-failure.ts'

export interface WireRange {
  readonly key: string
  /** Empty: the range is one key. A zero byte: the range has no end. */
  readonly rangeEnd: string
}

export function toKeyRange(range: WireRange): KeyRange {
  const { key: start, rangeEnd } = range
  if (rangeEnd === '') return { start, end: `${start}\0` }
  if (rangeEnd === '\0') return { start, end: undefined }
  return { start, end: isEmptyRange(range) ? start : rangeEnd }
}

/** Whether the range contains no key: its end is not after its start. */
export function isEmptyRange({ key, rangeEnd }: WireRange): boolean {
  return rangeEnd !== '' && rangeEnd !== '\0' && toSortKey(key) >= toSortKey(rangeEnd)
}

export function checkRange({ key, sortOrder, sortTarget }: RangeRequest): void {
  if (key === '') throw failure('emptyKey')
  const isKnown = sortOrder >= 0 && sortOrder <= Order.DESCEND && sortTarget >= 0 && sortTarget <= By.VALUE
  if (!isKnown) throw failure('invalidSortOption')
}

/** Whether the first item is known only after all keys of the range were read. */
export function needsAll(request: RangeRequest): boolean {
  return request.sortOrder !== 0 || request.sortTarget !== By.KEY || hasBounds(request)
}

/** Whether the order is not that of keys. If the request gives no order, RangeStream ignores the target. */
export function isSorted({ sortOrder, sortTarget }: RangeRequest): boolean {
  return sortOrder === Order.DESCEND || (sortOrder === Order.ASCEND && sortTarget !== By.KEY)
}

export function hasBounds(request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request
  return minModRevision !== 0 || maxModRevision !== 0 || minCreateRevision !== 0 || maxCreateRevision !== 0
}

/** Filters, sorts and limits all items of the range of a request. `more`: the limit has cut off items. */
export function arranged(
  items: readonly StoredItem[],
  request: RangeRequest,
): { readonly kvs: readonly Given<KeyValue>[]; readonly more: boolean } {
  const kept = hasBounds(request) ? items.filter((item) => isWithin(item, request)) : items
  const sorted = sortedBy(kept, request)
  const { limit } = request
  const more = limit > 0 && sorted.length > limit
  return { kvs: shown(more ? sorted.slice(0, limit) : sorted, request), more }
}

export function shown(items: readonly StoredItem[], { keysOnly }: RangeRequest): readonly Given<KeyValue>[] {
  if (!keysOnly) return items
  return items.map(({ key, revision, createRevision, version, lease }) => {
    return { key, revision, createRevision, version, lease }
  })
}

function isWithin({ revision, createRevision }: StoredItem, request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request
  return (
    (maxModRevision === 0 || revision <= maxModRevision) &&
    (minModRevision === 0 || revision >= minModRevision) &&
    (maxCreateRevision === 0 || createRevision <= maxCreateRevision) &&
    (minCreateRevision === 0 || createRevision >= minCreateRevision)
  )
}

/** `items` are in the order of their keys. */
function sortedBy(items: readonly StoredItem[], { sortOrder, sortTarget }: RangeRequest): readonly StoredItem[] {
  if (sortTarget === By.KEY) return sortOrder === Order.DESCEND ? items.toReversed() : items
  const compare = COMPARE[sortTarget]!
  return items.toSorted(sortOrder === Order.DESCEND ? (a, b) => compare(b, a) : compare)
}

const COMPARE: Readonly<Record<number, (a: StoredItem, b: StoredItem) => number>> = {
  [By.VERSION]: (a, b) => a.version - b.version,
  [By.CREATE]: (a, b) => a.createRevision - b.createRevision,
  [By.MOD]: (a, b) => a.revision - b.revision,
  [By.VALUE]: (a, b) => Buffer.compare(a.value, b.value),
}
