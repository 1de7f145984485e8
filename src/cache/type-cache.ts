// One type in memory: current objects, snapshots, history, indexes and watchers. A change goes through all of them in one turn of the event
// loop, so that readers never see only a part of it.
import type { IndexedPlace } from '../api/indexed-place.ts'
import type { ApiError } from '../api/status.ts'
import { newSortedTree } from '../lib/sorted-tree.ts'
import { compareStrings } from '../lib/text-order.ts'
import { Change } from '../store/change.ts'
import type { Matcher } from '../store/selection.ts'
import type { StoredResource } from '../store/store.ts'
import type { TypeLoad } from './cache-status.ts'
import type { FindIn, Finder } from './cached-list.ts'
import type { CachedItem, CachedObject } from './cached-object.ts'
import { FieldIndex } from './field-index.ts'
import { History, type HistoryLimits, type HistoryRecord } from './history.ts'
import { LabelIndex } from './label-index.ts'
import { SlabAllocator } from './slab.ts'
import type { TypeMeasures } from './measures.ts'
import { findPinned, type FoundByIndex, PathIndexes } from './path-index.ts'
import { type PastBudget, type PastHolder, RECORD_BYTES } from './past-budget.ts'
import { type ItemTree, Snapshots } from './snapshots.ts'
import type { CurrentObjects } from './value-index.ts'
import type { Watcher } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

/** The number of changes whose encodings are kept for slower watchers, and the time for which they are kept. */
const EVENTS_KEPT = 64
const EVENTS_MS = 10_000
/** A past state with more changes after it is searched without an index. */
const MOST_CHANGED = 20_000

export interface TypeCacheOptions {
  readonly resource: StoredResource
  readonly limits: HistoryLimits
  readonly budget: PastBudget
  readonly revision: number
  /** Whether the revision may have changed several objects of the type. */
  readonly isShared: boolean
  readonly nowMs: number
  readonly measures: () => TypeMeasures
  /** The first objects. Absent: there are none. */
  readonly shared?: SharedType | undefined
}

/** The objects of a type at one moment, which never change. A clone of the tree shares all nodes. A write to one of the two copies the nodes that it changes. */
export interface SharedType {
  readonly tree: ItemTree
  readonly unreadable: number
  readonly bytes: number
}

export class TypeCache implements Finder, PastHolder {
  readonly namespaced: boolean
  readonly fields: FieldIndex
  readonly watchers: WatcherIndex<Watcher>
  readonly slabs = new SlabAllocator()
  /** The current objects, in order. To keep them beyond this turn of the event loop, make a snapshot. */
  readonly tree: ItemTree
  /** The same objects by key, without those of `shared`. A lookup in the tree compares a dozen texts. */
  readonly #items = new Map<string, CachedItem>()
  readonly #beganShared: boolean
  readonly #limits: HistoryLimits
  readonly #budget: PastBudget
  readonly #labels = new LabelIndex()
  readonly #paths = new PathIndexes()
  readonly #findMeasures: () => TypeMeasures
  #measures: TypeMeasures | undefined
  /** The readers that wait for the first object. */
  readonly #awaiting = new Set<() => void>()
  #nowMs: number
  /** The last changes, with their encodings, as a ring buffer. */
  readonly #withEvents: (HistoryRecord | undefined)[] = []
  #changes = 0
  #unreadable: number
  #bytes = 0
  #snapshots: Snapshots
  #history: History

