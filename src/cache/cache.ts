// The watch cache: a store that answers from memory. It follows the whole storage with one watch. A consistent read waits for one read of
// the storage's revision, which other reads share, and is then answered from memory. Writes go to the storage. `run` keeps the cache up to
// date, and `ready` resolves when it is loaded.
import type { ListAt, ReadAt, StoredObject } from '../api/read.ts'
import type { ApiError } from '../api/status.ts'
import { type Clock, repeat, systemClock } from '../lib/clock.ts'
import { throwIfCancelled } from '../lib/errors.ts'
import { type CountKeys, countByNodes } from '../lib/runtime/count-keys.ts'
import { notReady, type Operation, translateAgain, tooLargeResourceVersion, watchExpired } from '../store/errors.ts'
import type { CommitResult, ObjectChange } from '../store/commit.ts'
import { keyInType } from '../store/keys.ts'
import type { FollowableStore } from '../store/kv-store.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ListRequest,
  ObjectKey,
  Store,
  StoredItem,
  StoredResource,
  Watch,
  WatchRequest,
  WriteResult,
} from '../store/store.ts'
import { Barrier } from './barrier.ts'
import { Bookmarks } from './bookmarks.ts'
import type { CacheStatus, TypeLoad } from './cache-status.ts'
import { type CachedState, listAtHand, listCached } from './cached-list.ts'
import { LaterWatch, type WatchBeginning, watchCached, watchStorage } from './cached-watch.ts'
import type { Contents, ContentsOptions, SharedContents } from './contents.ts'
import { Follower } from './follower.ts'
import { HISTORY_LIMITS, type HistoryLimits } from './history.ts'
import { Loaded } from './loaded.ts'
import { CacheMeasures } from './measures.ts'
import { KeyTurns } from './key-turns.ts'
import { OwnWrites } from './own-writes.ts'
import type { IndexLoad } from './path-index.ts'
import { Progress } from './progress.ts'
import { isPast, type MemoryPlan, planRead } from './read-plan.ts'
import type { TypeCache } from './type-cache.ts'

/** The time that a reader waits for a revision (D18), and for a cache that is loading. */
const PATIENCE_MS = 3_000
/** The interval at which types without changes drop old history. */
const EXPIRE_MS = 15_000

export interface WatchCacheOptions extends Partial<Pick<ContentsOptions, 'onUnreadable'>> {
  readonly store: FollowableStore
  /** The types that are known from the start. Others are added at their first request. */
  readonly resources: readonly StoredResource[]
  /** The contents of another server's cache, if this server is a fork of that server. Absent: everything is loaded. */
  readonly shared?: SharedContents | undefined
  /** Whether past states are served from memory (`ListFromCacheSnapshot`). Absent: they are. */
  readonly servePastStates?: boolean
  readonly historyLimits?: HistoryLimits
  readonly countKeys?: CountKeys
  /** The clock for the age of past states and for bookmarks. */
  readonly clock?: Clock
  /** The clock for waiting requests and for retries of the storage. Absent: `clock`. */
  readonly waitClock?: Clock
  readonly measures?: CacheMeasures
  /** Further places to index, by the names of types. Each type declares some itself. */
  readonly indexes?: ContentsOptions['indexes']
  /** Called with the progress of a load. */
  readonly onLoading?: (loaded: number, total: number) => void
  /** Called with errors from which the cache recovers by itself. */
  readonly onError?: (error: unknown) => void
}

export type { CacheStatus, IndexLoad, SharedContents, TypeLoad }
export interface WatchCache extends Store {
  /** Loads everything and follows the storage until the signal fires. Then it ends every watch and resolves. Call it once. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when everything is loaded. Rejects with `CancelledError` when the signal fires. */
  ready(signal: AbortSignal): Promise<void>
  /** Resolves when the cache has every write before the call. */
  caughtUp(signal: AbortSignal): Promise<void>
  /** Commits the changes in the storage. */
  commit(changes: readonly ObjectChange[], signal: AbortSignal): Promise<CommitResult>
  peek(key: ObjectKey): StoredItem | undefined
  /** The contents, for the cache of a fork. The call takes time for each type, not for each object. Undefined: the cache is loading. */
  share(): SharedContents | undefined
  status(): CacheStatus
  /** The newest revision that watches may have sent. */
  readonly revision: number
  /** The largest number of changes of a type in the history. */
  readonly capacity: number
  /** Undefined: the type is not in memory. */
  load(resource: StoredResource): TypeLoad | undefined
  /**
   * Ends every watch of a type, without an error. `forms`: the resources of the type, one for each version. `isGone`: the type was removed.
   * It is dropped as soon as it has no objects, and the storage answers requests for these forms.
   */
  retire(forms: readonly StoredResource[], isGone: boolean): void
}

