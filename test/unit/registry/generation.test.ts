import { expect, it } from 'vitest'
import { nextGeneration } from '../../../src/registry/object-meta.ts'

it.each<[string, number | bigint | undefined, number | bigint]>([
  ['begins with one', undefined, 1],
  ['counts', 7, 8],
  ['is exact beyond 2^53', Number.MAX_SAFE_INTEGER, 9_007_199_254_740_992n],
  ['stays at the last one', 2n ** 63n - 1n, 2n ** 63n - 1n],
])('the generation after that of an object %s', (_, generation, next) => {
  expect(nextGeneration({ metadata: generation === undefined ? {} : { generation } })).toBe(next)
})
