// The stores that keep the contract, on whatever engine.
import { openWatchCache, type WatchCacheOptions } from '../../../src/cache/cache.ts'
import { HISTORY_LIMITS } from '../../../src/cache/history.ts'
import type { Kv } from '../../../src/kv/kv.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { decodePods } from '../../corpora/protobuf-pods.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { describePastContract, describeStoreContract } from '../store-contract.ts'
import { LITTLE_PAST_BYTES } from './past.ts'
import { pods, type StoreUnderTest, writeThePast } from './subject.ts'

export interface EngineUnderTest {
  readonly kv: Kv
  /** Without a slash at its end. */
  readonly prefix: string
  /** The engine's own clock, where it is in our hands. */
  readonly clock?: ManualClock
}

export function describeStoresOn(engine: string, open: () => Promise<EngineUnderTest>): void {
  describeStoreContract(`straight on ${engine}`, { open: async () => storeOn(await open()) })
  describeStoreContract(`the watch cache on ${engine}`, { open: async () => cacheOn(await open()) })
  describeStoreContract(`the watch cache on ${engine}, without past states`, {
    open: async () => cacheOn(await open(), { servePastStates: false }),
  })
  const historyLimits = { ...HISTORY_LIMITS, bytes: LITTLE_PAST_BYTES, mostBytes: LITTLE_PAST_BYTES }
  describePastContract(`the watch cache on ${engine}, with little memory`, {
    open: async () => cacheOn(await open(), { historyLimits }),
  })
}

async function storeOn({ kv, prefix, clock }: EngineUnderTest): Promise<StoreUnderTest> {
  await writeThePast(kv, prefix)
  const store = openKvStore({ kv, prefix, decodeForeign: decodePods })
  return { store, kv, prefix, advance: (ms) => clock?.advance(ms), close: () => kv.close() }
}

async function cacheOn(
  engine: EngineUnderTest,
  more: Pick<WatchCacheOptions, 'servePastStates' | 'historyLimits'> = {},
): Promise<StoreUnderTest> {
  const { kv, prefix, clock = new ManualClock() } = engine
  await writeThePast(kv, prefix)
  const stop = new AbortController()
  // One of the two types that the tests use is taken up only when it is asked for.
  const cache = openWatchCache({
    store: openKvStore({ kv, prefix, decodeForeign: decodePods }),
    resources: [pods],
    clock,
    ...more,
  })
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
