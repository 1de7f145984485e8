// The management address of a whole server (D33): health, metrics and debug pages without credentials, on every store, with workers and of
// `quarterdeck store serve`; and nothing else there.
import { once } from 'node:events'
import { connect } from 'node:net'
import { rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { saveAuthority, saveSigned } from '../../src/commands/replica-files.ts'
import type { RequestsReport } from '../../src/http/turn-ledger.ts'
import { PROBE, probeToken } from '../../src/telemetry/client-path.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { freePort } from '../rigs/free-port.ts'
import { newHome, runCommand, type ServerProcess, startCommand, startServerProcess } from '../rigs/server-process.ts'

const ANYWHERE = ['--management-address', '127.0.0.1:0']

interface Managed {
  readonly server: ServerProcess
  readonly get: (target: string) => Promise<{ readonly status: number; readonly body: string }>
}

function managed(server: ServerProcess): Managed {
  const url = urlOf(server)
  return {
    server,
    get: async (target) => {
      const answer = await fetch(`${url}${target}`)
      return { status: answer.status, body: await answer.text() }
    },
  }
}

function urlOf({ stdout }: ServerProcess): string {
  return /^ {2}manage +(http\S+)\/readyz$/m.exec(stdout)?.[1] ?? ''
}

async function started(args: readonly string[]): Promise<Managed> {
  return managed(await startServerProcess([...args, ...ANYWHERE], await newHome()))
}

async function startedStore(args: readonly string[] = []): Promise<Managed> {
  const flags = ['store', 'serve', '--in-memory', '--listen-client-urls=http://127.0.0.1:0', ...ANYWHERE, ...args]
  const store = startCommand(flags, await newHome())
  await expect.poll(() => store.stdout).toMatch(/^ {2}manage +http/m)
  return managed(store)
}

const KINDS: Readonly<Record<string, () => Promise<Managed>>> = {
  'in memory': () => started(['--in-memory']),
  'on the embedded store': () => started([]),
  'with workers': () => started(['--in-memory', '--workers', '2']),
  'on etcd': async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    return started(['--etcd-servers', etcd.endpoint])
  },
}

