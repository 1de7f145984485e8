// The reference as the scenarios were recorded on it: its server on any store, with the controllers that ran then.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ApiLevel } from '../../src/api/level.ts'
import { type ReferenceServer, startReferenceControllers, startReferenceServer } from './reference-server.ts'
import { REPLAY_TOKENS } from './replay.ts'
import { newHome } from './server-process.ts'

const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'resourcequota-controller',
]

/** It ends with the test. */
export async function startReplayedReference(etcd: string, level?: ApiLevel): Promise<ReferenceServer> {
  const tokens = path.join(await newHome(), 'tokens.csv')
  writeFileSync(tokens, `${REPLAY_TOKENS}reference-admin-token,reference-admin,reference-admin-uid,system:masters\n`)
  const ofLevel = level === undefined ? {} : { level }
  const server = await startReferenceServer({ etcd, flags: [`--token-auth-file=${tokens}`], ...ofLevel })
  const flags = [
    `--root-ca-file=${path.join(server.folder, 'reference-certificates/apiserver.crt')}`,
    `--service-account-private-key-file=${path.join(server.folder, 'service-account.key')}`,
  ]
  await startReferenceControllers(server.kubeconfigFile, CONTROLLERS, flags, level)
  return server
}
