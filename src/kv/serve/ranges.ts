// Ranges as etcd's API has them: which keys a request means, and what of them is answered, in which order.
import { toSortKey } from '../key-order.ts'
import type { KeyRange, StoredItem } from '../transactional.ts'
import type { RangeRequest } from './requests.ts'
import { failure } from './rpc-failure.ts'

export interface WireRange {
  readonly key: string
  /** Empty: it is the one key; a zero byte: it is behind all keys. */
  readonly rangeEnd: string
}

export function toKeyRange(range: WireRange): KeyRange {
  const { key: start, rangeEnd } = range
  if (rangeEnd === '') return { start, end: `${start}\0` }
  if (rangeEnd === '\0') return { start, end: undefined }
  return { start, end: isEmptyRange(range) ? start : rangeEnd }
}

/** It ends before it begins. */
export function isEmptyRange({ key, rangeEnd }: WireRange): boolean {
  return rangeEnd !== '' && rangeEnd !== '\0' && toSortKey(key) >= toSortKey(rangeEnd)
}

const ASCENDING = 1
const DESCENDING = 2
const BY_KEY = 0
const BY_VERSION = 1
const BY_CREATE = 2
const BY_MOD = 3
const BY_VALUE = 4

export function checkRange({ key, sortOrder, sortTarget }: RangeRequest): void {
  if (key === '') throw failure('emptyKey')
  const isKnown = sortOrder >= 0 && sortOrder <= DESCENDING && sortTarget >= 0 && sortTarget <= BY_VALUE
  if (!isKnown) throw failure('invalidSortOption')
}

/** Whether all keys of the range have to be looked at before the first is known. */
export function needsAll(request: RangeRequest): boolean {
  return request.sortOrder !== 0 || request.sortTarget !== BY_KEY || hasBounds(request)
}

function hasBounds(request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request
  return minModRevision !== 0 || maxModRevision !== 0 || minCreateRevision !== 0 || maxCreateRevision !== 0
}

/** The items of the answer, of all of the range; `more` where the limit has cut some off. */
export function arranged(
  items: readonly StoredItem[],
  request: RangeRequest,
): { readonly items: readonly StoredItem[]; readonly more: boolean } {
  const kept = hasBounds(request) ? items.filter((item) => isWithin(item, request)) : items
  const sorted = sortedBy(kept, request)
  const { limit } = request
  return limit > 0 && sorted.length > limit
    ? { items: sorted.slice(0, limit), more: true }
    : { items: sorted, more: false }
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

/** They come in the order of their keys. */
function sortedBy(items: readonly StoredItem[], { sortOrder, sortTarget }: RangeRequest): readonly StoredItem[] {
  if (sortTarget === BY_KEY) return sortOrder === DESCENDING ? items.toReversed() : items
  const order = sortOrder === 0 ? ASCENDING : sortOrder
  const compare = COMPARE[sortTarget]!
  return items.toSorted(order === ASCENDING ? compare : (a, b) => compare(b, a))
}

const COMPARE: Readonly<Record<number, (a: StoredItem, b: StoredItem) => number>> = {
  [BY_VERSION]: (a, b) => a.version - b.version,
  [BY_CREATE]: (a, b) => a.createRevision - b.createRevision,
  [BY_MOD]: (a, b) => a.revision - b.revision,
  [BY_VALUE]: (a, b) => Buffer.compare(a.value, b.value),
}
