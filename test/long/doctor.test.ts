// `quarterdeck doctor` on servers and stores: healthy ones, and ones with each fault that it is to find.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { everyKind } from '../corpora/every-kind.ts'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'
import { putKey } from '../../src/kv/kv.ts'

const { signal } = new AbortController()
const DAY_MS = 24 * 60 * 60 * 1000
const MAPS = '/api/v1/namespaces/default/configmaps'

it('has nothing to say about the objects of a healthy server, whatever their kind', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--data-dir=data', '--feature-gates=AllAlpha=true,AllBeta=true'], home)
  let made = 0
  for (const { collection, body } of everyKind()) if (await create(server, collection, body)) made++
  expect(made).toBeGreaterThan(40)
  const { checks, objects } = await doctor(home, [`--kubeconfig=${server.kubeconfigFile}`])
  expect(objects).toBeGreaterThan(made)
  expect(checks.filter(([check]) => check !== 'rbac')).toEqual([])
  const stored = await doctor(home, ['--data-dir=data'])
  expect(stored.checks.filter(([check]) => check !== 'rbac')).toEqual([])

  const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's' }, stringData: { a: 'very secret' } }
  expect(await create(server, '/api/v1/namespaces/default/secrets', JSON.stringify(secret))).toBe(true)
  const bundle = await runCommand(['bundle', `--kubeconfig=${server.kubeconfigFile}`, 'bundle.txt'], home)
  expect(bundle).toMatchObject({ code: 0, stderr: '' })
  expect(bundle.stdout).toMatch(new RegExp(`^bundle.txt: \\d+ bytes about ${server.url} were written`))
  const text = await readFile(path.join(home, 'bundle.txt'), 'utf8')
  expect(text).toContain('[+]watch-cache-consistency ok')
  for (const part of ['Linux', 'secure-port', 'apiserver_storage_objects{resource="secrets"}', 'objects, ']) {
    expect(text).toContain(part)
  }
  const secrets = [server.adminToken, 'very secret', Buffer.from('very secret').toString('base64'), 'PRIVATE KEY']
  for (const part of secrets) expect(text).not.toContain(part)
  expect(text).not.toMatch(/^\(/m)
})

