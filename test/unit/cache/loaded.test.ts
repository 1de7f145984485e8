import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Loaded } from '../../../src/cache/loaded.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

function opened() {
  const clock = new ManualClock()
  const stop = new AbortController()
  const state = { isLoaded: false }
  return { clock, stop, state, loaded: new Loaded(clock, () => state.isLoaded) }
}

type Opened = ReturnType<typeof opened>

describe('waiting until everything is loaded', () => {
  it.each<[string, boolean, (test: Opened) => void]>([
    [
      'it is',
      true,
      ({ state, loaded }) => {
        state.isLoaded = true
        loaded.tell()
      },
    ],
    ['the signal fires', false, ({ stop }) => stop.abort()],
    ['the time is over', false, ({ clock }) => clock.advance(1_000)],
  ])('ends where %s, and leaves nothing behind', async (_name, isLoaded, end) => {
    const test = opened()
    const waiting = test.loaded.wait(test.stop.signal, 1_000)
    end(test)
    expect(await waiting).toBe(isLoaded)
    expect(getEventListeners(test.stop.signal, 'abort')).toEqual([])
    expect(test.clock.pending).toBe(0)
  })

  it('is not for who comes later, nor for who has gone', async () => {
    const { loaded, state, stop } = opened()
    stop.abort()
    expect(await loaded.wait(stop.signal)).toBe(false)
    state.isLoaded = true
    expect(await loaded.wait(stop.signal)).toBe(true)
  })
})