describe.each(Object.entries(KINDS))('a server %s', (_, start) => {
  it('is told of without credentials, and serves no resource there', async () => {
    const { server, get } = await start()
    for (const target of ['/livez', '/readyz', '/healthz', '/readyz/client-path', '/livez/ping']) {
      expect(await get(target)).toEqual({ status: 200, body: 'ok' })
    }
    const verbose = await get('/readyz?verbose&exclude=etcd')
    expect(verbose.body).toMatch(
      /^\[\+\]ping ok\n[^]*\[\+\]etcd excluded: ok\n[^]*\[\+\]client-path ok\nhealthz check passed\n$/,
    )
    await server.request('/api', { token: server.adminToken })
    const { body: metrics } = await get('/metrics')
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds(\{worker="1"\})? /m)
    expect(metrics).toMatch(/^nodejs_heap_space_size_used_bytes\{space="old"/m)
    expect(metrics).toContain('# TYPE nodejs_gc_duration_seconds histogram')
    expect(metrics).toMatch(/^apiserver_request_total\{/m)
    expect(metrics).not.toContain('go_goroutines')
    expect(JSON.parse((await get('/version')).body)).toHaveProperty('gitVersion')
    for (const page of [
      '/debug/flow',
      '/debug/watchers',
      '/debug/pprof/',
      '/debug/pprof/heap?seconds=1',
      '/metrics/slis',
    ])
      expect((await get(page)).status).toBe(200)
    for (const target of ['/api/v1/secrets', '/api/v1', '/apis', '/', '/console/', '/debug/flags/v', '/livez/nothing'])
      expect((await get(target)).status).toBe(404)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})

describe('with workers', () => {
  it('counters are sums, and figures of a process name it', async () => {
    const { server, get } = await started(['--in-memory', '--workers', '2'])
    const token = server.adminToken
    const before = countOf((await get('/metrics')).body)
    for (let i = 0; i < 20; i++) await server.request('/api/v1/namespaces/default', { token })
    const { body } = await get('/metrics')
    expect(countOf(body) - before).toBe(20)
    for (const worker of ['1', '2', 'supervisor']) {
      expect(body).toMatch(new RegExp(`^process_resident_memory_bytes\\{worker="${worker}"\\} \\d+$`, 'm'))
      expect(body).toMatch(new RegExp(`^nodejs_eventloop_lag_p99_seconds\\{worker="${worker}"\\} `, 'm'))
    }
    expect((await get('/debug/pprof/heap?seconds=1&worker=2')).status).toBe(200)
    expect((await get('/debug/pprof/heap?seconds=1&worker=9')).status).toBe(404)
  })
})

function countOf(metrics: string): number {
  const lines = metrics.matchAll(/^apiserver_request_total\{[^}]*verb="GET"[^}]*resource="namespaces"[^}]*\} (\d+)$/gm)
  return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

describe('readiness', () => {
  it('fails while the server shuts down, and liveness does not', async () => {
    const { server, get } = await started(['--in-memory', '--shutdown-delay-duration', '5s'])
    server.child.kill('SIGTERM')
    await expect.poll(async () => (await get('/readyz')).status).toBe(500)
    expect((await get('/readyz')).body).toContain('[-]shutdown failed')
    expect(await get('/livez')).toEqual({ status: 200, body: 'ok' })
    expect(await server.exited).toMatchObject({ code: 0 })
  })

  it('asks as a user that may do nothing else', async () => {
    const { server } = await started(['--in-memory'])
    const token = probeToken(server.adminToken)
    expect(await server.request('/readyz/ping', { token })).toMatchObject({ status: 200, body: 'ok' })
    for (const target of [
      '/readyz',
      '/livez',
      '/metrics',
      '/version',
      '/api',
      '/api/v1/namespaces',
      '/debug/watchers',
    ]) {
      const { status, body } = await server.request(target, { token })
      expect([target, status]).toEqual([target, 403])
      expect(body).toContain(PROBE.name)
    }
    const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const headers = { 'content-type': 'application/json' }
    expect((await server.request(reviews, { method: 'POST', token, headers, body: review })).status).toBe(403)
    for (const method of ['POST', 'DELETE']) {
      expect((await server.request('/readyz/ping', { method, token })).status).toBe(403)
    }
    const asAnother = { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' }
    expect((await server.request('/readyz/ping', { token, headers: asAnother })).status).toBe(403)
  })

  it('has no such user where nobody asks', async () => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    expect((await server.request('/readyz/ping', { token: probeToken(server.adminToken) })).status).toBe(401)
  })
})

describe.each([
  ['a server', []],
  ['a server with workers', ['--workers', '2']],
])('the requests of %s', (_, flags) => {
  it('are told of by their users', async () => {
    const { server, get } = await started(['--in-memory', ...flags])
    const ask = async (user: string, target: string, body?: string): Promise<void> => {
      const headers = {
        'impersonate-user': user,
        'impersonate-group': 'system:masters',
        'content-type': 'application/json',
      }
      const sent = body === undefined ? {} : { method: 'POST', body }
      const { status } = await server.request(target, { token: server.adminToken, headers, ...sent })
      expect([target, status]).toEqual([target, body === undefined ? 200 : 201])
    }
    await ask('quiet', '/api/v1/namespaces/default')
    for (let i = 0; i < 30; i++) await ask('greedy', '/openapi/v2')
    await ask('writer', '/api/v1/namespaces/default/configmaps', largeConfigMap())
    const asked = await fetch(`${urlOf(server)}/debug/requests`, { headers: { accept: 'application/json' } })
    const { clients } = (await asked.json()) as RequestsReport
    const of = (user: string): { requests: number; busyMs: number } =>
      clients
        .filter((one) => one.user === user)
        .reduce((sum, one) => ({ requests: sum.requests + one.requests, busyMs: sum.busyMs + one.busyMs }), NONE)
    expect([of('quiet').requests, of('greedy').requests, of('writer').requests]).toEqual([1, 30, 1])
    expect(of('greedy').busyMs).toBeGreaterThan(of('quiet').busyMs)
    expect(of('writer').busyMs).toBeGreaterThan(of('quiet').busyMs)
    const { body } = await get('/debug/requests')
    expect(body).toMatch(/^greedy +\d+ms +\d+ms +\d+/m)
  })
})

const NONE = { requests: 0, busyMs: 0 }

function largeConfigMap(): string {
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`key-${i}`, 'value']))
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data })
}

/** Of this machine, and not on loopback, where that exists. */
const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