it('finds orphans, wrong owners, risky roles and certificates that expire, and fixes what is safe', async () => {
  const home = await newHome()
  const authority = makeAuthority(3650 * DAY_MS)
  const { certificate, key } = makeServing(authority, { dns: ['localhost'], addresses: ['127.0.0.1'] }, 10 * DAY_MS)
  await writeFile(path.join(home, 'tls.crt'), certificate)
  await writeFile(path.join(home, 'tls.key'), key)
  await writeFile(path.join(home, 'ca.crt'), authority.certificate)
  // What has no owner must stay for as long as the test looks at it.
  const flags = ['--tls-cert-file=tls.crt', '--tls-private-key-file=tls.key', '--controllers=-garbage-collector']
  const server = await startServerProcess(['--data-dir=data', ...flags], home, { NODE_EXTRA_CA_CERTS: 'ca.crt' })
  const call = (collection: string, object: object): Promise<boolean> =>
    create(server, collection, JSON.stringify(object), authority.certificate)
  await call('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'other' } })
  await call('/api/v1/namespaces/other/configmaps', { ...MAP, metadata: { name: 'owner' } })
  const answer = await server.request('/api/v1/namespaces/other/configmaps/owner', {
    token: server.adminToken,
    ca: authority.certificate,
  })
  const { uid } = (JSON.parse(answer.body) as { metadata: { uid: string } }).metadata
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }
  const gone = { ...owner, name: 'gone', uid: 'b7a1c3f0-0000-4000-8000-000000000000' }
  await call(MAPS, { ...MAP, metadata: { name: 'orphan', ownerReferences: [gone] } })
  const role = { ...gone, apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
  await call(MAPS, { ...MAP, metadata: { name: 'of-cluster', ownerReferences: [role] } })
  await call(MAPS, { ...MAP, metadata: { name: 'half', ownerReferences: [gone, owner] } })
  await call(MAPS, { ...MAP, metadata: { name: 'stray', ownerReferences: [{ ...gone, kind: 'Unheard' }] } })
  await call('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    kind: 'ClusterRole',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name: 'everything' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  })
  const expected = [
    ['certificate', 'serving certificate'],
    ['orphan', 'ConfigMap default/of-cluster'],
    ['orphan', 'ConfigMap default/orphan'],
    ['owner', 'ConfigMap default/half'],
    ['rbac', 'ClusterRole everything'],
  ]
  const args = [`--kubeconfig=${server.kubeconfigFile}`]
  const environment = { NODE_EXTRA_CA_CERTS: 'ca.crt' }
  const found = await doctor(home, args, environment)
  expect(found.code).toBe(1)
  expect(unique(found.checks)).toEqual(expected)
  const text = await runCommand(['doctor', ...args], home, environment)
  expect(text.stdout).toMatch(/^certificate: serving certificate: it expires in (9|10) days; replace it/m)
  expect(text.stdout).toMatch(/^orphan: ConfigMap default\/orphan: its owner ConfigMap gone does not exist; delete it/m)

  const fixed = await doctor(home, [...args, '--fix'], environment)
  expect(unique(fixed.checks)).toEqual(expected)
  const after = await doctor(home, args, environment)
  expect(unique(after.checks)).toEqual(expected.filter(([check]) => check !== 'orphan'))
})

it('finds what is wrong with the objects in a store, without a server', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--data-dir=data'], home)
  await create(server, MAPS, JSON.stringify({ ...MAP, metadata: { name: 'fine' } }))
  await server.stop('SIGKILL')
  const kv = await openEmbedded({ dataDir: path.join(home, 'data/store') }, signal)
  const put = (key: string, value: string | Buffer) =>
    putKey(kv, { key: `/registry/${key}`, value: Buffer.from(value), expected: 0 }, signal)
  const metadata = { name: 'x', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }
  await put('configmaps/default/broken', '{"kind":')
  await put('secrets/default/sealed', Buffer.concat([Buffer.from('k8s:enc:aescbc:v1:key1:'), randomBytes(64)]))
  const invalid = { ...MAP, metadata: { ...metadata, name: 'NOT VALID' }, data: { 'a b': 'c' } }
  await put('configmaps/default/invalid', JSON.stringify(invalid))
  await kv.close()
  const { code, checks } = await doctor(home, ['--data-dir=data'])
  expect(code).toBe(1)
  expect(unique(checks)).toEqual([
    ['unreadable', '/registry/configmaps/default/broken'],
    ['unreadable', '/registry/secrets/default/sealed'],
    ['schema', 'ConfigMap default/NOT VALID'],
  ])
  expect(await runCommand(['doctor', '--data-dir=data', '--fix'], home)).toMatchObject({ code: 2 })
  expect(await runCommand(['doctor', '--kubeconfig=none'], home)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^quarterdeck: .*\n$/),
  })
})

it('finds a clock that is wrong', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--in-memory', '--dev', '--virtual-clock', '--kubeconfig-out=k'], home)
  const { checks } = await doctor(home, [`--kubeconfig=${server.kubeconfigFile}`])
  expect(unique(checks)).toContainEqual(['clock', 'clock of the server'])
})

const MAP = { kind: 'ConfigMap', apiVersion: 'v1' }

async function create(server: ServerProcess, collection: string, body: string, ca?: string): Promise<boolean> {
  const headers = { 'content-type': 'application/json' }
  const access = { token: server.adminToken, ...(ca === undefined ? {} : { ca }) }
  const { status } = await server.request(collection, { method: 'POST', ...access, headers, body })
  return status === 201
}

async function doctor(home: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runCommand(['doctor', '-o', 'json', ...args], home, environment)
  expect(stderr).toBe('')
  const { objects, findings } = JSON.parse(stdout) as {
    readonly objects: number
    readonly findings: readonly { readonly check: string; readonly subject: string; readonly problem: string }[]
  }
  return { code, objects, checks: findings.map(({ check, subject, problem }) => [check, subject, problem]) }
}

function unique(checks: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Set(checks.map(([check, subject]) => `${check}|${subject}`))].map((text) => text.split('|'))
}
