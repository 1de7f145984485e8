import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Backoff } from '../../../src/lib/backoff.ts'
import { CancelledError } from '../../../src/lib/errors.ts'

const LONGEST_MS = 400

describe('backoff', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  async function waited(backoff: Backoff): Promise<number> {
    const began = Date.now()
    const done = backoff.wait(new AbortController().signal).then(() => Date.now() - began)
    // Not until no timer is left: what other tests of this thread left behind may set timers for ever.
    await vi.advanceTimersByTimeAsync(LONGEST_MS)
    return done
  }

  it('waits about twice as long each time, up to the longest, and briefly again after a success', async () => {
    const backoff = new Backoff({ firstMs: 100, longestMs: LONGEST_MS })
    for (const longest of [100, 200, 400, 400]) {
      const ms = await waited(backoff)
      expect(ms).toBeGreaterThanOrEqual(longest / 2 - 1)
      expect(ms).toBeLessThanOrEqual(longest)
    }
    backoff.reset()
    expect(await waited(backoff)).toBeLessThanOrEqual(100)
  })

  it('gives up when the signal fires, and leaves no timer', async () => {
    const stop = new AbortController()
    const backoff = new Backoff({ firstMs: 1_000, longestMs: 1_000 })
    const waiting = expect(backoff.wait(stop.signal)).rejects.toBeInstanceOf(CancelledError)
    stop.abort()
    await waiting
    expect(vi.getTimerCount()).toBe(0)
    await expect(backoff.wait(stop.signal)).rejects.toBeInstanceOf(CancelledError)
  })
})
