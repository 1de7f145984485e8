import { afterAll, beforeAll } from 'vitest'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { describeStoresOn } from './store/open.ts'

let server: EtcdServer
let corners = 0

beforeAll(async () => {
  server = await startEtcd()
})
afterAll(() => server[Symbol.asyncDispose]())

describeStoresOn('etcd', async () => {
  const prefix = `/corner-${corners++}`
  const kv = await openEtcd({ endpoints: [server.endpoint], prefix: `${prefix}/` }, AbortSignal.timeout(60_000))
  return { kv, prefix }
})
