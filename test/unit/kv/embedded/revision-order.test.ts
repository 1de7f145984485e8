import { expect, it } from 'vitest'
import { firstFrom } from '../../../../src/kv/embedded/revision-order.ts'

it.each([
  [[], 5, 0],
  [[3, 4, 5], 4, 1],
  [[3, 4, 5], 1, 0],
  [[3, 4, 5], 6, 3],
  [[3, 3, 3, 4, 4, 5], 4, 3],
  [[3, 4, 4, 4, 5], 4, 1],
  [[3, 4, 4, 4, 5], 5, 4],
  [[3, 3, 3, 3], 4, 4],
])('of the revisions %j the first from %i on is at %i', (revisions, wanted, index) => {
  expect(
    firstFrom(
      revisions.map((revision) => ({ revision })),
      wanted,
    ),
  ).toBe(index)
})
