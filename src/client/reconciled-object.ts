// The writes of a controller for the object that it reconciles: the objects that this object owns, its status and its finalizer. Invariant:
// the object itself is written only if it has not changed since it was read. After a change it is reconciled again anyway.
import { checkOptions, checkValue, type OptionTypes } from '../lib/known-options.ts'
import { hasReason } from './errors.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { KubernetesObject, Stored } from './objects.ts'
import type { Resource } from './resource.ts'
import { setCondition, type StatusCondition } from './status-condition.ts'

/** Members of the status. Null removes a member. */
export type StatusPatch<T> = T extends { readonly status?: infer S }
  ? { readonly [K in keyof NonNullable<S>]?: NonNullable<S>[K] | null | undefined }
  : object

/** A condition in the status of an object, without the time, which `patchStatus` sets. */
export type ConditionPatch<T> = T extends { readonly status?: infer S }
  ? NonNullable<S> extends { readonly conditions?: infer L }
    ? NonNullable<L> extends readonly (infer C)[]
      ? Omit<C, 'lastTransitionTime'>
      : never
    : never
  : never

/** The writes for the reconciled object. They throw if the object was already deleted when the work on it began. */
export interface ObjectWrites<T extends KubernetesObject> {
  /**
   * Applies an object that the reconciled object owns: server-side apply with force, as the `fieldManager` of the controller. The object
   * gets the owner reference, and the namespace of its owner if it names no namespace.
   */
  readonly apply: <U extends KubernetesObject, S extends KubernetesObject>(
    kind: Kind<U, S>,
    object: S,
  ) => Promise<Stored<U>>
  /**
   * Merges into the status. Each condition replaces the condition of the same type. Its `lastTransitionTime` changes only with its status.
   * If the object has changed or is gone since it was read, nothing is written.
   */
  readonly patchStatus: (status: StatusPatch<T>, ...conditions: readonly ConditionPatch<T>[]) => Promise<void>
}

/** A finalizer that the controller adds before the first `reconcile`. It keeps a deleted object until `cleanUp` has succeeded. */
export interface Finalizer<R> {
  /** A qualified name: `example.com/host`. */
  readonly name: string
  /** Called instead of `reconcile` for an object that is being deleted. It must be repeatable. When it throws, it is called again. */
  readonly cleanUp: (request: R) => Promise<void>
}

const FINALIZER: OptionTypes<Finalizer<never>> = { name: 'text', cleanUp: 'function' }

export function checkFinalizer(finalizer: Finalizer<never> | undefined): void {
  if (finalizer === undefined) return
  checkOptions('runController: finalizer', finalizer, FINALIZER)
  for (const [name, type] of Object.entries(FINALIZER))
    checkValue('runController: finalizer', name, Reflect.get(finalizer, name), type)
}

/** The kind of the reconciled object, and the client that writes. */
export interface Writers {
  readonly kind: Kind<KubernetesObject>
  readonly fieldManager: string | undefined
  readonly now: () => number | Promise<number>
  readonly client: {
    resource<U extends KubernetesObject, S extends KubernetesObject>(kind: Kind<U, S>): Resource<U, S>
  }
}

/** The writes for an object. `read` returns the object as it was read, and throws if it was deleted. */
export function writesFor<T extends KubernetesObject>(read: () => Stored<T>, writers: Writers): ObjectWrites<T> {
  const { kind, fieldManager, client, now } = writers
  return {
    apply: async (owned, content) => {
      const { name, namespace, uid } = read().metadata
      if (fieldManager === undefined || kind.kind === undefined)
        throw new TypeError('runController: "apply" needs a fieldManager, and the kind of "for"')
      const owner = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid }
      const metadata = {
        ...(namespace === undefined ? {} : { namespace }),
        ...content.metadata,
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      }
      return client.resource(owned).apply({ ...content, metadata }, { fieldManager, force: true })
    },
    patchStatus: async (given, ...conditions) => {
      const object = read()
      const { name, resourceVersion } = object.metadata
      const status =
        conditions.length === 0 ? given : { ...given, conditions: withSet(object, conditions, await now()) }
      await ignoringOutdated(resourceOf(object, writers).status.patch(name, { metadata: { resourceVersion }, status }))
    },
  }
}

/** The conditions of the object after the given ones are set in them. */
function withSet(object: KubernetesObject, conditions: readonly object[], nowMs: number): readonly StatusCondition[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly StatusCondition[] } }
  const set = (all: readonly StatusCondition[], condition: object): readonly StatusCondition[] =>
    setCondition(all, condition as StatusCondition, nowMs)
  return conditions.reduce(set, status?.conditions ?? [])
}

/** Writes the finalizers. This change of the object reconciles it again. */
export async function setFinalizers<T extends KubernetesObject>(
  object: Stored<T>,
  finalizers: readonly string[],
  writers: Writers,
): Promise<void> {
  const { name, resourceVersion } = object.metadata
  await ignoringOutdated(resourceOf(object, writers).patch(name, { metadata: { finalizers, resourceVersion } }))
}

function resourceOf({ metadata: { namespace } }: KubernetesObject, { client, kind }: Writers) {
  const everywhere = client.resource<KubernetesObject, KubernetesObject>(kind)
  return namespace === undefined ? everywhere : everywhere.inNamespace(namespace)
}

async function ignoringOutdated(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!hasReason(error, 'NotFound', 'Conflict')) throw error
  }
}
