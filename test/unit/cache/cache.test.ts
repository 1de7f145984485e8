import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WatchEvent } from '../../../src/api/read.ts'
import { ApiError } from '../../../src/api/status.ts'
import { openWatchCache } from '../../../src/cache/cache.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { ABSENT, KvError, putKey } from '../../../src/kv/kv.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { FaultyKv } from '../../fakes/faulty-kv.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'
import { type CacheTest, openCacheForTest } from './open-cache.ts'

const LATEST = { kind: 'latest' } as const
const ANY = { kind: 'any' } as const

function keyOf(name: string) {
  return { resource: pods, namespace: 'd', name }
}

/** Lets everything that is under way come to rest. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

describe('starting', () => {
  it('loads what is there, tells how far it is, and says when it is ready', async () => {
    const told: (readonly [number, number])[] = []
    await using test = await openCacheForTest({
      seed: async (store) => {
        for (let i = 0; i < 1_200; i++) {
          const metadata = { name: `p${i}`, namespace: 'd' }
          await store.write(
            keyOf(`p${i}`),
            () => ({ kind: 'put', object: { kind: 'Pod', apiVersion: 'v1', metadata } }),
            new AbortController().signal,
          )
        }
      },
      onLoading: (loaded, total) => told.push([loaded, total]),
    })
    expect(told).toEqual([
      [500, 1_200],
      [1_200, 1_200],
    ])
    expect(test.cache.status()).toMatchObject({ isReady: true, objects: 1_200, watchers: 0 })
    expect(await test.names()).toHaveLength(1_200)
  })

  it('answers from the storage until it is ready, and holds watches back (R-171)', async () => {
    const clock = new ManualClock()
    const kv = new FaultyKv(openMemory({ clock }))
    const store = openKvStore({ kv })
    const stop = new AbortController()
    const { signal } = stop
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', namespace: 'd' } }
    await store.write(keyOf('a'), () => ({ kind: 'put', object }), signal)
    const cache = openWatchCache({ store, resources: [pods], clock })
    expect((await cache.get(keyOf('a'), ANY, signal)).item?.name).toBe('a')
    expect((await cache.list({ resource: pods, at: ANY, limit: 1 }, signal)).next).toBeUndefined()
    const request = { resource: pods, start: { kind: 'state', at: ANY }, bookmarks: false } as const
    const refused = cache.watch(request, signal)
    clock.advance(3_000)
    await expect(refused).rejects.toMatchObject({
      reason: 'TooManyRequests',
      message: 'storage is (re)initializing',
      details: { retryAfterSeconds: 1 },
    })
    const held = cache.watch(request, signal)
    const running = cache.run(signal)
    const { value } = await (await held)[Symbol.asyncIterator]().next()
    expect(value).toMatchObject([{ type: 'ADDED', object: { name: 'a' } }])
    stop.abort()
    await running
    await kv.close()
    expect(clock.pending).toBe(0)
  })

  it('tries again where the storage is away', async () => {
    const clock = new ManualClock()
    const kv = new FaultyKv(openMemory({ clock }))
    kv.failure = new KvError('unavailable', 'away')
    const errors: unknown[] = []
    const stop = new AbortController()
    const cache = openWatchCache({
      store: openKvStore({ kv }),
      resources: [pods],
      clock,
      onError: (e) => errors.push(e),
    })
    const running = cache.run(stop.signal)
    await rest()
    clock.advance(10_000)
    await rest()
    expect(errors.length).toBeGreaterThan(1)
    expect(cache.status().isReady).toBe(false)
    kv.failure = undefined
    clock.advance(10_000)
    await cache.ready(stop.signal)
    stop.abort()
    await running
    await kv.close()
  })

  it('gives up waiting for readiness when it is told to', async () => {
    const cache = openWatchCache({ store: openKvStore({ kv: openMemory() }), resources: [] })
    await expect(cache.ready(AbortSignal.abort())).rejects.toMatchObject({ name: 'CancelledError' })
  })
})

describe('types', () => {
  it('are taken up when they are first asked for, with all that is there', async () => {
    await using test = await openCacheForTest()
    await test.putNode('n1')
    await test.putNode('n2')
    await test.settled()
    const key = { resource: nodes, namespace: '', name: 'n1' }
    expect((await test.cache.get(key, ANY, test.signal)).item?.name).toBe('n1')
    const watch = await test.cache.watch(
      { resource: nodes, start: { kind: 'state', at: ANY }, bookmarks: false },
      test.signal,
    )
    const { value } = await watch[Symbol.asyncIterator]().next()
    expect(value?.map((event: { object?: { name: string } }) => event.object?.name)).toEqual(['n1', 'n2'])
  })

  it('do not take in what has no names', async () => {
    await using test = await openCacheForTest()
    for (const key of ['/registry/pods/x', '/registry/pods/a/b/c', '/registry/pods//', '/registry/compact_rev_key']) {
      await putKey(test.kv, { key, value: Buffer.from('1'), expected: ABSENT }, test.signal)
    }
    await test.put('a')
    expect(await test.names()).toEqual(['a'])
  })
})

describe('what is at hand', () => {
  it('is told at once: one object, those of a namespace, or all', async () => {
    await using test = await openCacheForTest()
    expect(test.cache.peekAll?.(pods, 'd')).toEqual([])
    await test.put('a')
    await test.put('b')
    await test.putNode('n1')
    await test.settled()
    const namesIn = (namespace: string) => test.cache.peekAll?.(pods, namespace)?.map(({ name }) => name)
    expect(test.cache.peek(keyOf('a'))?.name).toBe('a')
    expect(namesIn('d')).toEqual(['a', 'b'])
    expect(namesIn('')).toEqual(['a', 'b'])
    expect(namesIn('e')).toEqual([])
  })

  it('is nothing before it is loaded', () => {
    const cache = openWatchCache({ store: openKvStore({ kv: openMemory() }), resources: [pods] })
    expect(cache.peek(keyOf('a'))).toBeUndefined()
    expect(cache.peekAll!(pods, '')).toBeUndefined()
  })
})

describe('a consistent read', () => {
  it('costs one question for all who ask at a time', async () => {
    await using test = await openCacheForTest()
    await test.put('a')
    await test.settled()
    const before = test.kv.newestAsked
    await Promise.all(Array.from({ length: 500 }, () => test.cache.get(keyOf('a'), LATEST, test.signal)))
    expect(test.kv.newestAsked - before).toBeLessThanOrEqual(2)
  })

  it('waits for what another replica wrote, and never answers with less (R-070, R-071)', async () => {
    await using test = await openCacheForTest()
    await test.put('a', 1)
    await test.settled()
    test.kv.hold()
    const revision = await test.put('a', 2, test.other)
    let answer: number | undefined
    const reading = test.cache.get(keyOf('a'), LATEST, test.signal).then(({ item }) => (answer = item?.revision))
    await rest()
    expect(answer).toBeUndefined()
    expect((await test.cache.get(keyOf('a'), ANY, test.signal)).item?.revision).toBeLessThan(revision)
    test.kv.release()
    await reading
    expect(answer).toBe(revision)
  })

  it('goes to the storage where the stream does not get there in time (R-090, R-173)', async () => {
    await using test = await openCacheForTest()
    await test.settled()
    test.kv.hold()
    const revision = await test.put('a', 2, test.other)
    const reading = test.cache.get(keyOf('a'), LATEST, test.signal)
    await rest()
    test.clock.advance(3_000)
    expect((await reading).item?.revision).toBe(revision)
  })

  it.each([true, false])(
    'is possible where others write outside of the prefix; stream can be asked: %s',
    async (can) => {
      await using test = await openCacheForTest()
      test.kv.tellsProgress = can
      const revision = await test.put('a')
      await test.settled()
      await putKey(test.kv, { key: '/elsewhere', value: Buffer.from('x'), expected: ABSENT }, test.signal)
      const reading = test.cache.get(keyOf('a'), LATEST, test.signal)
      await rest()
      test.clock.advance(20)
      const result = await reading
      expect(result.item?.revision).toBe(revision)
      expect(result.revision).toBeGreaterThan(revision)
      const listing = test.names()
      await rest()
      test.clock.advance(20)
      expect(await listing).toEqual(['a'])
    },
  )

  it('fails as the storage fails, in the words of the request (R-013, R-071)', async () => {
    await using test = await openCacheForTest()
    await test.put('a')
    await test.settled()
    test.kv.failure = new KvError('unavailable', 'away')
    await expect(test.cache.get(keyOf('a'), LATEST, test.signal)).rejects.toMatchObject({
      reason: 'ServerTimeout',
      message: 'The get operation against pods could not be completed at this time, please try again.',
    })
    expect((await test.cache.get(keyOf('a'), ANY, test.signal)).item?.name).toBe('a')
    test.kv.failure = undefined
  })
})

describe('a write', () => {
  it('begins with what is cached, or with what this replica wrote last', async () => {
    await using test = await openCacheForTest()
    await test.put('a', 1)
    test.kv.hold()
    for (let version = 2; version < 6; version++) {
      let decisions = 0
      await test.cache.write(
        keyOf('a'),
        (current) => {
          decisions++
          expect(current?.kind === 'object' && current.object()['spec']).toEqual({ version: version - 1 })
          const metadata = { name: 'a', namespace: 'd' }
          return { kind: 'put', object: { kind: 'Thing', apiVersion: 'v1', metadata, spec: { version } } }
        },
        test.signal,
      )
      expect(decisions).toBe(1)
    }
    await test.remove('a')
    let seen: unknown = 'nothing'
    await test.cache.write(keyOf('a'), (current) => ((seen = current), { kind: 'keep' }), test.signal)
    expect(seen).toBeUndefined()
    test.kv.release()
  })
})

describe('history', () => {
  async function watchFrom(test: CacheTest, revision: number): Promise<readonly string[]> {
    const watch = (await test.watch({ kind: 'after', revision }))[Symbol.asyncIterator]()
    const { value } = await watch.next()
    await watch.return?.()
    return (value ?? []).map((event: { type: string }) => event.type)
  }

  it('is kept for five minutes, and for ever where nothing happens (R-147, D8)', async () => {
    await using test = await openCacheForTest()
    const first = await test.put('a', 1)
    await test.put('a', 2)
    await test.settled()
    test.clock.advance(300_000)
    expect(await watchFrom(test, first)).toEqual(['MODIFIED'])
    const node = await test.putNode('n')
    await test.settled()
    await test.cache.get({ resource: nodes, namespace: '', name: 'n' }, LATEST, test.signal)
    test.clock.advance(24 * 3_600_000)
    const { revision } = await putKey(
      test.kv,
      { key: '/registry/x/y', value: Buffer.from('1'), expected: ABSENT },
      test.signal,
    )
    await test.kv.compact(revision, test.signal)
    const idle = await test.cache.watch(
      { resource: nodes, start: { kind: 'after', revision: node }, bookmarks: false },
      test.signal,
    )
    const waiting = idle[Symbol.asyncIterator]().next()
    await test.putNode('m')
    expect((await waiting).value).toMatchObject([{ type: 'ADDED', object: { name: 'm' } }])
  })

  it('older than that is read from the storage, and refused where that has forgotten it too (R-146, D5, D8)', async () => {
    await using test = await openCacheForTest({
      historyLimits: { milliseconds: 1e9, records: 2, bytes: 1e9, mostBytes: 1e9 },
    })
    const first = await test.put('a', 0)
    for (let version = 1; version < 10; version++) await test.put('a', version)
    await test.settled()
    expect(await watchFrom(test, first)).toContain('MODIFIED')
    await test.kv.compact(await test.kv.newestRevision(test.signal), test.signal)
    await expect(watchFrom(test, first)).rejects.toMatchObject({
      reason: 'Expired',
      code: 410,
      message: expect.stringMatching(new RegExp(`^too old resource version: ${first} \\(\\d+\\)$`)),
    })
  })

  it('that the storage fails to read fails with its error, and is not said to be forgotten', async () => {
    const kv = openMemory({ clock: new ManualClock() })
    const failure = new ApiError('ServiceUnavailable', 'the storage is away')
    await using test = await openCacheForTest({
      store: { ...openKvStore({ kv }), watch: () => Promise.reject(failure) },
      historyLimits: { milliseconds: 1e9, records: 2, bytes: 1e9, mostBytes: 1e9 },
    })
    const first = await test.put('a', 0)
    for (let version = 1; version < 10; version++) await test.put('a', version)
    await test.settled()
    await expect(watchFrom(test, first)).rejects.toBe(failure)
    await kv.close()
  })

  it('reaches back before the cache was loaded, as far as the storage remembers', async () => {
    const revisions: number[] = []
    await using test = await openCacheForTest({
      seed: async (store) => {
        for (let version = 0; version < 20; version++) {
          const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', namespace: 'd' }, spec: { version } }
          const result = await store.write(keyOf('a'), () => ({ kind: 'put', object }), new AbortController().signal)
          revisions.push(result.object!.revision)
        }
      },
    })
    await rest()
    const watch = (await test.watch({ kind: 'after', revision: revisions[4]! }))[Symbol.asyncIterator]()
    expect(test.cache.status().watchers).toBe(1)
    const { value } = await watch.next()
    const events = (value ?? []) as readonly WatchEvent[]
    const seen = events.map((event) => (event.type === 'BOOKMARK' ? undefined : event.object.revision))
    expect(seen).toEqual(revisions.slice(5))
    const next = await test.put('a', 99)
    expect((await watch.next()).value).toMatchObject([{ type: 'MODIFIED', object: { revision: next } }])
  })

  it('of states ends where the storage was compacted, as the key says that all replicas see (R-102, R-175, D9)', async () => {
    await using test = await openCacheForTest()
    const first = await test.put('a', 1)
    const second = await test.put('b', 1)
    const third = await test.put('c', 1)
    await test.settled()
    const count = async (revision: number): Promise<number> => {
      const page = await test.cache.list({ resource: pods, at: { kind: 'exact', revision } }, test.signal)
      let found = 0
      for await (const batch of page.batches) found += batch.length
      return found
    }
    expect([await count(first), await count(second), await count(third)]).toEqual([1, 2, 3])
    await putKey(
      test.kv,
      { key: '/registry/compact_rev_key', value: Buffer.from(String(second)), expected: ABSENT },
      test.signal,
    )
    await test.kv.compact(second, test.signal)
    await test.settled()
    await expect(count(first)).rejects.toMatchObject({ reason: 'Expired' })
    expect(await count(second)).toBe(2)
  })
})

describe('a watch from a revision that the cache has not reached', () => {
  it('gets all changes of that revision again, if there are several (D35)', async () => {
    await using test = await openCacheForTest()
    await test.put('a', 1)
    await test.settled()
    test.kv.hold()
    // Another replica has told the client one of the two.
    const writes = ['x', 'y'].map((name) => {
      const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd' } }
      return { key: `/registry/pods/d/${name}`, value: Buffer.from(JSON.stringify(object)) }
    })
    const expected = writes.map(({ key }) => ({ key, revision: ABSENT }))
    const { revision } = await test.kv.commit({ expected, writes }, test.signal)
    const watch = await test.watch({ kind: 'after', revision })
    test.kv.release()
    const events = watch[Symbol.asyncIterator]()
    const { value } = await events.next()
    expect(value).toMatchObject(['x', 'y'].map((name) => ({ type: 'ADDED', object: { name, revision } })))
    await events.return?.()
  })

  it('gets what comes after it, and nothing else', async () => {
    await using test = await openCacheForTest()
    await test.put('a', 1)
    await test.settled()
    test.kv.hold()
    const revision = await test.put('a', 2, test.other)
    const watch = await test.watch({ kind: 'after', revision })
    test.kv.release()
    const events = watch[Symbol.asyncIterator]()
    const next = events.next()
    await test.settled()
    await test.put('b', 3)
    expect((await next).value).toMatchObject([{ type: 'ADDED', object: { name: 'b' } }])
    await events.return?.()
  })

  it('ends with its signal', async () => {
    await using test = await openCacheForTest()
    const stop = new AbortController()
    const watch = await test.watch({ kind: 'after', revision: 1_000_000 }, '', stop.signal)
    const next = watch[Symbol.asyncIterator]().next()
    const failed = expect(next).rejects.toThrow('cancelled')
    stop.abort()
    await failed
  })
})

describe('recovery', () => {
  it('from a stream that lost its history: loads anew, and tells those who watched (R-170, D5)', async () => {
    await using test = await openCacheForTest()
    await test.put('a', 1)
    await test.put('b', 1)
    await test.settled()
    const watch = (await test.watch(undefined, '', new AbortController().signal))[Symbol.asyncIterator]()
    const waiting = watch.next()
    test.kv.hold()
    await test.put('a', 2, test.other)
    await test.remove('b', test.other)
    await test.put('c', 1, test.other)
    test.kv.breakWatches(new KvError('compacted', 'gone'))
    await expect(waiting).rejects.toMatchObject({ reason: 'Expired', code: 410 })
    await test.cache.ready(test.signal)
    expect(await test.names()).toEqual(['a', 'c'])
    const again = (await test.watch({ kind: 'state', at: LATEST }))[Symbol.asyncIterator]()
    expect((await again.next()).value).toHaveLength(2)
    const d = await test.put('d', 1)
    expect((await again.next()).value).toMatchObject([{ type: 'ADDED', object: { revision: d } }])
    expect(test.errors).toHaveLength(1)
  })

  it('from a stream that broke otherwise: goes on where it was, and nobody notices', async () => {
    await using test = await openCacheForTest()
    const watch = (await test.watch())[Symbol.asyncIterator]()
    const revisions: number[] = []
    const seen: number[] = []
    for (let round = 0; round < 10; round++) {
      revisions.push(await test.put('a', round * 2 + 1, test.other))
      test.kv.breakWatches(new KvError('unavailable', 'away'))
      await rest()
      test.clock.advance(10_000)
      await rest()
      revisions.push(await test.put('a', round * 2 + 2, test.other))
      await test.settled()
    }
    while (seen.length < revisions.length) {
      const { value } = await watch.next()
      for (const event of value ?? []) if (event.type !== 'BOOKMARK') seen.push(event.object.revision)
    }
    expect(seen).toEqual(revisions)
  })
})
