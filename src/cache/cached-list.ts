// Lists from a snapshot: a range of its tree, read lazily. Only a page with a limit is collected first, because its end must be
// known before it begins.
import { setImmediate } from 'node:timers/promises'
import type { StoredObject } from '../api/read.ts'
import type { Count } from '../lib/measure.ts'
import { sortInPieces } from '../lib/piece-sort.ts'
import type { CountKeys } from '../lib/runtime/count-keys.ts'
import { compareStrings } from '../lib/text-order.ts'
import { unreadableObjects } from '../store/errors.ts'
import { listRange, type ListRange, positionAfter } from '../store/list-range.ts'
import { type Matcher, matcherOf } from '../store/selection.ts'
import type { ListPage, ListRequest, StoredResource, UnreadableObject } from '../store/store.ts'
import type { CachedItem, CachedObject } from './cached-object.ts'
import type { FoundByIndex } from './path-index.ts'
import type { ItemTree, Snapshot } from './snapshots.ts'

const BATCH = 256
/** Items looked at in one turn of the event loop. */
const LOOKED_AT = 1_024
/** The same for a matcher that takes long, in milliseconds. */
const SLOW_MS = 8
const SORTED_AT_ONCE = 4_096

/** Finds objects by an index. Undefined: no index helps. */
export interface Finder {
  find(matcher: Matcher, list: FindIn): FoundByIndex | undefined
}

export interface FindIn {
  readonly snapshot: Snapshot
  /** The revision of the list. */
  readonly revision: number
  /** The end of a page depends on all later objects, matching or not. */
  readonly isPaged: boolean
}

export interface CachedState {
  readonly snapshot: Snapshot
  readonly revision: number
  readonly finder: Finder
  /** For `remainingItemCount`. */
  readonly countKeys?: CountKeys
  readonly fetched?: Count
  readonly returned?: Count
}

export async function listCached(state: CachedState, request: ListRequest): Promise<ListPage> {
  const { revision } = state
  const matcher = matcherOf(request.resource, request.selection)
  const range = listRange(request, matcher)
  if (range === undefined) return { revision, next: undefined, remaining: undefined, batches: [] }
  if (state.snapshot.unreadable > 0 && request.skipUnreadable !== true) refuseUnreadable(state, request, range)
  const read = itemsIn(state, range, { matcher, isPaged: request.limit !== undefined })
  const { items, index, isAnswer } = read instanceof Promise ? await read : read
  const test = isAnswer ? undefined : matcher
  if (request.limit === undefined) {
    return { revision, index, next: undefined, remaining: undefined, batches: walk(items, test, state.returned) }
  }
  const { found, isCut } = await fill(items, test, request.limit)
  if (state.returned !== undefined) state.returned.value += found.length
  const last = found.at(-1)
  if (!isCut || last === undefined) return { revision, index, next: undefined, remaining: undefined, batches: [found] }
  const next = positionAfter(last.key, range, revision)
  const remaining =
    matcher === undefined ? state.countKeys?.(state.snapshot.tree, `${last.key}\0`, range.end) : undefined
  return { revision, index, next, remaining, batches: [found] }
}

/** The readable objects of a namespace, or of all if it is empty. For types with few objects. */
export function listAtHand(
  tree: ItemTree | undefined,
  resource: StoredResource,
  namespace: string,
): readonly CachedObject[] | undefined {
  if (tree === undefined) return undefined
  if (tree.size === 0) return NOTHING
  const range = listRange({ resource, namespace: namespace || undefined, at: { kind: 'any' } }, undefined)
  if (range === undefined) return NOTHING
  const found: CachedObject[] = []
  for (const item of walkTree(tree, range)) if (item.kind === 'object') found.push(item)
  return found
}

const NOTHING: readonly CachedObject[] = []

interface Wanted {
  readonly matcher: Matcher | undefined
  readonly isPaged: boolean
}

