import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Later } from '../../../src/lib/later.ts'
import { sortInPieces } from '../../../src/lib/piece-sort.ts'
import { Turns } from '../../../src/lib/turns.ts'

function busyFor(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('work that is put off', () => {
  it('is done at once where there is little', () => {
    const seen: number[] = []
    new Later().each(3, (i) => seen.push(i))
    expect(seen).toEqual([0, 1, 2])
  })

  it('is done when it is asked for, in order, with what it puts off itself', async () => {
    const later = new Later()
    const seen: string[] = []
    later.each(100, (i) => {
      seen.push(`outer ${i}`)
      if (i === 99) later.each(50, (j) => seen.push(`inner ${j}`))
    })
    expect(seen).toEqual([])
    await later.done(new Turns())
    expect(seen).toHaveLength(150)
    expect([seen[0], seen[99], seen[100], seen[149]]).toEqual(['outer 0', 'outer 99', 'inner 0', 'inner 49'])
  })

  it('breaks off where a part of it breaks', async () => {
    const later = new Later()
    later.each(100, (i) => {
      if (i === 40) throw new TypeError('broken')
    })
    await expect(later.done(new Turns())).rejects.toThrow('broken')
  })

  it('gives the event loop back, to everybody, however many there are', async () => {
    const turns = new Turns()
    const works = Array.from({ length: 5 }, async () => {
      const later = new Later()
      later.each(400, () => busyFor(0.1))
      await later.done(turns)
    })
    let [last, longest, isOver] = [process.threadCpuUsage(), 0, false]
    const look = (): void => {
      const { user, system } = process.threadCpuUsage(last)
      longest = Math.max(longest, (user + system) / 1000)
      last = process.threadCpuUsage()
      if (!isOver) setImmediate(look)
    }
    setImmediate(look)
    await Promise.all(works)
    isOver = true
    // Two hundred milliseconds of work in pieces of less than ten.
    expect(longest).toBeLessThan(40)
  })
})

describe('sorting in pieces', () => {
  it('sorts as the platform does', () => {
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

  it('calls with what is sorted', async () => {
    const texts = Array.from({ length: 10_000 }, (_, i) => `k${(i * 7919) % 10_000}`)
    const later = new Later()
    let sorted: readonly string[] = []
    later.sort(texts, (result) => (sorted = result))
    await later.done(new Turns())
    expect(sorted).toEqual(texts.toSorted())
  })
})
