// The contract on a real etcd of one version. Each test has a corner of its own in one store.
import { afterAll, beforeAll } from 'vitest'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import type { EtcdLine } from '../rigs/etcd-binary.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { describeKvContract } from './kv-contract.ts'

export function describeEtcdContract(line: EtcdLine, manyKeys: number): void {
  let server: EtcdServer
  let corners = 0

  beforeAll(async () => {
    server = await startEtcd({ line })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  describeKvContract(`etcd, ${line} version`, {
    startsEmpty: false,
    manyKeys,
    open: async () => {
      const prefix = `/corner-${corners++}/`
      const kv = await openEtcd({ endpoints: [server.endpoint], prefix }, AbortSignal.timeout(60_000))
      return { kv, prefix, liveHandles: () => kv.liveHandles }
    },
  })
}