export function openWatchCache(options: WatchCacheOptions): WatchCache {
  return new MemoryStore(options)
}

const NOTHING: Pick<Contents, 'types' | 'size' | 'pastBytes'> = Object.freeze({ types: [], size: 0, pastBytes: 0 })

interface Read {
  readonly at: ListAt
  readonly verb: Operation['verb']
  readonly resource: StoredResource
}

interface TypeState extends CachedState {
  readonly type: TypeCache
}

class MemoryStore implements WatchCache {
  readonly #store: FollowableStore
  readonly #clock: Clock
  readonly capacity: number
  readonly #servePastStates: boolean
  readonly #countKeys: CountKeys
  readonly #follower: Follower
  readonly #progress: Progress
  readonly #barrier: Barrier
  readonly #bookmarks: Bookmarks
  readonly #ownWrites = new OwnWrites()
  readonly #turns: KeyTurns
  readonly #resources = new Map<string, StoredResource>()
  /** Types that were removed. */
  readonly #gone = new WeakSet<StoredResource>()
  readonly #loaded: Loaded
  readonly #life = new AbortController()
  /** Undefined while loading. */
  #contents: Contents | undefined

  constructor(options: WatchCacheOptions) {
    this.#store = options.store
    this.#clock = options.clock ?? systemClock
    const { waitClock = this.#clock } = options
    this.#turns = new KeyTurns(waitClock)
    this.#loaded = new Loaded(waitClock, () => this.#contents !== undefined)
    this.#servePastStates = options.servePastStates ?? true
    this.#countKeys = options.countKeys ?? countByNodes
    this.capacity = (options.historyLimits ?? HISTORY_LIMITS).records
    for (const resource of options.resources) this.#resources.set(resource.storagePrefix, resource)
    this.#progress = new Progress(waitClock, () => this.#follower.requestProgress())
    this.#barrier = new Barrier(this.#clock, this.#progress, () => this.#store.newestRevision(this.#life.signal))
    this.#bookmarks = new Bookmarks(this.#clock, () => this.#progress.revision)
    this.#follower = new Follower({
      source: options.store,
      shared: options.shared,
      clock: this.#clock,
      waitClock,
      limits: options.historyLimits ?? HISTORY_LIMITS,
      measures: options.measures ?? new CacheMeasures(),
      indexes: options.indexes ?? new Map(),
      onUnreadable: options.onUnreadable ?? (() => {}),
      prepare: (contents) => this.#resources.forEach((resource) => contents.typeOf(resource)),
      events: {
        onLoading: options.onLoading ?? (() => {}),
        onLoaded: (contents, revision) => this.#begin(contents, revision),
        onProgress: (revision) => this.#advance(revision),
        onLost: (error) => this.#lose(watchExpired(error)),
        onError: options.onError ?? (() => {}),
      },
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopExpiring = repeat(this.#clock, EXPIRE_MS, () => this.#contents?.expire())
    try {
      await this.#follower.run(signal)
    } finally {
      stopExpiring()
      this.#life.abort(signal.reason)
      this.#progress.end()
      this.#lose(undefined)
    }
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.#loaded.wait(signal)
    throwIfCancelled(signal)
  }

  async caughtUp(signal: AbortSignal): Promise<void> {
    await this.ready(signal)
    while (!(await this.#barrier.pass())) throwIfCancelled(signal)
  }

  get revision(): number {
    return this.#progress.revision
  }

  status(): CacheStatus {
    const { types, size: objects, pastBytes } = this.#contents ?? NOTHING
    const watchers = types.reduce((sum, type) => sum + type.watchers.everyone().length, 0)
    return { isReady: this.#contents !== undefined, revision: this.revision, objects, watchers, pastBytes }
  }

  share(): SharedContents | undefined {
    return this.#contents?.share()
  }

  load(resource: StoredResource): TypeLoad | undefined {
    return this.#contents?.known(resource)?.load
  }

  async get(key: ObjectKey, at: Exclude<ReadAt, { kind: 'exact' }>, signal: AbortSignal): Promise<GetResult> {
    const { resource } = key
    const type = (await this.#plan({ at, verb: 'get', resource }, signal)) && this.#typeOf(resource)
    if (type === undefined) return this.#store.get(key, at, signal)
    const inType = keyInType(key)
    const item = inType === undefined ? undefined : type.get(inType)
    // The object may be readable now: an encryption key may be back.
    if (item?.kind === 'unreadable' && at.kind !== 'any') return this.#store.get(key, at, signal)
    return { revision: this.#progress.revision, item }
  }

  peek(key: ObjectKey): StoredItem | undefined {
    const inType = keyInType(key)
    return inType === undefined ? undefined : this.#typeOf(key.resource)?.get(inType)
  }

  peekAll(resource: StoredResource, namespace: string): readonly StoredObject[] | undefined {
    return listAtHand(this.#typeOf(resource)?.tree, resource, namespace)
  }

  untilPresent(resource: StoredResource, signal: AbortSignal): Promise<void> | undefined {
    const type = this.#typeOf(resource)
    return type?.size === 0 ? type.untilNext(signal) : undefined
  }

  async list(request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    const { at, resource } = request
    const state = this.#stateOf(resource, await this.#plan({ at, verb: 'list', resource }, signal))
    // As with a single object, an unreadable object may be readable now.
    const mayHaveHealed = at.kind === 'latest' && (state?.snapshot.unreadable ?? 0) > 0
    if (state === undefined || mayHaveHealed) return this.#store.list(request, signal)
    const { lists, returned, fetched } = state.type.measures
    lists.value++
    return listCached({ ...state, countKeys: this.#countKeys, returned, fetched }, request)
  }

  async watch(request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    const { start, resource } = request
    const isLoaded = await this.#loaded.wait(signal, PATIENCE_MS)
    throwIfCancelled(signal)
    if (!isLoaded) throw notReady()
    if (start.kind !== 'after') {
      const state = this.#stateOf(resource, await this.#plan({ at: start.at, verb: 'watch', resource }, signal))
      if (state === undefined) return this.#store.watch(request, signal)
      const { type, revision: after } = state
      return this.#watchFrom(request, { type, after, state: start.kind === 'state' ? state : undefined }, signal)
    }
    const { revision } = start
    if (revision > this.#progress.revision) {
      return new LaterWatch(async () => {
        const isReached = await this.#progress.whenReached(revision, signal)
        throwIfCancelled(signal)
        return isReached ? this.watch(request, signal) : undefined
      })
    }
    const type = this.#typeOf(resource)
    const after = type?.history.resumedAfter(revision) ?? revision
    if (type === undefined || after < type.history.floor) {
      return watchStorage(this.#store, request, { after: revision, floor: type?.history.floor ?? 0 }, signal)
    }
    return this.#watchFrom(request, { type, after, state: undefined }, signal)
  }

  async write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult> {
    const type = this.#typeOf(key.resource)
    const inType = keyInType(key)
    if (type === undefined || inType === undefined) return this.#store.write(key, decide, signal)
    let cached = type.get(inType)
    if (cached?.kind === 'unreadable') return this.#store.write(key, decide, signal)
    const fullKey = `${key.resource.storagePrefix}/${inType}`
    const turn = this.#turns.take(fullKey)
    const begun = turn.begun(signal)
    if (begun !== undefined) {
      await begun
      cached = type.get(inType)
    }
    try {
      const current = this.#ownWrites.newest(fullKey, cached)
      const result = await this.#store.writeAssuming({ key, decide, current }, signal)
      this.#ownWrites.remember(fullKey, result, this.#progress.revision)
      return result
    } finally {
      turn.end()
    }
  }

  retire(forms: readonly StoredResource[], isGone: boolean): void {
    const [resource] = forms
    const type = resource === undefined ? undefined : this.#contents?.known(resource)
    for (const watcher of type?.watchers.everyone() ?? []) watcher.finish()
    if (!isGone || resource === undefined) return
    for (const form of forms) this.#gone.add(form)
    this.#resources.delete(resource.storagePrefix)
    this.#contents?.forget(resource)
  }

  async commit(changes: readonly ObjectChange[], signal: AbortSignal): Promise<CommitResult> {
    const committed = await this.#store.commit(changes, signal)
    if (committed.ok) this.#ownWrites.rememberAll(committed.written, this.#progress.revision)
    return committed
  }

  #typeOf(resource: StoredResource): TypeCache | undefined {
    if (this.#gone.has(resource)) return undefined
    if (!this.#resources.has(resource.storagePrefix)) this.#resources.set(resource.storagePrefix, resource)
    return this.#contents?.typeOf(resource)
  }

  /** Undefined: the storage must answer. */
  async #plan(read: Read, signal: AbortSignal): Promise<MemoryPlan | undefined> {
    for (let wanted = read.at; ; ) {
      const type = this.#typeOf(read.resource)
      const { revision } = this.#progress
      const oldestSnapshot = isPast(wanted) ? this.#oldestState(type) : undefined
      const plan = planRead(wanted, { isReady: type !== undefined, revision, oldestSnapshot })
      if (plan.kind === 'storage' || type === undefined) return undefined
      switch (plan.kind) {
        case 'current':
        case 'snapshot':
          return plan
        case 'freshen':
          if (!(await this.#freshen(type, read))) return undefined
          wanted = { kind: 'any' }
          break
        case 'wait':
          if (!(await this.#progress.reach(plan.revision, { timeoutMs: PATIENCE_MS, signal }))) {
            throwIfCancelled(signal)
            throw tooLargeResourceVersion(plan.revision, this.#progress.revision)
          }
      }
      throwIfCancelled(signal)
    }
  }

  /** Call this as soon as the plan is made. Undefined: the storage must answer. */
  #stateOf(resource: StoredResource, plan: MemoryPlan | undefined): TypeState | undefined {
    const type = this.#typeOf(resource)
    if (plan === undefined || type === undefined) return undefined
    const isNewest = plan.kind === 'current'
    const revision = isNewest ? this.#progress.revision : plan.revision
    const snapshot = isNewest ? type.snapshots.newest : type.snapshots.at(revision)
    return snapshot && { type, revision, snapshot, finder: type }
  }

  #oldestState(type: TypeCache | undefined): number | undefined {
    if (!this.#servePastStates || type === undefined) return undefined
    type.snapshots.expire(this.#clock.now())
    return type.snapshots.oldestRevision
  }

  async #freshen({ measures }: TypeCache, read: Read): Promise<boolean> {
    const began = performance.now()
    const isFresh = await this.#barrier.pass().catch((error: unknown) => {
      throw translateAgain(error, read)
    })
    measures.waited.observe((performance.now() - began) / 1000)
    if (isFresh) measures.current.value++
    else measures.fallback.value++
    return isFresh
  }

  async #watchFrom(request: WatchRequest, from: Omit<WatchBeginning, 'onEnd'>, signal: AbortSignal): Promise<Watch> {
    const { type } = from
    const onEnd = (watcher: Parameters<Bookmarks['remove']>[0]): void => this.#bookmarks.remove(watcher)
    const watcher = await watchCached(request, { ...from, onEnd }, signal)
    throwIfCancelled(signal)
    // If everything was loaded again meanwhile, the history for this watch is gone.
    if (this.#typeOf(request.resource) !== type) watcher.fail(watchExpired())
    else if (request.bookmarks) this.#bookmarks.add(watcher, request.timeoutMilliseconds)
    return watcher
  }

  #begin(contents: Contents, revision: number): void {
    this.#contents = contents
    this.#progress.reset(revision)
    this.#loaded.tell()
  }

  #advance(revision: number): void {
    this.#progress.advance(revision)
    this.#ownWrites.forgetUpTo(revision)
  }

  /** Ends every watch: with an error if history is lost, and without one if the cache stops. */
  #lose(error: ApiError | undefined): void {
    const types = this.#contents?.types ?? []
    this.#contents = undefined
    for (const type of types) type.endWatches(error)
  }
}
