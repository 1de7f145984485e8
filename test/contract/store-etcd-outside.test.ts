// etcd shared with others: their writes are no events for us, and still a consistent read must find out that it is current.
import { describe, expect, it } from 'vitest'
import { openWatchCache } from '../../src/cache/cache.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { ABSENT, putKey } from '../../src/kv/kv.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { pod, pods } from './store/subject.ts'

describe.each(['newest', 'oldest'] as const)('beside others on etcd, %s version', (line) => {
  it('reads are consistent and do not wait for what never comes', async () => {
    await using server = await startEtcd({ line })
    const stop = new AbortController()
    const { signal } = stop
    const open = (prefix: string) => openEtcd({ endpoints: [server.endpoint], prefix }, AbortSignal.timeout(60_000))
    const kv = await open('/registry/')
    const others = await open('/others/')
    const store = openKvStore({ kv })
    const cache = openWatchCache({ store, resources: [pods] })
    const running = cache.run(signal)
    await cache.ready(signal)
    const key = { resource: pods, namespace: 'd', name: 'a' }
    for (let round = 0; round < 10; round++) {
      const { object } = await store.write(
        key,
        () => ({ kind: 'put', object: pod('d', 'a', { spec: { round } }) }),
        signal,
      )
      await putKey(others, { key: `/others/${round}`, value: Buffer.from('x'), expected: ABSENT }, signal)
      const start = performance.now()
      const { item } = await cache.get(key, { kind: 'latest' }, signal)
      expect(item?.revision).toBe(object?.revision)
      // Two orders of magnitude more than it takes, and less than etcd takes to tell of its progress by itself.
      expect(performance.now() - start).toBeLessThan(20_000)
    }
    stop.abort()
    await running
    await kv.close()
    await others.close()
  })
})
