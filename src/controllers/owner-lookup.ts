// Looks up the owners of an object. All fields of a reference must match (version, kind, name, uid). The graph knows an owner by its uid;
// if another field differs, the store decides (W-357, W-360).
import { metaText } from '../api/object-members.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { finalizersOf, isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import type { ControllerParts } from './controllers.ts'
import type { KnownOwner } from './dependent-decision.ts'
import { kindKey, type NamedKind } from './kind-waits.ts'
import { FOREGROUND, type GraphNode, type OwnerReference, type OwnershipGraph } from './ownership-graph.ts'
import { asStored } from './stored-types.ts'

const REMEMBERED = 10_000
const LIST = 'List'

export type FoundOwner =
  /** `isFollowed`: the deletion of the owner will be noticed. `isElsewhere`: the owner is in another namespace. */
  | (KnownOwner & { readonly kind: 'known'; readonly isFollowed: boolean; readonly isElsewhere: boolean })
  /** The kind does not exist now, but it may later (W-362). */
  | { readonly kind: 'unserved'; readonly reference: OwnerReference }
  /** An owner in a namespace cannot own a cluster-scoped object. kube-controller-manager leaves such dependents alone (W-361). */
  | { readonly kind: 'impossible'; readonly reference: OwnerReference }
  /** The owner is stored, but cannot be read. */
  | { readonly kind: 'unreadable' }

export class OwnerLookup {
  readonly #parts: ControllerParts
  readonly #graph: OwnershipGraph
  /** Deleted objects that others named as owners. A uid is never used again. */
  readonly #gone = new BoundedMap<string, GraphNode>(REMEMBERED)
  #kinds: ReadonlyMap<string, Resource> | undefined

  constructor(parts: ControllerParts, graph: OwnershipGraph) {
    this.#parts = parts
    this.#graph = graph
  }

  noteGone(node: GraphNode): void {
    this.#gone.set(node.uid, node)
  }

  /** Call this when the served kinds have changed. */
  forgetKinds(): void {
    this.#kinds = undefined
  }

  /** Whether the kind is served, or is a kind of lists of a served kind. */
  isServed(kind: NamedKind): boolean {
    return this.#served().has(kindKey(kind)) || this.#listed(kind) !== undefined
  }

  #served(): ReadonlyMap<string, Resource> {
    return (this.#kinds ??= kindsOf(this.#parts))
  }

  #listed({ apiVersion, kind }: NamedKind): Resource | undefined {
    if (!kind.endsWith(LIST)) return undefined
    return this.#served().get(kindKey({ apiVersion, kind: kind.slice(0, -LIST.length) }))
  }

  async find(node: GraphNode, reference: OwnerReference, signal: AbortSignal): Promise<FoundOwner> {
    const absent = { kind: 'known', reference, state: 'absent', isFollowed: true, isElsewhere: false } as const
    const resource = this.#served().get(kindKey(reference))
    const gone = this.#gone.get(reference.uid)
    if (gone !== undefined && isWhere(gone, node) && isNamed(gone, reference, resource)) return absent
    const named = resource ?? this.#listed(reference)
    if (named === undefined) return { kind: 'unserved', reference }
    if (named.namespaced && node.namespace === '') return { kind: 'impossible', reference }
    // The owner's kind is a kind of lists, and no object has such a kind.
    if (resource === undefined) return absent
    const followed = this.#graph.get(reference.uid)
    const isFollowed = followed !== undefined
    const isElsewhere = isFollowed && !isWhere(followed, node)
    if (isFollowed && !isElsewhere && isOf(followed, resource) && followed.name === reference.name) {
      const isWaiting = followed.isTerminating && followed.finalizers.includes(FOREGROUND)
      return { kind: 'known', reference, state: isWaiting ? 'waiting' : 'solid', isFollowed, isElsewhere }
    }
    const state = await this.#storedState(resource, { node, reference }, signal)
    if (state === 'unreadable') return { kind: 'unreadable' }
    return { kind: 'known', reference, state, isFollowed, isElsewhere }
  }

  /** Reads the state of the owner from the store, because the graph may be behind, or not have the owner's type. */
  async #storedState(
    resource: Resource,
    { node, reference }: { readonly node: GraphNode; readonly reference: OwnerReference },
    signal: AbortSignal,
  ): Promise<KnownOwner['state'] | 'unreadable'> {
    const namespace = resource.namespaced ? node.namespace : ''
    const key = { resource: asStored(resource), namespace, name: reference.name }
    const { item } = await this.#parts.registry.store.get(key, { kind: 'latest' }, signal)
    if (item === undefined) return 'absent'
    if (item.kind !== 'object') return 'unreadable'
    const object = item.object()
    if (metaText(object, 'uid') !== reference.uid) return 'absent'
    return isTerminating(object) && finalizersOf(object).includes(FOREGROUND) ? 'waiting' : 'solid'
  }
}

/** Whether the owner is in the dependent's own namespace or cluster-scoped. Owners are looked up only there. */
function isWhere(owner: GraphNode, { namespace }: GraphNode): boolean {
  return owner.namespace === '' || owner.namespace === namespace
}

function isOf({ type }: GraphNode, { stored }: Resource): boolean {
  return type.stored.storagePrefix === stored.storagePrefix
}

/** Whether the reference names this deleted object. If its kind is no longer served, the last known group and kind are compared. */
function isNamed(gone: GraphNode, reference: OwnerReference, resource: Resource | undefined): boolean {
  if (gone.name !== reference.name) return false
  if (resource !== undefined) return isOf(gone, resource)
  const { isServed, resource: last } = gone.type
  if (isServed || parseGroupVersion(reference.apiVersion)?.group !== last.group) return false
  return spellingsOf(last.kind).includes(reference.kind)
}

/** The spellings of a kind that an owner reference may use. Clients that look up resources by kind may use the same spellings. */
function spellingsOf(kind: string): readonly string[] {
  return [kind.toLowerCase(), kind]
}

function kindsOf(parts: ControllerParts): ReadonlyMap<string, Resource> {
  const kinds = new Map<string, Resource>()
  for (const resource of parts.resources().all()) {
    const apiVersion = formatGroupVersion(resource)
    for (const kind of spellingsOf(resource.kind)) kinds.set(kindKey({ apiVersion, kind }), resource)
  }
  return kinds
}
