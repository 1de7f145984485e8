// A copy of a kind's objects that is kept true by a watch. Invariant: the copy is what the server had at `resourceVersion`, and every
// handler is told each difference between two states of the copy once, in the order of its object's changes.
import { type Clock, programClock } from '../lib/clock.ts'
import { ApiStatusError, ConnectionError, WatchExpiredError } from './errors.ts'
import { type Change, type EventHandler, HandlerQueue } from './handler-queue.ts'
import { type Indexers, keyOf, ObjectStore } from './object-store.ts'
import type { KubernetesObject, List, Stored } from './objects.ts'
import { patiently, settled } from './waiting.ts'
import { isNews, type OpenWatch, Reconnection, type WatchEvent } from './watch.ts'

/** What an informer does beside keeping its copy. */
export interface InformerOptions<T extends KubernetesObject, I extends string> {
  /** See `byIndex`. */
  readonly indexers?: Indexers<T, I>
  /** How often handlers are told of every object, as an update of itself. Absent: never. */
  readonly resyncMs?: number
  /** Absent: that of the client. */
  readonly clock?: Clock
  /**
   * Called when a handler throws, and when the server cannot be reached or refuses; the informer goes on. Absent: a warning of the process.
   */
  readonly onError?: (error: unknown) => void
}

/** Where the objects come from. */
export interface InformerSource<T extends KubernetesObject> {
  list(signal: AbortSignal): Promise<List<T>>
  readonly watch: OpenWatch<T>
  /** A watch that begins with what is there (`sendInitialEvents`). */
  watchList(signal: AbortSignal): AsyncGenerator<WatchEvent<T>, void, undefined>
}

/** A handler that was added. */
export interface Registration {
  /** Resolves when the handler has been told of all that was there at the beginning; rejects when it is removed before. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /** Drops what it was still to be told; resolves when it does not run any more. */
  remove(): Promise<void>
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

/**
 * Of `resource.informer()`. After any number of broken connections the copy is what the server has; no change is missing and none is told
 * twice. Where the server has forgotten changes that were missed, the difference is told.
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

  /** Begins to follow the server; what goes wrong is told to `onError` and tried again. Once only. */
  start(): this {
    if (this.#running !== undefined || this.#stopping.signal.aborted) throw new Error('an informer starts once')
    this.#running = this.#run(this.#stopping.signal)
    const { resyncMs } = this.#options
    if (resyncMs !== undefined) this.#resyncAfter(resyncMs)
    return this
  }

  /** Resolves when nothing of it is left: no connection, no timer, no handler that runs. Not to be awaited by a handler of its own. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the informer was stopped'))
    this.#callOffResync()
    this.#synced.reject(this.#stopping.signal.reason)
    await Promise.all([this.#running, ...[...this.#queues].map((queue) => queue.close())])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Resolves when the copy is complete for the first time; rejects with the signal, and when the informer stops before. */
  waitForSync(signal?: AbortSignal): Promise<void> {
    return settled(this.#synced.promise, signal)
  }

  /** Whether the copy has ever been complete. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Up to where the copy is true; undefined before it is complete, and while it is read anew. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion
  }

  /** How many objects the copy has. */
  get size(): number {
    return this.#store.size
  }

  /** Objects without a namespace are asked for without one. */
  get(name: string, namespace = ''): Stored<T> | undefined {
    return this.#store.get(`${namespace}/${name}`)
  }

  /** All objects of the copy. */
  list(): Stored<T>[] {
    return this.#store.list()
  }

  /** The objects that an indexer found this value for. */
  byIndex(indexer: I, value: string): Stored<T>[] {
    return this.#store.byIndex(indexer, value)
  }

  /** Is told of what is there now, as added, and of every change from then on. Each handler has a queue of its own. */
  addHandler(handler: EventHandler<T>): Registration {
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
        // The server is back: reading anew need not wait as long as the last attempts to reach it.
        if (this.#resourceVersion !== undefined) reconnection.succeeded()
        this.#resourceVersion = undefined
      } else if (!signal.aborted && !isCut(failure)) this.#report(failure)
      await reconnection.wait(signal, failure).catch(() => undefined)
    }
  }

  /** One connection, from where the copy is. */
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
      // How a server says that it does not know such watches.
      if (!(error instanceof ApiStatusError) || ![400, 422].includes(error.code)) throw error
      this.#hasWatchList = false
      await this.#follow(reconnection, signal)
    }
  }

  /** The copy becomes this; only what differs is told. */
  #replace(objects: ReadonlyMap<string, Stored<T>>, resourceVersion: string): void {
    for (const [key, old] of this.#store.entries()) if (!objects.has(key)) this.#remove(key, old)
    for (const [key, object] of objects) this.#put(key, object)
    this.#resourceVersion = resourceVersion
    if (this.#hasSynced) return
    this.#hasSynced = true
    this.#tell({ type: 'synced' })
    this.#synced.resolve()
  }

  /** Waits for handlers that are far behind. */
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
    // Another object of the same name: the old one was deleted, and nobody saw it.
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

  /** And from then on as often. Whoever moves the clock waits until the handlers have been told. */
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

/** The server no longer has the changes, or has gone back to before them. */
function isForgotten(error: unknown): boolean {
  if (error instanceof WatchExpiredError) return true
  const causes = error instanceof ApiStatusError ? error.details?.causes : undefined
  return causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false
}

/** A connection that was there and broke: what every watch comes to in the end. */
function isCut(error: unknown): boolean {
  return error instanceof ConnectionError && error.phase === 'sent'
}
