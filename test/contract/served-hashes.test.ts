// What our server says a store's hash is at a revision is what a real etcd says that was given the same calls.
import { describe, expect, it } from 'vitest'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { anyRequests, type EtcdRequest, put, remove, txn } from '../rigs/etcd-requests.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { serveStore, type StoreEngine } from '../fakes/served-store.ts'

const ROWS: readonly (readonly [string, readonly EtcdRequest[]])[] = [
  ['nothing is left', [put('a'), remove('a')]],
  [
    'nothing is left of what a compaction had kept',
    [put('a'), put('b'), ['KV/Compact', { revision: 3 }], remove('a'), remove('b')],
  ],
  ['a compaction ends with a delete', [put('a'), put('b'), remove('a'), ['KV/Compact', { revision: 4 }], put('c')]],
  [
    'a compaction left some of a transaction',
    [txn([], [put('a'), put('b'), put('c')]), put('b'), put('d'), ['KV/Compact', { revision: 4 }], put('e')],
  ],
  ['keys have leases and values have none', [['Lease/LeaseGrant', { ID: 7, TTL: 100 }], put('a', '', { lease: 7 })]],
  // One transaction deletes all there is and puts one key back.
  ['anything was done', anyRequests(2, 200)],
]

describe('the hash of all keys, where', () => {
  it.each(ROWS)('%s', async (_, requests) => {
    await using etcd = await startEtcd()
    await using memory = await serveStore('in memory')
    await using embedded = await serveStore('embedded')
    using theirs = new EtcdApi(etcd.endpoint)
    using inMemory = new EtcdApi(memory.endpoint)
    using onDisk = new EtcdApi(embedded.endpoint)
    const apis = [theirs, inMemory, onDisk]
    for (const [method, request] of requests) await Promise.all(apis.map((api) => api.call(method, request)))
    // What it remembers of the time before a compaction is gone then.
    await etcd.stop()
    await etcd.start()
    const newest = await memory.kv.newestRevision(new AbortController().signal)
    for (let revision = 0; revision <= newest + 1; revision++) {
      const [wanted, ...ours] = await Promise.all(apis.map((api) => api.call('Maintenance/HashKV', { revision })))
      for (const answer of ours) expect({ revision, ...answer }).toEqual({ revision, ...wanted })
    }
  })
})

it.each<StoreEngine>(['in memory', 'embedded'])(
  'the hash of the whole store tells states apart: %s',
  async (engine) => {
    await using store = await serveStore(engine)
    using api = new EtcdApi(store.endpoint)
    const hash = async (): Promise<unknown> => (await api.call('Maintenance/Hash', {}))['hash']
    const seen = [await hash()]
    const lease: EtcdRequest = ['Lease/LeaseGrant', { ID: 7, TTL: 100 }]
    for (const request of [put('a'), put('a'), remove('a'), lease]) {
      await api.call(...request)
      seen.push(await hash())
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(await hash()).toBe(seen.at(-1))
  },
)
