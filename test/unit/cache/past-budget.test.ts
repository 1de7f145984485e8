import { describe, expect, it } from 'vitest'
import { fillLevel, PastBudget, type PastHolder } from '../../../src/cache/past-budget.ts'
import { openCacheForTest } from './open-cache.ts'

describe('what the past may take', () => {
  it.each<[readonly number[], number, number]>([
    [[10, 20, 30], 100, Infinity],
    [[10, 20, 30], 60, Infinity],
    [[10, 20, 30], 45, 17.5],
    [[1, 100, 100], 51, 25],
    [[5, 5, 5], 9, 3],
    [[], 0, Infinity],
  ])('%j is cut off so that it is not more than %d', (amounts, total, level) => {
    expect(fillLevel(amounts, total)).toBe(level)
  })

  class Holder implements PastHolder {
    readonly #budget: PastBudget
    pastBytes: number

    constructor(budget: PastBudget, bytes: number) {
      this.#budget = budget
      this.pastBytes = bytes
      budget.used += bytes
    }

    forgetPast(downTo: number): void {
      while (this.pastBytes > downTo) {
        this.pastBytes -= 10
        this.#budget.used -= 10
      }
    }
  }

  it('is taken from those who have the most', () => {
    const budget = new PastBudget({ bytes: 1_600, mostBytes: 1_600 })
    const [quiet, loud] = [new Holder(budget, 200), new Holder(budget, 1_390)]
    budget.trim([quiet, loud])
    expect([quiet.pastBytes, loud.pastBytes]).toEqual([200, 1_390])
    loud.pastBytes += 20
    budget.used += 20
    budget.trim([quiet, loud])
    expect([quiet.pastBytes, loud.pastBytes]).toEqual([200, 1_300])
  })

  it('grows with what is stored, up to a limit', () => {
    const budget = new PastBudget({ bytes: 100, mostBytes: 1_000 })
    const limits = [0, 300, 1_500, 5_000].map((stored) => {
      budget.stored = stored
      return budget.limit
    })
    expect(limits).toEqual([100, 150, 750, 1_000])
  })
})

describe('the past of a cache', () => {
  it('is bounded in bytes for all types together, and what was forgotten is read from the storage', async () => {
    const bytes = 200_000
    await using test = await openCacheForTest({
      historyLimits: { milliseconds: 1e9, records: 1e9, bytes, mostBytes: bytes },
    })
    const node = await test.putNode('quiet')
    const first = await test.put('a', 0)
    for (let version = 1; version < 2_000; version++) await test.put('a', version)
    await test.settled()
    expect(test.cache.status().pastBytes).toBeLessThanOrEqual(bytes)
    expect(test.cache.status().pastBytes).toBeGreaterThan(bytes / 2)
    // What is asked for from before is the storage's to tell.
    const past = (await test.watch({ kind: 'after', revision: first }))[Symbol.asyncIterator]()
    const events = await past.next()
    expect(events.value?.[0]).toMatchObject({ type: 'MODIFIED', object: { revision: first + 1 } })
    await past.return?.()
    expect(node).toBeLessThan(first)
  })

  it('is given back with the type', async () => {
    await using test = await openCacheForTest()
    const before = test.cache.status().pastBytes
    for (let version = 0; version < 50; version++) await test.put('a', version)
    await test.remove('a')
    await test.settled()
    expect(test.cache.status().pastBytes).toBeGreaterThan(before)
    test.cache.retire(test.pods, true)
    expect(test.cache.status().pastBytes).toBe(before)
  })

  it('is given back with the last object of a type that is gone already', async () => {
    await using test = await openCacheForTest()
    const before = test.cache.status().pastBytes
    for (let version = 0; version < 50; version++) await test.put('a', version)
    await test.settled()
    test.cache.retire(test.pods, true)
    expect(test.cache.status()).toMatchObject({ objects: 1, pastBytes: expect.toSatisfy((n) => n > before) })
    // Not through the cache, which would take the type up again.
    await test.remove('a', test.other)
    await expect.poll(() => test.cache.status()).toMatchObject({ objects: 0, pastBytes: before })
    expect(test.cache.load(test.pods)).toBeUndefined()
  })
})
