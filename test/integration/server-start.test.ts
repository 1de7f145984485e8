import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { connect } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { makeAuthority } from '../../src/pki/certificate-maker.ts'
import { makeEtcdCertificates, type Pem } from '../fakes/etcd-tls.ts'
import { newHome, runCommand, startServerProcess } from '../rigs/server-process.ts'

/** What others have rights to, of a directory and everything in it. */
function openEntries(directory: string): readonly string[] {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(directory, name),
  )
  expect(entries.map((entry) => path.basename(entry))).toEqual(expect.arrayContaining(['data.mdb', 'ca.key']))
  return [directory, ...entries].filter((entry) => (statSync(entry).mode & 0o077) !== 0)
}

describe('a first start', () => {
  it('says where it listens, how to reach it and where the data is, and keeps what is secret to itself', async () => {
    const server = await startServerProcess([], await newHome())
    expect(server.stdout.split('\n')).toEqual([
      expect.stringMatching(/^quarterdeck \S+ is listening on https:\/\/127\.0\.0\.1:\d+$/),
      `  console  ${server.url}/console/ - log in with: npx quarterdeck console`,
      `  kubectl  --kubeconfig ${server.dataDirectory}/admin.kubeconfig get --raw /readyz`,
      `  data     ${server.dataDirectory}/store`,
      '',
    ])
    expect(openEntries(server.dataDirectory)).toEqual([])
    expect((await server.request('/readyz')).body).toBe('ok')
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it('lets the administrator of the kubeconfig in, and nobody else', async () => {
    const server = await startServerProcess([], await newHome())
    expect((await server.request('/metrics', { token: server.adminToken })).body).toContain('kubernetes_build_info')
    expect((await server.request('/metrics')).status).toBe(403)
    expect((await server.request('/metrics', { token: 'nope' })).status).toBe(401)
    expect((await server.request('/nope', { token: server.adminToken })).body).toBe('404 page not found\n')
    await server.stop()
  })
})

describe('a second start', () => {
  it('uses the certificates and the administrator of the first', async () => {
    const home = await newHome()
    const first = await startServerProcess([], home)
    const { token } = first.kubeconfig.users[0].user
    const authority = first.kubeconfig.clusters[0].cluster['certificate-authority-data']
    await first.stop()
    const second = await startServerProcess([], home)
    expect(second.adminToken).toBe(token)
    expect(second.kubeconfig.clusters[0].cluster['certificate-authority-data']).toBe(authority)
    expect((await second.request('/livez/ping', { token })).body).toBe('ok')
    await second.stop('SIGINT')
  })

  it('takes away from others what they got rights to meanwhile, and says so', async () => {
    const home = await newHome()
    const first = await startServerProcess([], home)
    const { dataDirectory } = first
    await first.stop()
    const store = path.join(dataDirectory, 'store')
    const notes = path.join(dataDirectory, 'notes of the operator')
    writeFileSync(notes, '')
    chmodSync(notes, 0o644)
    const opened = [store, path.join(store, 'data.mdb'), path.join(dataDirectory, 'admin.token')]
    for (const place of [dataDirectory, ...opened]) chmodSync(place, 0o755)
    const second = await startServerProcess([], home)
    // Whose directory it is nobody knows: an operator may have named one that others need too.
    expect(openEntries(dataDirectory)).toEqual([dataDirectory, notes])
    const { stderr } = await second.stop()
    for (const place of opened)
      expect(stderr).toContain(
        `"path":"${place}","mode":"755","msg":"file was accessible to others; permissions tightened`,
      )
  })
})

describe('in memory', () => {
  it('leaves nothing behind', async () => {
    const home = await newHome()
    const server = await startServerProcess(['--in-memory'], home)
    expect(server.stdout).toContain('in memory only')
    const { kubeconfigFile } = server
    expect(statSync(kubeconfigFile).mode & 0o777).toBe(0o600)
    expect((await server.request('/readyz?verbose', { token: server.adminToken })).body).toContain('[+]etcd ok')
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(existsSync(path.dirname(kubeconfigFile))).toBe(false)
    expect(existsSync(path.join(home, '.local'))).toBe(false)
  })

  it('takes users from a token file', async () => {
    const home = await newHome()
    writeFileSync(path.join(home, 'tokens.csv'), 'T1,root,1,system:masters\nT2,bob,2\n')
    const flags = ['--authorization-mode', 'Node,RBAC', '--service-cluster-ip-range', '10.96.0.0/16']
    const server = await startServerProcess(['--in-memory', '--token-auth-file', 'tokens.csv', ...flags], home)
    expect((await server.request('/', { token: 'T1' })).status).toBe(200)
    const refusal = await server.request('/api/v1/pods', { token: 'T2' })
    expect(JSON.parse(refusal.body)).toMatchObject({
      message: 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
    })
  })
})

describe('certificates', () => {
  it('of the operator are served, and those of users are let in (P-020)', async () => {
    const home = await newHome()
    const { ca, client, files } = await makeEtcdCertificates(home)
    const serving = ['--tls-cert-file', files.certificate, '--tls-private-key-file', files.key]
    const server = await startServerProcess(['--in-memory', ...serving, '--client-ca-file', files.ca], home)
    const statusFor = async (certificate: Pem): Promise<[number, string]> => {
      const session = http2.connect(server.url, { ca, cert: certificate.certificate, key: certificate.key })
      const stream = session.request({ ':path': '/metrics' })
      const [head] = (await once(stream, 'response')) as [Record<string, number>]
      const body = await text(stream)
      session.destroy()
      return [head[':status'] ?? 0, body]
    }
    expect(await statusFor(client)).toEqual([403, expect.stringContaining('User \\"client\\" cannot get path')])
    const stranger = makeAuthority(60_000)
    expect(await statusFor(stranger)).toEqual([401, expect.stringContaining('Unauthorized')])
  })
})

describe('stopping', () => {
  it('goes on serving for the delay, with /readyz failing (R-337, P-250)', async () => {
    const server = await startServerProcess(['--in-memory', '--shutdown-delay-duration', '30s'], await newHome())
    const token = server.adminToken
    const stopping = once(server.child.stderr!, 'data')
    server.child.kill('SIGTERM')
    await stopping
    const ready = await server.request('/readyz')
    expect(ready.status).toBe(500)
    expect(ready.body).toContain('[-]shutdown failed: reason withheld\n')
    expect((await server.request('/livez')).status).toBe(200)
    expect((await server.request('/metrics', { token })).status).toBe(200)
    server.child.kill('SIGTERM')
    expect(await server.exited).toMatchObject({ code: 1 })
  })

  it('does not wait for connections that ask for nothing', async () => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    const { port } = new URL(server.url)
    const idle = connect(Number(port), '127.0.0.1')
    idle.on('error', () => {})
    await once(idle, 'connect')
    expect(await server.stop()).toMatchObject({ code: 0 })
    idle.destroy()
  })
})

describe('the command line', () => {
  it('shows the manual', async () => {
    const home = await newHome()
    expect(await runCommand(['serve', '--help'], home)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--secure-port') as unknown,
    })
    expect(await runCommand([], home)).toMatchObject({ code: 0, stdout: expect.stringContaining('serve') as unknown })
    expect((await runCommand(['version'], home)).stdout).toMatch(/^quarterdeck \d+\.\d+\.\d+, API level v1\.37\.\d+\n$/)
  })
})
