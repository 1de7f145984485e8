// The garbage collector: deletes objects whose owners no longer exist, and removes the finalizers of owners that wait for their dependents
// (foreground) or release them (orphan). Decisions are made on the graph and verified against the store.
import { isDeepStrictEqual } from 'node:util'
import type { OwnerReference as Reference } from '../api/gen/kinds.ts'
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { forEachAtOnce } from '../lib/together.ts'
import { deleteObject } from '../registry/delete.ts'
import { IN_BACKGROUND } from '../registry/deletion.ts'
import { finalizersOf, isTerminating } from '../registry/object-meta.ts'
import type { Propagation, Resource, ResourceTable } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { decideDependent, type KnownOwner } from './dependent-decision.ts'
import { recordEvent } from './event-recorder.ts'
import { KindWaits } from './kind-waits.ts'
import { type FoundOwner, OwnerLookup } from './owner-lookup.ts'
import { FOREGROUND, type GraphNode, ORPHAN, ownerOf, type OwnerReference, OwnershipGraph } from './ownership-graph.ts'
import { eachType } from './stored-types.ts'
import { type InformedType, TypeInformers } from './type-informers.ts'
import { WorkQueue } from './work-queue.ts'
import { controllerContext, succeeds, updateLive } from './writes.ts'
import { type InformerHandler } from './informer.ts'

const WORKERS = 16
const REMEMBERED = 10_000

export function garbageCollector(parts: ControllerParts): Controller {
  return {
    name: 'garbage-collector',
    canWait: true,
    run: (signal) => new Collector(parts).run(signal),
  }
}

