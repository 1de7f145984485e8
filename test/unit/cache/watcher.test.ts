import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WatchEvent } from '../../../src/api/read.ts'
import { History } from '../../../src/cache/history.ts'
import { PastBudget } from '../../../src/cache/past-budget.ts'
import { WatcherIndex } from '../../../src/cache/watcher-index.ts'
import { Watcher } from '../../../src/cache/watcher.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { ABSENT, putKey } from '../../../src/kv/kv.ts'
import type { Predicate } from '../../../src/store/store.ts'
import { pods } from '../../corpora/stored-resources.ts'
import { openCacheForTest } from './open-cache.ts'

async function eventsOf(watch: AsyncIterator<readonly WatchEvent[]>, count: number): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = []
  while (events.length < count) {
    const { value, done } = await watch.next()
    if (done === true) throw new Error('the watch has ended')
    events.push(...value)
  }
  return events
}

function revisionsOf(events: readonly WatchEvent[]): readonly number[] {
  return events.map((event) => (event.type === 'BOOKMARK' ? event.revision : event.object.revision))
}

// oxlint-disable-next-line require-yield -- it fails before it has anything
async function* unreadableState(): AsyncGenerator<never> {
  throw new Error('unreadable')
}

/** A condition that takes longer than a turn, and the largest number of objects that were matched in a turn. */
function slowCondition(): { readonly where: Predicate; readonly longest: () => number } {
  let longest = 0
  let inTurn = 0
  const matches = (): boolean => {
    if (inTurn === 0) void setImmediate().then(() => (inTurn = 0))
    longest = Math.max(longest, ++inTurn)
    for (const until = performance.now() + 9; performance.now() < until; );
    return true
  }
  return { where: { key: 'slow', pins: [], isSlow: true, turns: new Turns(), matches }, longest: () => longest }
}