interface Items {
  readonly items: Iterator<CachedItem>
  /** The index that found them. */
  readonly index?: string
  /** All of them match. */
  readonly isAnswer: boolean
}

/** The objects of an index in their order, or everything in the range. The state is read at once. */
function itemsIn(state: CachedState, range: ListRange, wanted: Wanted): Items | Promise<Items> {
  const { snapshot, revision, finder } = state
  const { matcher, isPaged } = wanted
  const found = matcher === undefined ? undefined : finder.find(matcher, { snapshot, revision, isPaged })
  if (state.fetched !== undefined) state.fetched.value += found?.objects.length ?? snapshot.tree.size
  if (found === undefined) return { items: walkTree(snapshot.tree, range), isAnswer: false }
  const { name: index, pin } = found
  const isAnswer = pin !== undefined && matcher?.isAnsweredBy(pin) === true
  const inRange = found.objects.filter(({ key }) => key >= range.start && key < range.end)
  if (inRange.length <= SORTED_AT_ONCE) return { items: inRange.sort(compareKeys).values(), index, isAnswer }
  return sortedInTurns(inRange).then((sorted) => ({ items: sorted.values(), index, isAnswer }))
}

function compareKeys(a: CachedObject, b: CachedObject): number {
  return compareStrings(a.key, b.key)
}

async function sortedInTurns(objects: readonly CachedObject[]): Promise<readonly CachedObject[]> {
  const steps = sortInPieces(objects, compareKeys)
  for (let until = performance.now() + SLOW_MS; ; ) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLOW_MS
  }
}

function* walkTree(tree: ItemTree, range: ListRange): Generator<CachedItem> {
  // One array for all pairs: the walk allocates nothing.
  for (const [key, item] of tree.entries(range.start, [])) {
    if (key >= range.end) return
    yield item
  }
}

async function* walk(
  items: Iterator<CachedItem>,
  matcher: Matcher | undefined,
  returned: Count | undefined,
): AsyncGenerator<readonly StoredObject[]> {
  for (;;) {
    const batch: CachedObject[] = []
    const isEnd = takeSome(items, matcher, { into: batch, most: BATCH })
    if (returned !== undefined) returned.value += batch.length
    if (batch.length > 0) yield batch
    if (!isEnd && (batch.length === 0 || matcher?.isSlow === true)) await setImmediate()
    if (isEnd) return
  }
}

/** True at the end. */
function takeSome(
  items: Iterator<CachedItem>,
  matcher: Matcher | undefined,
  take: { readonly into: CachedObject[]; readonly most: number },
): boolean {
  const until = matcher?.isSlow === true ? performance.now() + SLOW_MS : undefined
  for (let looked = 0; looked < LOOKED_AT && take.into.length < take.most; looked++) {
    const { done, value } = items.next()
    if (done === true) return true
    if (value.kind === 'object' && (matcher === undefined || matcher.matches(value))) take.into.push(value)
    if (until !== undefined && performance.now() >= until) return false
  }
  return false
}

/** The objects of a page. `isCut`: there are objects behind them, matching or not. */
async function fill(
  items: Iterator<CachedItem>,
  matcher: Matcher | undefined,
  limit: number,
): Promise<{ readonly found: readonly CachedObject[]; readonly isCut: boolean }> {
  const found: CachedObject[] = []
  for (;;) {
    if (takeSome(items, matcher, { into: found, most: limit })) return { found, isCut: false }
    if (found.length === limit) return { found, isCut: items.next().done !== true }
    await setImmediate()
  }
}

function refuseUnreadable(state: CachedState, request: ListRequest, range: ListRange): void {
  const unreadable: UnreadableObject[] = []
  for (const item of walkTree(state.snapshot.tree, range)) if (item.kind === 'unreadable') unreadable.push(item)
  if (unreadable.length > 0) throw unreadableObjects(request.resource, 'list', unreadable)
}