describe('over TLS', () => {
  it('a client certificate opens everything beyond loopback, and another one nothing', async () => {
    const home = await newHome()
    const subject = { commonName: 'operator', organizations: [], usages: ['client'] as const }
    const known = saveSigned(home, 'known', saveAuthority(home, 'authority'), subject)
    const stranger = saveSigned(home, 'stranger', saveAuthority(home, 'other'), subject)
    const flags = ['--management-address', '0.0.0.0:0', '--management-client-ca-file', path.join(home, 'authority.crt')]
    const server = await startServerProcess(['--in-memory', ...flags], home)
    const ca = Buffer.from(server.kubeconfig.clusters[0].cluster['certificate-authority-data']!, 'base64')
    const { port } = new URL(urlOf(server))
    const ask = async (target: string, pair?: { certificate: string; key: string }): Promise<number> => {
      const shown = pair === undefined ? {} : { cert: pair.certificate, key: pair.key }
      const at = {
        host: OUTSIDE ?? '127.0.0.1',
        port,
        path: target,
        agent: false,
        servername: 'localhost',
        ca,
        ...shown,
      }
      const [answer] = await once(https.get(at), 'response')
      answer.resume()
      return answer.statusCode
    }
    const refused = OUTSIDE === undefined ? 200 : 401
    for (const target of ['/readyz', '/metrics', '/debug/requests']) {
      expect([target, await ask(target, known)]).toEqual([target, 200])
      expect([target, await ask(target, stranger)]).toEqual([target, refused])
      expect([target, await ask(target)]).toEqual([target, refused])
    }
  })
})

describe('a store', () => {
  it('is told of, too', async () => {
    const { server, get } = await startedStore()
    for (const target of ['/livez', '/readyz', '/healthz', '/readyz/storage', '/readyz/client-path'])
      expect(await get(target)).toEqual({ status: 200, body: 'ok' })
    expect((await get('/metrics')).body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    for (const target of ['/debug/flow', '/debug/requests', '/v3/kv/range', '/etcdserverpb.KV/Range'])
      expect((await get(target)).status).toBe(404)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})

describe('an address', () => {
  it('that is taken is told of in one line', async () => {
    const port = await freePort()
    const first = await startServerProcess(
      ['--in-memory', '--management-address', `127.0.0.1:${port}`],
      await newHome(),
    )
    const flags = ['--management-address', `127.0.0.1:${port}`]
    const home = await newHome()
    const wanted = {
      code: 1,
      stdout: '',
      stderr: `quarterdeck: --management-address: cannot listen on 127.0.0.1:${port}: the port is in use\n`,
    }
    expect(await runCommand(['serve', '--in-memory', '--secure-port', '0', ...flags], home)).toEqual(wanted)
    expect(await runCommand(['store', 'serve', '--in-memory', ...flags], home)).toEqual(wanted)
    await first.stop()
  })

  it.each([
    ['nowhere', /"nowhere" is not HOST:PORT/],
    ['example.com:80', /"example.com:80" is not HOST:PORT/],
    ['127.0.0.1:99999', /is not HOST:PORT/],
    ['::1:80', /is not HOST:PORT/],
  ])('%s is refused', async (text, why) => {
    const { code, stderr } = await runCommand(['serve', '--in-memory', '--management-address', text], await newHome())
    expect(code).toBe(2)
    expect(stderr).toMatch(why)
  })

  it('goes with its other flags', async () => {
    const home = await newHome()
    const token = path.join(home, 'token')
    const refused = async (...flags: readonly string[]): Promise<string> =>
      (await runCommand(['serve', '--in-memory', ...flags], home)).stderr
    expect(await refused('--management-open-probes')).toContain(
      '--management-open-probes requires --management-address',
    )
    writeFileSync(token, '\n')
    expect(await refused(...ANYWHERE, '--management-token-file', token)).toContain('token is empty')
    writeFileSync(token, 'no certificate\n')
    expect(await refused(...ANYWHERE, '--management-client-ca-file', token)).toBe(
      `quarterdeck: --management-client-ca-file ${token} does not hold a certificate in PEM form\n`,
    )
    const store = ['store', 'serve', '--in-memory', ...ANYWHERE, '--management-client-ca-file', token]
    expect((await runCommand(store, home)).stderr).toContain('--management-client-ca-file requires an https: URL')
    rmSync(token)
    expect(await refused(...ANYWHERE, '--management-token-file', token)).toContain('--management-token-file')
  })
})

it('a slow client of the address ends, and holds up nothing', async () => {
  const { server, get } = await started(['--in-memory'])
  const url = new URL(urlOf(server))
  const slow = connect(Number(url.port), url.hostname)
  await once(slow, 'connect')
  slow.write('GET /readyz HTTP/1.1\r\n')
  expect((await get('/readyz')).status).toBe(200)
  await once(slow.resume(), 'close')
})