describe('a reader of changes', () => {
  it('shares the record of an event with all others', async () => {
    await using test = await openCacheForTest()
    const watches = [await test.watch(), await test.watch()].map((watch) => watch[Symbol.asyncIterator]())
    await test.put('a')
    const [first, second] = await Promise.all(watches.map((watch) => eventsOf(watch, 1)))
    expect(first?.[0]).toBe(second?.[0])
  })

  it('who is slow rereads from history, and misses and repeats nothing', async () => {
    await using test = await openCacheForTest()
    const watch = (await test.watch())[Symbol.asyncIterator]()
    const revisions: number[] = []
    for (let i = 0; i < 1_500; i++) revisions.push(await test.put('a', i))
    await test.settled()
    expect(revisionsOf(await eventsOf(watch, 700)).length).toBeGreaterThanOrEqual(700)
    await watch.return?.()
    const again = (await test.watch({ kind: 'after', revision: revisions[0]! - 1 }))[Symbol.asyncIterator]()
    const half = await eventsOf(again, 100)
    for (let i = 0; i < 600; i++) revisions.push(await test.put('a', -i - 1))
    await test.settled()
    const rest = await eventsOf(again, revisions.length - half.length)
    expect(revisionsOf([...half, ...rest])).toEqual(revisions)
  })

  it('matches in turns of the event loop where that is slow, each record once', async () => {
    await using test = await openCacheForTest()
    const first = await test.put('a', 0)
    for (let i = 1; i < 20; i++) await test.put('a', i)
    await test.settled()
    const { where, longest } = slowCondition()
    const start = { kind: 'after', revision: first } as const
    const watch = await test.cache.watch({ resource: pods, start, bookmarks: false, selection: { where } }, test.signal)
    const events = watch[Symbol.asyncIterator]()
    const past = await eventsOf(events, 19)
    for (let i = 20; i < 30; i++) await test.put('a', i)
    const all = [...past, ...(await eventsOf(events, 10))]
    expect(revisionsOf(all)).toEqual(Array.from({ length: 29 }, (_, i) => first + 1 + i))
    // A record has an old and a new object.
    expect(longest()).toBe(2)
  })

  it('who asks for a list with slow conditions shares the turns with all others', async () => {
    await using test = await openCacheForTest()
    for (let i = 0; i < 4; i++) await test.put(`n${i}`)
    const { where, longest } = slowCondition()
    const list = async (limit: number | undefined): Promise<number> => {
      const page = await test.cache.list(
        { resource: pods, at: { kind: 'latest' }, limit, selection: { where } },
        test.signal,
      )
      let count = 0
      for await (const batch of page.batches) count += batch.length
      return count
    }
    const counts = await Promise.all([undefined, undefined, undefined, 3, 3].map(list))
    expect(counts).toEqual([4, 4, 4, 3, 3])
    // The next turn may begin before the count does.
    expect(longest()).toBeLessThanOrEqual(2)
  })

  it('who is too slow for history is told so, after what he could still be given (R-146, R-162, D5)', async () => {
    await using test = await openCacheForTest({
      historyLimits: { milliseconds: 1e9, records: 400, bytes: 1e9, mostBytes: 1e9 },
    })
    const watch = (await test.watch())[Symbol.asyncIterator]()
    for (let i = 0; i < 1_000; i++) await test.put('a', i)
    await test.settled()
    await expect(watch.next()).rejects.toMatchObject({
      reason: 'Expired',
      code: 410,
      message: expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/),
    })
    expect(test.cache.status().watchers).toBe(0)
  })

  it('who watches something quiet is not told so, whatever happens to the rest', async () => {
    await using test = await openCacheForTest({
      historyLimits: { milliseconds: 1e9, records: 100, bytes: 1e9, mostBytes: 1e9 },
    })
    const watch = (await test.watch(undefined, 'metadata.name=quiet'))[Symbol.asyncIterator]()
    for (let i = 0; i < 1_000; i++) await test.put('loud', i)
    const quiet = await test.put('quiet')
    expect(revisionsOf(await eventsOf(watch, 1))).toEqual([quiet])
  })

  it('who is slow to take a state gets it as it was, and then everything since', async () => {
    await using test = await openCacheForTest()
    for (let i = 0; i < 600; i++) await test.put(`p${String(i).padStart(3, '0')}`)
    const watch = (await test.watch({ kind: 'state', at: { kind: 'latest' } }))[Symbol.asyncIterator]()
    const [first] = await eventsOf(watch, 1)
    const later = await test.put('p599', 2)
    const removed = await test.remove('p500')
    await test.settled()
    const rest = await eventsOf(watch, 600 + 2 - 256)
    expect(first?.type).toBe('ADDED')
    expect(rest.slice(0, -2).every(({ type }) => type === 'ADDED')).toBe(true)
    expect(rest.slice(-2).map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED'])
    expect(revisionsOf(rest.slice(-2))).toEqual([later, removed])
  })

  it('leaves nothing behind, however he goes', async () => {
    await using test = await openCacheForTest()
    const stop = new AbortController()
    const left = await test.watch()
    const aborted = await test.watch(undefined, '', stop.signal)
    const unread = await test.watch(undefined, '', stop.signal)
    expect(test.cache.status().watchers).toBe(3)
    await left[Symbol.asyncIterator]().return?.()
    const waiting = aborted[Symbol.asyncIterator]().next()
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'CancelledError' })
    await expect(unread[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'CancelledError' })
    expect(test.cache.status().watchers).toBe(0)
  })

  it('who cannot be given the state is told so, and leaves nothing behind', async () => {
    const index = new WatcherIndex<Watcher>([])
    const budget = new PastBudget({ bytes: 1, mostBytes: 1 })
    const watcher = new Watcher(
      {
        resource: pods,
        scope: { kind: 'all' },
        prefix: '',
        matcher: undefined,
        history: new History({ revision: 1, isShared: false }, { milliseconds: 1, records: 1 }, budget),
        index,
        after: 1,
        state: unreadableState(),
        bookmarks: false,
        skipUnreadable: false,
        onEnd: () => {},
      },
      new AbortController().signal,
    )
    expect(index.size).toBe(1)
    await expect(watcher.next()).rejects.toThrow('unreadable')
    expect(index.size).toBe(0)
    await expect(watcher.next()).rejects.toThrow('unreadable')
  })

  it('is told of an object that cannot be read, unless he passes over such', async () => {
    await using test = await openCacheForTest()
    const request = {
      resource: test.pods,
      start: { kind: 'changes', at: { kind: 'latest' } },
      bookmarks: false,
    } as const
    const all = (await test.cache.watch(request, test.signal))[Symbol.asyncIterator]()
    const readable = (await test.cache.watch({ ...request, skipUnreadable: true }, test.signal))[Symbol.asyncIterator]()
    await putKey(test.kv, { key: '/registry/pods/d/bad', value: Buffer.from('junk'), expected: ABSENT }, test.signal)
    const good = await test.put('good')
    expect(revisionsOf(await eventsOf(readable, 1))).toEqual([good])
    await expect(all.next()).rejects.toThrow()
  })

  it('is let go quietly when the cache stops', async () => {
    const test = await openCacheForTest()
    const watch = (await test.watch(undefined, '', new AbortController().signal))[Symbol.asyncIterator]()
    const waiting = watch.next()
    await setImmediate()
    await test[Symbol.asyncDispose]()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})

