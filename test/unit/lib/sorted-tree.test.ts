import { expect, it } from 'vitest'
import { compareNumbers, newSortedTree, type SortedTree } from '../../../src/lib/sorted-tree.ts'

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
