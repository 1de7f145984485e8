import { expect, it } from 'vitest'
import { compareNumbers, differences, newSortedTree, type SortedTree } from '../../../src/lib/sorted-tree.ts'

// The package had faults of this kind before 1.8: a write to a tree that showed in its clone.
it('a clone never shows what is written to the original, nor the other way round', () => {
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  interface Pair {
    readonly tree: SortedTree<number, number>
    readonly model: Map<number, number>
  }
  const pairs: Pair[] = [{ tree: newSortedTree(compareNumbers), model: new Map() }]
  for (let step = 0; step < 20_000; step++) {
    const { tree, model } = pairs[random(pairs.length)]!
    const key = random(400)
    if (random(20) === 0) {
      pairs[pairs.length < 8 ? pairs.length : random(8)] = { tree: tree.clone(), model: new Map(model) }
    } else if (random(50) === 0) {
      tree.deleteRange(key, key + 40, false)
      for (const known of model.keys()) if (known >= key && known < key + 40) model.delete(known)
    } else if (random(3) === 0) {
      tree.delete(key)
      model.delete(key)
    } else {
      tree.set(key, step)
      model.set(key, step)
    }
    if (step % 1000 !== 999) continue
    for (const { tree, model } of pairs) {
      tree.checkValid(true)
      expect(tree.toArray()).toEqual([...model].sort(([a], [b]) => a - b))
    }
  }
})

it('the differences of two trees make one of the other, in the order of keys', () => {
  const tree = newSortedTree<number, { readonly key: number; readonly step: number }>(compareNumbers)
  for (let key = 0; key < 5_000; key++) tree.set(key, { key, step: 0 })
  const then = tree.clone()
  for (const key of [4_999, 3, 2_000, 0]) tree.set(key, { key, step: 1 })
  for (const key of [2_001, 17, 4_000]) tree.delete(key)
  for (const key of [7_000, 6_000]) tree.set(key, { key, step: 1 })
  const { removed, put } = differences(tree, then)
  expect(removed.map(({ key }) => key)).toEqual([6_000, 7_000])
  expect(put.map(({ key, step }) => [key, step])).toEqual([0, 3, 17, 2_000, 2_001, 4_000, 4_999].map((key) => [key, 0]))
  expect(differences(then, then.clone())).toEqual({ removed: [], put: [] })
})
