// Everything under the prefix, in memory, by type. Items of unknown types are kept too, so that a type can be added at any
// moment: the definition of a custom resource may arrive after its objects.
import type { IndexedPlace } from '../api/indexed-place.ts'
import { formatGroupResource } from '../api/object.ts'
import type { Clock } from '../lib/clock.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { newSortedTree, type SortedTree } from '../lib/sorted-tree.ts'
import { compareStrings } from '../lib/text-order.ts'
import { Change } from '../store/change.ts'
import { namesOf } from '../store/keys.ts'
import type { FeedBatch, SourceChange, SourceItem } from '../store/source.ts'
import type { StoredResource, UnreadableObject } from '../store/store.ts'
import { type CachedItem, placeItem } from './cached-object.ts'
import type { HistoryLimits, HistoryRecord } from './history.ts'
import type { CacheMeasures } from './measures.ts'
import { PastBudget } from './past-budget.ts'
import { type Past, revisionOf } from './recent-history.ts'
import { recordOf, type SharedType, TypeCache } from './type-cache.ts'

export interface ContentsOptions {
  readonly clock: Clock
  readonly limits: HistoryLimits
  readonly measures: CacheMeasures
  /** Further places to index, by the names of types such as `deployments.apps`. Each type declares some itself. */
  readonly indexes: ReadonlyMap<string, readonly IndexedPlace[]>
  /** Called for every unreadable object of a known type. */
  readonly onUnreadable: (resource: StoredResource, item: UnreadableObject) => void
}

/** The contents at one moment, shared with another cache. Objects that both caches have are in memory once. */
export interface SharedContents {
  readonly revision: number
  readonly types: readonly (SharedType & Readonly<Pick<Typed, 'resource' | 'isGone'>>)[]
  readonly unclaimed: Unclaimed
  readonly newest: readonly string[] | undefined
}

/** The items of types that were not requested yet, by their keys below the prefix. */
type Unclaimed = SortedTree<string, SourceItem>

interface Typed {
  readonly type: TypeCache
  readonly resource: StoredResource
  /** The type's own indexes. */
  indexes: StoredResource['indexes']
  /** The type was removed. It is dropped with its last object. */
  isGone: boolean
}

interface Place extends Typed {
  /** The key within the type. */
  readonly key: string
}

interface PastRecords {
  readonly floor: number
  readonly all: HistoryRecord[]
}

export class Contents {
  readonly #options: ContentsOptions
  readonly #budget: PastBudget
  readonly #types = new Map<string, Typed>()
  readonly #unclaimed: Unclaimed
  #revision: number
  /** The keys that the newest revision has changed; undefined: they are not known. */
  #newest: readonly string[] | undefined

  constructor(options: ContentsOptions, shared?: SharedContents) {
    this.#options = options
    this.#budget = new PastBudget(options.limits)
    this.#revision = shared?.revision ?? 0
    this.#newest = shared?.newest
    this.#unclaimed = shared?.unclaimed.clone() ?? newSortedTree<string, SourceItem>(compareStrings)
    for (const { resource, isGone, ...type } of shared?.types ?? []) {
      const { indexes } = resource
      this.#types.set(resource.storagePrefix, { type: this.#newType(resource, type), resource, indexes, isGone })
    }
  }

