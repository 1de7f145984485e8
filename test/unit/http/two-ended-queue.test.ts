import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TwoEndedQueue } from '../../../src/http/two-ended-queue.ts'

describe('a line that is served from both ends', () => {
  it('serves the newest and the oldest by turns', () => {
    const line = new TwoEndedQueue<number>()
    for (let one = 0; one < 5; one++) line.add(one)
    expect(Array.from({ length: 6 }, () => line.take())).toEqual([4, 0, 3, 1, 2, undefined])
  })

  it('serves everybody once, and nobody later than twice those before it, whoever else comes', () => {
    const arrivalsBetween = fc.array(fc.nat(4), { minLength: 1, maxLength: 80 })
    const isFair = (arrivals: readonly number[]): void => {
      const line = new TwoEndedQueue<{ readonly latestTake: number }>()
      let [came, takes, served] = [0, 0, 0]
      const serve = (): void => {
        const one = line.take()
        takes++
        if (one === undefined) return
        served++
        expect(takes).toBeLessThanOrEqual(one.latestTake)
      }
      for (const count of arrivals) {
        for (let i = 0; i < count; i++, came++) line.add({ latestTake: takes + 2 * line.length + 2 })
        serve()
      }
      while (line.length > 0) serve()
      expect(served).toBe(came)
    }
    fc.assert(fc.property(arrivalsBetween, isFair))
  })
})
