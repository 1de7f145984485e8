import { expect, it } from 'vitest'
import { compareNumbers, newSortedTree } from '../../../../src/lib/sorted-tree.ts'
import { countByNodes, countByWalk } from '../../../../src/lib/runtime/count-keys.ts'

// By nodes: fails where the package keeps its nodes otherwise than it did.
it.each([
  ['by nodes', countByNodes],
  ['by walking', countByWalk],
])('counts the keys of a range %s', (_way, count) => {
  const tree = newSortedTree<number, number>(compareNumbers)
  expect(count(tree, 3, 7)).toBe(0)
  for (let i = 0; i < 5_000; i++) tree.set((i * 7919) % 10_007, i)
  tree.deleteRange(2_000, 2_500, false)
  const keys = tree.keysArray()
  for (let start = -1; start < 10_010; start += 131) {
    for (const end of [start, start + 1, start + 600, 20_000]) {
      expect(count(tree, start, end)).toBe(keys.filter((key) => key >= start && key < end).length)
    }
  }
})
