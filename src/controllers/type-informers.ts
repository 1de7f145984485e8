// Informers for all types, including types that custom resource definitions add, change and remove meanwhile. Handlers get objects as they
// are stored, so that a failing conversion webhook does not matter.
import { CancelledError } from '../lib/errors.ts'
import { LightSignal } from '../lib/light-signal.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { StoredResource } from '../store/store.ts'
import { asStored } from './stored-types.ts'
import { type InformerHandler, type InformerSource, runInformer } from './informer.ts'

export interface TypeInformersOptions {
  readonly source: InformerSource
  /** The types to follow, in any version; duplicates are followed once. */
  readonly typesIn: (table: ResourceTable) => Iterable<Resource>
  readonly handler: (type: InformedType) => InformerHandler
  /** Called when all informers have synced, and again after every change of the types. */
  readonly onComplete?: () => void
  /** Called when a type is no longer served and no longer followed. Its handler is not called again. */
  readonly onEnded?: (type: InformedType, signal: AbortSignal) => Promise<void>
}

/** A followed type. The record stays the same while the type is followed, even if its definition changes. */
export interface InformedType {
  readonly stored: StoredResource
  /** The resource in its current served version, or in the last one. */
  readonly resource: Resource
  readonly isServed: boolean
}

interface Followed extends InformedType {
  resource: Resource
  isServed: boolean
  readonly stop: LightSignal
}

export class TypeInformers {
  readonly #options: TypeInformersOptions
  readonly #followed = new Map<string, Followed>()
  /** The types that have not synced yet. */
  readonly #loading = new Set<Followed>()
  readonly #running = new Set<Promise<void>>()
  readonly #failed = Promise.withResolvers<never>()
  readonly #synced = Promise.withResolvers<void>()
  /** Whether the table has not changed since it was last read. */
  #isCurrent = false
  #signal: AbortSignal | undefined

  constructor(options: TypeInformersOptions) {
    this.#options = options
    // `run` reports the failure while it runs.
    this.#failed.promise.catch(() => {})
  }

  /** Resolves when all informers have synced for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise
  }

  /** Whether all informers have synced. */
  get isComplete(): boolean {
    return this.#isCurrent && this.#loading.size === 0
  }

  /** Follows the types until the signal fires. Resolves when nothing is followed any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>()
    const stop = (): void => stopped.resolve()
    signal.addEventListener('abort', stop, { once: true })
    const stopListening = this.#options.source.resources().onChange(() => this.lookAgain())
    this.#signal = signal
    try {
      if (signal.aborted) return
      this.#look(signal)
      await Promise.race([stopped.promise, this.#failed.promise])
    } finally {
      signal.removeEventListener('abort', stop)
      stopListening()
      this.#signal = undefined
      const reason = new CancelledError()
      for (const followed of this.#followed.values()) followed.stop.fire(reason)
      await Promise.allSettled(this.#running)
    }
  }

  /** Call this when other types must be followed. Several calls in one turn of the event loop have one effect. */
  lookAgain(): void {
    if (!this.#isCurrent) return
    this.#isCurrent = false
    setImmediate(() => {
      if (this.#signal !== undefined && !this.#signal.aborted) this.#look(this.#signal)
    })
  }

  #look(signal: AbortSignal): void {
    const there = new Set<string>()
    for (const resource of this.#options.typesIn(this.#options.source.resources())) {
      const key = resource.stored.storagePrefix
      there.add(key)
      const known = this.#followed.get(key)
      if (known?.stored.namespaced === resource.stored.namespaced) known.resource = resource
      else {
        // The type was removed and made again with the same name, in another scope.
        if (known !== undefined) this.#end(key, known)
        this.#begin(key, resource, signal)
      }
    }
    for (const [key, followed] of this.#followed) if (!there.has(key)) this.#end(key, followed)
    this.#isCurrent = true
    this.#tellIfComplete()
  }

  #begin(key: string, resource: Resource, signal: AbortSignal): void {
    const { source, handler, onEnded } = this.#options
    const followed: Followed = { stored: asStored(resource), resource, isServed: true, stop: new LightSignal() }
    this.#followed.set(key, followed)
    this.#loading.add(followed)
    const told = handler(followed)
    const onSynced = (): void => {
      told.onSynced?.()
      if (this.#loading.delete(followed)) this.#tellIfComplete()
    }
    // When `run` ends, it fires the `stop` of each followed type.
    const running = runInformer(source.registry.store, followed, { ...told, onSynced }, followed.stop)
      .then(() => (followed.isServed ? undefined : onEnded?.(followed, signal)))
      .catch((error: unknown) => this.#failed.reject(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #end(key: string, followed: Followed): void {
    followed.isServed = false
    followed.stop.fire(new CancelledError())
    this.#followed.delete(key)
    this.#loading.delete(followed)
  }

  #tellIfComplete(): void {
    if (!this.isComplete) return
    this.#synced.resolve()
    this.#options.onComplete?.()
  }
}
