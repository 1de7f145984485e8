// What a handler is still to be told. Invariant: one call at a time, in the order of the changes; a slow handler delays no other.
import type { KubernetesObject, Stored } from './objects.ts'

/** What is called for changes. Where it returns a promise the next call waits for it. Objects must not be changed. */
export interface EventHandler<T extends KubernetesObject> {
  /** It is new, or was there when the handler was added. */
  add?(object: Stored<T>): void | Promise<void>
  /** `old` is the last that was told; it is `object` itself at a resync. */
  update?(old: Stored<T>, object: Stored<T>): void | Promise<void>
  /** It is gone. After a time without connection this is the last version that was known. */
  delete?(object: Stored<T>): void | Promise<void>
}

export type Change<T extends KubernetesObject> =
  | { readonly type: 'add' | 'delete'; readonly object: Stored<T> }
  | { readonly type: 'update'; readonly old: Stored<T>; readonly object: Stored<T> }
  /** All that was there at the beginning has been told. */
  | { readonly type: 'synced' }

/** A handler this far behind holds the informer back: what the server then forgets is told as the difference, later. */
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
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  /** Undefined where there is room; else resolves when there is, or when it is closed. */
  room(): Promise<void> | undefined {
    if (this.#behind < MOST_PENDING || this.#isClosed) return undefined
    return new Promise((resolve) => (this.#onRoom = resolve))
  }

  /** Resolves when the handler has been told of all that is pending. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** What is pending is dropped; resolves when the handler does not run any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#onRoom?.()
    this.#synced.reject(new Error('the handler was removed, or its informer stopped'))
    await this.#running
  }

  async #run(): Promise<void> {
    // Whoever made the change has done so before anybody is told.
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
