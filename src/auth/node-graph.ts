// Knows the objects that a node may read: the pods bound to it, and the objects that these pods refer to (P-166, P-167). The node may also
// read the volume of a claim that a pod refers to, and the secrets of that volume. An informer feeds the graph.
import { addToSet, getOrInsert, removeFromSet } from '../lib/map-entries.ts'

/** An object that a node may read. Cluster-scoped objects have an empty namespace. */
export interface NodeRelated {
  readonly type: RelatedType
  readonly namespace: string
  readonly name: string
}

export type RelatedType =
  | 'configmap'
  | 'persistentvolume'
  | 'persistentvolumeclaim'
  | 'pod'
  | 'podcertificaterequest'
  | 'resourceclaim'
  | 'resourceslice'
  | 'secret'
  | 'serviceaccount'
  | 'volumeattachment'

interface Bound {
  readonly node: string
  readonly references: readonly string[]
}

interface Volume {
  readonly claim: string
  readonly secrets: readonly string[]
}

export class NodeGraph {
  /** For each node: the objects that its objects refer to, and how often. */
  readonly #byNode = new Map<string, Map<string, number>>()
  readonly #bound = new Map<string, Bound>()
  readonly #volumes = new Map<string, Volume>()
  /** The volumes that refer to a secret. */
  readonly #volumesOfSecret = new Map<string, Set<string>>()

  /** Sets the node and the references of an object: a pod, an attachment, a slice. */
  bind(object: NodeRelated, node: string, references: readonly NodeRelated[]): void {
    this.unbind(object)
    if (node === '') return
    const bound = { node, references: [...new Set([object, ...references].map(keyOf))] }
    this.#bound.set(keyOf(object), bound)
    const counts = getOrInsert(this.#byNode, node, () => new Map<string, number>())
    for (const reference of bound.references) counts.set(reference, (counts.get(reference) ?? 0) + 1)
  }

  unbind(object: NodeRelated): void {
    const key = keyOf(object)
    const bound = this.#bound.get(key)
    if (bound === undefined) return
    this.#bound.delete(key)
    const counts = this.#byNode.get(bound.node)
    for (const reference of bound.references) {
      const left = (counts?.get(reference) ?? 1) - 1
      if (left > 0) counts?.set(reference, left)
      else counts?.delete(reference)
    }
    if (counts?.size === 0) this.#byNode.delete(bound.node)
  }

  /** Nodes reach a volume through its claim. An undefined `claim`: the volume has no claim, so no node reaches it. */
  putVolume(name: string, claim: NodeRelated | undefined, secrets: readonly NodeRelated[]): void {
    this.removeVolume(name)
    if (claim === undefined) return
    const volume = { claim: keyOf(claim), secrets: secrets.map(keyOf) }
    this.#volumes.set(name, volume)
    for (const secret of volume.secrets) addToSet(this.#volumesOfSecret, secret, name)
  }

  removeVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) removeFromSet(this.#volumesOfSecret, secret, name)
    this.#volumes.delete(name)
  }

  isRelated(node: string, object: NodeRelated): boolean {
    const known = this.#byNode.get(node)
    if (known === undefined) return false
    const key = keyOf(object)
    if (known.has(key)) return true
    if (object.type === 'persistentvolume') return this.#hasVolume(known, object.name)
    if (object.type !== 'secret') return false
    for (const volume of this.#volumesOfSecret.get(key) ?? []) if (this.#hasVolume(known, volume)) return true
    return false
  }

  #hasVolume(known: ReadonlyMap<string, number>, name: string): boolean {
    const volume = this.#volumes.get(name)
    return volume !== undefined && known.has(volume.claim)
  }
}

function keyOf({ type, namespace, name }: NodeRelated): string {
  return `${type}/${namespace}/${name}`
}
