// Finds a revision in an ordered list of changes. A revision may have several changes.
import type { Revision } from '../kv.ts'

/** The index of the first change at or after the revision. The length: there is none. */
export function firstFrom(changes: readonly { readonly revision: Revision }[], revision: Revision): number {
  // If every revision has one change, the change is at this index.
  const guess = revision - (changes[0]?.revision ?? 0)
  if (changes[guess]?.revision === revision && changes[guess - 1]?.revision !== revision) return guess
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (changes[middle]!.revision < revision) low = middle + 1
    else high = middle
  }
  return low
}
