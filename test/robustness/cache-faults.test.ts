// The cache under faults of the storage: whatever happens, every watcher is told everything in order and once, or that it is
// not; and when the faults are over, everyone knows what is there.
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { openWatchCache } from '../../src/cache/cache.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type Kv, KvError } from '../../src/kv/kv.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import type { Store } from '../../src/store/store.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { FaultyKv } from '../fakes/faulty-kv.ts'
import { Informer } from '../fakes/informer.ts'
import { pods } from '../corpora/stored-resources.ts'
import { TrueHistory } from './cache-history.ts'

const OBJECTS = 40

/** Creates, changes and removes pods at random until the signal fires; whatever fails is tried again later. */
async function writeAtRandom(store: Store, seed: number, signal: AbortSignal): Promise<void> {
  let state = seed
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  while (!signal.aborted) {
    const name = `p${random(OBJECTS)}`
    const metadata = { name, namespace: 'd' }
    const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { version: random(1e9) } }
    const isRemoval = random(4) === 0
    const write = store.write(
      { resource: pods, namespace: 'd', name },
      () => (isRemoval ? { kind: 'remove' } : { kind: 'put', object }),
      signal,
    )
    await write.catch(() => setTimeout(20))
    if (random(20) === 0) await setTimeout(1)
  }
}

/** Two replicas with two clients each, and writers through everything, while `makeTrouble` does its worst. */
async function expectPromisesKept(
  kvs: readonly [Kv, Kv, Kv],
  makeTrouble: (signal: AbortSignal, history: TrueHistory) => Promise<void>,
): Promise<void> {
  const [one, two, judge] = kvs
  const life = new AbortController()
  const writing = new AbortController()
  const { signal } = life
  const history = new TrueHistory(judge, '/registry/pods/')
  const running: Promise<void>[] = [history.run(await judge.newestRevision(signal), signal)]
  const informers: Informer[] = []
  const writers: Promise<void>[] = []
  for (const kv of [one, two]) {
    const store = openKvStore({ kv })
    const cache = openWatchCache({ store, resources: [pods] })
    running.push(cache.run(signal))
    informers.push(new Informer(cache, pods), new Informer(cache, pods))
    writers.push(writeAtRandom(cache, informers.length * 7, writing.signal))
    writers.push(writeAtRandom(store, informers.length * 13, writing.signal))
  }
  running.push(...informers.map((informer) => informer.run(signal)))
  await makeTrouble(signal, history)
  writing.abort()
  await Promise.all(writers)
  await expect
    .poll(() => informers.map((informer) => history.isKnownTo(informer)), { timeout: 60_000 })
    .not.toContain(false)
  life.abort()
  await Promise.all(running)
  expect(history.happenings.length).toBeGreaterThan(100)
  for (const informer of informers) history.expectGapless(informer)
}

describe('the cache keeps its promises', () => {
  it('while streams stall, break and lose their history', async () => {
    const memory = openMemory()
    const faulty = [new FaultyKv(memory), new FaultyKv(memory)] as const
    await expectPromisesKept([...faulty, memory], async (signal, history) => {
      for (let round = 0; round < 40; round++) {
        const kv = faulty[round % 2]!
        kv.hold()
        await setTimeout(20)
        if (round % 4 === 1) kv.breakWatches(new KvError('unavailable', 'cut off'))
        if (round % 10 === 3) {
          await memory.compact(history.reached, signal)
          kv.breakWatches(new KvError('compacted', 'forgotten'))
        }
        if (round % 7 === 2) {
          kv.failure = new KvError('unavailable', 'away')
          await setTimeout(10)
          kv.failure = undefined
        }
        kv.release()
        await setTimeout(20)
      }
    })
    await memory.close()
  })

  it('while etcd is killed, frozen and compacted', async () => {
    await using server = await startEtcd()
    const open = () => openEtcd({ endpoints: [server.endpoint], prefix: '/registry/' }, AbortSignal.timeout(60_000))
    const kvs = [await open(), await open(), await open()] as const
    await expectPromisesKept(kvs, async (signal, history) => {
      for (let round = 0; round < 2; round++) {
        await setTimeout(500)
        await server.kill()
        await setTimeout(200)
        await server.start()
        await setTimeout(500)
        await server.freeze()
        await setTimeout(700)
        server.thaw()
        await setTimeout(500)
        await kvs[0].compact(history.reached, signal).catch(() => {})
      }
    })
    for (const kv of kvs) await kv.close()
  })
})

function memoryAfterCollection(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage()
}

describe('slow watchers', () => {
  it('cost nothing but their history, however many there are and however much is written', async () => {
    const kv = openMemory()
    const store = openKvStore({ kv })
    const stop = new AbortController()
    const { signal } = stop
    const historyLimits = { milliseconds: 1e9, records: 1_000, bytes: 8 << 20, mostBytes: 8 << 20 }
    const cache = openWatchCache({ store, resources: [pods], historyLimits })
    const running = cache.run(signal)
    await cache.ready(signal)
    const start = { kind: 'changes', at: { kind: 'latest' } } as const
    const watches = await Promise.all(
      Array.from({ length: 500 }, () => cache.watch({ resource: pods, start, bookmarks: true }, signal)),
    )
    const metadata = { name: 'a', namespace: 'd' }
    const write = async (version: number): Promise<void> => {
      const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { version, filler: 'x'.repeat(4_000) } }
      await store.write({ resource: pods, namespace: 'd', name: 'a' }, () => ({ kind: 'put', object }), signal)
      if (version % 500 === 499) await kv.compact(cache.status().revision, signal)
    }
    for (let version = 0; version < 5_000; version++) await write(version)
    const before = memoryAfterCollection()
    for (let version = 5_000; version < 25_000; version++) await write(version)
    const after = memoryAfterCollection()
    // 80 MB were written; none of it may have stayed with the 500 who do not come for it.
    expect(after.external - before.external).toBeLessThan(16e6)
    expect(after.heapUsed - before.heapUsed).toBeLessThan(16e6)
    const told = await Promise.allSettled(watches.map((watch) => watch[Symbol.asyncIterator]().next()))
    expect(told.every((result) => result.status === 'rejected' && result.reason.code === 410)).toBe(true)
    expect(cache.status().watchers).toBe(0)
    stop.abort()
    await running
    await kv.close()
  })
})
