// An informer: lists and watches the objects of a type, and hands every object and change to a handler, also deletions during a break of
// the watch.
import { setImmediate } from 'node:timers/promises'
import { metaText } from '../api/object-members.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import { systemClock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import { pause } from '../lib/pause.ts'
import type { RegistryParts, Resource, ResourceTable } from '../registry/registry.ts'
import { keyInType } from '../store/keys.ts'
import type { Selection, Store, StoredResource } from '../store/store.ts'

/** The source of objects and types. */
export interface InformerSource {
  readonly registry: Pick<RegistryParts, 'store'>
  readonly resources: () => ResourceTable
}

export interface InformerHandler {
  /** Called with the state of an object: at every change, and for every object after an interruption. */
  readonly onPresent: (object: StoredObject) => void
  /** `isCertain`: the object is deleted. Otherwise it was missing after a break, but its name is stored: it may have become unreadable. */
  readonly onGone: (object: StoredObject, isCertain: boolean) => void
  /** Called when the state is complete, for the first time or after a break. */
  readonly onSynced?: () => void
}

/** The type whose objects an informer follows. */
export interface Informed extends Pick<Resource, 'stored'> {
  /** Absent: all objects of the type. */
  readonly selection?: Selection
}

const RECONNECT_PAUSE_MS = 100
/** The number of objects of a large state that are handled in one turn of the event loop, so that requests hardly wait. */
const TOLD_AT_ONCE = 16

/**
 * Calls the handler for every object of a type, and for every change, until the signal fires. This includes deletions during a break of the
 * watch. An unreadable object is skipped, so that it does not block the others.
 */
export async function runInformer(
  store: Store,
  { stored, selection }: Informed,
  handler: InformerHandler,
  signal: AbortSignal,
): Promise<void> {
  let known = new Map<string, StoredObject>()
  while (!signal.aborted) {
    // Most types have no objects, and a watch of each type would be much of the cost of a new fork.
    const isEmpty = known.size === 0 ? store.untilPresent?.(stored, signal) : undefined
    if (isEmpty !== undefined) {
      handler.onSynced?.()
      await isEmpty
      if (signal.aborted) return
    }
    const fresh = new Map<string, StoredObject>()
    let complete = false
    try {
      const watch = await store.watch(
        {
          resource: stored,
          selection,
          start: { kind: 'state', at: { kind: 'any' } },
          bookmarks: true,
          skipUnreadable: true,
        },
        signal,
      )
      let told = 0
      for await (const events of watch) {
        for (const event of events) {
          if (++told % TOLD_AT_ONCE === 0) await setImmediate()
          if (event.type === 'BOOKMARK') {
            if (!event.initialEventsEnd) continue
            complete = true
            for (const [key, object] of known) {
              if (!fresh.has(key)) handler.onGone(object, await isMissing(store, stored, object, signal))
            }
            known = fresh
            handler.onSynced?.()
            continue
          }
          const key = keyOf(stored, event.object)
          const target = complete ? known : fresh
          if (event.type === 'DELETED') {
            target.delete(key)
            handler.onGone(event.object, true)
          } else {
            const before = complete ? undefined : known.get(key)
            if (before !== undefined && isAnother(before, event.object)) handler.onGone(before, true)
            target.set(key, event.object)
            handler.onPresent(event.object)
          }
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof CancelledError) return
      if (!(error instanceof ApiError)) throw error
    }
    if (!complete) for (const [key, object] of fresh) known.set(key, object)
    await pause(systemClock, RECONNECT_PAUSE_MS, signal)
  }
}

/** Usually the object of the cache has this text already. Another copy for each of a million objects would take a tenth of the memory. */
function keyOf(resource: StoredResource, { key, namespace, name }: StoredObject): string {
  return key ?? keyInType({ resource, namespace, name }) ?? `${namespace}/${name}`
}

/** Whether nothing is stored in the object's place, not even an unreadable object. */
async function isMissing(
  store: Store,
  resource: StoredResource,
  { namespace, name }: StoredObject,
  signal: AbortSignal,
): Promise<boolean> {
  return (await store.get({ resource, namespace, name }, { kind: 'any' }, signal)).item === undefined
}

/** Whether an object was removed during a break and another was made in its place. */
function isAnother(before: StoredObject, after: StoredObject): boolean {
  if (before.revision === after.revision) return false
  return metaText(before.object(), 'uid') !== metaText(after.object(), 'uid')
}
