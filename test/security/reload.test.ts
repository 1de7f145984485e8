// Files that the operator replaces under a running server: the new ones are gone by, in whatever way they come; broken ones
// change nothing and are told once. CIS 1.2.24 to 1.2.28 ask for keys that can be changed without a restart.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import path from 'node:path'
import tls from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { type KeyPair, makeAuthority, makeServing, makeSigned } from '../../src/pki/certificate-maker.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const HOUR = 3_600_000
const authority = makeAuthority(HOUR)
const newServing = (): KeyPair => makeServing(authority, { dns: ['localhost'], addresses: ['127.0.0.1'] }, HOUR)
const printOf = ({ certificate }: KeyPair): string => new X509Certificate(certificate).fingerprint256

interface Watched {
  readonly server: OpenServer
  /** What was warned of. */
  readonly said: readonly string[]
}

async function started(args: readonly string[]): Promise<Watched> {
  const said: string[] = []
  const note = (_fields: object, message: string): void => void said.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note }
  const server = await openServer(args, log)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { server, said }
}

/** The certificate that a new connection is shown. */
function shownBy({ url }: OpenServer): Promise<string> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.fingerprint256)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** Writes beside it, then takes its place. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

/** A folder as secrets are mounted: names lead through one link, which is swapped. */
function mounted(folder: string, version: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(path.join(folder, `..${version}`))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, `..${version}`, name), text)
  }
  symlinkSync(`..${version}`, path.join(folder, '..data_new'))
  renameSync(path.join(folder, '..data_new'), path.join(folder, '..data'))
}

describe('CIS 1.2.24 and 1.2.25: certificates', () => {
  it('that were replaced are served with; a key that does not fit changes nothing and is told once (P-475)', async () => {
    const folder = await tempFolder()
    const [first, second] = [newServing(), newServing()]
    const [certificate, key] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')]
    writeFileSync(certificate, first.certificate)
    writeFileSync(key, first.key)
    const { server, said } = await started(['--tls-cert-file', certificate, '--tls-private-key-file', key])
    expect(await shownBy(server)).toBe(printOf(first))

    replace(certificate, second.certificate)
    await expect.poll(() => said.join()).toContain('could not reload serving certificates')
    expect(await shownBy(server)).toBe(printOf(first))
    replace(path.join(folder, 'something-else'), 'x')

    replace(key, second.key)
    await expect.poll(() => shownBy(server)).toBe(printOf(second))
    expect(said.filter((line) => line.includes('certificates'))).toHaveLength(1)
  })

  it('that were replaced drop no connection: its requests are answered, and its watches go on', async () => {
    const folder = await tempFolder()
    const [first, second] = [newServing(), newServing()]
    const [certificate, key] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')]
    writeFileSync(certificate, first.certificate)
    writeFileSync(key, first.key)
    const { server } = await started(['--tls-cert-file', certificate, '--tls-private-key-file', key])
    const session = http2.connect(server.url, { ca: authority.certificate })
    onTestFinished(() => session.destroy())
    let ended = ''
    for (const end of ['close', 'goaway', 'error']) session.on(end, () => (ended += end))
    const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
    const maps = '/api/v1/namespaces/default/configmaps'
    const watch = session.request({ ...headers, ':path': `${maps}?watch=true` })
    let events = ''
    watch.on('data', (chunk: Buffer) => (events += chunk.toString()))
    await once(watch, 'response')

    replace(key, second.key)
    replace(certificate, second.certificate)
    await expect.poll(() => shownBy(server)).toBe(printOf(second))
    const created = session.request({ ...headers, ':method': 'POST', ':path': maps })
    created.end(JSON.stringify({ metadata: { name: 'after' } }))
    const [head] = (await once(created, 'response')) as [Record<string, number>]
    expect(head[':status']).toBe(201)
    await expect.poll(() => events).toContain('"name":"after"')
    expect([ended, watch.closed]).toEqual(['', false])
  })

  it('are found where a mounted folder is swapped', async () => {
    const folder = await tempFolder()
    const [first, second] = [newServing(), newServing()]
    mounted(folder, 'one', { 'tls.crt': first.certificate, 'tls.key': first.key })
    for (const name of ['tls.crt', 'tls.key']) symlinkSync(path.join('..data', name), path.join(folder, name))
    const files = ['tls.crt', 'tls.key'].map((name) => path.join(folder, name))
    const { server } = await started(['--tls-cert-file', files[0]!, '--tls-private-key-file', files[1]!])
    expect(await shownBy(server)).toBe(printOf(first))
    mounted(folder, 'two', { 'tls.crt': second.certificate, 'tls.key': second.key })
    await expect.poll(() => shownBy(server)).toBe(printOf(second))
  })

  it('of clients are good by the authorities that are there now (P-025)', async () => {
    const folder = await tempFolder()
    const [before, after] = [makeAuthority(HOUR), makeAuthority(HOUR)]
    const file = path.join(folder, 'client-ca.crt')
    writeFileSync(file, before.certificate)
    const { server } = await started(['--client-ca-file', file])
    const signed = (by: KeyPair): KeyPair => makeSigned(by, { commonName: 'jane', usages: ['client'] }, HOUR)
    const [old, young] = [signed(before), signed(after)]
    const statusOf = ({ certificate: cert, key }: KeyPair): Promise<number> =>
      new Promise((resolve, reject) => {
        const options = { agent: false, ca: server.authority, cert, key }
        https
          .get(`${server.url}/api`, options, (response) => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
      })
    expect([await statusOf(old), await statusOf(young)]).toEqual([200, 401])
    replace(file, after.certificate)
    await expect.poll(() => statusOf(young)).toBe(200)
    expect(await statusOf(old)).toBe(401)
  })
})

describe('CIS 1.2.28: keys that seal what is stored', () => {
  it('are those of the file as it is now, where that is wanted (P-449)', async () => {
    const file = path.join(await tempFolder(), 'encryption.json')
    const sealing = (name: string): string => {
      const key = (each: string): object => ({ name: each, secret: Buffer.alloc(32, each).toString('base64') })
      const providers = [{ aesgcm: { keys: [key(name), key('old')] } }, { identity: {} }]
      const resources = [{ resources: ['secrets'], providers }]
      return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
    }
    writeFileSync(file, sealing('old').replace(/,\{"name":"old"[^}]*\}/, ''))
    const flags = ['--encryption-provider-config', file, '--encryption-provider-config-automatic-reload']
    const { server, said } = await started(flags)
    const reloads = async (): Promise<readonly string[]> => {
      const { body } = await server.request('/metrics')
      return body.split('\n').filter((line) => /^apiserver_encryption_config_controller.*status=/.test(line))
    }
    const secrets = '/api/v1/namespaces/default/secrets'
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 'before' } } })
    replace(file, 'kind: {')
    await expect
      .poll(() => said.join())
      .toContain('could not reload encryption configuration; keeping the previous one')
    replace(path.join(path.dirname(file), 'something-else'), 'x')
    replace(file, sealing('new'))
    await expect.poll(reloads).toContainEqual(expect.stringMatching(/status="success".* 1$/))
    expect(await reloads()).toContainEqual(expect.stringMatching(/status="failure".* 1$/))
    await server.must(`${secrets}/before`)
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 'after' } } })
    expect((await server.must(secrets))['items']).toHaveLength(2)
  })
})

