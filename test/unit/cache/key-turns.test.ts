import { describe, expect, it, vi } from 'vitest'
import { KeyTurns } from '../../../src/cache/key-turns.ts'

const forever = new AbortController().signal

describe('turns of writers', () => {
  it('begin at once where nobody else writes', () => {
    const turns = new KeyTurns()
    expect(turns.take('a').begun(forever)).toBeUndefined()
    expect(turns.take('b').begun(forever)).toBeUndefined()
    expect(turns.size).toBe(2)
  })

  it('come in the order of asking, one at a time', async () => {
    const turns = new KeyTurns()
    const order: number[] = []
    let under = 0
    await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const turn = turns.take('a')
        await turn.begun(forever)
        expect(++under).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(number)
        under--
        turn.end()
      }),
    )
    expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number))
    expect(turns.size).toBe(0)
  })

  it('of one who takes long are over for who waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const turns = new KeyTurns()
      const [slow, next, last] = [turns.take('a'), turns.take('a'), turns.take('a')]
      expect(slow.begun(forever)).toBeUndefined()
      const begun = [next.begun(forever), last.begun(forever)]
      let count = 0
      for (const wait of begun) void wait?.then(() => count++)
      await vi.advanceTimersByTimeAsync(99)
      expect(count).toBe(0)
      await vi.advanceTimersByTimeAsync(1)
      expect(count).toBe(1)
      await vi.advanceTimersByTimeAsync(100)
      expect(count).toBe(2)
      for (const turn of [slow, next, last]) turn.end()
      expect(turns.size).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('of one who gives up are passed on', async () => {
    const turns = new KeyTurns()
    const [first, second, third] = [turns.take('a'), turns.take('a'), turns.take('a')]
    void first.begun(forever)
    const stop = new AbortController()
    const given = second.begun(stop.signal)
    const waiting = third.begun(forever)
    stop.abort()
    await expect(given).rejects.toThrow('cancelled')
    first.end()
    await waiting
    third.end()
    expect(turns.size).toBe(0)
  })
})
