// Entries of maps: an entry is made at its first use, and a set is removed with its last value.

/** Returns the value of the key. If there is none, makes one and keeps it. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make(key)
  map.set(key, made)
  return made
}

/** Adds a value to the set of the key. */
export function addToSet<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  getOrInsert(sets, key, () => new Set<V>()).add(value)
}

/** Adds a value to the list of the key. */
export function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  getOrInsert(lists, key, (): V[] => []).push(value)
}

/** Removes a value from the set of the key. The set may be a map: a value is then one of its keys. */
export function removeFromSet<K, V>(
  sets: Map<K, { readonly size: number; delete(value: V): boolean }>,
  key: K,
  value: V,
): void {
  const set = sets.get(key)
  set?.delete(value)
  if (set?.size === 0) sets.delete(key)
}
