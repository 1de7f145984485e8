// Objects with owners of kinds that are not served. They are processed once the kind is served.
import { getOrInsert } from '../lib/map-entries.ts'
import type { GraphNode, OwnerReference } from './ownership-graph.ts'

export type NamedKind = Pick<OwnerReference, 'apiVersion' | 'kind'>

interface Waiting {
  readonly kind: NamedKind
  readonly uids: Set<string>
}

export class KindWaits {
  readonly #waiting = new Map<string, Waiting>()

  add({ uid }: GraphNode, { apiVersion, kind }: NamedKind): void {
    const named = { apiVersion, kind }
    getOrInsert(this.#waiting, kindKey(named), () => ({ kind: named, uids: new Set() })).uids.add(uid)
  }

  /** Ends all waits of the object. */
  remove({ uid, owners }: GraphNode): void {
    if (this.#waiting.size === 0) return
    for (const owner of owners) {
      const key = kindKey(owner)
      const known = this.#waiting.get(key)
      known?.uids.delete(uid)
      if (known?.uids.size === 0) this.#waiting.delete(key)
    }
  }

  /** Removes and returns the waiting objects whose kinds are served now. */
  take(isServed: (kind: NamedKind) => boolean): readonly string[] {
    const taken = [...this.#waiting].filter(([, { kind }]) => isServed(kind))
    for (const [key] of taken) this.#waiting.delete(key)
    return taken.flatMap(([, { uids }]) => [...uids])
  }
}

export function kindKey({ apiVersion, kind }: NamedKind): string {
  return `${apiVersion} ${kind}`
}