describe('a follower of changes', () => {
  it('is given each once and in order, also those that happened while he took no more', async () => {
    await using test = await openCacheForTest()
    const watch = await test.watch()
    const turns = watch[Symbol.asyncIterator]()
    const taken: WatchEvent[] = []
    const revisions: number[] = []
    for (let round = 0; round < 3; round++) {
      let room = 10
      const take = (event: WatchEvent): boolean => taken.push(event) > 0 && --room > 0
      const followed = watch.follow!(take)
      for (let i = 0; i < 15; i++) revisions.push(await test.put('a', round * 100 + i))
      await test.settled()
      expect(await followed).toBe(false)
      expect(await watch.follow!(take)).toBe(true)
      taken.push(...(await eventsOf(turns, 5)))
    }
    expect(revisionsOf(taken)).toEqual(revisions)
  })

  it('has to take the state first', async () => {
    await using test = await openCacheForTest()
    await test.put('a')
    const watch = await test.watch({ kind: 'state', at: { kind: 'latest' } })
    expect(await watch.follow!(() => true)).toBe(true)
    expect(await eventsOf(watch[Symbol.asyncIterator](), 1)).toMatchObject([{ type: 'ADDED' }])
  })

  it('is told of the end in his next turn', async () => {
    await using test = await openCacheForTest()
    const stop = new AbortController()
    const watch = await test.watch(undefined, '', stop.signal)
    const followed = watch.follow!(() => true)
    stop.abort()
    expect(await followed).toBe(true)
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'CancelledError' })
  })

  it('harms nobody but himself where he breaks', async () => {
    await using test = await openCacheForTest()
    const [broken, sound] = [await test.watch(), await test.watch()]
    const followed = broken.follow!(() => {
      throw new Error('broken')
    })
    const revision = await test.put('a')
    expect(await followed).toBe(true)
    await expect(broken[Symbol.asyncIterator]().next()).rejects.toThrow('broken')
    expect(revisionsOf(await eventsOf(sound[Symbol.asyncIterator](), 1))).toEqual([revision])
    expect(test.cache.status().watchers).toBe(1)
  })
})

describe('bookmarks (R-155)', () => {
  const at = { kind: 'changes', at: { kind: 'latest' } } as const

  it('come once a minute and shortly before the end, with how far everything is', async () => {
    await using test = await openCacheForTest()
    const request = { resource: test.pods, start: at, bookmarks: true, timeoutMilliseconds: 100_000 }
    const watch = (await test.cache.watch(request, test.signal))[Symbol.asyncIterator]()
    const elsewhere = await test.putNode('n')
    await test.settled()
    test.clock.advance(60_000)
    expect(await eventsOf(watch, 1)).toEqual([{ type: 'BOOKMARK', revision: elsewhere, initialEventsEnd: false }])
    const later = await test.put('a')
    await test.settled()
    test.clock.advance(39_000)
    const events = await eventsOf(watch, 2)
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK'])
    expect(revisionsOf(events)).toEqual([later, later])
  })

  it('do not come to who does not want them, nor where there is nothing to tell', async () => {
    await using test = await openCacheForTest()
    const idle = (await test.cache.watch({ resource: test.pods, start: at, bookmarks: true }, test.signal))[
      Symbol.asyncIterator
    ]()
    const plain = (await test.watch(at))[Symbol.asyncIterator]()
    test.clock.advance(61_000)
    const a = await test.put('a')
    expect(await eventsOf(idle, 1)).toMatchObject([{ type: 'ADDED' }])
    test.clock.advance(61_000)
    const b = await test.put('b')
    expect(revisionsOf(await eventsOf(plain, 2))).toEqual([a, b])
  })

  it('leave no timer behind', async () => {
    const test = await openCacheForTest()
    const stop = new AbortController()
    // What it does after its start is over.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    const before = test.clock.pending
    await test.cache.watch({ resource: test.pods, start: at, bookmarks: true }, stop.signal)
    expect(test.clock.pending).toBe(before + 1)
    stop.abort()
    expect(test.clock.pending).toBe(before)
    await test[Symbol.asyncDispose]()
    expect(test.clock.pending).toBe(0)
  })
})
