// Who watches the replicas on one etcd, asked of one of them: by a user that only that one knows, and with replicas that do not answer.
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from '../../src/commands/commands.ts'
import { makeReplicaFiles, PROXY_NAME, saveProxy } from '../../src/commands/replica-files.ts'
import { identityOf } from '../../src/controllers/server-identity.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openReplica, type OpenServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const MAY_LOOK = {
  metadata: { name: 'lookers' },
  rules: [{ nonResourceURLs: ['/debug/watchers'], verbs: ['get'] }],
}
const JANE_MAY = {
  metadata: { name: 'lookers' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lookers' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'lookers' }],
}

interface Page {
  readonly replicas: readonly { readonly name: string; readonly problem?: string }[]
  readonly watchers: readonly { readonly agent: string; readonly replica: string }[]
}

interface Pki {
  readonly folder: string
  readonly flags: readonly string[]
  readonly authority: string
}

/** What replicas share. */
async function makePki(): Promise<Pki> {
  const folder = path.join(await tempFolder(), 'pki')
  mkdirSync(folder)
  const inPki = (name: string): string => path.join(folder, name)
  const kubeconfigFile = inPki('admin.kubeconfig')
  makeReplicaFiles({ folder, names: { dns: [], addresses: [] }, url: 'https://127.0.0.1:1', kubeconfigFile })
  const flags = [
    `--tls-cert-file=${inPki('api.crt')}`,
    `--tls-private-key-file=${inPki('api.key')}`,
    `--requestheader-client-ca-file=${inPki('proxy-ca.crt')}`,
    `--requestheader-allowed-names=${PROXY_NAME}`,
    `--proxy-client-cert-file=${inPki('proxy.crt')}`,
    `--proxy-client-key-file=${inPki('proxy.key')}`,
    `--peer-ca-file=${inPki('api-ca.crt')}`,
  ]
  return { folder, flags, authority: readFileSync(inPki('api-ca.crt'), 'utf8') }
}

async function openWatch({ url, authority, adminToken }: OpenServer, agent: string): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'user-agent': agent }
  const request = https.get(`${url}/api/v1/pods?watch=1`, { agent: false, ca: authority, headers })
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  await once(request, 'response')
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const leaseAt = (name: string, address: string): object => ({
  metadata: {
    name,
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    annotations: { 'quarterdeck/peer-address': address },
  },
  spec: { leaseDurationSeconds: 3600, renewTime: new Date().toISOString().replace('Z', '000Z') },
})

