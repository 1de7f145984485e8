// Compares the watch cache with the storage: one page a minute, the types in turn. After a difference the server is not ready until the
// cache and the storage are equal again, because reads of the object would be wrong. A type with unreadable objects cannot be compared.
import { setTimeout as pause } from 'node:timers/promises'
import { formatGroupResource } from '../api/object.ts'
import type { ListAt, StoredObject } from '../api/read.ts'
import type { WatchCache } from './cache.ts'
import type { Log } from '../lib/log.ts'
import { type Count, counter, type Family } from '../lib/measure.ts'
import type { Store, StoredResource } from '../store/store.ts'

const INTERVAL_MS = 60_000
/** The limits of a page: its objects, and its approximate bytes. */
const PAGE_OBJECTS = 500
const PAGE_BYTES = 4 * 1024 * 1024

interface CacheCheckParts {
  readonly cache: Pick<WatchCache, 'list' | 'load' | 'status'>
  readonly storage: Pick<Store, 'list'>
  readonly types: () => Iterable<{ readonly stored: StoredResource }>
  readonly log: Log
}

/** The counter of comparisons, under the reference's name. */
export function consistencyChecks(): Family<Count> {
  return counter(
    'apiserver_storage_consistency_checks_total',
    'Comparisons of the watch cache with the storage, by result.',
    ['group', 'resource', 'status'],
  )
}

export class CacheCheck {
  readonly #parts: CacheCheckParts
  /** The page to compare next. */
  #place: { readonly storagePrefix: string; readonly start: string } = { storagePrefix: '', start: '' }
  #difference: string | undefined
  readonly measure = consistencyChecks()

  readonly check = {
    name: 'watch-cache-consistency',
    check: () => {
      if (this.#difference !== undefined) throw new Error(this.#difference)
    },
  }

  constructor(parts: CacheCheckParts) {
    this.#parts = parts
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.step(signal)
    }
  }

  /** Compares the next page. */
  async step(signal: AbortSignal): Promise<void> {
    const { cache, log } = this.#parts
    const resource = cache.status().isReady ? this.#nextResource() : undefined
    if (resource === undefined) return
    const { group, resource: name, storagePrefix } = resource
    const start = storagePrefix === this.#place.storagePrefix ? this.#place.start : ''
    try {
      const { difference, next } = await this.#compare(resource, start, signal)
      this.measure.of(group, name, difference === undefined ? 'success' : 'failure').value++
      // A page with a difference is compared again.
      this.#place = difference === undefined ? { storagePrefix, start: next } : { storagePrefix, start }
      if (difference !== undefined && this.#difference === undefined) {
        log.error({ difference }, 'watch cache differs from the storage; restart this server')
      }
      this.#difference = difference
    } catch {
      // The page cannot be read now, or not at that revision any more.
      if (!signal.aborted) this.measure.of(group, name, 'error').value++
      this.#place = { storagePrefix, start: '' }
    }
  }

  /** The type to compare next: the current type if it has more pages or a difference, or the next type with objects. */
  #nextResource(): StoredResource | undefined {
    const { cache, types } = this.#parts
    const all = new Map(Array.from(types(), ({ stored }) => [stored.storagePrefix, stored]))
    const { storagePrefix, start } = this.#place
    const current = all.get(storagePrefix)
    if (current !== undefined && (start !== '' || this.#difference !== undefined)) return current
    const names = [...all.keys()].filter((name) => (cache.load(all.get(name)!)?.objects ?? 0) > 0).sort()
    return all.get(names.find((name) => name > storagePrefix) ?? names[0] ?? '')
  }

  /**
   * Compares a page of the cache and of the storage at the same revision. `next`: the start of the next page, empty after the last page.
   */
  async #compare(
    resource: StoredResource,
    start: string,
    signal: AbortSignal,
  ): Promise<{ difference: string | undefined; next: string }> {
    const { cache, storage } = this.#parts
    const at = (revision: number | undefined): ListAt => ({ kind: 'continuation', position: { revision, start } })
    const { objects = 1, bytes = 0 } = cache.load(resource) ?? {}
    const fitting = Math.floor((PAGE_BYTES * objects) / Math.max(bytes, 1))
    const page = { resource, limit: Math.max(1, Math.min(fitting, PAGE_OBJECTS)) }
    const cached = await cache.list({ ...page, at: start === '' ? { kind: 'any' } : at(undefined) }, signal)
    const { revision, next } = cached
    const stored = await storage.list(
      { ...page, at: start === '' ? { kind: 'exact', revision } : at(revision) },
      signal,
    )
    const [mine, theirs] = [await objectsOf(cached.batches), await objectsOf(stored.batches)]
    const different = differentName(mine, theirs)
    const what = formatGroupResource(resource)
    const difference = different === undefined ? undefined : `${what} ${different} at revision ${revision}`
    return { difference, next: next?.start ?? '' }
  }
}

type Batches = AsyncIterable<readonly StoredObject[]> | Iterable<readonly StoredObject[]>

async function objectsOf(batches: Batches): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = []
  for await (const batch of batches) objects.push(...batch)
  return objects
}

/** The name of the first object that differs. */
function differentName(mine: readonly StoredObject[], theirs: readonly StoredObject[]): string | undefined {
  for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
    const [a, b] = [mine[i], theirs[i]]
    const isSame =
      a?.name === b?.name && a?.namespace === b?.namespace && a?.revision === b?.revision && a?.bytes.equals(b!.bytes)
    if (isSame !== true) return nameOf(a ?? b!)
  }
  return undefined
}

function nameOf({ namespace, name }: StoredObject): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
