// A copy of a kind's objects that a watch keeps up to date. Invariant: the copy is the server's state at `resourceVersion`. Every handler
// sees each difference between two states once, and the changes of an object in order.
import { type Clock, programClock } from '../lib/clock.ts'
import { checkValue, fits, type ValueType } from '../lib/known-options.ts'
import { ApiStatusError, ConnectionError, WatchExpiredError } from './errors.ts'
import { type Change, type EventHandler, HandlerQueue } from './handler-queue.ts'
import { type Indexers, keyOf, ObjectStore } from './object-store.ts'
import type { KubernetesObject, List, Stored } from './objects.ts'
import { patiently, settled } from './waiting.ts'
import { isNews, type OpenWatch, Reconnection, type WatchEvent } from './watch.ts'

/** The options of an informer. */
export interface InformerOptions<T extends KubernetesObject, I extends string> {
  /** See `byIndex`. */
  readonly indexers?: Indexers<T, I>
  /** The interval at which handlers get an update of every object, changed or not. Default: never. */
  readonly resyncMs?: number
  /** Default: the client's. */
  readonly clock?: Clock
  /** Called when a handler throws, and when the server refuses or cannot be reached. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

export interface InformerSource<T extends KubernetesObject> {
  list(signal: AbortSignal): Promise<List<T>>
  readonly watch: OpenWatch<T>
  /** A watch that begins with the existing objects (`sendInitialEvents`). */
  watchList(signal: AbortSignal): AsyncGenerator<WatchEvent<T>, void, undefined>
}

/** A handler that was added. */
export interface Registration {
  /** Resolves when the handler has seen every initial object. Rejects if the handler is removed before. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /** Drops pending changes. Resolves when the handler no longer runs. */
  remove(): Promise<void>
}

