// A watch cache on a kv whose faults are in the test's hands, with short words for what tests do.
import type { WatchStart } from '../../../src/api/read.ts'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { openWatchCache, type WatchCache, type WatchCacheOptions } from '../../../src/cache/cache.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { Store, StoredResource, Watch } from '../../../src/store/store.ts'
import { FaultyKv } from '../../fakes/faulty-kv.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'

export interface CacheTest extends AsyncDisposable {
  readonly cache: WatchCache
  /** Another replica. */
  readonly other: Store
  readonly kv: FaultyKv
  readonly clock: ManualClock
  readonly signal: AbortSignal
  readonly pods: StoredResource
  readonly errors: readonly unknown[]
  put(name: string, version?: number, through?: Store): Promise<number>
  putNode(name: string): Promise<number>
  remove(name: string, through?: Store): Promise<number>
  watch(start?: WatchStart, fields?: string, signal?: AbortSignal): Promise<Watch>
  names(): Promise<readonly string[]>
  /** The cache has everything that was written. */
  settled(): Promise<void>
}

const CHANGES = { kind: 'changes', at: { kind: 'latest' } } as const satisfies WatchStart

export async function openCacheForTest(
  options: Partial<WatchCacheOptions> & { readonly seed?: (store: Store) => Promise<unknown> } = {},
): Promise<CacheTest> {
  const clock = new ManualClock()
  const kv = new FaultyKv(openMemory({ clock }))
  const other = openKvStore({ kv })
  const stop = new AbortController()
  const { signal } = stop
  const errors: unknown[] = []
  await options.seed?.(other)
  const cache = openWatchCache({
    store: openKvStore({ kv }),
    resources: [pods],
    clock,
    onError: (error) => errors.push(error),
    ...options,
  })
  const running = cache.run(signal)
  await cache.ready(signal)
  const write = async (resource: StoredResource, name: string, spec: { readonly version: number }, through: Store) => {
    const namespace = resource.namespaced ? 'd' : ''
    const object = { kind: 'Thing', apiVersion: 'v1', metadata: { name, namespace }, spec }
    const result = await through.write({ resource, namespace, name }, () => ({ kind: 'put', object }), signal)
    return result.object!.revision
  }
  return {
    cache,
    other,
    kv,
    clock,
    signal,
    pods,
    errors,
    put: (name, version = 0, through = cache) => write(pods, name, { version }, through),
    putNode: (name) => write(nodes, name, { version: 0 }, other),
    remove: async (name, through = cache) => {
      const result = await through.write({ resource: pods, namespace: 'd', name }, () => ({ kind: 'remove' }), signal)
      return result.object!.revision
    },
    watch: (start = CHANGES, fields = '', watchSignal = signal) =>
      cache.watch(
        { resource: pods, start, bookmarks: false, selection: { fields: parseFieldSelector(fields) } },
        watchSignal,
      ),
    names: async () => {
      const page = await cache.list({ resource: pods, at: { kind: 'latest' } }, signal)
      const names: string[] = []
      for await (const batch of page.batches) names.push(...batch.map(({ name }) => name))
      return names
    },
    settled: async () => {
      await cache.get({ resource: pods, namespace: 'd', name: 'any' }, { kind: 'latest' }, signal)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      kv.release()
      await running
      await kv.close()
    },
  }
}
