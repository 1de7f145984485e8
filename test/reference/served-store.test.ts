// kube-apiserver with its controllers on a store of ours answers what was recorded of it on etcd.
import { expect, it } from 'vitest'
import { differingScenarios } from '../rigs/replay.ts'
import { startReplayedReference } from '../rigs/replayed-reference.ts'
import { StoreProcess } from '../rigs/store-process.ts'

it('kube-apiserver passes the replay on a store of ours', async () => {
  await using store = await StoreProcess.start()
  const server = await startReplayedReference(store.endpoint)
  expect(await differingScenarios(server.url, { only: 'reads/', isReference: true })).toEqual([])
  expect(await differingScenarios(server.url, { only: 'writes/', isReference: true })).toEqual([])
})
