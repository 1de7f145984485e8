import { beforeEach, expect, it } from 'vitest'
import { WatchMeasures } from '../../../src/handlers/watch-measures.ts'
import { WatchMemory, type WatchMemoryHolder } from '../../../src/handlers/watch-memory.ts'

const LARGE = 50 * 1024

let measures: WatchMeasures
let memory: WatchMemory
beforeEach(() => {
  measures = new WatchMeasures()
  memory = new WatchMemory(measures)
})

function holder(more: Partial<WatchMemoryHolder> = {}): WatchMemoryHolder {
  return { user: 'jane', connection: {}, bytes: 300, conditionBytes: 0, ...more }
}

/** Takes for such watches until that is refused, and at most so many. */
function taken(most: number, make: () => WatchMemoryHolder): readonly WatchMemoryHolder[] {
  const holders: WatchMemoryHolder[] = []
  try {
    while (holders.length < most) {
      const next = make()
      memory.take(next)
      holders.push(next)
    }
  } catch (error) {
    expect(error).toMatchObject({ reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 30 } })
  }
  return holders
}

it('is enough for 10,000 plain watches of a user on one connection', () => {
  const connection = {}
  expect(taken(10_000, () => holder({ connection }))).toHaveLength(10_000)
})

it('of a connection, and of a user, is enough for a few watches with large selectors', () => {
  const connection = {}
  const ofConnection = taken(1000, () => holder({ connection, bytes: LARGE })).length
  expect(ofConnection).toBeGreaterThan(60)
  expect(ofConnection).toBeLessThan(100)
  expect(taken(1000, () => holder({ bytes: LARGE })).length + ofConnection).toBeLessThan(200)
  // Others do not suffer.
  expect(taken(1, () => holder({ user: 'john' }))).toHaveLength(1)
  expect(['connection', 'user'].map((limit) => measures.refused.of(limit).value)).toEqual([1, 1])
})

it.each([
  [1, 64],
  [2, 32],
  [4, 16],
  [16, 16],
])('of a user is divided among %i workers', (workers, megabytes) => {
  memory = new WatchMemory(measures, workers)
  const each = 8 * (LARGE - 1024) + 1024
  const most = Math.floor((megabytes * 1024 * 1024) / each)
  expect(taken(1000, () => holder({ bytes: LARGE }))).toHaveLength(most)
})

it('of a connection is enough for a hundred watches with large conditions', () => {
  const connection = {}
  expect(taken(1000, () => holder({ connection, conditionBytes: 300_000 }))).toHaveLength(111)
})

it('is given back', () => {
  const connection = {}
  const make = (): WatchMemoryHolder => holder({ connection, bytes: LARGE })
  const holders = taken(1000, make)
  for (const each of holders) memory.giveBack(each)
  expect(taken(1000, make)).toHaveLength(holders.length)
})
