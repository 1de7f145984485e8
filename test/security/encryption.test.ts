// 1.2.27-28: what is stored on disk and in etcd, on the whole server: secrets cannot be read there, keys can be changed, and what
// no key opens is told without taking the rest down.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FakeKmsPlugin } from '../fakes/kms-plugin.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const SENTINEL = 'sentinel-of-a-secret'
const SECRETS = '/api/v1/namespaces/default/secrets'
const key = (name: string, fill: number): object => ({
  keys: [{ name, secret: Buffer.alloc(32, fill).toString('base64') }],
})

function configure(home: string, ...providers: readonly object[]): readonly string[] {
  const file = path.join(home, 'encryption.yaml')
  const resources = [{ resources: ['secrets'], providers }]
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }),
  )
  return ['--encryption-provider-config', file]
}

async function ask(server: ServerProcess, line: string, body?: object): Promise<{ status: number; body: string }> {
  const [method = '', target = ''] = line.split(' ')
  return server.request(target, {
    method,
    token: server.adminToken,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
}

async function makeSecret(server: ServerProcess, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { a: SENTINEL } }
  expect((await ask(server, `POST ${SECRETS}`, body)).status).toBe(201)
}

function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n')
}

const encoded = Buffer.from(SENTINEL).toString('base64')

describe('CIS 1.2.27 and 1.2.28: in the embedded store', () => {
  it('nothing of a secret can be read, and without encryption it can (P-440, P-451)', { timeout: 60_000 }, async () => {
    for (const [flags, isReadable] of [
      [[], true],
      [configure(await newHome(), { secretbox: key('k', 1) }), false],
    ] as const) {
      const server = await startServerProcess(flags, await newHome())
      await makeSecret(server, 'one')
      expect(JSON.parse((await ask(server, `GET ${SECRETS}/one`)).body)).toMatchObject({ data: { a: encoded } })
      await server.stop()
      expect(bytesBelow(path.join(server.dataDirectory, 'store')).includes(encoded)).toBe(isReadable)
    }
  })

  it('keys are changed by a restart and a rewrite; without the old one its objects are told (P-446, P-448)', {
    timeout: 90_000,
  }, async () => {
    const home = await newHome()
    let server = await startServerProcess(configure(home, { aescbc: key('old', 1) }), home)
    await makeSecret(server, 'kept')
    await makeSecret(server, 'left')
    await server.stop()
    server = await startServerProcess(configure(home, { aesgcm: key('new', 2) }, { aescbc: key('old', 1) }), home)
    const kept = JSON.parse((await ask(server, `GET ${SECRETS}/kept`)).body) as object
    expect((await ask(server, `PUT ${SECRETS}/kept`, kept)).status).toBe(200)
    await server.stop()
    server = await startServerProcess(configure(home, { aesgcm: key('new', 2) }), home)
    expect((await ask(server, `GET ${SECRETS}/kept`)).status).toBe(200)
    const left = await ask(server, `GET ${SECRETS}/left`)
    expect([left.status, JSON.parse(left.body)]).toEqual([
      500,
      expect.objectContaining({
        reason: 'InternalError',
        message: expect.stringMatching(/^Internal error occurred: /),
      }),
    ])
    expect((await ask(server, `GET ${SECRETS}`)).status).toBe(500)
    expect((await ask(server, 'GET /api/v1/namespaces/default/configmaps')).status).toBe(200)
    await server.stop()
  })
})

describe('CIS 1.2.27 and 1.2.28: after a migration of the storage', () => {
  it('no secret needs the old key', { timeout: 90_000 }, async () => {
    const home = await newHome()
    const level = '--emulated-version=1.37'
    const start = (...providers: readonly object[]): Promise<ServerProcess> =>
      startServerProcess([level, ...configure(home, ...providers)], home)
    let server = await start({ aescbc: key('old', 1) })
    for (const name of ['one', 'two']) await makeSecret(server, name)
    await server.stop()
    server = await start({ aesgcm: key('new', 2) }, { aescbc: key('old', 1) })
    const migrations = '/apis/storagemigration.k8s.io/v1/storageversionmigrations'
    const body = { metadata: { name: 'secrets' }, spec: { resource: { group: '', resource: 'secrets' } } }
    expect((await ask(server, `POST ${migrations}`, body)).status).toBe(201)
    await expect.poll(async () => (await ask(server, `GET ${migrations}/secrets`)).body).toContain('"Succeeded"')
    await server.stop()
    server = await start({ aesgcm: key('new', 2) })
    for (const name of ['one', 'two']) expect((await ask(server, `GET ${SECRETS}/${name}`)).status).toBe(200)
    await server.stop()
  })
})

describe('CIS 1.2.27 and 1.2.28: in etcd', () => {
  it('a secret is sealed under its key, and moved to another it does not open (P-441, P-443)', {
    timeout: 60_000,
  }, async () => {
    const store = await startEtcd()
    onTestFinished(() => store[Symbol.asyncDispose]())
    const home = await newHome()
    const flags = ['--etcd-servers', store.endpoint, ...configure(home, { aesgcm: key('k', 1) })]
    const server = await startServerProcess(flags, home)
    await makeSecret(server, 'one')
    const { putKey } = await import('../../src/kv/kv.ts')
    const { openEtcd } = await import('../../src/kv/etcd/etcd.ts')
    const signal = AbortSignal.timeout(20_000)
    const kv = await openEtcd({ endpoints: [store.endpoint], prefix: '/registry/', tls: {} }, signal)
    const { item } = await kv.get('/registry/secrets/default/one', {}, signal)
    const value = item?.value ?? Buffer.of()
    expect(value.toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:k:/)
    expect(value.includes(encoded)).toBe(false)
    await putKey(kv, { key: '/registry/secrets/default/two', value, expected: 0 }, signal)
    await kv.close()
    expect((await ask(server, `GET ${SECRETS}/two`)).status).toBe(500)
    expect((await ask(server, `GET ${SECRETS}/one`)).status).toBe(200)
    await server.stop()
  })
})

describe('CIS 1.2.27 and 1.2.28: with a plugin that keeps the keys', () => {
  it('secrets are sealed by it, and being ready, not being alive, depends on it (P-441, P-450)', {
    timeout: 60_000,
  }, async () => {
    const home = await newHome()
    const plugin = await new FakeKmsPlugin(home).start()
    onTestFinished(() => plugin.stop())
    const kms = { kms: { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint, timeout: '1s' } }
    const server = await startServerProcess(configure(home, kms), home)
    await makeSecret(server, 'one')
    expect((await ask(server, 'GET /readyz?verbose')).body).toContain('[+]kms-provider-0 ok')
    expect((await ask(server, 'GET /livez?verbose')).body).not.toContain('kms')
    await server.stop()
    const stored = bytesBelow(path.join(server.dataDirectory, 'store'))
    expect(stored).toContain('k8s:enc:kms:v2:vault:')
    expect(stored.includes(encoded)).toBe(false)
  })
})
