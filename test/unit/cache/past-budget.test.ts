import { describe, expect, it } from 'vitest'
import { fillLevel, PastBudget, type PastHolder } from '../../../src/cache/past-budget.ts'
import { Contents } from '../../../src/cache/contents.ts'
import type { CachedObject } from '../../../src/cache/cached-object.ts'
import { HISTORY_LIMITS } from '../../../src/cache/history.ts'
import { CacheMeasures } from '../../../src/cache/measures.ts'
import type { Slab } from '../../../src/cache/slab.ts'
import { layoutOf } from '../../../src/codec/resource-version-splice.ts'
import type { SourceChange } from '../../../src/store/source.ts'
import { collectGarbage } from '../../rigs/garbage.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'
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

  it.each([
    ['by its age', { historyLimits: HISTORY_LIMITS }],
    ['by its size', { historyLimits: { ...HISTORY_LIMITS, milliseconds: 1e9, bytes: 40_000, mostBytes: 40_000 } }],
  ])('keeps objects in their slab until it is forgotten, %s', async (_how, options) => {
    await using test = await openCacheForTest(options)
    const slab = (): Slab =>
      (test.cache.peek({ resource: test.pods, namespace: 'd', name: 'cold' }) as CachedObject).slab
    await test.put('cold')
    for (let version = 0; version < 50; version++) await test.put('a', version)
    await test.settled()
    const first = slab()
    test.clock.advance(HISTORY_LIMITS.milliseconds - 20_000)
    for (let version = 50; version < 60; version++) await test.put('a', version)
    await test.settled()
    expect(slab()).toBe(first)
    test.clock.advance(40_000)
    for (let version = 60; version < 160; version++) await test.put('a', version)
    await test.settled()
    expect(slab()).not.toBe(first)
  })

  it('is given back with the type', async () => {
    await using test = await openCacheForTest()
    const before = test.cache.status().pastBytes
    for (let version = 0; version < 50; version++) await test.put('a', version)
    await test.remove('a')
    await test.settled()
    expect(test.cache.status().pastBytes).toBeGreaterThan(before)
    test.cache.retire([test.pods], true)
    expect(test.cache.status().pastBytes).toBe(before)
  })

  it('is given back with the last object of a type that is gone already', async () => {
    await using test = await openCacheForTest()
    const before = test.cache.status().pastBytes
    for (let version = 0; version < 50; version++) await test.put('a', version)
    await test.settled()
    test.cache.retire([test.pods], true)
    expect(test.cache.status()).toMatchObject({ objects: 1, pastBytes: expect.toSatisfy((n) => n > before) })
    // Not through the cache, which would take the type up again.
    await test.remove('a', test.other)
    await expect.poll(() => test.cache.status()).toMatchObject({ objects: 0, pastBytes: before })
    expect(test.cache.load(test.pods)).toBeUndefined()
  })
})

it('a type that is gone is not taken up again by those who still ask for it, and they are answered', async () => {
  await using test = await openCacheForTest()
  const before = test.cache.status().pastBytes
  await test.put('a')
  await test.put('b')
  await test.remove('b')
  await test.settled()
  test.cache.retire([test.pods], true)
  expect(await test.names()).toEqual(['a'])
  const watch = (await test.watch())[Symbol.asyncIterator]()
  const gone = await test.remove('a')
  expect((await watch.next()).value).toMatchObject([{ type: 'DELETED', object: { name: 'a', revision: gone } }])
  await watch.return?.()
  expect(await test.names()).toEqual([])
  await expect.poll(() => test.cache.load(test.pods)).toBeUndefined()
  expect(test.cache.status()).toMatchObject({ objects: 0, pastBytes: before })
})

it('what happened before the cache was loaded is bounded in bytes too', () => {
  const bytes = 10_000
  const limits = { milliseconds: 1e9, records: 1e9, bytes, mostBytes: bytes }
  const contents = new Contents({
    clock: new ManualClock(),
    limits,
    measures: new CacheMeasures(),
    indexes: new Map(),
    onUnreadable: () => {},
  })
  contents.typeOf(pods)
  contents.begin(101)
  const { history } = contents.known(pods)!
  const changes = Array.from({ length: 100 }, (_, i): SourceChange => {
    const stored = Buffer.from(JSON.stringify({ metadata: { annotations: { a: 'x'.repeat(1_000) } } }))
    const content = { kind: 'readable', bytes: stored, layout: layoutOf(stored)!, stale: false } as const
    return { kind: 'put', item: { key: `pods/d/p${i}`, revision: i + 2, content }, isNew: true, previous: undefined }
  })
  contents.extendHistory({ floor: 1, changes })
  expect(history.bytes).toBeLessThanOrEqual(bytes)
  expect(history.after(history.floor, 1_000).records.at(-1)?.revision).toBe(101)
})

it('a type in which little happens does not keep the bytes of one in which much does', async () => {
  const limits = { milliseconds: 1e9, records: 1e9, bytes: 1e6, mostBytes: 1e6 }
  const contents = new Contents({
    clock: new ManualClock(),
    limits,
    measures: new CacheMeasures(),
    indexes: new Map(),
    onUnreadable: () => {},
  })
  for (const resource of [pods, nodes]) contents.typeOf(resource)
  contents.begin(1)
  let revision = 1
  const put = (key: string, bytes: number): void => {
    revision++
    const stored = Buffer.from(JSON.stringify({ metadata: { annotations: { a: 'x'.repeat(bytes) } } }))
    const content = { kind: 'readable', bytes: stored, layout: layoutOf(stored)!, stale: false } as const
    const item = { key, revision, content }
    contents.apply({
      revision,
      changes: [{ kind: 'put', item, isNew: false, previous: undefined }],
      compactedTo: undefined,
    })
  }
  await collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (let round = 0; round < 40; round++) {
    put('minions/quiet', 100)
    for (let i = 0; i < 120; i++) put(`pods/d/p${i}`, 10_000)
  }
  await collectGarbage()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8e6)
  expect(contents.known(nodes)?.history.after(1, 1_000).records).toHaveLength(40)
})

it('the encodings of an event are kept for those who come a little later, and no longer', async () => {
  await using test = await openCacheForTest()
  const before = await test.put('a', 0)
  await test.put('a', 1)
  await test.settled()
  const eventOf = async (): Promise<unknown> => {
    const watch = (await test.watch({ kind: 'after', revision: before }))[Symbol.asyncIterator]()
    const { value } = await watch.next()
    await watch.return?.()
    return value?.[0]
  }
  const first = await eventOf()
  expect(await eventOf()).toBe(first)
  test.clock.advance(60_000)
  const late = await eventOf()
  expect(late).not.toBe(first)
  expect(late).toMatchObject({ type: 'MODIFIED', object: { revision: before + 1 } })
})
