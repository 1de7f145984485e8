// Removes the objects of a definition that is being deleted, and then lets the definition go (P-349, W-619, W-620). Objects
// that somebody holds keep the definition; it is looked at again every second.
import type { ApiObject } from '../api/object.ts'
import { deleteCollection } from '../registry/delete.ts'
import { IN_BACKGROUND } from '../registry/deletion.ts'
import { finalizersOf, isTerminating, withMeta } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import { CLEANUP } from '../resources/resources.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { controllerContext, follow, isReason, resourceOf } from './controllers.ts'
import { withCondition } from './definition-conditions.ts'
import { WorkQueue } from './work-queue.ts'

const LOOK_AGAIN_MS = 1_000

/** `objectsOf` is the resource of a definition, by its name, whether it is served or not. */
export function definitionCleanup(
  parts: ControllerParts,
  objectsOf: (definition: string) => Resource | undefined,
): Controller {
  return {
    name: 'definition-cleanup',
    async run(signal) {
      const definitions = resourceOf(parts, 'apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
      const update = async (
        name: string,
        change: (live: ApiObject) => ApiObject,
        { subresource, stop }: { readonly subresource: '' | 'status'; readonly stop: AbortSignal },
      ): Promise<void> => {
        const context = { ...controllerContext(parts, '', stop), fieldManager: 'kube-apiserver' }
        const wanted = (live: ApiObject | undefined): ApiObject => change(live!)
        const request = { name, subresource, wanted, tracksFields: false, absent: 'refuse', uid: '' } as const
        await updateObject(parts.registry, definitions, request, context)
      }
      const clean = async (name: string, stop: AbortSignal): Promise<boolean> => {
        await update(name, (live) => withCondition(live, IN_PROGRESS, parts.now()), { subresource: 'status', stop })
        const resource = objectsOf(name)
        if (resource !== undefined && !(await removeAll(parts, resource, stop))) return false
        await update(
          name,
          (live) => {
            const rest = finalizersOf(live).filter((one) => one !== CLEANUP)
            return withCondition(
              withMeta(live, { finalizers: rest.length === 0 ? undefined : rest }),
              COMPLETED,
              parts.now(),
            )
          },
          // Metadata can be changed through the status too (W-621).
          { subresource: 'status', stop },
        )
        return true
      }
      const queue: WorkQueue = new WorkQueue({
        name: 'definition-cleanup',
        log: parts.log,
        measures: parts.queues,
        workers: 2,
        work: async (name, stop) => {
          try {
            if (!(await clean(name, stop))) queue.addAfter(name, LOOK_AGAIN_MS)
          } catch (error) {
            if (!isReason(error, 'NotFound')) throw error
          }
          return false
        },
      })
      const followed = follow(
        parts.registry.store,
        definitions,
        {
          onPresent: (stored) => {
            const object = stored.object()
            if (isTerminating(object) && finalizersOf(object).includes(CLEANUP)) queue.add(stored.name)
          },
          onGone: () => {},
        },
        signal,
      )
      await Promise.all([followed, queue.run(signal)])
    },
  }
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

/** Whether nothing is left. */
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
