// Follows every type that there is, also those that custom definitions add and take away while it runs.
import { systemClock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { ControllerParts, Follower } from './controllers.ts'
import { follow } from './controllers.ts'

/** How soon a type that was added is followed. Looking whether there is one costs nothing. */
const LOOK_EVERY_MS = 1_000

export interface TypeFollowersOptions {
  readonly parts: ControllerParts
  /** The types of a table that are to be followed, each once. */
  readonly typesIn: (table: ResourceTable) => Iterable<Resource>
  readonly follower: (resource: Resource) => Follower
}

interface Followed {
  readonly stop: AbortController
  readonly ended: Promise<void>
  isSynced: boolean
}

export class TypeFollowers {
  readonly #options: TypeFollowersOptions
  readonly #followed = new Map<string, Followed>()
  readonly #failed = Promise.withResolvers<never>()
  readonly #synced = Promise.withResolvers<void>()
  #table: ResourceTable | undefined

  constructor(options: TypeFollowersOptions) {
    this.#options = options
    // Told to who runs it, where it still runs.
    this.#failed.promise.catch(() => {})
  }

  /** Resolves when all that there was at the beginning has been told once. */
  get synced(): Promise<void> {
    return this.#synced.promise
  }

  /** Whether all types of now have been told completely. */
  get isComplete(): boolean {
    if (this.#table !== this.#options.parts.resources()) return false
    for (const { isSynced } of this.#followed.values()) if (!isSynced) return false
    return true
  }

  /** Until the signal fires; resolves when nothing is followed any more. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      do this.#refresh(signal)
      while (await Promise.race([pause(systemClock, LOOK_EVERY_MS, signal), this.#failed.promise]))
    } finally {
      const followed = [...this.#followed.values()]
      for (const { stop } of followed) stop.abort()
      await Promise.allSettled(followed.map(({ ended }) => ended))
    }
  }

  #refresh(signal: AbortSignal): void {
    const { parts, typesIn } = this.#options
    const table = parts.resources()
    if (table === this.#table) return
    this.#table = table
    const there = new Set<string>()
    for (const resource of typesIn(table)) {
      const key = resource.stored.storagePrefix
      there.add(key)
      if (!this.#followed.has(key)) this.#begin(key, resource, signal)
    }
    for (const [key, { stop }] of this.#followed) {
      if (there.has(key)) continue
      stop.abort()
      this.#followed.delete(key)
    }
    if (this.#followed.size === 0) this.#synced.resolve()
  }

  #begin(key: string, resource: Resource, signal: AbortSignal): void {
    const { parts, follower } = this.#options
    const stop = new AbortController()
    const told = follower(resource)
    const onSynced = (): void => {
      const followed = this.#followed.get(key)
      if (followed !== undefined) followed.isSynced = true
      told.onSynced?.()
      if (this.isComplete) this.#synced.resolve()
    }
    const both = AbortSignal.any([signal, stop.signal])
    const ended = follow(parts.registry.store, resource, { ...told, onSynced }, both).catch((error: unknown) =>
      this.#failed.reject(error),
    )
    this.#followed.set(key, { stop, ended, isSynced: false })
  }
}
