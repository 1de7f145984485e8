// The objects of a resource that a user may read, over all namespaces: everything, whole namespaces, and objects by their names.

export interface Reach {
  readonly isAll: boolean
  /** The names that may be read in every namespace. */
  readonly names: ReadonlySet<string>
  /** By namespace: all objects, or the objects with these names. */
  readonly namespaces: ReadonlyMap<string, 'all' | ReadonlySet<string>>
}

export const NO_REACH: Reach = Object.freeze({ isAll: false, names: new Set<string>(), namespaces: new Map() })
export const FULL_REACH: Reach = Object.freeze({ ...NO_REACH, isAll: true })

export function isWithin({ isAll, names, namespaces }: Reach, namespace: string, name: string): boolean {
  if (isAll || names.has(name)) return true
  const inside = namespaces.get(namespace)
  return inside !== undefined && (inside === 'all' || inside.has(name))
}

export class ReachBuilder {
  #isAll = false
  readonly #names = new Set<string>()
  readonly #namespaces = new Map<string, 'all' | Set<string>>()

  /** Adds the objects with these names. Empty `names` means all objects. Empty `namespace` means every namespace. */
  add(namespace: string, names: readonly string[]): void {
    if (names.length === 0) {
      if (namespace === '') this.#isAll = true
      else this.#namespaces.set(namespace, 'all')
      return
    }
    const known = namespace === '' ? this.#names : (this.#namespaces.get(namespace) ?? new Set<string>())
    if (known === 'all') return
    for (const name of names) known.add(name)
    if (namespace !== '') this.#namespaces.set(namespace, known)
  }

  join({ isAll, names, namespaces }: Reach): void {
    this.#isAll ||= isAll
    for (const name of names) this.#names.add(name)
    for (const [namespace, inside] of namespaces) {
      if (inside === 'all' || inside.size > 0) this.add(namespace, inside === 'all' ? [] : [...inside])
    }
  }

  build(): Reach {
    return { isAll: this.#isAll, names: this.#names, namespaces: this.#namespaces }
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
  if (part.isAll || [...part.names].some((name) => !whole.names.has(name))) return false
  for (const [namespace, inside] of part.namespaces) {
    const known = whole.namespaces.get(namespace)
    if (known === 'all') continue
    if (inside === 'all' || [...inside].some((name) => !whole.names.has(name) && known?.has(name) !== true))
      return false
  }
  return true
}
