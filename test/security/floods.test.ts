// Clients that cost a server much and themselves next to nothing (hardening 4.4, 4.5).
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialTls } from '../fakes/hostile-client.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

let server: OpenServer

beforeAll(async () => {
  server = await openServer(['--request-timeout', '1s'])
})

afterAll(() => server[Symbol.asyncDispose]())

function dial(protocol: 'h2' | 'http/1.1'): Promise<tls.TLSSocket> {
  return dialTls(server.url, protocol)
}

async function allOf(socket: tls.TLSSocket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await new Promise((resolve) => (socket.closed ? resolve(undefined) : socket.once('close', resolve)))
  return text
}

async function isWell(): Promise<boolean> {
  return (await server.request('/readyz')).body === 'ok'
}

describe('CVE-2023-44487, CVE-2023-39325: who may open streams, and how many', () => {
  it('strangers do not keep their connection', async () => {
    const client = http2.connect(server.url, { rejectUnauthorized: false })
    const stream = client.request({ ':path': '/api/v1/pods' })
    await Promise.all([once(client, 'close'), once(stream.resume(), 'close')])
    expect(stream.sentHeaders).toBeDefined()
    expect(client.destroyed).toBe(true)
  })

  it('a connection has at most a hundred streams (P-231)', async () => {
    const client = http2.connect(server.url, { rejectUnauthorized: false })
    const [settings] = (await once(client, 'remoteSettings')) as [http2.Settings]
    expect(settings.maxConcurrentStreams).toBe(100)
    client.destroy()
  })
})

describe('CIS 1.2.20: requests that take their time', () => {
  it('a body that never ends is answered when the time is up, and the stream is let go (P-225)', async () => {
    const client = http2.connect(server.url, { rejectUnauthorized: false })
    const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
    const stream = client.request({ ':method': 'POST', ':path': '/api/v1/namespaces/default/configmaps', ...headers })
    stream.write('{"metadata":')
    const [answer] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
    expect(answer[':status']).toBe(504)
    await once(stream.resume(), 'close')
    client.destroy()
  })

  it('the same on HTTP/1.1 (P-225)', async () => {
    const socket = await dial('http/1.1')
    const head = `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.adminToken}`
    socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"meta`)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 504 /)
    expect(chunk.toString()).toContain('request did not complete within the allotted timeout')
    socket.destroy()
  })

  it('a watch is not held to it (P-227, P-228)', async () => {
    const began = performance.now()
    const answer = await server.request('/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=3')
    expect(answer.status).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(2500)
  })
})

describe('CVE-2019-16276: where one request ends and the next begins', () => {
  const twice = 'GET /healthz HTTP/1.1\r\nhost: x\r\n'
  it.each([
    ['two lengths', `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef${twice}\r\n`],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${twice}\r\n`,
    ],
    ['space before a colon', `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding : chunked\r\n\r\n0\r\n\r\n${twice}\r\n`],
    ['an odd encoding', `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n${twice}\r\n`],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: b\r\n c: d\r\n\r\n'],
  ])('%s: refused, and nothing after it is taken for a request', async (_name, bytes) => {
    const socket = await dial('http/1.1')
    const answers = allOf(socket)
    socket.write(bytes)
    const text = await answers
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
  })
})

describe('requests that are too large', () => {
  it.each([
    ['two thousand headers', Array.from({ length: 2000 }, (_, i) => `x-${i}: ${'y'.repeat(100)}\r\n`).join('')],
    ['a header of two megabytes', `x-large: ${'a'.repeat(2_000_000)}\r\n`],
  ])('%s are refused, and the server stays well (P-231)', async (_name, headers) => {
    const socket = await dial('http/1.1')
    const answers = allOf(socket)
    socket.write(`GET /version HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)
    // The connection may be gone before all of it was sent, and the answer with it.
    expect(await answers).toMatch(/^(HTTP\/1\.1 431 |$)/)
    expect(await isWell()).toBe(true)
  })

  it('a body beyond the limit is refused without being read (P-230)', async () => {
    const body = `{"metadata":{"name":"large"},"data":{"k":"${'x'.repeat(3 * 1024 * 1024)}"}}`
    const answer = await server.request('/api/v1/namespaces/default/configmaps', { method: 'POST', body })
    expect(answer.status).toBe(413)
    expect(answer.json()['message']).toBe('Request entity too large: limit is 3145728')
  })
})

describe('hardening 4.5: connections that come all at once', () => {
  const place = (): { readonly host: string; readonly port: number } => {
    const { hostname, port } = new URL(server.url)
    return { host: hostname, port: Number(port) }
  }

  it('those that never speak keep nobody out', async () => {
    const silent = Array.from({ length: 300 }, () => net.connect(place()))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    expect(await isWell()).toBe(true)
    for (const socket of silent) socket.destroy()
    expect(await isWell()).toBe(true)
  })

  it('each gets its handshake, the first and the last', async () => {
    const all = await Promise.all(Array.from({ length: 200 }, () => dial('h2')))
    expect(all.map(({ alpnProtocol }) => alpnProtocol)).toEqual(all.map(() => 'h2'))
    for (const socket of all) socket.destroy()
  })

  it('a first word that comes byte by byte is put together', async () => {
    const raw = net.connect(place())
    raw.setNoDelay(true).on('error', () => {})
    const drip = async (bytes: Buffer): Promise<void> => {
      for (const byte of bytes) await new Promise((resolve) => raw.write(Buffer.of(byte), resolve))
    }
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => void drip(chunk).then(() => done()),
    })
    raw.on('data', (chunk: Buffer) => socket.push(chunk))
    const secure = tls.connect({ socket, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    await once(secure, 'secureConnect')
    secure.write('GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [answer] = (await once(secure, 'data')) as [Buffer]
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 \d+/)
    raw.destroy()
  })
})
