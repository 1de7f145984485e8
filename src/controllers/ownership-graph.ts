// The graph of owners and dependents over all objects, for the decisions of the garbage collector. It holds a few parsed members of each
// object, and refers to the stored object, which the informers hold too.
import type { OwnerReference as Reference } from '../api/gen/kinds.ts'
import { metaOf, metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import { finalizersOf, isTerminating } from '../registry/object-meta.ts'
import type { InformedType } from './type-informers.ts'

/** The finalizers of an owner that waits until its dependents are released or deleted. */
export const ORPHAN = 'orphan'
export const FOREGROUND = 'foregroundDeletion'

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly blocksOwner: boolean
}

export interface GraphNode {
  readonly uid: string
  readonly type: InformedType
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  readonly owners: readonly OwnerReference[]
  readonly isTerminating: boolean
  readonly finalizers: readonly string[]
  /** Whether the object was deleted in the foreground. This stays true after a client has removed the finalizer. */
  readonly deletesDependents: boolean
}

export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #dependents = new Map<string, Set<string>>()
  /** The number of dependents that keep an owner from being deleted before them, by the uid of the owner. */
  readonly #blocking = new Map<string, number>()

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  /** The objects that name this one as an owner. */
  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? [])
  }

  /** Whether a foreground deletion of the object has to wait for a dependent. */
  isBlocked(uid: string): boolean {
    return this.#blocking.has(uid)
  }

  /** Every object of a type. */
  ofType(type: InformedType): readonly GraphNode[] {
    return this.#nodes
      .values()
      .filter((node) => node.type === type)
      .toArray()
  }

  set(type: InformedType, stored: StoredObject): { readonly node: GraphNode; readonly before: GraphNode | undefined } {
    const node = nodeOf(type, stored)
    const before = this.#nodes.get(node.uid)
    if (before?.deletesDependents === true) node.deletesDependents = true
    this.#unlink(node.uid)
    this.#nodes.set(node.uid, node)
    for (const owner of node.owners) {
      addToSet(this.#dependents, owner.uid, node.uid)
      if (owner.blocksOwner) this.#blocking.set(owner.uid, (this.#blocking.get(owner.uid) ?? 0) + 1)
    }
    return { node, before }
  }

  delete(uid: string): void {
    this.#unlink(uid)
    this.#nodes.delete(uid)
  }

  #unlink(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      removeFromSet(this.#dependents, owner.uid, uid)
      if (!owner.blocksOwner) continue
      const blocking = (this.#blocking.get(owner.uid) ?? 0) - 1
      if (blocking > 0) this.#blocking.set(owner.uid, blocking)
      else this.#blocking.delete(owner.uid)
    }
  }
}

const TELLING = /"(?:ownerReferences|finalizers|deletionTimestamp)"/
const UID = '"uid":"'

/**
 * The uid of an object that has neither owners nor finalizers and is not being deleted, read from its bytes. Every event of an object calls
 * this function, and most objects are of this sort. Undefined: the object has to be parsed. Only objects of built-in kinds have their uid
 * before all members that users may write.
 */
function uidOfPlain({ resource }: InformedType, bytes: Buffer): string | undefined {
  if (resource.isCustom) return undefined
  // One expression over a text takes a third of the time that a search for each name in the bytes takes.
  const text = bytes.toString('latin1')
  const start = text.indexOf(UID) + UID.length
  const end = text.indexOf('"', start)
  if (start < UID.length || end < 0 || TELLING.test(text)) return undefined
  // A copy, because a part of the text would keep all of it in memory.
  return bytes.toString('latin1', start, end)
}

const NONE: readonly never[] = []

interface Known {
  readonly type: InformedType
  readonly uid: string
  /** Absent if the object has neither owners nor finalizers and is not being deleted. */
  readonly object?: ApiObject
}

/** Most nodes keep only their uid. Names and versions are read from the stored object on demand. */
class StoredNode implements GraphNode {
  readonly uid: string
  readonly type: InformedType
  readonly owners: readonly OwnerReference[]
  readonly isTerminating: boolean
  readonly finalizers: readonly string[]
  deletesDependents: boolean
  readonly #stored: StoredObject

  constructor(stored: StoredObject, { type, uid, object }: Known) {
    this.uid = uid
    this.type = type
    this.#stored = stored
    this.owners = object === undefined ? NONE : (metaOf(object).ownerReferences ?? []).map(ownerOf)
    this.isTerminating = object !== undefined && isTerminating(object)
    this.finalizers = object === undefined ? NONE : finalizersOf(object)
    this.deletesDependents = this.isTerminating && this.finalizers.includes(FOREGROUND)
  }

  get namespace(): string {
    return this.#stored.namespace
  }

  get name(): string {
    return this.#stored.name
  }

  get resourceVersion(): string {
    return String(this.#stored.revision)
  }
}

function nodeOf(type: InformedType, stored: StoredObject): StoredNode {
  const uid = uidOfPlain(type, stored.bytes)
  if (uid !== undefined) return new StoredNode(stored, { type, uid })
  const object = stored.object()
  return new StoredNode(stored, { type, uid: metaText(object, 'uid'), object })
}

export function ownerOf({ apiVersion, kind, name, uid, blockOwnerDeletion }: Reference): OwnerReference {
  return { apiVersion, kind, name, uid, blocksOwner: blockOwnerDeletion === true }
}
