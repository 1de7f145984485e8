import { openWatchCache } from '../../src/cache/cache.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { describeStoreContract } from './store-contract.ts'
import { pods, type StoreUnderTest, writeThePast } from './store/subject.ts'

async function openStore(): Promise<StoreUnderTest> {
  const clock = new ManualClock()
  const kv = openMemory({ clock })
  const prefix = '/registry'
  await writeThePast(kv, prefix)
  return {
    store: openKvStore({ kv, prefix }),
    kv,
    prefix,
    advance: (ms) => clock.advance(ms),
    close: () => kv.close(),
  }
}

async function openCache(servePastStates: boolean): Promise<StoreUnderTest> {
  const clock = new ManualClock()
  const kv = openMemory({ clock })
  const prefix = '/registry'
  const stop = new AbortController()
  await writeThePast(kv, prefix)
  // One of the two types that the tests use is taken up only when it is asked for.
  const cache = openWatchCache({ store: openKvStore({ kv, prefix }), resources: [pods], clock, servePastStates })
  const running = cache.run(stop.signal)
  await cache.ready(stop.signal)
  return {
    store: cache,
    kv,
    prefix,
    advance: (ms) => clock.advance(ms),
    close: async () => {
      stop.abort()
      await running
      await kv.close()
    },
  }
}

describeStoreContract('straight on the in-memory engine', { open: openStore })
describeStoreContract('the watch cache on the in-memory engine', { open: () => openCache(true) })
describeStoreContract('the watch cache without past states', { open: () => openCache(false) })
