import { describe, expect, it } from 'vitest'
import { LargeBodies } from '../../../src/http/large-bodies.ts'

const MIB = 1024 * 1024
const forever = new AbortController().signal

/** Enters, and tells in `order` when it has. */
function enter(bodies: LargeBodies, name: string, bytes: number, order: string[], signal = forever): Promise<void> {
  const turn = bodies.enter(bytes, signal)
  if (turn === undefined) order.push(name)
  return turn?.then(() => void order.push(name)) ?? Promise.resolve()
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('large bodies', () => {
  it('are worked on together up to a bound, and then in the order in which they came', async () => {
    const bodies = new LargeBodies()
    const order: string[] = []
    const all = ['a', 'b', 'c', 'd'].map((name) => enter(bodies, name, 8 * MIB, order))
    expect(order).toEqual(['a', 'b'])
    bodies.leave(8 * MIB)
    await settled()
    expect(order).toEqual(['a', 'b', 'c'])
    bodies.leave(8 * MIB)
    bodies.leave(8 * MIB)
    await Promise.all(all)
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  it('tell when there begins to be much to work on, and when that is over', () => {
    const told: boolean[] = []
    const bodies = new LargeBodies((isMuch) => told.push(isMuch))
    const half = MIB / 2
    for (const bytes of [64, half, half, half]) void bodies.enter(bytes, forever)
    expect(told).toEqual([true])
    bodies.leave(half)
    expect(told).toEqual([true])
    for (const bytes of [half, half, 64]) bodies.leave(bytes)
    expect(told).toEqual([true, false])
  })

  it('let small ones pass by', () => {
    const bodies = new LargeBodies()
    expect(bodies.enter(16 * MIB, forever)).toBeUndefined()
    expect(bodies.enter(64 * 1024, forever)).toBeInstanceOf(Promise)
    expect(bodies.enter(64 * 1024 - 1, forever)).toBeUndefined()
  })

  it('are worked on one at a time where each is as large as the bound', async () => {
    const bodies = new LargeBodies()
    const order: string[] = []
    const all = ['a', 'b'].map((name) => enter(bodies, name, 99 * MIB, order))
    expect(order).toEqual(['a'])
    bodies.leave(99 * MIB)
    await Promise.all(all)
    expect(order).toEqual(['a', 'b'])
  })

  it('do not overtake one that waits', async () => {
    const bodies = new LargeBodies()
    const order: string[] = []
    await enter(bodies, 'a', 10 * MIB, order)
    const large = enter(bodies, 'large', 12 * MIB, order)
    const less = enter(bodies, 'less', MIB, order)
    await settled()
    expect(order).toEqual(['a'])
    bodies.leave(10 * MIB)
    await Promise.all([large, less])
    expect(order).toEqual(['a', 'large', 'less'])
  })

  it('are not waited for by others once they are given up', async () => {
    const bodies = new LargeBodies()
    const order: string[] = []
    await enter(bodies, 'a', 16 * MIB, order)
    const stop = new AbortController()
    const given = enter(bodies, 'given up', 16 * MIB, order, stop.signal)
    const next = enter(bodies, 'next', MIB, order)
    stop.abort(new Error('gone'))
    await expect(given).rejects.toThrow()
    bodies.leave(16 * MIB)
    await next
    expect(order).toEqual(['a', 'next'])
  })
})
