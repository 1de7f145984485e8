import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { dealHand, flowHash } from '../../../src/flow/shuffle-shard.ts'

function hand(hash: number, queues: number, handSize: number): readonly number[] {
  return dealHand(hash, { queues, handSize })
}

it('a hand is so many different queues, always the same for a flow (P-208)', () => {
  const sizes = fc.tuple(fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 10 }))
  fc.assert(
    fc.property(fc.string(), fc.string(), sizes, (schema, flow, [queues, size]) => {
      const handSize = Math.min(size, queues)
      const cards = hand(flowHash(schema, flow), queues, handSize)
      expect(new Set(cards).size).toBe(handSize)
      expect(cards.every((card) => card >= 0 && card < queues)).toBe(true)
      expect(hand(flowHash(schema, flow), queues, handSize)).toEqual(cards)
    }),
  )
})

it('all queues are dealt about as often', () => {
  const counts = Array.from({ length: 64 }, () => 0)
  for (let i = 0; i < 2000; i++) for (const card of hand(flowHash('s', `user-${i}`), 64, 6)) counts[card]!++
  const expected = (2000 * 6) / 64
  expect(Math.min(...counts)).toBeGreaterThan(expected * 0.6)
  expect(Math.max(...counts)).toBeLessThan(expected * 1.4)
})

it('two flows seldom share their whole hand', () => {
  const hands = Array.from({ length: 300 }, (_, i) =>
    hand(flowHash('s', `u${i}`), 128, 6)
      .toSorted((a, b) => a - b)
      .join(),
  )
  expect(new Set(hands).size).toBe(300)
})
