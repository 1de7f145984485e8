// The changes that a handler has not seen yet. Invariants: a handler gets one call at a time, in order. A slow handler delays no other
// handler.
import type { KubernetesObject, Stored } from './objects.ts'

/** Functions that are called for changes. The next call waits for a returned promise. Do not change the objects. */
export interface EventHandler<T extends KubernetesObject> {
  /** The object is new, or existed when the handler was added. */
  add?(object: Stored<T>): void | Promise<void>
  /** `old` is the version of the last call. At a resync it is `object` itself. */
  update?(old: Stored<T>, object: Stored<T>): void | Promise<void>
  /** The object is gone. After an outage, `object` is the last known version. */
  delete?(object: Stored<T>): void | Promise<void>
}

export type Change<T extends KubernetesObject> =
  | { readonly type: 'add' | 'delete'; readonly object: Stored<T> }
  | { readonly type: 'update'; readonly old: Stored<T>; readonly object: Stored<T> }
  /** The handler has seen every initial object. */
  | { readonly type: 'synced' }

/** The informer waits for a handler that is this far behind. If the server forgets changes meanwhile, the handler gets the difference. */
const MOST_PENDING = 10_000

export class HandlerQueue<T extends KubernetesObject> {
  readonly #handler: EventHandler<T>
  readonly #onError: (error: unknown) => void
  readonly #synced = Promise.withResolvers<void>()
  #pending: Change<T>[] = []
  #behind = 0
  #running: Promise<void> | undefined
  #isClosed = false
  #onRoom: (() => void) | undefined

  constructor(handler: EventHandler<T>, onError: (error: unknown) => void) {
    this.#handler = handler
    this.#onError = onError
    this.#synced.promise.catch(() => undefined)
  }

  get synced(): Promise<void> {
    return this.#synced.promise
  }

  push(change: Change<T>): void {
    if (this.#isClosed) return
    this.#pending.push(change)
    this.#behind++
    this.#running ??= this.#run()
  }

  /** Undefined if there is room. Otherwise it resolves when there is room or the queue is closed. */
  room(): Promise<void> | undefined {
    if (this.#behind < MOST_PENDING || this.#isClosed) return undefined
    return new Promise((resolve) => (this.#onRoom = resolve))
  }

  /** Resolves when no change is pending. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Drops pending changes. Resolves when the handler no longer runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#onRoom?.()
    this.#synced.reject(new Error('the handler was removed, or its informer stopped'))
    await this.#running
  }

  async #run(): Promise<void> {
    // The informer completes its change before a handler sees it.
    await Promise.resolve()
    while (this.#pending.length > 0) {
      const changes = this.#pending
      this.#pending = []
      for (const change of changes) {
        if (this.#isClosed) return
        await this.#tell(change)
        if (--this.#behind === MOST_PENDING / 2) this.#onRoom?.()
      }
    }
    // Cleared without a wait: a change that is pushed during a wait would stay until the next push.
    this.#running = undefined
  }

  async #tell(change: Change<T>): Promise<void> {
    try {
      switch (change.type) {
        case 'add':
          return await this.#handler.add?.(change.object)
        case 'update':
          return await this.#handler.update?.(change.old, change.object)
        case 'delete':
          return await this.#handler.delete?.(change.object)
        case 'synced':
          return this.#synced.resolve()
      }
    } catch (error) {
      this.#onError(error)
    }
  }
}
