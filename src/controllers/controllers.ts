// The front door: the loops that keep the server's own state true. One replica at a time runs them, held by a Lease; each
// can be switched off where something else does its work.
import { setImmediate } from 'node:timers/promises'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import { CancelledError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { systemClock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { QueueMeasures } from './queue-measures.ts'
import { metaText } from '../registry/object-meta.ts'
import type { RegistryParts, Resource, ResourceTable, WriteContext } from '../registry/registry.ts'
import type { Store, StoredResource } from '../store/store.ts'

export interface ControllerParts {
  readonly registry: RegistryParts
  readonly resources: () => ResourceTable
  readonly gates: ReadonlySet<string>
  /** RFC 3339 in whole seconds. */
  readonly now: () => string
  readonly log: Log
  /** Absent: nobody looks how busy they are. */
  readonly queues?: QueueMeasures | undefined
}

export interface Controller {
  /** As it is switched off by, and named in the log. */
  readonly name: string
  /** Runs until the signal fires; resolves when nothing of it is left. */
  run(signal: AbortSignal): Promise<void>
  /** Tells others that this replica is about to go, while it can still be reached (P-250). */
  leave?(signal: AbortSignal): Promise<void>
}

/** What cannot be told in time is found out by others all the same. */
export async function leaveWith(controllers: readonly Controller[], log: Log, signal: AbortSignal): Promise<void> {
  const leaving = controllers.map(async (controller) => {
    try {
      await controller.leave?.(signal)
    } catch (error) {
      log.warn({ err: error, controller: controller.name }, 'could not say that this replica goes')
    }
  })
  await Promise.all(leaving)
}

/** Runs all of them; one that breaks is begun anew, the others go on. */
export async function runControllers(controllers: readonly Controller[], log: Log, signal: AbortSignal): Promise<void> {
  await Promise.all(controllers.map((controller) => runOne(controller, log, signal)))
}

const RESTART_PAUSE_MS = 1_000

async function runOne(controller: Controller, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await controller.run(signal)
    } catch (error) {
      if (signal.aborted || error instanceof CancelledError) continue
      log.error({ err: error, controller: controller.name }, 'controller failed')
      await pause(systemClock, RESTART_PAUSE_MS, signal)
    }
  }
}

/** Who controllers are to admission and in ownership. */
const CONTROLLER_USER: User = {
  name: 'system:kube-controller-manager',
  uid: undefined,
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
}

export function controllerContext(parts: ControllerParts, namespace: string, signal: AbortSignal): WriteContext {
  return {
    user: CONTROLLER_USER,
    namespace,
    dryRun: false,
    now: parts.now(),
    gates: parts.gates,
    warn: () => {},
    annotate: () => {},
    signal,
    fieldManager: 'kube-controller-manager',
    options: {},
    authorize: () => Promise.resolve(),
  }
}

/** How controllers delete: what is asked for and nothing else. */
export const AT_ONCE = Object.freeze({
  gracePeriodSeconds: undefined,
  preconditions: { uid: undefined, resourceVersion: undefined },
  orphanDependents: undefined,
  propagationPolicy: undefined,
  ignoreReadErrors: false,
} as const)

export function resourceOf(parts: ControllerParts, group: string, version: string, resource: string): Resource {
  const found = parts.resources().find({ group, version, resource })
  if (found === undefined) throw new Error(`${resource}.${group} is not served`)
  return found
}

/** An object to be created: its kind, a name, and the rest. */
export function newObject(resource: Resource, metadata: ApiObject['metadata'], rest: object = {}): ApiObject {
  return resource.toCanonical({ kind: resource.kind, apiVersion: formatGroupVersion(resource), metadata, ...rest })
}

export function isReason(error: unknown, ...reasons: readonly ApiError['reason'][]): boolean {
  return error instanceof ApiError && reasons.includes(error.reason)
}

export interface Follower {
  /** The object is there, in this state; told again at every change, and for every object after a break. */
  readonly onPresent: (object: StoredObject) => void
  /** `isCertain`: it was seen to go; else it was found missing after a break, which what cannot be read is too. */
  readonly onGone: (object: StoredObject, isCertain: boolean) => void
  /** The state is complete, for the first time or after a break. */
  readonly onSynced?: () => void
}

const RECONNECT_PAUSE_MS = 100
const TOLD_AT_ONCE = 500

/**
 * Tells of every object of a type, and of every change, until the signal fires. What went during a break is told too. An object
 * that cannot be read is passed over: it must not keep the others from being cared for.
 */
export async function follow(
  store: Store,
  { stored }: Pick<Resource, 'stored'>,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  let known = new Map<string, StoredObject>()
  while (!signal.aborted) {
    const fresh = new Map<string, StoredObject>()
    let complete = false
    try {
      const watch = await store.watch(
        {
          resource: stored,
          start: { kind: 'state', at: { kind: 'any' } },
          bookmarks: true,
          skipUnreadable: true,
        },
        signal,
      )
      let told = 0
      for await (const events of watch) {
        for (const event of events) {
          // A large state would keep everything else waiting.
          if (++told % TOLD_AT_ONCE === 0) await setImmediate()
          if (event.type === 'BOOKMARK') {
            if (!event.initialEventsEnd) continue
            complete = true
            for (const [key, object] of known) {
              if (!fresh.has(key)) follower.onGone(object, await isMissing(store, stored, object, signal))
            }
            known = fresh
            follower.onSynced?.()
            continue
          }
          const key = `${event.object.namespace}/${event.object.name}`
          const target = complete ? known : fresh
          if (event.type === 'DELETED') {
            target.delete(key)
            follower.onGone(event.object, true)
          } else {
            const before = complete ? undefined : known.get(key)
            if (before !== undefined && isAnother(before, event.object)) follower.onGone(before, true)
            target.set(key, event.object)
            follower.onPresent(event.object)
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

/** Whether nothing is stored in its place, not even something that cannot be read. */
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
