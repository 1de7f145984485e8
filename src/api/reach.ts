// The objects of a resource that a user may read, over all namespaces: everything, whole namespaces, and objects by their names.
import { getOrInsert } from '../lib/map-entries.ts'

/** Names that a role grants. They are shared and not copied, because a role can have very many. */
export interface NameSet {
  /** Different for different sets. */
  readonly id: string
  readonly names: ReadonlySet<string>
}

export interface Reach {
  readonly isAll: boolean
  /** The names that may be read in every namespace. */
  readonly names: readonly NameSet[]
  /** By namespace: all objects, or the objects with these names. */
  readonly namespaces: ReadonlyMap<string, 'all' | readonly NameSet[]>
}

export const NO_REACH: Reach = Object.freeze({ isAll: false, names: [], namespaces: new Map() })
export const FULL_REACH: Reach = Object.freeze({ ...NO_REACH, isAll: true })

export function isWithin({ isAll, names, namespaces }: Reach, namespace: string, name: string): boolean {
  if (isAll || hasName(names, name)) return true
  const inside = namespaces.get(namespace)
  return inside !== undefined && (inside === 'all' || hasName(inside, name))
}

function hasName(sets: readonly NameSet[], name: string): boolean {
  return sets.some(({ names }) => names.has(name))
}

export class ReachBuilder {
  #isAll = false
  /** The names that were added one by one. */
  readonly #single = new Set<string>()
  readonly #names = new Set<NameSet>()
  readonly #namespaces = new Map<string, 'all' | Set<NameSet>>()

  /** Adds all objects. Empty `namespace` means every namespace. */
  addAll(namespace: string): void {
    if (namespace === '') this.#isAll = true
    else this.#namespaces.set(namespace, 'all')
  }

  /** Adds the objects with this name in every namespace. */
  addName(name: string): void {
    this.#single.add(name)
  }

  /** Adds the objects with these names. Empty `namespace` means every namespace. */
  addNames(namespace: string, names: NameSet): void {
    const known = namespace === '' ? this.#names : getOrInsert(this.#namespaces, namespace, () => new Set<NameSet>())
    if (known !== 'all') known.add(names)
  }

  join({ isAll, names, namespaces }: Reach): void {
    this.#isAll ||= isAll
    for (const each of names) this.addNames('', each)
    for (const [namespace, inside] of namespaces) {
      if (inside === 'all') this.addAll(namespace)
      else for (const each of inside) this.addNames(namespace, each)
    }
  }

  build(): Reach {
    const single = this.#single.size === 0 ? [] : [{ id: JSON.stringify([...this.#single]), names: this.#single }]
    const namespaces = new Map<string, 'all' | readonly NameSet[]>()
    for (const [namespace, inside] of this.#namespaces)
      namespaces.set(namespace, inside === 'all' ? inside : [...inside])
    return { isAll: this.#isAll, names: [...this.#names, ...single], namespaces }
  }
}

/** Changes of the rights of users. */
export interface Rights {
  /** Calls `listener` when rights may have changed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void
  /** The newest revision at the last change of rights. Rights may have changed since every earlier revision. */
  changedAt(): number
}

/** The reach of a caller while a request lasts. */
export interface CallerReach extends Rights {
  /** The current reach. */
  now(): Reach
  /** Whether `now` was called. */
  readonly isTaken: boolean
}

/** Whether `whole` includes every object of `part`. */
export function covers(whole: Reach, part: Reach): boolean {
  if (whole.isAll) return true
  if (part.isAll || !hasAll(whole.names, part.names)) return false
  for (const [namespace, inside] of part.namespaces) {
    const known = whole.namespaces.get(namespace) ?? []
    if (known === 'all') continue
    if (inside === 'all' || !hasAll([...whole.names, ...known], inside)) return false
  }
  return true
}

function hasAll(whole: readonly NameSet[], part: readonly NameSet[]): boolean {
  return part.every((set) => whole.includes(set) || set.names.values().every((name) => hasName(whole, name)))
}
