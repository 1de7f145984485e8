// The reference server and this one, each on a store of its own and with the account that pods run as, to be asked the same.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startEtcd } from './etcd-server.ts'
import { startReferenceServer } from './reference-server.ts'
import { openServer, type OpenServer, reachServer } from './running-server.ts'

export type Both = readonly [theirs: OpenServer, ours: OpenServer]

/** It is closed with what is given. */
export async function openReference(opened: AsyncDisposableStack): Promise<OpenServer> {
  const etcd = opened.use(await startEtcd())
  const reference = await startReferenceServer({ etcd: etcd.endpoint })
  const authority = readFileSync(path.join(reference.folder, 'reference-certificates/apiserver.crt'), 'utf8')
  const address = { url: reference.url, authority, adminToken: reference.token }
  return opened.use(reachServer(address, () => Promise.resolve()))
}

/** Both are closed with what is given. */
export async function openBoth(opened: AsyncDisposableStack): Promise<Both> {
  const theirs = await openReference(opened)
  const ours = opened.use(await openServer(['--service-cluster-ip-range=10.96.0.0/16']))
  for (const server of [theirs, ours]) {
    const body = { metadata: { name: 'default' } }
    await server.request('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body })
  }
  return [theirs, ours]
}
