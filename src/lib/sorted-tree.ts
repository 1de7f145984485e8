// Sorted trees that are copied in constant time: the one place that knows which package they come from. A clone shares its
// nodes with the original until one of the two is written to, so a snapshot costs nothing until then.
import sortedBtree from 'sorted-btree'

/** Node gives a CommonJS module's exports as its default, test runners and bundlers its `default` export. */
const BTree = sortedBtree.default ?? (sortedBtree as unknown as typeof sortedBtree.default)

export type SortedTree<K, V> = InstanceType<typeof BTree<K, V>>

export function newSortedTree<K, V>(compare: (a: K, b: K) => number): SortedTree<K, V> {
  return new BTree<K, V>(undefined, compare)
}

export function compareNumbers(a: number, b: number): number {
  return a - b
}
