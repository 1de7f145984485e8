// Starts a watch on a type in memory: finds the first state of the watch, and registers the watch in the index.
import type { WatchEvent } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import { tooOldResourceVersion } from '../store/errors.ts'
import { keyInType, namespaceInType } from '../store/keys.ts'
import { type Matcher, matcherOf } from '../store/selection.ts'
import type { Store, Watch, WatchRequest } from '../store/store.ts'
import { type CachedState, listCached } from './cached-list.ts'
import type { TypeCache } from './type-cache.ts'
import type { Scope } from './watcher-index.ts'
import { Watcher } from './watcher.ts'

export interface WatchBeginning {
  readonly type: TypeCache
  /** The watch begins after this revision, which is not below the floor of the type's history. */
  readonly after: number
  /** The state as of that revision, for watches that begin with a state. */
  readonly state: CachedState | undefined
  readonly onEnd: (watcher: Watcher) => void
}

/** Keys never contain this character, so it sorts after all keys. */
const NOWHERE = '\x7f'

export async function watchCached(
  request: WatchRequest,
  beginning: WatchBeginning,
  signal: AbortSignal,
): Promise<Watcher> {
  const { resource, namespace, selection } = request
  const { type, after, onEnd } = beginning
  const matcher = matcherOf(resource, selection)
  const prefix = namespace === undefined ? '' : (namespaceInType(namespace) ?? NOWHERE)
  const { initEvents: returned } = type.measures
  const state =
    beginning.state && (await listCached({ ...beginning.state, returned }, { ...request, at: { kind: 'any' } }))
  return new Watcher(
    {
      resource,
      scope: scopeOf(request, type, matcher, prefix),
      prefix,
      matcher,
      history: type.history,
      index: type.watchers,
      after,
      state: state?.batches,
      bookmarks: request.bookmarks,
      skipUnreadable: request.skipUnreadable === true,
      onEnd,
    },
    signal,
  )
}

function scopeOf(request: WatchRequest, type: TypeCache, matcher: Matcher | undefined, prefix: string): Scope {
  const { resource } = request
  const namespace = request.namespace ?? matcher?.namespace
  if (matcher?.name !== undefined) {
    const isPlaced = namespace !== undefined || !resource.namespaced
    const place = { resource, namespace: resource.namespaced ? (namespace ?? 'any') : '', name: matcher.name }
    const key = keyInType(place) ?? NOWHERE
    return isPlaced ? { kind: 'key', key } : { kind: 'name', suffix: key.slice(key.indexOf('/')) }
  }
  if (matcher?.indexed !== undefined) {
    const place = type.fields.placeOf(matcher.indexed.field.name)
    if (place >= 0) return { kind: 'field', place, value: matcher.indexed.value }
  }
  // A label usually selects fewer objects than a namespace.
  if (matcher?.label !== undefined) return { kind: 'label', ...matcher.label }
  return prefix === '' ? { kind: 'all' } : { kind: 'namespace', prefix }
}

/** Watches the storage, which may still have changes from before the history of the cache (D8). */
export async function watchStorage(
  store: Pick<Store, 'watch'>,
  request: WatchRequest,
  from: { readonly after: number; readonly floor: number },
  signal: AbortSignal,
): Promise<Watch> {
  try {
    return await store.watch(request, signal)
  } catch (error) {
    const isExpired = error instanceof ApiError && error.reason === 'Expired'
    throw isExpired ? tooOldResourceVersion(from.after, from.floor) : error
  }
}

/**
 * A watch that begins when the cache has reached the revision of its start. Before that, the cache does not know whether the revision
 * changed several objects. The client may have seen only some of these changes.
 */
export class LaterWatch implements Watch {
  readonly #open: () => Promise<Watch | undefined>
  #begun: Watch | undefined

  /** `open` resolves with the watch when the revision is reached. Undefined: the revision is never reached. */
  constructor(open: () => Promise<Watch | undefined>) {
    this.#open = open
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    this.#begun = await this.#open()
    if (this.#begun !== undefined) yield* this.#begun
  }

  follow(take: (event: WatchEvent) => boolean): Promise<boolean> {
    return this.#begun?.follow?.(take) ?? Promise.resolve(true)
  }

  passedOn(): number | undefined {
    return this.#begun?.passedOn?.()
  }
}