  constructor(options: TypeCacheOptions) {
    const { shared } = options
    const indexed = options.resource.selectableFields.filter((field) => field.indexed)
    this.namespaced = options.resource.namespaced
    this.tree = shared?.tree.clone() ?? newSortedTree(compareStrings)
    this.#beganShared = shared !== undefined
    this.#unreadable = shared?.unreadable ?? 0
    this.fields = new FieldIndex(indexed, shared === undefined ? undefined : () => this.#objects())
    this.watchers = new WatcherIndex(indexed)
    this.#findMeasures = options.measures
    this.#limits = options.limits
    this.#budget = options.budget
    this.#nowMs = options.nowMs
    this.#countBytes(shared?.bytes ?? 0)
    this.#history = new History(options, options.limits, options.budget)
    this.#snapshots = this.#newSnapshots(options.revision)
  }

  share(): SharedType {
    this.slabs.parsed ??= new WeakMap()
    return { tree: this.tree.clone(), unreadable: this.#unreadable, bytes: this.#bytes }
  }

  /** The measures are made at their first use: a type can have a dozen of them, and most types have no objects. */
  get measures(): TypeMeasures {
    return (this.#measures ??= this.#findMeasures())
  }

  get snapshots(): Snapshots {
    return this.#snapshots
  }

  get history(): History {
    return this.#history
  }

  get size(): number {
    return this.tree.size
  }

  /** The number of unreadable objects. */
  get unreadable(): number {
    return this.#unreadable
  }

  /** The bytes of the current objects. */
  get bytes(): number {
    return this.#bytes
  }

  get pastBytes(): number {
    return this.#history.bytes + this.#snapshots.bytes
  }

  forgetPast(downTo: number): void {
    while (this.pastBytes > downTo) {
      const change = this.#history.firstRevision ?? Infinity
      const state = this.#snapshots.firstRevision ?? Infinity
      if (change <= state) this.#history.forgetFirst()
      else this.#snapshots.forgetFirst()
    }
    this.slabs.compact(this.#history.floor)
  }

  /** Resolves at the next change, before any watcher gets it, or when no change can come, or the signal fires. */
  untilNext(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#awaiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#awaiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  /** Ends all watches, with an error if history is lost. Also wakes the readers that wait for a change: they may find it in the storage. */
  endWatches(error: ApiError | undefined): void {
    this.#wake()
    const { watchers } = this
    if (error !== undefined) this.measures.terminated.value += watchers.size
    for (const watcher of watchers.everyone()) {
      if (error === undefined) watcher.finish()
      else watcher.fail(error)
    }
  }

  #wake(): void {
    for (const done of this.#awaiting) done()
  }

  /** Gives back the type's share of the budget. */
  close(): void {
    this.#wake()
    this.#history.forgetAll()
    this.#snapshots.forgetAll()
    this.#budget.stored -= this.#bytes
  }

  get(key: string): CachedItem | undefined {
    const item = this.#items.get(key)
    return item === undefined && this.#beganShared ? this.tree.get(key) : item
  }

  find(matcher: Matcher, { snapshot, revision, isPaged }: FindIn): FoundByIndex | undefined {
    const found = this.#findNewest(matcher, isPaged)
    if (found === undefined || this.#snapshots.isNewest(snapshot)) return found
    // The indexes have the newest state. The objects that have changed since the snapshot are candidates too.
    if (revision < this.#history.floor) return undefined
    const changed = this.#history.between(revision, Infinity)
    if (changed.length > MOST_CHANGED) return undefined
    const keys = new Set(found.objects.map(({ key }) => key))
    for (const { key } of changed) keys.add(key)
    const then = Array.from(keys, (key) => snapshot.tree.get(key))
    return { name: found.name, objects: then.filter((item) => item?.kind === 'object') }
  }

  #findNewest(matcher: Matcher, isPaged: boolean): FoundByIndex | undefined {
    const { indexed, label, pins } = matcher
    if (indexed !== undefined) {
      return { name: indexed.field.name, objects: this.fields.find(indexed.field, indexed.value) ?? [] }
    }
    const pinned = findPinned(pins, (path) => this.fields.at(path) ?? this.#paths.at(path), this.tree.size)
    if (pinned !== undefined) return pinned
    if (label === undefined || isPaged) return undefined
    const objects = this.#labels.find(label, this.#current())
    return objects && { name: 'labels', objects }
  }

  /** Sets the places that are indexed besides the indexed fields. */
  indexBy(places: readonly IndexedPlace[]): void {
    this.#paths.set(
      places.filter(({ path }) => this.fields.at(path) === undefined),
      this.#current(),
    )
  }

  get load(): TypeLoad {
    const indexes: TypeLoad['indexes'] = () => [...this.fields.loads(), ...this.#paths.loads()]
    return { objects: this.size, bytes: this.bytes, watchers: this.watchers.size, indexes }
  }

  #current(): CurrentObjects {
    return { size: this.tree.size, nowMs: this.#nowMs, objects: (from) => this.#objects(from) }
  }

  /** Adds an item of a load, without events. `begin` must follow. */
  fill(item: CachedItem): void {
    this.#replace(item.key, item, item.revision)
  }

  /** Ends a load: history and snapshots begin here. `isShared`: the revision may have changed several objects of the type. */
  begin(revision: number, isShared: boolean): void {
    this.#history.forgetAll()
    this.#snapshots.forgetAll()
    this.#history = new History({ revision, isShared }, this.#limits, this.#budget)
    this.#snapshots = this.#newSnapshots(revision)
  }

  /** Applies a change and offers it to watchers. Undefined `item`: the object was removed. */
  apply(change: {
    readonly key: string
    readonly item: CachedItem | undefined
    readonly revision: number
    readonly nowMs: number
  }): void {
    const { key, item, revision, nowMs } = change
    const previous = this.#replace(key, item, revision)
    if (item === undefined && previous === undefined) return
    if (this.#awaiting.size > 0) this.#wake()
    const record = recordOf(new Change(revision, item, previous), { key, item, previous, atMs: nowMs })
    this.#history.add(record)
    this.#snapshots.changed(revision)
    this.#keepEventsOf(record)
    let told = 0
    this.watchers.forEach(record, (watcher) => {
      watcher.offer(record)
      told++
    })
    this.measures.received.value++
    this.measures.storageEvents.value++
    this.measures.dispatched.value += told
  }

  /** Forgets changes and states that are too old. */
  expire(nowMs: number): void {
    this.#nowMs = nowMs
    this.#snapshots.expire(nowMs)
    this.#history.expire(nowMs)
    this.slabs.compact(this.#history.floor)
    for (const [at, record] of this.#withEvents.entries()) {
      if (record === undefined || record.atMs > nowMs - EVENTS_MS) continue
      record.change.forgetEvents()
      this.#withEvents[at] = undefined
    }
  }

  #replace(key: string, item: CachedItem | undefined, revision: number): CachedItem | undefined {
    const previous = this.get(key)
    if (previous?.kind === 'object') {
      this.fields.remove(previous)
      this.#paths.remove(previous)
      this.#labels.remove(previous)
      this.#countBytes(-previous.length)
      this.slabs.retire(previous, revision)
    } else if (previous !== undefined) this.#unreadable--
    if (item === undefined) {
      this.#items.delete(key)
      if (previous !== undefined) this.tree.delete(key)
      return previous
    }
    if (item.kind === 'object') {
      this.fields.add(item)
      this.#paths.add(item)
      this.#labels.add(item)
      this.#countBytes(item.length)
    } else this.#unreadable++
    this.#items.set(key, item)
    this.tree.set(key, item)
    return previous
  }

  #countBytes(bytes: number): void {
    this.#bytes += bytes
    this.#budget.stored += bytes
  }

  /** Keeps the encodings of the newest changes. Older changes stay in the history without them. */
  #keepEventsOf(newest: HistoryRecord): void {
    const at = this.#changes++ % EVENTS_KEPT
    this.#withEvents[at]?.change.forgetEvents()
    this.#withEvents[at] = newest
  }

  *#objects(from?: string): Generator<CachedObject> {
    for (const item of this.tree.values(from)) if (item.kind === 'object') yield item
  }

  #newSnapshots(revision: number): Snapshots {
    return new Snapshots({ revision, history: this.#history, budget: this.#budget, current: this })
  }
}

export function recordOf(
  change: Change,
  about: {
    readonly key: string
    readonly item: CachedItem | undefined
    readonly previous: CachedItem | undefined
    readonly atMs: number
  },
): HistoryRecord {
  const { key, item, previous, atMs } = about
  const kept = item ?? previous
  return {
    revision: change.revision,
    change,
    key,
    previous,
    before: previous?.kind === 'object' ? previous.indexed : undefined,
    now: item?.kind === 'object' ? item.indexed : undefined,
    atMs,
    bytes: RECORD_BYTES + (kept?.kind === 'object' ? kept.length : 0),
  }
}