class Collector {
  readonly #parts: ControllerParts
  readonly #graph = new OwnershipGraph()
  readonly #owners: OwnerLookup
  /** Invalid owner references that an event was recorded for. */
  readonly #reported = new BoundedMap<string, true>(REMEMBERED)
  /** Objects that no longer block their owners. The collector decides about them again after the deletion of these owners has ended. */
  readonly #unblocked = new Set<string>()
  /** Owners whose dependents do not block them. Each owner is requeued once, after its dependents, because they must find it waiting. */
  readonly #requeued = new Set<string>()
  /** Owners that cannot be processed before all informers have synced. */
  readonly #untilComplete = new Set<string>()
  readonly #untilServed = new KindWaits()
  /** The number of changes of the types. */
  #typeChanges = 0
  readonly #informers: TypeInformers
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#owners = new OwnerLookup(parts, this.#graph)
    this.#informers = new TypeInformers({
      source: parts,
      typesIn: collectedTypes,
      handler: (type) => this.#handlerOf(type),
      onComplete: () => this.#onTypesComplete(),
      onEnded: (type, signal) => this.#onTypeEnded(type, signal),
    })
    const work = (uid: string, signal: AbortSignal): Promise<boolean> => this.#process(uid, signal)
    this.#queue = new WorkQueue(parts, { name: 'garbage-collector', workers: WORKERS, work })
  }

  /** Nothing is processed before all informers have synced: an owner may have dependents that are not known yet. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const both = AbortSignal.any([signal, stop.signal])
    const stopListening = this.#parts.resources().onChange(() => {
      this.#typeChanges++
      this.#owners.forgetKinds()
    })
    const following = this.#informers.run(both).finally(() => stop.abort())
    try {
      const loaded = await Promise.race([this.#informers.synced.then(() => true), following.then(() => false)])
      if (loaded) await this.#queue.run(both)
      await following
    } finally {
      stopListening()
    }
  }

  #handlerOf(type: InformedType): InformerHandler {
    return {
      onPresent: (stored) => {
        const { node, before } = this.#graph.set(type, stored)
        this.#onPresent(node, before)
      },
      onGone: (stored, isCertain) => this.#onGone(metaText(stored.object(), 'uid'), isCertain),
    }
  }

  #onPresent(node: GraphNode, before: GraphNode | undefined): void {
    if (node.owners.length > 0 || (node.isTerminating && waitsForDependents(node))) this.#queue.add(node.uid)
    if (before !== undefined) this.#untilServed.remove(before)
    this.#enqueueOwners(before)
  }

  #onGone(uid: string, isCertain: boolean): void {
    const node = this.#graph.get(uid)
    if (node !== undefined) this.#forget(node)
    const dependents = this.#graph.dependentsOf(uid)
    if (isCertain && node !== undefined && dependents.length > 0) this.#owners.noteGone(node)
    for (const dependent of dependents) this.#queue.add(dependent.uid)
    this.#enqueueOwners(node)
  }

  #forget(node: GraphNode): void {
    this.#graph.delete(node.uid)
    this.#untilServed.remove(node)
    for (const uids of [this.#untilComplete, this.#unblocked, this.#requeued]) uids.delete(node.uid)
  }

  /** An owner is enqueued when the last dependent that blocks it is gone, not for each dependent. */
  #enqueueOwners(dependent: GraphNode | undefined): void {
    for (const { uid } of dependent?.owners ?? []) {
      if (!this.#graph.isBlocked(uid) && this.#graph.get(uid)?.deletesDependents === true) this.#queue.add(uid)
    }
  }

  #onTypesComplete(): void {
    for (const uid of this.#untilServed.take((kind) => this.#owners.isServed(kind))) this.#queue.add(uid)
    for (const uid of this.#untilComplete) this.#queue.add(uid)
    this.#untilComplete.clear()
  }

  /** Stored objects of the type can no longer be reached. The collector decides nothing about them, or about objects that name them. */
  async #onTypeEnded(type: InformedType, signal: AbortSignal): Promise<void> {
    for (const node of this.#graph.ofType(type)) {
      const key = { resource: type.stored, namespace: node.namespace, name: node.name }
      const { item } = await this.#parts.registry.store.get(key, { kind: 'any' }, signal)
      if (item === undefined) this.#onGone(node.uid, true)
      else this.#forget(node)
    }
  }

  /** Resolves to true if the object must be processed again after a pause. */
  async #process(uid: string, signal: AbortSignal): Promise<boolean> {
    const node = this.#graph.get(uid)
    if (node === undefined || !node.type.isServed) return false
    if (node.isTerminating) return waitsForDependents(node) && this.#processOwner(node, signal)
    return node.owners.length > 0 && this.#processDependent(node, signal)
  }

  /** Checks whether the owners of a live object still exist, and decides about the object. */
  async #processDependent(node: GraphNode, signal: AbortSignal): Promise<boolean> {
    const before = this.#typeChanges
    const found = await Promise.all(node.owners.map((owner) => this.#owners.find(node, owner, signal)))
    for (const one of found) if (isMisplaced(one)) await this.#reportOwner(node, one.reference, signal)
    if (found.some(({ kind }) => kind === 'impossible')) return false
    const unserved = found.find((one) => one.kind === 'unserved')
    if (unserved !== undefined) {
      this.#untilServed.add(node, unserved.reference)
      return before !== this.#typeChanges
    }
    const owners = found.filter((one) => one.kind === 'known')
    if (owners.length < found.length || this.#waitsForOwner(node, owners)) return true
    const isSettled = await this.#decide(node, owners, signal)
    // There is no event for the deletion of an owner that is not in the graph, so the object is processed again.
    return !isSettled || owners.some(({ state, isFollowed }) => state !== 'absent' && !isFollowed)
  }

  /** Whether the deletion of an owner that the object no longer blocks is about to end. */
  #waitsForOwner({ uid }: GraphNode, owners: readonly KnownOwner[]): boolean {
    const isSoon = ({ state, reference }: KnownOwner): boolean =>
      state === 'waiting' && !this.#graph.isBlocked(reference.uid)
    if (this.#unblocked.has(uid) && owners.some(isSoon)) return true
    this.#unblocked.delete(uid)
    return false
  }

  /** Carries out the decision. Resolves to false if the stored object has changed since. */
  async #decide(node: GraphNode, owners: readonly KnownOwner[], signal: AbortSignal): Promise<boolean> {
    const decision = decideDependent(node, owners, this.#graph.dependentsOf(node.uid))
    switch (decision.kind) {
      case 'stays':
        return true
      case 'losesOwners':
        await this.#removeOwners(node, decision.owners, signal)
        return true
      case 'stopsBlocking':
        this.#unblocked.add(node.uid)
        await this.#stopBlocking(node, signal)
        return true
      case 'goes':
        return this.#delete(node, decision.propagation, signal)
    }
  }

  /** Owners are looked up in the dependent's namespace. An owner in another one counts as absent. An event reports it (W-360, W-361). */
  async #reportOwner(
    node: GraphNode,
    { apiVersion, kind, name, uid }: OwnerReference,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${node.uid} ${uid}`
    if (this.#reported.get(key) === true) return
    this.#reported.set(key, true)
    const { namespace, type, resourceVersion } = node
    const { resource } = type
    await recordEvent(
      this.#parts,
      {
        about: {
          apiVersion: formatGroupVersion(resource),
          kind: resource.kind,
          namespace,
          name: node.name,
          uid: node.uid,
          resourceVersion,
        },
        component: 'garbage-collector-controller',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
      },
      signal,
    )
  }

  /** Processes an owner that releases its dependents, or waits for their deletion. */
  async #processOwner(node: GraphNode, signal: AbortSignal): Promise<boolean> {
    if (!this.#informers.isComplete) {
      this.#untilComplete.add(node.uid)
      return false
    }
    const dependents = this.#graph.dependentsOf(node.uid)
    if (node.finalizers.includes(ORPHAN)) {
      const release = (dependent: GraphNode): Promise<void> => {
        const references = dependent.owners.filter(({ uid }) => uid === node.uid)
        return this.#removeOwners(dependent, references, signal)
      }
      const failures: unknown[] = []
      await forEachAtOnce(dependents, { most: WORKERS, signal }, (dependent) =>
        release(dependent).catch((error: unknown) => failures.push(error)),
      )
      if (failures.length > 0) throw failures[0]
      await this.#removeFinalizer(node, ORPHAN, signal)
      return false
    }
    const undecided = dependents.filter((dependent) => !dependent.isTerminating)
    for (const dependent of undecided) this.#queue.add(dependent.uid)
    if (this.#graph.isBlocked(node.uid)) return false
    if (undecided.length > 0 && !this.#requeued.has(node.uid)) {
      this.#requeued.add(node.uid)
      this.#queue.add(node.uid)
      return false
    }
    await this.#removeFinalizer(node, FOREGROUND, signal)
    return false
  }

  /** Resolves to false if the object has other owners now, or is being deleted already. The object is then processed again. */
  async #delete(node: GraphNode, propagationPolicy: Propagation, signal: AbortSignal): Promise<boolean> {
    const { uid, name, namespace, type, resourceVersion } = node
    const context = controllerContext(this.#parts, namespace, signal)
    const attempt = async (preconditions: { uid: string; resourceVersion: string | undefined }): Promise<boolean> => {
      const options = { ...IN_BACKGROUND, preconditions, propagationPolicy }
      const deletion = deleteObject(this.#parts.registry, type.resource, { name, options }, context)
      return succeeds(deletion, 'NotFound', 'Conflict')
    }
    if (await attempt({ uid, resourceVersion })) return true
    // A client that writes the object all the time must not prevent its deletion.
    return (await this.#hasSameOwners(node, signal)) && attempt({ uid, resourceVersion: undefined })
  }

  async #hasSameOwners({ uid, namespace, name, type, owners }: GraphNode, signal: AbortSignal): Promise<boolean> {
    const key = { resource: type.stored, namespace, name }
    const { item } = await this.#parts.registry.store.get(key, { kind: 'latest' }, signal)
    if (item?.kind !== 'object') return false
    const live = item.object()
    return (
      metaText(live, 'uid') === uid && !isTerminating(live) && isDeepStrictEqual(ownersIn(live).map(ownerOf), owners)
    )
  }

  #removeOwners(node: GraphNode, gone: readonly OwnerReference[], signal: AbortSignal): Promise<void> {
    const uids = new Set<unknown>(gone.map(({ uid }) => uid))
    return this.#update(node, signal, (live) =>
      withOwners(
        live,
        ownersIn(live).filter((reference) => !uids.has(reference.uid)),
      ),
    )
  }

  #stopBlocking(node: GraphNode, signal: AbortSignal): Promise<void> {
    const unblocked = (reference: Reference): Reference =>
      reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference
    return this.#update(node, signal, (live) => withOwners(live, ownersIn(live).map(unblocked)))
  }

  #removeFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
    return this.#update(node, signal, (live) => {
      const kept = finalizersOf(live).filter((name) => name !== finalizer)
      return withMeta(live, { finalizers: kept.length === 0 ? undefined : kept })
    })
  }

  async #update(node: GraphNode, signal: AbortSignal, change: (live: ApiObject) => ApiObject): Promise<void> {
    const { name, namespace, uid, type } = node
    const context = controllerContext(this.#parts, namespace, signal)
    // If the object is gone, or another one has its name, there is nothing left to do.
    await succeeds(updateLive(this.#parts, type.resource, { name, change, uid }, context), 'NotFound', 'Conflict')
  }
}

/** Whether the owner is in another namespace. An event reports such an owner. */
function isMisplaced(found: FoundOwner): found is Extract<FoundOwner, { readonly reference: OwnerReference }> {
  return found.kind === 'impossible' || (found.kind === 'known' && found.isElsewhere)
}

function waitsForDependents({ finalizers }: GraphNode): boolean {
  return finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND)
}

function ownersIn(object: ApiObject): readonly Reference[] {
  return metaOf(object).ownerReferences ?? []
}

function withOwners(object: ApiObject, references: readonly Reference[]): ApiObject {
  return withMeta(object, { ownerReferences: references.length === 0 ? undefined : references })
}

/** The types that can be deleted, listed and watched, each in one version. Events are left out: they own nothing (W-369). */
function* collectedTypes(table: ResourceTable): Generator<Resource> {
  for (const resource of eachType(table)) {
    const { verbs, stored } = resource
    if (!verbs.has('delete') || !verbs.has('list') || !verbs.has('watch')) continue
    if (stored.storagePrefix !== 'events') yield resource
  }
}
