// Handles the finalizer of custom resource definitions. Deletes the objects of a terminating definition, then removes the finalizer (P-349,
// W-619, W-620). Tries again every second while objects with finalizers remain.
import { withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { deleteCollection } from '../registry/delete.ts'
import { IN_BACKGROUND } from '../registry/deletion.ts'
import { finalizersOf, isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { CLEANUP } from '../kinds/kinds.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { withCondition } from './definition-acceptance.ts'
import { keyedController } from './keyed-controller.ts'
import { controllerContext, serverContext, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'definition-cleanup'
const LOOK_AGAIN_MS = 1_000

/** `objectsOf` returns the resource of the definition with a name, whether the resource is served or not. */
export function definitionCleanup(
  parts: ControllerParts,
  objectsOf: (definition: string) => Resource | undefined,
): Controller {
  return keyedController(parts, { name: NAME, canWait: true, workers: 2 }, (queue) => {
    const definitions = servedResource(parts.resources(), 'customresourcedefinitions', 'apiextensions.k8s.io')
    const work = async (name: string, stop: AbortSignal): Promise<void> => {
      const cleaning = clean(parts, { definitions, name, objects: objectsOf(name) }, stop)
      if ((await succeeds(cleaning, 'NotFound')) && !(await cleaning)) queue.addAfter(name, LOOK_AGAIN_MS)
    }
    const onPresent = (stored: StoredObject): void => {
      const object = stored.object()
      if (isTerminating(object) && finalizersOf(object).includes(CLEANUP)) queue.add(stored.name)
    }
    return { followed: [{ type: definitions, onPresent, onGone: () => {} }], work }
  })
}

interface Ending {
  readonly definitions: Resource
  readonly name: string
  /** Undefined: the definition never had objects. */
  readonly objects: Resource | undefined
}

/** Resolves to whether the finalizer was removed. */
async function clean(parts: ControllerParts, ending: Ending, signal: AbortSignal): Promise<boolean> {
  const update = async (change: (live: ApiObject) => ApiObject): Promise<void> => {
    // Metadata can be changed through the status too (W-621).
    const { name, definitions } = ending
    await updateLive(parts, definitions, { name, subresource: 'status', change }, serverContext(parts, '', signal))
  }
  await update((live) => withCondition(live, IN_PROGRESS, parts.now()))
  if (ending.objects !== undefined && !(await removeAll(parts, ending.objects, signal))) return false
  await update((live) => {
    const rest = finalizersOf(live).filter((one) => one !== CLEANUP)
    const released = withMeta(live, { finalizers: rest.length === 0 ? undefined : rest })
    return withCondition(released, COMPLETED, parts.now())
  })
  return true
}

const IN_PROGRESS = {
  type: 'Terminating',
  status: true,
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
} as const

const COMPLETED = {
  type: 'Terminating',
  status: false,
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
} as const

/** Deletes all objects of the resource. Resolves to whether none is left. */
async function removeAll(parts: ControllerParts, resource: Resource, signal: AbortSignal): Promise<boolean> {
  const list = { resource: resource.stored, at: { kind: 'latest' }, skipUnreadable: true } as const
  await deleteCollection(
    parts.registry,
    resource,
    { list, options: IN_BACKGROUND },
    controllerContext(parts, '', signal),
  )
  const rest = await parts.registry.store.list({ ...list, limit: 1 }, signal)
  for await (const batch of rest.batches) if (batch.length > 0) return false
  return true
}
