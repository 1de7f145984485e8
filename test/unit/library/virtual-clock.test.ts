import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/library/virtual-clock.ts'

const START = 1_000_000

/** A clock, and what rang on it with when. */
function ringing() {
  const rung: (readonly [string, number])[] = []
  const clock = new VirtualClock(START, async () => {
    await nextTurn()
  })
  const ring = (name: string) => (): void => void rung.push([name, clock.now() - START])
  return { clock, rung, ring }
}

describe('a virtual clock', () => {
  it('stands still', async () => {
    const { clock, rung, ring } = ringing()
    clock.callAfter(0, ring('a'))
    await nextTurn()
    expect(rung).toEqual([])
    expect(clock.now()).toBe(START)
    expect(clock.timeOfDay()).toBe(START)
  })

  it('rings what falls due on the way, at its moment and in order, and what was set first first', async () => {
    const { clock, rung, ring } = ringing()
    clock.callAfter(30, ring('c'))
    clock.callAfter(10, ring('a'))
    clock.callAfter(30, ring('d'))
    clock.callAfter(20, ring('b'))
    clock.callAfter(101, ring('later'))
    clock.callAfter(Number.POSITIVE_INFINITY, ring('never'))
    await clock.advance(100)
    expect(rung).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 30],
      ['d', 30],
    ])
    expect(clock.now()).toBe(START + 100)
    await clock.advance(1)
    expect(rung.at(-1)).toEqual(['later', 101])
  })

  it('rings what is set by what it set off, when that falls due on the way too', async () => {
    const { clock, rung, ring } = ringing()
    clock.callAfter(10, () => {
      ring('first')()
      void nextTurn().then(() => clock.callAfter(10, ring('second')))
    })
    await clock.advance(15)
    expect(rung).toEqual([['first', 10]])
    await clock.advance(5)
    expect(rung.at(-1)).toEqual(['second', 20])
  })

  it('waits for what takes its time before it goes on', async () => {
    const { clock, rung, ring } = ringing()
    clock.callAfter(10, async () => {
      for (let turns = 0; turns < 100; turns++) await nextTurn()
      ring('slow')()
    })
    clock.callAfter(20, ring('next'))
    await clock.advance(100)
    expect(rung).toEqual([
      ['slow', 10],
      ['next', 20],
    ])
  })

  it('does not ring what was called off, also at the very moment', async () => {
    const { clock, rung, ring } = ringing()
    const callOff: (() => void)[] = []
    clock.callAfter(10, () => callOff.forEach((one) => one()))
    callOff.push(clock.callAfter(10, ring('same moment')), clock.callAfter(20, ring('later')))
    await clock.advance(100)
    expect(rung).toEqual([])
  })

  it('goes on by all that it is moved by at once', async () => {
    const { clock } = ringing()
    await Promise.all([clock.advance(10), clock.advance('1m')])
    expect(clock.now()).toBe(START + 60_010)
  })

  it('goes on after something that rang has failed', async () => {
    const { clock, rung, ring } = ringing()
    clock.callAfter(10, () => {
      throw new Error('broken')
    })
    clock.callAfter(20, ring('next'))
    await expect(clock.advance(15)).rejects.toThrow('broken')
    await clock.advance(15)
    expect(rung).toEqual([['next', 20]])
  })

  it.each([
    [250, 250],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
  ])('is moved by %s', async (duration, milliseconds) => {
    const { clock } = ringing()
    await clock.advance(duration)
    expect(clock.now()).toBe(START + milliseconds)
  })

  it.each([-1, '-1s', Number.NaN, Number.POSITIVE_INFINITY, 'soon', '', '10'])(
    'is not moved by %s, and says what to say',
    async (duration) => {
      const { clock } = ringing()
      await expect(clock.advance(duration)).rejects.toThrow("say milliseconds, or a duration as in '90s' or '1h30m'")
      expect(clock.now()).toBe(START)
    },
  )
})
