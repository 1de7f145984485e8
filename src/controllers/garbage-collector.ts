// The garbage collector: objects whose owners are all gone go too; owners that wait for their dependents, or let them go,
// are helped to their end. Decisions are made on the graph and made sure of on what is stored.
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import { isList, isMap, own } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { deleteObject } from '../registry/delete.ts'
import type { DeleteOptions } from '../registry/deletion.ts'
import { finalizersOf, metaOf, metaText, withMeta } from '../registry/object-meta.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { Controller, ControllerParts, Follower } from './controllers.ts'
import { controllerContext, isReason } from './controllers.ts'
import { reportEvent } from './event-reports.ts'
import type { GraphNode, OwnerReference } from './ownership-graph.ts'
import { OwnershipGraph } from './ownership-graph.ts'
import { TypeFollowers } from './type-followers.ts'
import { WorkQueue } from './work-queue.ts'

const WORKERS = 16
const REMEMBERED = 10_000
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

export function garbageCollector(parts: ControllerParts): Controller {
  return {
    name: 'garbage-collector',
    run: (signal) => new Collector(parts).run(signal),
  }
}

type OwnerState = 'present' | 'absent' | 'unknown'

class Collector {
  readonly #parts: ControllerParts
  readonly #graph = new OwnershipGraph()
  /** Of objects that were seen to go. */
  readonly #gone = new BoundedMap<string, true>(REMEMBERED)
  /** What has been complained of already. */
  readonly #told = new BoundedMap<string, true>(REMEMBERED)
  readonly #followers: TypeFollowers
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#followers = new TypeFollowers({
      parts,
      typesIn: collectedTypes,
      follower: (resource) => this.#follower(resource),
    })
    const work = (uid: string, signal: AbortSignal): Promise<boolean> => this.#attend(uid, signal)
    this.#queue = new WorkQueue({
      name: 'garbage-collector',
      log: parts.log,
      measures: parts.queues,
      workers: WORKERS,
      work,
    })
  }

  /** Nothing is decided before all types have been told of: an owner that seems to have no dependents may have some. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const both = AbortSignal.any([signal, stop.signal])
    const following = this.#followers.run(both).finally(() => stop.abort())
    const loaded = await Promise.race([this.#followers.synced.then(() => true), following.then(() => false)])
    if (loaded) await this.#queue.run(both)
    await following
  }

  #follower(resource: Resource): Follower {
    return {
      onPresent: (stored) => {
        const { node, before } = this.#graph.set(resource, stored)
        this.#onPresent(node, before)
      },
      onGone: (stored, isCertain) => this.#onGone(metaText(stored.object(), 'uid'), isCertain),
    }
  }

  #onPresent(node: GraphNode, before: GraphNode | undefined): void {
    if (node.owners.length > 0 || (node.isTerminating && waitsForDependents(node))) this.#queue.add(node.uid)
    this.#tellOwners(before)
  }

  #onGone(uid: string, isCertain: boolean): void {
    const node = this.#graph.get(uid)
    this.#graph.delete(uid)
    if (isCertain) this.#gone.set(uid, true)
    for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent.uid)
    this.#tellOwners(node)
  }

  /** An owner is looked at when the last one that it waits for is gone, not for each of ten thousand. */
  #tellOwners(dependent: GraphNode | undefined): void {
    for (const { uid } of dependent?.owners ?? []) {
      if (!this.#graph.isBlocked(uid) && this.#isWaiting(uid)) this.#queue.add(uid)
    }
  }

  /** True where it has to be looked at again. */
  async #attend(uid: string, signal: AbortSignal): Promise<boolean> {
    const node = this.#graph.get(uid)
    if (node === undefined) return false
    if (node.isTerminating) return waitsForDependents(node) && this.#finish(node, signal)
    return node.owners.length > 0 && this.#judge(node, signal)
  }

  /** A live object with owners: does it still have one? */
  async #judge(node: GraphNode, signal: AbortSignal): Promise<boolean> {
    const states = await Promise.all(node.owners.map((owner) => this.#stateOf(node, owner, signal)))
    if (states.includes('unknown')) return true
    const living = node.owners.filter((_, index) => states[index] === 'present')
    const waiting = living.filter(({ uid }) => this.#isWaiting(uid))
    if (living.length > waiting.length) {
      const dangling = node.owners.filter((owner, index) => states[index] === 'absent' || waiting.includes(owner))
      if (dangling.length > 0) await this.#removeOwners(node, dangling, signal)
      return false
    }
    // Owners that are deleted in the foreground wait for this one, which waits for its own dependents (W-365).
    const cascades = waiting.length > 0 && this.#graph.dependentsOf(node.uid).length > 0
    await this.#delete(node, cascades ? 'Foreground' : undefined, signal)
    return false
  }

  #isWaiting(uid: string): boolean {
    const owner = this.#graph.get(uid)
    return owner !== undefined && owner.isTerminating && owner.finalizers.includes(FOREGROUND)
  }

  /** In the graph, or asked for by name: the graph may be behind, or not hold the owner's type. */
  async #stateOf(node: GraphNode, owner: OwnerReference, signal: AbortSignal): Promise<OwnerState> {
    const known = this.#graph.get(owner.uid)
    if (known !== undefined && (known.namespace === '' || known.namespace === node.namespace)) return 'present'
    // An object that was seen to go never comes back under its uid.
    if (this.#gone.get(owner.uid) === true) return 'absent'
    const resource = this.#resourceOf(owner)
    if (resource === undefined) return 'unknown'
    // An owner in a namespace cannot own something of the whole cluster; the reference leaves such dependents alone (W-361).
    if (resource.namespaced && node.namespace === '') {
      await this.#complain(node, owner, signal)
      return 'unknown'
    }
    if (known !== undefined) await this.#complain(node, owner, signal)
    const key = { resource: resource.stored, namespace: resource.namespaced ? node.namespace : '', name: owner.name }
    const { item } = await this.#parts.registry.store.get(key, { kind: 'latest' }, signal)
    if (item === undefined) return 'absent'
    if (item.kind !== 'object') return 'unknown'
    return metaText(item.object(), 'uid') === owner.uid ? 'present' : 'absent'
  }

  /** Owners are looked for in the dependent's own namespace; one that is in another is as good as absent (W-360, W-361). */
  async #complain(
    node: GraphNode,
    { apiVersion, kind, name, uid }: OwnerReference,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${node.uid} ${uid}`
    if (this.#told.get(key) === true) return
    this.#told.set(key, true)
    const { namespace } = node
    await reportEvent(
      this.#parts,
      {
        about: { ...node, apiVersion: formatGroupVersion(node.resource), kind: node.resource.kind },
        component: 'garbage-collector-controller',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
      },
      signal,
    )
  }

  #resourceOf(owner: OwnerReference): Resource | undefined {
    const gv = parseGroupVersion(owner.apiVersion)
    if (gv === undefined) return undefined
    for (const resource of this.#parts.resources().all()) {
      if (resource.group === gv.group && resource.kind === owner.kind && resource.version === gv.version)
        return resource
    }
    return undefined
  }

  /** An owner that lets its dependents go, or waits for them. */
  async #finish(node: GraphNode, signal: AbortSignal): Promise<boolean> {
    if (!this.#followers.isComplete) return true
    const dependents = this.#graph.dependentsOf(node.uid)
    if (node.finalizers.includes(ORPHAN)) {
      await inParallel(dependents, WORKERS, (dependent) =>
        this.#removeOwners(
          dependent,
          dependent.owners.filter(({ uid }) => uid === node.uid),
          signal,
        ),
      )
      await this.#removeFinalizer(node, ORPHAN, signal)
      return false
    }
    for (const dependent of dependents) if (!dependent.isTerminating) this.#queue.add(dependent.uid)
    if (this.#graph.isBlocked(node.uid)) return false
    await this.#removeFinalizer(node, FOREGROUND, signal)
    return false
  }

  async #delete(node: GraphNode, propagation: 'Foreground' | undefined, signal: AbortSignal): Promise<void> {
    const named = node.finalizers.includes(ORPHAN) || node.finalizers.includes(FOREGROUND)
    const options: DeleteOptions = {
      gracePeriodSeconds: undefined,
      preconditions: { uid: node.uid, resourceVersion: node.resourceVersion },
      orphanDependents: undefined,
      propagationPolicy: propagation ?? (named ? undefined : 'Background'),
      ignoreReadErrors: false,
    }
    const context = controllerContext(this.#parts, node.namespace, signal)
    await quietly(deleteObject(this.#parts.registry, node.resource, { name: node.name, options }, context))
  }

  #removeOwners(node: GraphNode, gone: readonly OwnerReference[], signal: AbortSignal): Promise<void> {
    const uids = new Set<unknown>(gone.map(({ uid }) => uid))
    return this.#update(node, signal, (live) => {
      const references = own(metaOf(live), 'ownerReferences')
      const kept = isList(references)
        ? references.filter((reference) => !(isMap(reference) && uids.has(own(reference, 'uid'))))
        : []
      return withMeta(live, { ownerReferences: kept.length === 0 ? undefined : kept })
    })
  }

  #removeFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
    return this.#update(node, signal, (live) => {
      const kept = finalizersOf(live).filter((name) => name !== finalizer)
      return withMeta(live, { finalizers: kept.length === 0 ? undefined : kept })
    })
  }

  async #update(node: GraphNode, signal: AbortSignal, change: (live: ApiObject) => ApiObject): Promise<void> {
    const context = controllerContext(this.#parts, node.namespace, signal)
    const request = {
      name: node.name,
      subresource: '',
      wanted: (live: ApiObject | undefined) => change(live!),
      tracksFields: false,
      absent: 'refuse',
      uid: node.uid,
    } as const
    await quietly(updateObject(this.#parts.registry, node.resource, request, context))
  }
}

/** Does something for each, so many at a time. Where one fails no more are begun. */
async function inParallel<T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker))
}

function waitsForDependents({ finalizers }: GraphNode): boolean {
  return finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND)
}

/** The object is gone or has changed: its next event brings it back here. */
async function quietly(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isReason(error, 'NotFound', 'Conflict')) throw error
  }
}

/** Types that can be deleted, listed and watched, each once however many versions it has; events own nothing (W-369). */
function* collectedTypes(table: ResourceTable): Generator<Resource> {
  const seen = new Set<string>()
  for (const resource of table.all()) {
    const { verbs, stored } = resource
    if (!verbs.has('delete') || !verbs.has('list') || !verbs.has('watch')) continue
    if (seen.has(stored.storagePrefix) || stored.storagePrefix === 'events') continue
    seen.add(stored.storagePrefix)
    yield resource
  }
}