  share(): SharedContents {
    const types = this.#types.values().map(({ type, resource, isGone }) => ({ resource, isGone, ...type.share() }))
    const unclaimed = this.#unclaimed.clone()
    return { revision: this.#revision, types: [...types], unclaimed, newest: this.#newest }
  }

  get types(): readonly TypeCache[] {
    return [...this.#types.values()].map(({ type }) => type)
  }

  get size(): number {
    return this.types.reduce((sum, type) => sum + type.size, this.#unclaimed.size)
  }

  get pastBytes(): number {
    return this.#budget.used
  }

  known(resource: StoredResource): TypeCache | undefined {
    return this.#types.get(resource.storagePrefix)?.type
  }

  /** Returns the type. A new type is filled with its items, which are loaded already. */
  typeOf(resource: StoredResource): TypeCache {
    const known = this.#types.get(resource.storagePrefix)
    if (known !== undefined) {
      known.isGone = false
      if (known.indexes !== resource.indexes) this.#index(known, resource)
      return known.type
    }
    const type = this.#newType(resource)
    this.#types.set(resource.storagePrefix, { type, resource, indexes: resource.indexes, isGone: false })
    const prefix = `${resource.storagePrefix}/`
    this.#unclaimed.forRange(prefix, `${prefix}\x7f`, false, (_key, item) => this.fill(item))
    this.#unclaimed.deleteRange(prefix, `${prefix}\x7f`, false)
    type.begin(this.#revision, this.#isShared(resource))
    return type
  }

  #newType(resource: StoredResource, shared?: SharedType): TypeCache {
    const { clock, limits, measures } = this.#options
    measures.initializations.of(resource.group, resource.resource).value++
    const type = new TypeCache({
      resource,
      limits,
      budget: this.#budget,
      revision: this.#revision,
      isShared: this.#isShared(resource),
      nowMs: clock.now(),
      measures: () => measures.of(resource),
      shared,
    })
    type.indexBy(this.#placesOf(resource))
    return type
  }

  #placesOf(resource: StoredResource): readonly IndexedPlace[] {
    return [...(this.#options.indexes.get(formatGroupResource(resource)) ?? []), ...(resource.indexes ?? [])]
  }

  /** Changes the indexes of a type. Its definition may name other indexes than before. */
  #index(typed: Typed, resource: StoredResource): void {
    typed.indexes = resource.indexes
    typed.type.indexBy(this.#placesOf(resource))
  }

  /** Whether the newest revision may have changed several objects of the type. */
  #isShared({ storagePrefix }: StoredResource): boolean {
    const changed = this.#newest?.filter((key) => key.startsWith(`${storagePrefix}/`))
    return changed === undefined || changed.length > 1
  }

  /** Removes a type as soon as it has no objects; it may be added again later. */
  forget(resource: StoredResource): void {
    const known = this.#types.get(resource.storagePrefix)
    if (known === undefined) return
    known.isGone = true
    this.#dropIfEmpty(known)
  }

  #dropIfEmpty({ type, resource }: Typed): void {
    if (type.size > 0) return
    type.close()
    this.#types.delete(resource.storagePrefix)
  }

  /** Adds an item of a load, without events. `begin` must follow the last item. */
  fill(item: SourceItem): void {
    const place = this.#placeOf(item.key)
    if (place === undefined) this.#unclaimed.set(item.key, detached(item))
    else if (namesOf(place.resource, place.key) !== undefined) place.type.fill(this.#placed(place, item))
  }

  /** Ends a load: the contents are the state as of this revision. */
  begin(revision: number): void {
    this.#revision = revision
    this.#newest = undefined
    for (const type of this.types) type.begin(revision, true)
  }

  apply(batch: FeedBatch): void {
    this.#revision = batch.revision
    this.#newest = keysOf(batch.changes, batch.revision)
    const nowMs = this.#options.clock.now()
    for (const change of batch.changes) this.#applyChange(change, nowMs)
    if (batch.compactedTo !== undefined) for (const type of this.types) type.snapshots.compact(batch.compactedTo)
    if (this.#budget.isOver) this.#budget.trim(this.types)
  }

  /** Adds changes from before the load to the history of every type. */
  extendHistory(past: Past): void {
    const records = new Map<TypeCache, PastRecords>(this.types.map((type) => [type, { floor: past.floor, all: [] }]))
    this.#newest ??= keysOf(past.changes, this.#revision)
    for (const change of past.changes) {
      const place = this.#placeOf(change.kind === 'put' ? change.item.key : change.key)
      const known = place === undefined ? undefined : records.get(place.type)
      if (place === undefined || known === undefined || namesOf(place.resource, place.key) === undefined) continue
      const hasPrevious = change.previous !== undefined || (change.kind === 'put' && change.isNew)
      // A change without its previous object cannot be sent to watchers, so history begins after it.
      if (!hasPrevious) records.set(place.type, { floor: revisionOf(change), all: [] })
      else known.all.push(this.#pastRecord(place, change))
    }
    for (const [type, { floor, all }] of records) type.history.extendBack(all, floor)
    this.#budget.trim(this.types)
  }

  expire(): void {
    const nowMs = this.#options.clock.now()
    for (const type of this.types) type.expire(nowMs)
  }

  #pastRecord(place: Place, change: SourceChange): HistoryRecord {
    const revision = revisionOf(change)
    const item = change.kind === 'put' ? placePast(place, change.item, revision) : undefined
    const previous = change.previous === undefined ? undefined : placePast(place, change.previous, revision)
    const atMs = this.#options.clock.now()
    return recordOf(new Change(revision, item, previous), { key: place.key, item, previous, atMs })
  }

  #applyChange(change: SourceChange, nowMs: number): void {
    const fullKey = change.kind === 'put' ? change.item.key : change.key
    const place = this.#placeOf(fullKey)
    if (place === undefined) {
      if (change.kind === 'put') this.#unclaimed.set(fullKey, detached(change.item))
      else this.#unclaimed.delete(fullKey)
      return
    }
    const { type, key, resource } = place
    if (namesOf(resource, key) === undefined) return
    const item = change.kind === 'put' ? this.#placed(place, change.item) : undefined
    type.apply({ key, item, revision: change.kind === 'put' ? change.item.revision : change.revision, nowMs })
    if (place.isGone) this.#dropIfEmpty(place)
  }

  #placed({ type, resource, key }: Place, item: SourceItem): CachedItem {
    const placed = placeItem(type.slabs, key, item)
    if (placed.kind === 'unreadable') {
      type.measures.unreadable.value++
      this.#options.onUnreadable(resource, placed)
    }
    return placed
  }

  /** Returns the type of a key. A storage prefix has one segment or two. If both prefixes are known, the longer one counts. */
  #placeOf(fullKey: string): Place | undefined {
    const first = fullKey.indexOf('/')
    const second = fullKey.indexOf('/', first + 1)
    for (const end of [second, first]) {
      const typed = end < 0 ? undefined : this.#types.get(fullKey.slice(0, end))
      if (typed !== undefined) return { ...typed, key: fullKey.slice(end + 1) }
    }
    return undefined
  }
}

/** The keys that a revision has changed. The revision is that of the last change, or a later one without changes. */
function keysOf(changes: readonly SourceChange[], revision: number): readonly string[] {
  const first = changes.findLastIndex((change) => revisionOf(change) < revision) + 1
  return changes.slice(first).map((change) => (change.kind === 'put' ? change.item.key : change.key))
}

function placePast({ type, key }: Place, item: SourceItem, revision: number): CachedItem {
  const placed = placeItem(type.slabs, key, item)
  if (placed.kind === 'object') type.slabs.retire(placed, revision)
  return placed
}

/** Copies bytes of the storage: they may be part of a much larger buffer, which they would keep in memory. */
function detached(item: SourceItem): SourceItem {
  const { content } = item
  return content.kind === 'readable' ? { ...item, content: { ...content, bytes: ownBytes(content.bytes) } } : item
}
