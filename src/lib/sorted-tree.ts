// Sorted trees that are copied in constant time. Only this file imports their package. A clone shares its nodes with the original until the
// clone or the original is written to, so a snapshot costs nothing until then.
import sortedBtree from 'sorted-btree'
import sortedDiff from 'sorted-btree/extended/diffAgainst.js'

/** The default import of a CommonJS module is its exports in Node, and its `default` export in test runners and bundlers. */
const BTree = sortedBtree.default ?? (sortedBtree as unknown as typeof sortedBtree.default)
const diffAgainst = sortedDiff.default ?? (sortedDiff as unknown as typeof sortedDiff.default)

export type SortedTree<K, V> = InstanceType<typeof BTree<K, V>>

export function newSortedTree<K, V>(compare: (a: K, b: K) => number): SortedTree<K, V> {
  return new BTree<K, V>(undefined, compare)
}

/** The values to remove from `from` and to put into it, so that it equals `to`. Both are in the order of keys. Shared nodes are skipped. */
export function differences<K, V>(
  from: SortedTree<K, V>,
  to: SortedTree<K, V>,
): { readonly removed: readonly V[]; readonly put: readonly V[] } {
  const removed: V[] = []
  const put: V[] = []
  diffAgainst(
    from,
    to,
    (_key, value) => void removed.push(value),
    (_key, value) => void put.push(value),
    (_key, _from, value) => void put.push(value),
  )
  // `diffAgainst` goes from the last key to the first.
  return { removed: removed.reverse(), put: put.reverse() }
}

export function compareNumbers(a: number, b: number): number {
  return a - b
}
