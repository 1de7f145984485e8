// Deletes the content of terminating namespaces, pods first. Finalizes a namespace when nothing is left in it. Until then, its conditions
// report the remaining content.
import type { NamespaceCondition } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { EVERY_FIELD, EVERY_LABEL } from '../api/selector.ts'
import { forEachAtOnce } from '../lib/together.ts'
import { deleteCollection } from '../registry/delete.ts'
import { IN_BACKGROUND } from '../registry/deletion.ts'
import { finalizersOf, isTerminating } from '../registry/object-meta.ts'
import { getObject, listRequest } from '../registry/read.ts'
import type { Resource } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { keyedController } from './keyed-controller.ts'
import { eachType } from './stored-types.ts'
import { controllerContext, isReason, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const FINALIZER = 'kubernetes'
const WORKERS = 4
const TYPES_AT_ONCE = 32

export function namespaceController(parts: ControllerParts): Controller {
  return keyedController(parts, { name: 'namespace', canWait: true, workers: WORKERS }, (queue) => {
    const namespaces = servedResource(parts.resources(), 'namespaces')
    const onPresent = (stored: StoredObject): void => {
      if (isTerminating(stored.object())) queue.add(stored.name)
    }
    return {
      followed: [{ type: namespaces, onPresent, onGone: () => {} }],
      work: (name, signal) => new NamespaceDeletion(parts, namespaces, name, signal).sync(),
    }
  })
}

/** The remaining objects of one type in a namespace. */
interface Remaining {
  readonly resource: Resource
  readonly count: number
  readonly finalizers: ReadonlyMap<string, number>
  /** The reason why the objects could not be deleted. */
  readonly problem?: string
}

/** One attempt to empty and finalize a namespace. */
class NamespaceDeletion {
  readonly #parts: ControllerParts
  readonly #namespaces: Resource
  readonly #name: string
  readonly #signal: AbortSignal

  constructor(parts: ControllerParts, namespaces: Resource, name: string, signal: AbortSignal) {
    this.#parts = parts
    this.#namespaces = namespaces
    this.#name = name
    this.#signal = signal
  }

  /** Resolves to true if another attempt is needed. */
  async sync(): Promise<boolean> {
    const namespace = await this.#read()
    if (namespace === undefined || !isTerminating(namespace)) return false
    if (!specFinalizers(namespace).includes(FINALIZER)) return false
    const remaining = await this.#deleteContent()
    if (remaining.length > 0) {
      await this.#report(namespace, remaining)
      return true
    }
    await this.#finalize()
    return false
  }

  async #read(): Promise<ApiObject | undefined> {
    const place = { resource: this.#namespaces, namespace: '' }
    const request = { name: this.#name, at: { kind: 'latest' } } as const
    try {
      return (await getObject(this.#parts.registry, place, request, this.#signal)).object()
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined
      throw error
    }
  }

  /** Deletes pods first. While a pod exists, nothing else is deleted (W-381). */
  async #deleteContent(): Promise<readonly Remaining[]> {
    const contents = [...contentTypes(this.#parts)]
    const pods = contents.find(({ group, resource }) => group === '' && resource === 'pods')
    if (pods !== undefined) {
      const left = await this.#deleteAll(pods)
      if (left.count > 0 || left.problem !== undefined) return [left]
    }
    const others = contents.filter((resource) => resource !== pods)
    const left: Remaining[] = []
    await forEachAtOnce(others.entries(), { most: TYPES_AT_ONCE, signal: this.#signal }, async ([at, resource]) => {
      left[at] = await this.#deleteAll(resource)
    })
    return left.filter(({ count, problem }) => count > 0 || problem !== undefined)
  }

  /** Deletes all objects of a type. A failure does not stop the deletion of other types. */
  async #deleteAll(resource: Resource): Promise<Remaining> {
    try {
      return await this.#deleteCollection(resource)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { resource, count: 0, finalizers: new Map(), problem: error.message }
    }
  }

  async #deleteCollection(resource: Resource): Promise<Remaining> {
    const context = controllerContext(this.#parts, this.#name, this.#signal)
    const at = { kind: 'latest' } as const
    const query = { kind: 'list', labels: EVERY_LABEL, fields: EVERY_FIELD, at, limit: undefined } as const
    const list = listRequest({ resource, namespace: this.#name }, query)
    const { items } = await deleteCollection(this.#parts.registry, resource, { list, options: IN_BACKGROUND }, context)
    if (items.length === 0) return { resource, count: 0, finalizers: new Map() }
    const page = await this.#parts.registry.store.list(list, this.#signal)
    const finalizers = new Map<string, number>()
    let count = 0
    for await (const batch of page.batches) {
      for (const item of batch) {
        count++
        for (const name of finalizersOf(item.object())) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
      }
    }
    return { resource, count, finalizers }
  }

  async #finalize(): Promise<void> {
    await this.#update('finalize', (live) => {
      const finalizers = specFinalizers(live).filter((finalizer) => finalizer !== FINALIZER)
      return { ...live, spec: finalizers.length === 0 ? {} : { finalizers } }
    })
  }

  async #report(namespace: ApiObject, remaining: readonly Remaining[]): Promise<void> {
    const conditions = conditionsOf(namespace, remaining, this.#parts.now())
    if (conditions === undefined) return
    await this.#update('status', (live) => ({ ...live, status: { ...statusOf(live), conditions } }))
  }

  async #update(subresource: 'finalize' | 'status', change: (live: ApiObject) => ApiObject): Promise<void> {
    const context = controllerContext(this.#parts, '', this.#signal)
    const update = updateLive(this.#parts, this.#namespaces, { name: this.#name, subresource, change }, context)
    await succeeds(update, 'NotFound', 'Conflict')
  }
}

function specFinalizers(namespace: ApiObject): readonly string[] {
  return (isKind(namespace, 'core_v1.Namespace') ? namespace.spec.finalizers : undefined) ?? []
}

/** Every type with objects in namespaces that can be listed and deleted, each in one version. */
function* contentTypes(parts: ControllerParts): Generator<Resource> {
  for (const resource of eachType(parts.resources())) {
    if (resource.namespaced && resource.verbs.has('deletecollection') && resource.verbs.has('list')) yield resource
  }
}

const CONDITIONS = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
] as const

const COMPARED = ['status', 'reason', 'message'] as const

/** The five conditions. They are true if they report a failure, remaining content or finalizers. Undefined if the status has them. */
function conditionsOf(
  namespace: ApiObject,
  remaining: readonly Remaining[],
  now: string,
): readonly NamespaceCondition[] | undefined {
  const failures = failuresOf(remaining)
  const { conditions: before = [] } = isKind(namespace, 'core_v1.Namespace') ? namespace.status : {}
  const after = CONDITIONS.map(([type, fineReason, fineMessage]) => {
    const failure = failures.get(type)
    const [reason, message] = failure ?? [fineReason, fineMessage]
    const condition = {
      type,
      status: failure === undefined ? 'False' : 'True',
      lastTransitionTime: now,
      reason,
      message,
    }
    const old = before.find((each) => each.type === type)
    const isSame = old !== undefined && COMPARED.every((member) => old[member] === condition[member])
    return isSame ? old : condition
  })
  return after.every((condition, index) => condition === before[index]) ? undefined : after
}

/** The reason and the message of each true condition, by its type. */
function failuresOf(remaining: readonly Remaining[]): ReadonlyMap<string, readonly [reason: string, message: string]> {
  const isPodsOnly = remaining.length === 1 && remaining[0]!.resource.resource === 'pods'
  const counted = isPodsOnly ? [] : remaining.filter(({ count }) => count > 0)
  const finalizers = new Map<string, number>()
  for (const left of counted) {
    for (const [name, count] of left.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count)
  }
  const failures = new Map<string, readonly [string, string]>()
  const note = (type: string, reason: string, [prefix, texts]: readonly [string, readonly string[]]): void => {
    if (texts.length > 0) failures.set(type, [reason, `${prefix}: ${texts.join(', ')}`])
  }
  const problems = remaining.flatMap(({ problem }) => problem ?? [])
  const content = counted.map(
    ({ resource, count }) => `${formatGroupResource(resource)}. has ${count} resource instances`,
  )
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
  note('NamespaceDeletionContentFailure', 'ContentDeletionFailed', [
    `Failed to delete all resource types, ${problems.length} remaining`,
    problems,
  ])
  note('NamespaceContentRemaining', 'SomeResourcesRemain', ['Some resources are remaining', content])
  note('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', [
    'Some content in the namespace has finalizers remaining',
    held,
  ])
  return failures
}