describe('CIS 1.2.6 to 1.2.8: who decides', () => {
  it('is said by the file as it is now; one that is not good changes nothing (P-112, P-174)', async () => {
    const folder = await tempFolder()
    const file = path.join(folder, 'authorization.json')
    const deciders = (...types: readonly string[]): string =>
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: types.map((type) => ({ type, name: type.toLowerCase() })),
      })
    writeFileSync(path.join(folder, 'tokens'), 'jane-token,jane,1\n')
    writeFileSync(file, deciders('RBAC', 'AlwaysDeny'))
    const flags = ['--authorization-config', file, '--token-auth-file', path.join(folder, 'tokens')]
    const { server, said } = await started(flags)
    const answer = (): Promise<string> =>
      server.request('/api/v1/nodes', { token: 'jane-token' }).then(({ body }) => body)
    expect(await answer()).toContain('Everything is forbidden.')
    replace(file, deciders('RBAC', 'ABAC'))
    await expect.poll(() => said.join()).toContain('could not reload authorization configuration')
    expect(await answer()).toContain('Everything is forbidden.')
    replace(file, deciders('RBAC'))
    await expect.poll(answer).not.toContain('Everything is forbidden.')
    expect(said.filter((line) => line.includes('authorization configuration'))).toHaveLength(1)
  })
})

describe('what is read once', () => {
  it('stays as it was: static tokens and the audit policy', async () => {
    const folder = await tempFolder()
    const [tokens, policy] = [path.join(folder, 'tokens'), path.join(folder, 'policy.yaml')]
    writeFileSync(tokens, 'one-token,one,1\n')
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n')
    const { server } = await started(['--token-auth-file', tokens, '--audit-policy-file', policy])
    replace(tokens, 'two-token,two,2\n')
    replace(policy, 'kind: {')
    expect((await server.request('/api', { token: 'one-token' })).status).toBe(200)
    expect((await server.request('/api', { token: 'two-token' })).status).toBe(401)
  })
})
