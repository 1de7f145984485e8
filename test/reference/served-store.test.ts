// kube-apiserver with its controllers on a store of ours answers what was recorded of it on etcd.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { startReferenceControllers, startReferenceServer } from '../rigs/reference-server.ts'
import { differingScenarios, REPLAY_TOKENS } from '../rigs/replay.ts'
import { newHome } from '../rigs/server-process.ts'
import { StoreProcess } from '../rigs/store-process.ts'

/** Those that ran when the answers were recorded. */
const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'resourcequota-controller',
]

it('kube-apiserver passes the replay on a store of ours', async () => {
  await using store = await StoreProcess.start()
  const tokens = path.join(await newHome(), 'tokens.csv')
  writeFileSync(tokens, `${REPLAY_TOKENS}reference-admin-token,reference-admin,reference-admin-uid,system:masters\n`)
  const server = await startReferenceServer({ etcd: store.endpoint, flags: [`--token-auth-file=${tokens}`] })
  await startReferenceControllers(server.kubeconfigFile, CONTROLLERS, [
    `--root-ca-file=${path.join(server.folder, 'reference-certificates/apiserver.crt')}`,
    `--service-account-private-key-file=${path.join(server.folder, 'service-account.key')}`,
  ])
  expect(await differingScenarios(server.url, 'reads/')).toEqual([])
  expect(await differingScenarios(server.url, 'writes/')).toEqual([])
})
