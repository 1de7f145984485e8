// The management listener by itself (D33): which pages exist, who may read them, and what a client cannot do to it.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Management,
  type ManagementOptions,
  openManagement,
} from '../../../../src/telemetry/management/management.ts'
import { PAGES } from '../../../../src/telemetry/management/pages.ts'
import { refusalOf } from '../../../../src/telemetry/management/visitors.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'

const REMOTE = { remoteAddress: '192.0.2.7' }
const open: Management[] = []

async function started(changes: Partial<ManagementOptions> = {}): Promise<Management> {
  const management = await openManagement({
    host: '127.0.0.1',
    port: 0,
    clientCa: undefined,
    probesOnly: false,
    openProbes: false,
    tokenFile: undefined,
    source: () => ({
      answer: ({ target }) => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(`page ${target}`) }),
      serving: () => undefined,
    }),
    onFault: () => {},
    ...changes,
  })
  open.push(management)
  return management
}

afterEach(async () => {
  for (const management of open.splice(0)) {
    await management[Symbol.asyncDispose]()
    await expect(fetch(management.url)).rejects.toThrow('fetch failed')
  }
})

async function statusOf(management: Management, url: string, more: object = {}): Promise<number> {
  return (await management.inject({ url, ...more })).statusCode
}

function connectTo({ url }: Management, localAddress = '127.0.0.1'): Socket {
  return connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress }).on('error', () => {})
}