it('are told of by every replica, as the user who asks, and who does not answer is named', async () => {
  await using etcd = await startEtcd()
  const { flags, authority } = await makePki()
  const tokens = path.join(await tempFolder(), 'tokens.csv')
  // The other replica knows neither the token nor the user.
  writeFileSync(tokens, 'secret-of-jane,jane,1,lookers\nsecret-of-joe,joe,2\n')
  const named = (name: string): readonly string[] => [...flags, '--hostname-override', name]
  await using one = await openReplica(etcd.endpoint, [...named('one'), '--token-auth-file', tokens], authority)
  const create = (at: string, body: object): Promise<object> => one.must(at, { method: 'POST', body })
  const two = await openReplica(etcd.endpoint, named('two'), authority)
  await create('/apis/rbac.authorization.k8s.io/v1/clusterroles', MAY_LOOK)
  await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', JANE_MAY)
  await openWatch(one, 'reader/one')
  await openWatch(two, 'reader/two')

  let printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (printed += String(text)) !== '')
  onTestFinished(() => void vi.restoreAllMocks())
  const topAs = async (token: string, ...args: string[]): Promise<number> => {
    printed = ''
    const file = path.join(await tempFolder(), 'kubeconfig')
    writeFileSync(
      file,
      JSON.stringify(kubeconfigOf({ url: one.url, authority, user: { name: 'x', credential: { token } } })),
    )
    return runCommand(['top', '--kubeconfig', file, ...args], {})
  }
  const pageOf = async (): Promise<Page> => {
    expect([await topAs('secret-of-jane', '--all-replicas', '-o', 'json'), printed]).toEqual([0, expect.anything()])
    return JSON.parse(printed) as Page
  }
  const [first, second] = [identityOf('one'), identityOf('two')]
  await expect.poll(async () => (await pageOf()).replicas).toEqual([{ name: first }, { name: second }])
  const whose = async (): Promise<readonly string[]> =>
    (await pageOf()).watchers.map(({ agent, replica }) => `${agent} ${replica}`).toSorted()
  expect(await whose()).toEqual([`reader/one ${first}`, `reader/two ${second}`])
  expect(await topAs('secret-of-jane', '--once')).toBe(0)
  expect(printed).not.toContain('reader/two')
  expect(await topAs('secret-of-joe', '--all-replicas')).toBe(1)
  expect(printed).toContain('cannot get path "/debug/watchers"')

  // One that says nothing, and one that is somebody else.
  const deaf = createServer((socket) => void socket.on('error', () => {}))
  await create(LEASES, leaseAt('apiserver-deaf', await listening(deaf)))
  const other = makeServing(makeAuthority(600_000), { dns: ['kubernetes.default.svc'], addresses: [] }, 600_000)
  let heard = ''
  const stranger = tls.createServer({ cert: other.certificate, key: other.key }, (socket) => {
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).on('error', () => {})
  })
  await create(LEASES, leaseAt('apiserver-stranger', await listening(stranger)))
  const elsewhere = `${new URL(two.url).host}/api/v1/secrets?a=`
  await create(LEASES, leaseAt('apiserver-elsewhere', elsewhere))
  await two[Symbol.asyncDispose]()
  const { replicas, watchers } = await pageOf()
  expect(watchers.map(({ agent }) => agent)).toEqual(['reader/one'])
  expect(new Map(replicas.map(({ name, problem }) => [name, problem]))).toEqual(
    new Map([
      [first, undefined],
      [second, expect.stringMatching(/connection refused; its lease was renewed \d+ s ago$/)],
      ['apiserver-deaf', expect.stringMatching(/deadline exceeded; its lease was renewed \d+ s ago$/)],
      ['apiserver-elsewhere', expect.stringMatching(/^its lease has no valid address; its lease/)],
      ['apiserver-stranger', expect.stringMatching(/certificate signed by unknown authority; its lease/)],
    ]),
  )
  expect(heard).toBe('')
})

it('are told of after the certificate that replicas show each other was replaced', async () => {
  await using etcd = await startEtcd()
  const { folder, flags, authority } = await makePki()
  await using one = await openReplica(etcd.endpoint, [...flags, '--hostname-override', 'one'], authority)
  await using two = await openReplica(etcd.endpoint, [...flags, '--hostname-override', 'two'], authority)
  const problems = async (): Promise<readonly (string | undefined)[]> => {
    const page = await one.must('/debug/watchers?replicas=all', { headers: { accept: 'application/json' } })
    return (page['replicas'] as Page['replicas']).map(({ problem }) => problem)
  }
  await expect.poll(problems).toEqual([undefined, undefined])
  const old = {
    cert: readFileSync(path.join(folder, 'proxy.crt')),
    key: readFileSync(path.join(folder, 'proxy.key')),
  }
  const statusFor = async (certificate: typeof old): Promise<number | undefined> => {
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' }
    const request = https.get(`${two.url}/api/v1/pods`, { agent: false, ca: authority, headers, ...certificate })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  expect(await statusFor(old)).toBe(200)
  // Of another authority too, so that the old one is of no use where the new one is trusted.
  saveProxy(folder)
  await expect.poll(() => statusFor(old)).toBe(401)
  await expect.poll(problems).toEqual([undefined, undefined])
})
