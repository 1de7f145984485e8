import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortInPieces } from '../../../src/lib/piece-sort.ts'

it('sorting in pieces sorts as the platform does', () => {
  fc.assert(
    fc.property(fc.nat(9_000), fc.nat(), (size, seed) => {
      const things = Array.from({ length: size }, (_, i) => ({ key: ((i + 1) * (seed | 1)) % 1009, i }))
      const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key
      const sorting = sortInPieces(things, compare)
      let piece = sorting.next()
      while (piece.done !== true) piece = sorting.next()
      expect(piece.value).toEqual(things.toSorted(compare))
    }),
    { numRuns: 30 },
  )
})
