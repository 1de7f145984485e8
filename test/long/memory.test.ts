// Memory that stays where the store is an etcd; `test/robustness/memory.test.ts` has the other stores.
import { it } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { expectNoGrowthByWrites } from '../robustness/memory-growth.ts'

it('objects that are written over and over take no more memory, on etcd', async () => {
  await using etcd = await startEtcd()
  await expectNoGrowthByWrites('--etcd-servers', etcd.endpoint)
})
