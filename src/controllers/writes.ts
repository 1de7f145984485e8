// Writes of controllers. The controllers have a user of their own, and get expected failures as values.
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import { metaText } from '../api/object-members.ts'
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import { createObject } from '../registry/create.ts'
import { deleteObject } from '../registry/delete.ts'
import type { Resource, WriteContext } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { ControllerParts } from './controllers.ts'

/** The user of controllers, for admission and ownership. */
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
    random: parts.random,
    gates: parts.gates,
    warn: () => {},
    annotate: () => {},
    signal,
    fieldManager: 'kube-controller-manager',
    options: {},
    authorize: () => Promise.resolve(),
  }
}

/** The context of writes that kube-apiserver makes itself, with the name of its field manager. */
export function serverContext(parts: ControllerParts, namespace: string, signal: AbortSignal): WriteContext {
  return { ...controllerContext(parts, namespace, signal), fieldManager: 'kube-apiserver' }
}

/** An object to be created: its kind, a name, and the rest. */
export function newObject(resource: Resource, metadata: ApiObject['metadata'], rest: object = {}): ApiObject {
  return resource.toCanonical({ kind: resource.kind, apiVersion: formatGroupVersion(resource), metadata, ...rest })
}

/** Creates a missing object. Resolves to false if the name exists. It reads first, because a read is much cheaper than a refused create. */
export async function createMissing(
  parts: ControllerParts,
  resource: Resource,
  object: ApiObject,
  context: WriteContext,
): Promise<boolean> {
  const key = { resource: resource.stored, namespace: context.namespace, name: metaText(object, 'name') }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, context.signal)
  if (item !== undefined) return false
  return succeeds(createObject(parts.registry, resource, object, context), 'AlreadyExists')
}

export interface LiveUpdate {
  readonly name: string
  readonly subresource?: 'status' | 'finalize'
  /** Makes the new object from the stored one. Called again if another write came first. */
  readonly change: (live: ApiObject) => ApiObject
  /** Whether `change` itself sets the managed fields. */
  readonly tracksFields?: boolean
  readonly uid?: string
}

/** Updates an existing object. Throws `NotFound` if it is gone, and `Conflict` if it has another uid. */
export function updateLive(
  parts: ControllerParts,
  resource: Resource,
  { name, subresource, change, tracksFields = false, uid = '' }: LiveUpdate,
  context: WriteContext,
): ReturnType<typeof updateObject> {
  const wanted = (live: ApiObject | undefined): ApiObject => change(live!)
  const request = { name, subresource: subresource ?? '', wanted, tracksFields, absent: 'refuse', uid } as const
  return updateObject(parts.registry, resource, request, context)
}

export interface EnsuredObject {
  readonly resource: Resource
  readonly name: string
  readonly make: () => ApiObject
  /** The object as it should be. Undefined: nothing has to change. */
  readonly repaired: (live: ApiObject) => ApiObject | undefined
}

/** Creates the object if it is missing, and repairs it if it differs from the wanted one. An unreadable object is left alone. */
export async function ensureObject(
  parts: ControllerParts,
  { resource, name, make, repaired }: EnsuredObject,
  context: WriteContext,
): Promise<void> {
  const { namespace, signal } = context
  const key = { resource: resource.stored, namespace, name }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, signal)
  if (item === undefined) {
    await createObject(parts.registry, resource, make(), context)
  } else if (item.kind === 'object' && repaired(item.object()) !== undefined) {
    await updateLive(parts, resource, { name, change: (live) => repaired(live) ?? live }, context)
  }
}

/** Deletes the object, at once or after its own grace period. */
export function deleteOne(
  parts: ControllerParts,
  resource: Resource,
  { name, resourceVersion }: { readonly name: string; readonly resourceVersion?: string },
  context: WriteContext,
): ReturnType<typeof deleteObject> {
  const options = {
    gracePeriodSeconds: undefined,
    preconditions: { uid: undefined, resourceVersion },
    orphanDependents: undefined,
    propagationPolicy: undefined,
    ignoreReadErrors: false,
  } as const
  return deleteObject(parts.registry, resource, { name, options }, context)
}

export function isReason(error: unknown, ...reasons: readonly ApiError['reason'][]): boolean {
  return error instanceof ApiError && reasons.includes(error.reason)
}

/** Resolves to false if the write failed for one of these reasons. Throws every other error. */
export async function succeeds(write: Promise<unknown>, ...reasons: readonly ApiError['reason'][]): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (isReason(error, ...reasons)) return false
    throw error
  }
}
