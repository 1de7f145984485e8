// The objects of one type, in memory. An informer follows them, and each write of this process is added as soon as it is answered. So a
// controller never acts on a state without its own last write.
import type { KindName, ObjectOf } from '../../api/kind-guard.ts'
import { isKind } from '../../api/kind-guard.ts'
import { metaOf, metaText, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { sharedWith } from '../../api/value.ts'
import type { OwnerReference } from '../../api/gen/kinds.ts'
import type { StoredObject } from '../../api/read.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { getOrInsert, removeFromSet } from '../../lib/map-entries.ts'
import type { Resource } from '../../registry/registry.ts'
import type { Store } from '../../store/store.ts'
import { runInformer } from '../informer.ts'

/** Removals are remembered for this number of objects. */
const REMEMBERED = 10_000

export interface Listener<T> {
  /** Called when an object is new or has changed. */
  readonly changed: (object: T, before: T | undefined) => void
  readonly gone?: (object: T) => void
}

interface Entry<T> {
  readonly object: T
  readonly revision: number
}

/** The followed objects have no managed fields. */
export class Followed<T extends ApiObject = ApiObject> {
  readonly resource: Resource
  readonly #isOne: (object: ApiObject) => object is T
  readonly #entries = new Map<string, Entry<T>>()
  readonly #byNamespace = new Map<string, Map<string, T>>()
  /** The objects by the uid of their controller. Objects without a controller are under the `orphansKey` of their namespace. */
  readonly #byOwner = new Map<string, Map<string, T>>()
  readonly #listeners: Listener<T>[] = []
  /** The revisions of removals, by uid: an older answer to a write must not bring the object back. */
  readonly #removedAt = new BoundedMap<string, number>(REMEMBERED)
  /** The uids of objects that this process has removed, until the informer reports their removal. */
  readonly #removedHere = new BoundedMap<string, true>(REMEMBERED)
  readonly #synced = Promise.withResolvers<void>()

  constructor(resource: Resource, isOne: (object: ApiObject) => object is T) {
    this.resource = resource
    this.#isOne = isOne
  }

  /** Resolves when all objects are known. */
  get synced(): Promise<void> {
    return this.#synced.promise
  }

  /** Call this before `run`. */
  listen(listener: Listener<T>): void {
    this.#listeners.push(listener)
  }

  get(namespace: string, name: string): T | undefined {
    return this.#entries.get(keyIn(namespace, name))?.object
  }

  byKey(key: string): T | undefined {
    return this.#entries.get(key)?.object
  }

  *all(): Generator<T> {
    for (const { object } of this.#entries.values()) yield object
  }

  get size(): number {
    return this.#entries.size
  }

  /** The objects of a namespace. */
  in(namespace: string): Iterable<T> {
    return this.#byNamespace.get(namespace)?.values() ?? []
  }

  /** The objects with this controller. */
  ownedBy(uid: string): readonly T[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])]
  }

  /** The objects of a namespace without a controller. */
  orphansIn(namespace: string): readonly T[] {
    return [...(this.#byOwner.get(orphansKey(namespace))?.values() ?? [])]
  }

  async run(store: Store, signal: AbortSignal): Promise<void> {
    const handler = {
      onPresent: (stored: StoredObject) => void this.#put(stored.object(), stored.revision),
      onGone: (stored: StoredObject) => {
        const uid = metaText(stored.object(), 'uid')
        this.#removedAt.set(uid, stored.revision)
        const known = this.#entries.get(keyIn(stored.namespace, stored.name))
        if (known !== undefined && metaText(known.object, 'uid') === uid) this.#drop(known.object)
      },
      onSynced: () => this.#synced.resolve(),
    }
    await runInformer(store, this.resource, handler, signal)
  }

  /** Takes the answer to a write. Returns the newest known state. */
  note(answer: ApiObject | StoredObject): T {
    const object = 'bytes' in answer ? (answer as StoredObject).object() : answer
    const revision = Number(metaText(object, 'resourceVersion'))
    if ((this.#removedAt.get(metaText(object, 'uid')) ?? 0) > revision) return object as T
    return this.#put(object, revision) ?? (object as T)
  }

  /** Call this when this process has removed the object. */
  noteRemoved(object: T): void {
    const known = this.#entries.get(keyOf(object))
    const uid = metaText(object, 'uid')
    if (known === undefined || metaText(known.object, 'uid') !== uid) return
    this.#removedHere.set(uid, true)
    this.#drop(known.object)
  }

  #put(read: ApiObject, revision: number): T | undefined {
    if (!this.#isOne(read) || this.#removedHere.get(metaText(read, 'uid')) !== undefined) return undefined
    const key = keyOf(read)
    const known = this.#entries.get(key)
    if (known !== undefined && known.revision >= revision) return known.object
    const bare = withMeta(read as ApiObject, { managedFields: undefined }) as T
    const isReplaced = known !== undefined && metaText(known.object, 'uid') !== metaText(bare, 'uid')
    if (isReplaced) this.#drop(known.object)
    const before = isReplaced ? undefined : known?.object
    // Pods of one template are mostly equal. Sharing their equal parts saves a fifth of the heap with 5,000 pods.
    const [sibling] = this.#byOwner.get(ownerKey(bare))?.values() ?? []
    const object = sharedWith(bare, before ?? sibling) as T
    if (before !== undefined) this.#unindex(key, before)
    this.#entries.set(key, { object, revision })
    this.#index(key, object)
    for (const { changed } of this.#listeners) changed(object, before)
    return object
  }

  #drop(object: T): void {
    const key = keyOf(object)
    this.#entries.delete(key)
    this.#unindex(key, object)
    for (const { gone } of this.#listeners) gone?.(object)
  }

  #index(key: string, object: T): void {
    put(this.#byNamespace, metaText(object, 'namespace'), key, object)
    put(this.#byOwner, ownerKey(object), key, object)
  }

  #unindex(key: string, object: T): void {
    removeFromSet(this.#byNamespace, metaText(object, 'namespace'), key)
    removeFromSet(this.#byOwner, ownerKey(object), key)
  }
}

export function followedOf<N extends KindName>(resource: Resource, kind: N): Followed<ObjectOf<N>> {
  return new Followed<ObjectOf<N>>(resource, (object): object is ObjectOf<N> => isKind(object, kind))
}

export function keyOf(object: ApiObject): string {
  return keyIn(metaText(object, 'namespace'), metaText(object, 'name'))
}

export function keyIn(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return metaOf(object).ownerReferences?.find(({ controller }) => controller === true)
}

function ownerKey(object: ApiObject): string {
  return controllerOf(object)?.uid ?? orphansKey(metaText(object, 'namespace'))
}

/** The key of objects without a controller. It has a space, so it is not a uid. */
function orphansKey(namespace: string): string {
  return `in ${namespace}`
}

function put<T>(index: Map<string, Map<string, T>>, at: string, key: string, object: T): void {
  getOrInsert(index, at, () => new Map<string, T>()).set(key, object)
}