/** The handler may be an object of a class with other members. */
const HANDLER: ValueType = {
  wanted: 'an object with a function add, update or delete',
  fits: (given) => ['add', 'update', 'delete'].some((name) => fits(Object(given)[name], 'function')),
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

/**
 * The result of `resource.informer()`. After any number of broken connections, the copy is up to date: no change is missing and no change
 * comes twice. If the server has forgotten changes, handlers get the difference.
 */
export class Informer<T extends KubernetesObject, I extends string = never> implements AsyncDisposable {
  readonly #source: InformerSource<T>
  readonly #options: InformerOptions<T, I>
  readonly #clock: Clock
  readonly #store: ObjectStore<T, I>
  readonly #queues = new Set<HandlerQueue<T>>()
  readonly #synced = Promise.withResolvers<void>()
  readonly #stopping = new AbortController()
  #resourceVersion: string | undefined
  #hasSynced = false
  #hasWatchList = true
  #running: Promise<void> | undefined
  #callOffResync: () => void = () => {}

  constructor(source: InformerSource<T>, options: InformerOptions<T, I> = {}) {
    this.#source = source
    this.#options = options
    this.#clock = options.clock ?? programClock
    this.#store = new ObjectStore(options.indexers ?? ({} as Indexers<T, I>))
    this.#synced.promise.catch(() => undefined)
  }

  /** Begins to follow the server. Failures go to `onError` and are retried. Call it once. */
  start(): this {
    if (this.#running !== undefined || this.#stopping.signal.aborted) throw new Error('an informer starts once')
    this.#running = this.#run(this.#stopping.signal)
    const { resyncMs } = this.#options
    if (resyncMs !== undefined) this.#resyncAfter(resyncMs)
    return this
  }

  /** Resolves when no connection, timer or handler is left. The informer's own handlers must not await this promise. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the informer was stopped'))
    this.#callOffResync()
    this.#synced.reject(this.#stopping.signal.reason)
    await Promise.all([this.#running, ...[...this.#queues].map((queue) => queue.close())])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Resolves when the copy is complete for the first time. Rejects when the signal fires or the informer stops. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    checkValue('waitForSync', 'signal', signal, 'signal?')
    return settled(this.#synced.promise, signal)
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** The resourceVersion of the copy. Undefined before the copy is complete, and while the copy is read again. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion
  }

  get size(): number {
    return this.#store.size
  }

  /** Leave the namespace out for objects that have none. */
  get(name: string, namespace = ''): Stored<T> | undefined {
    checkValue('informer.get', 'name', name, 'text')
    return this.#store.get(`${namespace}/${name}`)
  }

  list(): Stored<T>[] {
    return this.#store.list()
  }

  /** The objects for which the indexer returned this value. */
  byIndex(indexer: I, value: string): Stored<T>[] {
    return this.#store.byIndex(indexer, value)
  }

  /** The handler gets every existing object as added, and then every change. Each handler has a queue of its own. */
  addHandler(handler: EventHandler<T>): Registration {
    checkValue('informer.addHandler', 'handler', handler, HANDLER)
    const queue = new HandlerQueue(handler, (error) => this.#report(error))
    for (const object of this.#store.list()) queue.push({ type: 'add', object })
    if (this.#hasSynced) queue.push({ type: 'synced' })
    this.#queues.add(queue)
    return {
      waitForSync: (signal) => settled(queue.synced, signal),
      remove: () => {
        this.#queues.delete(queue)
        return queue.close()
      },
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const reconnection = new Reconnection(this.#clock)
    while (!signal.aborted) {
      const failure = await this.#follow(reconnection, signal).catch((error: unknown) => error)
      if (isForgotten(failure)) {
        // The server is back, so the backoff begins again.
        if (this.#resourceVersion !== undefined) reconnection.succeeded()
        this.#resourceVersion = undefined
      } else if (!signal.aborted && !isCut(failure)) this.#report(failure)
      await reconnection.wait(signal, failure).catch(() => undefined)
    }
  }

  /** Follows the server over one connection, from the copy's state on. */
  async #follow(reconnection: Reconnection, signal: AbortSignal): Promise<void> {
    if (this.#resourceVersion === undefined && this.#hasWatchList) {
      return this.#followFromStart(reconnection, signal)
    }
    if (this.#resourceVersion === undefined) {
      const { items, metadata } = await this.#source.list(signal)
      this.#replace(new Map(items.map((item) => [keyOf(item), item])), metadata.resourceVersion)
      reconnection.succeeded()
    }
    for await (const event of this.#source.watch(this.#resourceVersion, signal)) {
      reconnection.succeeded(isNews(event, this.#resourceVersion))
      await this.#take(event)
    }
  }

  async #followFromStart(reconnection: Reconnection, signal: AbortSignal): Promise<void> {
    const initial = new Map<string, Stored<T>>()
    let isInitial = true
    try {
      for await (const event of this.#source.watchList(signal)) {
        reconnection.succeeded(!isInitial && isNews(event, this.#resourceVersion))
        if (!isInitial) await this.#take(event)
        else if (event.type === 'DELETED') initial.delete(keyOf(event.object))
        else if (event.type !== 'BOOKMARK') initial.set(keyOf(event.object), event.object)
        else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
          isInitial = false
          this.#replace(initial, event.object.metadata.resourceVersion)
          initial.clear()
        }
      }
    } catch (error) {
      // An older server refuses such watches with these codes.
      if (!(error instanceof ApiStatusError) || ![400, 422].includes(error.code)) throw error
      this.#hasWatchList = false
      await this.#follow(reconnection, signal)
    }
  }

  /** Replaces the copy. Handlers get the differences. */
  #replace(objects: ReadonlyMap<string, Stored<T>>, resourceVersion: string): void {
    for (const [key, old] of this.#store.entries()) if (!objects.has(key)) this.#remove(key, old)
    for (const [key, object] of objects) this.#put(key, object)
    this.#resourceVersion = resourceVersion
    if (this.#hasSynced) return
    this.#hasSynced = true
    this.#tell({ type: 'synced' })
    this.#synced.resolve()
  }

  /** Applies an event to the copy, and waits for handlers that are far behind. */
  async #take(event: WatchEvent<T>): Promise<void> {
    if (event.type === 'DELETED') this.#remove(keyOf(event.object), event.object)
    else if (event.type !== 'BOOKMARK') this.#put(keyOf(event.object), event.object)
    this.#resourceVersion = event.object.metadata.resourceVersion
    for (const queue of this.#queues) {
      const room = queue.room()
      if (room !== undefined) await room
    }
  }

  #put(key: string, object: Stored<T>): void {
    const old = this.#store.get(key)
    if (old?.metadata.resourceVersion === object.metadata.resourceVersion) return
    // Another object has the name now. The deletion of the old one was missed.
    if (old !== undefined && old.metadata.uid !== object.metadata.uid) this.#remove(key, old)
    const change =
      this.#store.get(key) === undefined ? { type: 'add' as const } : { type: 'update' as const, old: old! }
    this.#store.set(key, object)
    this.#tell({ ...change, object })
  }

  #remove(key: string, object: Stored<T>): void {
    if (this.#store.get(key) === undefined) return
    this.#store.delete(key)
    this.#tell({ type: 'delete', object })
  }

  #tell(change: Change<T>): void {
    for (const queue of this.#queues) queue.push(change)
  }

  /** Repeats itself. A test that moves the clock waits until the handlers have run. */
  #resyncAfter(delayMs: number): void {
    this.#callOffResync = this.#clock.callAfter(delayMs, () => {
      this.#resyncAfter(delayMs)
      for (const object of this.#store.list()) this.#tell({ type: 'update', old: object, object })
      return patiently(Promise.all([...this.#queues].map((queue) => queue.idle())))
    })
  }

  #report(error: unknown): void {
    if (error === undefined) return
    const { onError = (reason: unknown) => process.emitWarning(String(reason)) } = this.#options
    onError(error)
  }
}

/** Whether the server no longer has the changes, or was restored to an earlier state. */
function isForgotten(error: unknown): boolean {
  if (error instanceof WatchExpiredError) return true
  const causes = error instanceof ApiStatusError ? error.details?.causes : undefined
  return causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false
}

/** Whether an open connection broke. Most watches end in this way. */
function isCut(error: unknown): boolean {
  return error instanceof ConnectionError && error.phase === 'sent'
}
