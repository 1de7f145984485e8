// The reference server and this one, each on a store of its own and with the account that pods run as, to be asked the same.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type ApiLevel, DEFAULT_LEVEL } from '../../src/api/level.ts'
import { startEtcd } from './etcd-server.ts'
import { startReferenceServer } from './reference-server.ts'
import { openServer, type OpenServer, reachServer } from './running-server.ts'

export type Both = readonly [theirs: OpenServer, ours: OpenServer]

export interface BesideOptions {
  /** Of both; absent: the default level. */
  readonly level?: ApiLevel
  /** Further flags of both. */
  readonly flags?: readonly string[]
}

/** It is closed with what is given. */
export async function openReference(
  opened: AsyncDisposableStack,
  { level = DEFAULT_LEVEL, flags = [] }: BesideOptions = {},
): Promise<OpenServer> {
  const etcd = opened.use(await startEtcd())
  const reference = await startReferenceServer({ etcd: etcd.endpoint, level, flags })
  const authority = readFileSync(path.join(reference.folder, 'reference-certificates/apiserver.crt'), 'utf8')
  const address = { url: reference.url, authority, adminToken: reference.token }
  return opened.use(reachServer(address, () => Promise.resolve()))
}

/** Both are closed with what is given. */
export async function openBoth(opened: AsyncDisposableStack, options: BesideOptions = {}): Promise<Both> {
  const { level = DEFAULT_LEVEL, flags = [] } = options
  const theirs = await openReference(opened, options)
  const own = ['--service-cluster-ip-range=10.96.0.0/16', `--emulated-version=${level}`]
  const ours = opened.use(await openServer([...own, ...flags]))
  for (const server of [theirs, ours]) {
    const body = { metadata: { name: 'default' } }
    await server.request('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body })
  }
  return [theirs, ours]
}
