import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServerClosingError } from '../../../src/http/abort-reasons.ts'
import type { Exchange } from '../../../src/http/exchange.ts'
import { RunningRequests } from '../../../src/http/running-requests.ts'
import { LightSignal } from '../../../src/lib/light-signal.ts'
import { fakeRequest } from './fake-request.ts'

const WATCH = 'GET /api/v1/pods?watch=1'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Requests that run until they are ended. */
class World {
  readonly running = new RunningRequests(60_000)
  readonly #begun: { readonly line: string; readonly signal: LightSignal }[] = []

  begin(line: string, count = 1): void {
    for (let i = 0; i < count; i++) {
      const signal = new LightSignal()
      const exchange = { ...fakeRequest(line), signal, checkLimits: () => {} } as unknown as Exchange
      signal.addEventListener('abort', () => this.running.remove(exchange))
      this.#begun.push({ line, signal })
      this.running.add(exchange)
    }
  }

  ended(line: string): number {
    return this.#begun.filter((one) => one.line === line && one.signal.reason instanceof ServerClosingError).length
  }
}

describe('a server that closes', () => {
  it('ends its watches evenly over the time that it has for that (P-253)', async () => {
    const world = new World()
    world.begin(WATCH, 100)
    world.begin('GET /api/v1/pods', 5)
    const ending = world.running.endLongOnes(250)
    const counts: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      counts.push(world.ended(WATCH))
      await vi.advanceTimersByTimeAsync(50)
    }
    await ending
    expect(counts).toEqual([20, 40, 60, 80, 100])
    expect(world.ended('GET /api/v1/pods')).toBe(0)
  })

  it.each([
    ['there are few', 10, 60_000],
    ['it has no time for it', 100, 0],
  ])('ends its watches at once where %s', (_why, count, overMs) => {
    const world = new World()
    world.begin(WATCH, count)
    void world.running.endLongOnes(overMs)
    expect(world.ended(WATCH)).toBe(count)
  })

  it('lets a watch that comes late begin, and does not wait for its end', async () => {
    const world = new World()
    await world.running.endLongOnes(0)
    world.begin(WATCH)
    const over = world.running.whenNone(60_000)
    await vi.advanceTimersByTimeAsync(100)
    expect(world.ended(WATCH)).toBe(0)
    // A balancer that asks every 250 ms takes three refusals to notice.
    await vi.advanceTimersByTimeAsync(300)
    expect(world.ended(WATCH)).toBe(1)
    await over
  })
})
