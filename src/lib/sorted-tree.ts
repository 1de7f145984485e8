// Sorted trees that are copied in constant time: the one place that knows which package they come from. A clone shares its
// nodes with the original until one of the two is written to, so a snapshot costs nothing until then.
import sortedBtree from 'sorted-btree'

/** Node gives a CommonJS module's exports as its default, test runners and bundlers its `default` export. */
const BTree = sortedBtree.default ?? (sortedBtree as unknown as typeof sortedBtree.default)

export type SortedTree<K, V> = InstanceType<typeof BTree<K, V>>

export function newSortedTree<K, V>(compare: (a: K, b: K) => number): SortedTree<K, V> {
  return new BTree<K, V>(undefined, compare)
}

/** By UTF-16 code units, which is what `<` compares. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function compareNumbers(a: number, b: number): number {
  return a - b
}

/** What the package keeps in its nodes; an inner node has the highest key of each child. Pinned by `sorted-tree.test.ts`. */
interface TreeNode<K> {
  readonly keys: readonly K[]
  readonly children?: readonly TreeNode<K>[]
  size(): number
}

/** How many keys come before `key`; in logarithmic time, where the package itself would have to walk. */
export function rankOf<K, V>(tree: SortedTree<K, V>, key: K): number {
  let node = (tree as unknown as { readonly _root: TreeNode<K> })._root
  let rank = 0
  for (;;) {
    const place = firstNotBefore(node.keys, key, tree._compare)
    if (node.children === undefined) return rank + place
    for (let i = 0; i < place; i++) rank += node.children[i]?.size() ?? 0
    const child = node.children[place]
    if (child === undefined) return rank
    node = child
  }
}

function firstNotBefore<K>(keys: readonly K[], key: K, compare: (a: K, b: K) => number): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(keys[middle] as K, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
