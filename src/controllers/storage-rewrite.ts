// Rewrites the stored objects of a type at a bounded rate: objects in an older version, in an encoding of kube-apiserver, or under an old
// encryption key. An object that is already in the current form is not written, so that watchers get no event.
import type { GroupResource } from '../api/object.ts'
import type { PagePosition, StoredObject } from '../api/read.ts'
import type { ApiError } from '../api/status.ts'
import { findMember } from '../codec/json-scan.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { forEachAtOnce } from '../lib/together.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { ListPage, Store } from '../store/store.ts'
import { asStored } from './stored-types.ts'
import { isReason } from './writes.ts'

const PAGE = 200
const AT_ONCE = 8
/** The number of objects in each turn. All migrations share the turns: 250 objects a second. */
const TURN_OBJECTS = 25
const TURN_MS = 100

/** Shares a limited number of writes a second among all callers. */
export class Pace {
  readonly #clock: Clock
  #nextMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const at = Math.max(now, this.#nextMs)
    this.#nextMs = at + TURN_MS
    if (at > now) await pause(this.#clock, at - now, signal)
  }
}

export interface Rewrite {
  /** Finds the type. Called for each page, because a definition can change during the rewrite. Throws if the type is no longer served. */
  readonly resource: () => Resource
  /** Objects that were written after this revision are in their new form. */
  readonly after: number
  /**
   * The version that every object must have at the end. Undefined for built-in types, which are always written in their storage version.
   */
  readonly apiVersion: string | undefined
  readonly pace: Pace
  /** Called after each turn. Throws to end the rewrite. */
  readonly onProgress: (progress: Progress) => Promise<void>
}

export interface Progress {
  readonly left: number
  readonly total: number
}

export interface Rewritten {
  readonly total: number
  /** Whether objects in another version than `apiVersion` were found. */
  readonly foundOthers: boolean
  /** The reason why an object could not be read. Such objects are not changed. Undefined: all objects could be read. */
  readonly unreadable: string | undefined
}

/** Walks over the objects of the type once. Objects that are created meanwhile already have the new form. */
export async function rewriteAll(store: Store, rewrite: Rewrite, signal: AbortSignal): Promise<Rewritten> {
  let [done, total, foundOthers] = [0, 0, false]
  let unreadable: string | undefined
  let position: PagePosition | undefined
  do {
    const resource = rewrite.resource()
    const page = await readPage(store, { resource, position }, signal)
    unreadable ??= page.unreadable
    const items: StoredObject[] = []
    for await (const batch of page.batches) items.push(...batch)
    total = Math.max(total, done + items.length + (page.remaining ?? 0))
    const due = items.filter((item) => {
      const isOther = isInOtherVersion(item, rewrite.apiVersion)
      foundOthers ||= isOther
      return isOther || item.revision <= rewrite.after
    })
    done += items.length - due.length
    for (let at = 0; at < due.length; at += TURN_OBJECTS) {
      await rewrite.pace.turn(signal)
      const turn = due.slice(at, at + TURN_OBJECTS)
      await forEachAtOnce(turn, { most: AT_ONCE, signal }, (item) => rewriteOne(store, resource, item, signal))
      done += turn.length
      await rewrite.onProgress({ left: Math.max(0, total - done), total })
    }
    position = page.next === undefined ? undefined : { revision: undefined, start: page.next.start }
  } while (position !== undefined)
  return { total, foundOthers, unreadable }
}

interface Page {
  readonly resource: Resource
  readonly position: PagePosition | undefined
}

/** A page of the readable objects. It is read at the newest revision: history can be compacted before the walk ends. */
async function readPage(
  store: Store,
  { resource, position }: Page,
  signal: AbortSignal,
): Promise<ListPage & { readonly unreadable?: string }> {
  const at = position === undefined ? ({ kind: 'latest' } as const) : ({ kind: 'continuation', position } as const)
  const request = { resource: asStored(resource), at, limit: PAGE }
  try {
    return await store.list(request, signal)
  } catch (error) {
    if (!isReason(error, 'StorageReadError')) throw error
    const page = await store.list({ ...request, skipUnreadable: true }, signal)
    const { message, details } = error as ApiError
    const [cause] = details?.causes ?? []
    return { ...page, unreadable: cause === undefined ? message : `${message}: ${cause.field}: ${cause.message}` }
  }
}

function isInOtherVersion({ bytes }: StoredObject, apiVersion: string | undefined): boolean {
  if (apiVersion === undefined) return false
  const at = findMember(bytes, 0, 'apiVersion')
  return at === undefined || bytes.toString('utf8', at.start, at.end) !== JSON.stringify(apiVersion)
}

/**
 * Writes an object in its new form. The write is bound to the revision that it decides on, so it undoes no other write. Any other write
 * brings the new form too.
 */
async function rewriteOne(
  store: Store,
  { stored, strategy }: Resource,
  { namespace, name }: StoredObject,
  signal: AbortSignal,
): Promise<void> {
  const { ttlSeconds } = strategy
  await store.write(
    { resource: stored, namespace, name },
    (current) => {
      if (current?.kind !== 'object') return { kind: 'keep' }
      return { kind: 'put', object: current.object(), inOwnForm: true, ...(ttlSeconds !== undefined && { ttlSeconds }) }
    },
    signal,
  )
}

/** The type in one of its served versions: the storage version if it is served. */
export function typeOf(table: ResourceTable, { group, resource }: GroupResource): Resource | undefined {
  let found: Resource | undefined
  for (const one of table.all()) {
    if (one.group !== group || one.resource !== resource) continue
    if (one.custom?.isStorageVersion === true) return one
    found ??= one
  }
  return found
}