describe('the pages', () => {
  it('are the rows of the table, with their queries', async () => {
    const management = await started()
    for (const { path: page, subtree } of PAGES) {
      expect((await management.inject({ url: page })).body).toBe(`page ${page}`)
      expect(await statusOf(management, `${page}/more`)).toBe(subtree === true ? 200 : 404)
    }
    const verbose = '/readyz?verbose&exclude=etcd&exclude=ping'
    expect((await management.inject({ url: verbose })).body).toBe(`page ${verbose}`)
    expect((await management.inject({ url: '/livez' })).headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  it.each([
    '/',
    '/api',
    '/api/v1/secrets',
    '/apis/apps/v1/deployments',
    '/console',
    '/debug',
    '/debug/flags/v',
    '/healthzz',
  ])('do not include %s', async (url) => {
    expect(await statusOf(await started(), url)).toBe(404)
  })

  it.each([
    '/debug/pprof/profile?seconds=0',
    '/debug/pprof/profile?seconds=99999',
    '/debug/pprof/heap?seconds=x',
    `/livez?verbose=${'x'.repeat(300)}`,
  ])('refuse the query of %s', async (url) => {
    expect(await statusOf(await started(), url.slice(0, 400))).toBe(400)
  })

  it('are read and never written', async () => {
    const management = await started()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      const answer = await management.inject({ method, url: '/metrics' })
      expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET'])
    }
  })

  it('are those of health alone where nothing else was asked for', async () => {
    const management = await started({ probesOnly: true })
    expect(await statusOf(management, '/readyz')).toBe(200)
    for (const url of ['/metrics', '/version', '/debug/requests']) expect(await statusOf(management, url)).toBe(404)
  })

  it('say so while the server starts, and where one cannot be made', async () => {
    expect(await statusOf(await started({ source: () => undefined }), '/readyz')).toBe(503)
    const faults: unknown[] = []
    const fault = new Error('secret words')
    const source = { answer: () => Promise.reject(fault), serving: () => undefined }
    const broken = await started({ source: () => source, onFault: (error) => faults.push(error) })
    const answer = await broken.inject({ url: '/metrics' })
    expect([answer.statusCode, answer.body.includes('secret'), faults]).toEqual([500, false, [fault]])
  })
})

describe('a visitor from another machine', () => {
  it('is refused without credentials', async () => {
    const management = await started()
    for (const { path: url } of PAGES) expect(await statusOf(management, url, REMOTE)).toBe(401)
    expect((await management.inject({ url: '/metrics', ...REMOTE })).headers['www-authenticate']).toBe('Bearer')
  })

  it('reads health where probes are open, and nothing else', async () => {
    const management = await started({ openProbes: true })
    for (const { path: url, isProbe } of PAGES)
      expect(await statusOf(management, url, REMOTE)).toBe(isProbe === true ? 200 : 401)
  })

  it('reads everything with the token, which may be replaced', async () => {
    const tokenFile = path.join(await tempFolder(), 'token')
    const management = await started({ tokenFile })
    const ask = (authorization: string): Promise<number> =>
      statusOf(management, '/metrics', { ...REMOTE, headers: { authorization } })
    expect(await ask('Bearer ')).toBe(401)
    writeFileSync(tokenFile, '\n')
    expect([await ask('Bearer '), await ask('Bearer undefined')]).toEqual([401, 401])
    writeFileSync(tokenFile, 'first\n')
    expect([await ask('Bearer first'), await ask('Bearer firs'), await ask('Basic first')]).toEqual([200, 401, 401])
    writeFileSync(tokenFile, 'second\n')
    expect([await ask('Bearer first'), await ask('bearer second')]).toEqual([401, 200])
  })

  it('reads everything with a certificate that TLS has verified', () => {
    const rules = { openProbes: false, tokenFile: undefined }
    const visitor = (authorized: boolean) => ({ headers: {}, socket: { ...REMOTE, authorized } as unknown as Socket })
    for (const page of PAGES) {
      expect(refusalOf(visitor(true), page, rules)).toBeUndefined()
      expect(refusalOf(visitor(false), page, rules)).toMatchObject({ status: 401 })
    }
  })
})

describe('a browser of this machine', () => {
  it.each(['evil.example:10248', 'localhost.evil.example', '127.0.0.1.nip.io', 'evil.example'])(
    'is not led here by the name %s',
    async (host) => {
      expect(await statusOf(await started(), '/metrics', { headers: { host } })).toBe(403)
    },
  )

  it.each(['127.0.0.1:10248', 'localhost', '[::1]:10248', '10.0.0.1'])('may come by %s', async (host) => {
    expect(await statusOf(await started(), '/metrics', { headers: { host } })).toBe(200)
  })

  it('is not sent here by another page', async () => {
    const management = await started()
    const ask = (site: string): Promise<number> =>
      statusOf(management, '/metrics', { headers: { 'sec-fetch-site': site } })
    expect([await ask('cross-site'), await ask('same-site'), await ask('same-origin'), await ask('none')]).toEqual([
      403, 403, 200, 200,
    ])
  })
})

describe('a client that', () => {
  it('keeps connections does not keep out another one', async () => {
    const management = await started()
    const idle = Array.from({ length: 64 }, () => connectTo(management))
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    const closed = once(idle[0]!.resume(), 'close')
    expect((await fetch(`${management.url}/livez`)).status).toBe(200)
    await closed
    for (const socket of idle) socket.destroy()
  })

  it('keeps connections does not cut off the older connection of another address', async () => {
    const management = await started()
    const probe = connectTo(management)
    await once(probe, 'connect')
    const idle = Array.from({ length: 80 }, () => connectTo(management, '127.0.0.2').resume())
    const closed = Promise.all(idle.slice(0, 17).map((socket) => once(socket, 'close')))
    await closed
    probe.end('GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    expect(await text(probe)).toMatch(/^HTTP\/1.1 200 /)
    for (const socket of idle) socket.destroy()
  })

  it('asks for many pages at once on one connection has the process warn of nothing, and its pages are given up when it goes', async () => {
    const warnings: string[] = []
    const onWarning = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', onWarning)
    const signals: AbortSignal[] = []
    const answer = async (_: unknown, signal: AbortSignal) => {
      signals.push(signal)
      await once(signal, 'abort')
      return { status: 200, headers: {}, body: Buffer.from('page') }
    }
    const socket = connectTo(await started({ source: () => ({ answer, serving: () => undefined }) }))
    socket.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20))
    await expect.poll(() => signals.length).toBe(8)
    socket.destroy()
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('sends long headers is refused', async () => {
    const socket = connectTo(await started())
    socket.write(`GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(16 * 1024)}\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 431 /)
  })

  it('asks for large pages all at once gets as many as are made together', async () => {
    const gate = Promise.withResolvers<void>()
    let made = 0
    const answer = async () => {
      made++
      await gate.promise
      return { status: 200, headers: {}, body: Buffer.from('page') }
    }
    const management = await started({ source: () => ({ answer, serving: () => undefined }) })
    const asked = Array.from({ length: 20 }, () => statusOf(management, '/metrics'))
    const probes = Array.from({ length: 20 }, () => statusOf(management, '/readyz'))
    await expect.poll(() => made).toBe(8 + 1)
    gate.resolve()
    expect((await Promise.all(asked)).filter((status) => status === 503)).toHaveLength(12)
    expect(new Set(await Promise.all(probes))).toEqual(new Set([200]))
  })
})
