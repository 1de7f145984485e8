// The contract of the storage port through our own etcd client, on our own engines behind etcd's API.
import { afterAll, beforeAll, describe } from 'vitest'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { serveStore, type ServedStore } from '../fakes/served-store.ts'
import { IS_WHOLE } from '../rigs/whole.ts'
import { describeKvContract } from './kv-contract.ts'

describe.each(IS_WHOLE ? (['in memory', 'embedded'] as const) : (['in memory'] as const))('%s', (engine) => {
  let server: ServedStore
  let corners = 0

  beforeAll(async () => void (server = await serveStore(engine)))
  afterAll(() => server?.[Symbol.asyncDispose]())

  describeKvContract(`${engine}, behind etcd’s API`, {
    startsEmpty: false,
    manyKeys: 10_000,
    open: async () => {
      const prefix = `/corner-${corners++}/`
      const kv = await openEtcd({ endpoints: [server.endpoint], prefix }, AbortSignal.timeout(60_000))
      return { kv, prefix, liveHandles: () => kv.liveHandles }
    },
  })
})
