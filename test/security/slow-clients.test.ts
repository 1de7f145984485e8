// What clients leave undone or do not take, on both protocols: it is bounded in time and in bytes, and those who mean well notice
// nothing of it. The limits are made short, so that a test does not take minutes.
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EndReason } from '../../src/wire/connection-limits.ts'
import type { ByteSink, Handler } from '../../src/http/http.ts'
import type { Listener, ListenerOptions } from '../../src/http/listener.ts'
import { HttpMeasures } from '../../src/http/measures.ts'
import { bytesOf, plainText } from '../../src/http/responses.ts'
import { request } from '../corpora/header-blocks.ts'
import { dialTls, HostileClient } from '../fakes/hostile-client.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { dataFrame, frame, headersFrame, numberFrame } from '../rigs/http2-frames.ts'
import { openPlainListener } from '../fakes/plain-listener.ts'

const LIMITS = { prefaceMs: 500, idleMs: 2000, unfinishedMs: 1000, stalledMs: 2000 }
const MIB = 1024 * 1024
const UNFINISHED = { perConnectionBytes: 8 * MIB, totalBytes: 32 * MIB }
const LARGE = Buffer.alloc(MIB, 'x')
/** More than the system takes for a client. */
const DOCUMENT = Buffer.alloc(64 * MIB, 'x')
/** More than fits into the buffers between two sockets, and less than a connection may hold. */
const HUGE = Buffer.alloc(7.5 * MIB, 'x')
const WATCH = '/api/v1/pods'
const TUNNEL = '/api/v1/nodes'
const NO_WINDOW: readonly (readonly [number, number])[] = [[h2.INITIAL_WINDOW_SIZE, 0]]
const ANY_WINDOW: readonly (readonly [number, number])[] = [[h2.INITIAL_WINDOW_SIZE, h2.LARGEST_WINDOW_BYTES]]

let listener: Listener
let measures: HttpMeasures
let sinks: ByteSink[]
/** The ends of tunnels in other servers. */
let tunnels: Duplex[]
const timers = new Set<NodeJS.Timeout>()

beforeEach(() => open())
afterEach(async () => {
  for (const timer of timers) clearInterval(timer)
  await listener.close(0)
})

async function open(options: Partial<ListenerOptions> = {}): Promise<void> {
  await listener?.close(0)
  measures = new HttpMeasures()
  sinks = []
  tunnels = []
  const handlers: Readonly<Record<string, Handler>> = {
    '/small': () => plainText(200, 'ok'),
    '/large': () => bytesOf('text/plain', LARGE),
    '/huge': () => bytesOf('text/plain', HUGE),
    '/document': () => bytesOf('text/plain', DOCUMENT),
    '/body': async (asked) => plainText(200, String((await asked.body.read()).length)),
    [TUNNEL]: () => {
      const [near, far] = duplexPair()
      tunnels.push(far)
      return { status: 101, headers: {}, body: { kind: 'tunnel', peer: near, head: Buffer.alloc(0) } }
    },
    [WATCH]: ({ signal }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {
        kind: 'stream',
        run: (sink) => {
          sinks.push(sink)
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
        },
      },
    }),
  }
  listener = await openPlainListener(handlers, {
    limits: LIMITS,
    unfinished: UNFINISHED,
    requestTimeoutMs: 2000,
    measures,
    ...options,
  })
}

function url(): string {
  return `https://127.0.0.1:${listener.port}`
}

function get(stream: number, path: string): Buffer {
  return headersFrame(stream, request('GET', path), true)
}

function ended(reason: EndReason): number {
  return measures.connectionEnds.of(reason).value
}

function unfinishedBytes(): number {
  return measures.unfinishedBytes.of().value
}

function every(milliseconds: number, act: () => void): void {
  timers.add(setInterval(act, milliseconds))
}

/** Writes one byte after another, slowly. */
function drip(socket: TLSSocket, bytes: Buffer): void {
  let at = 0
  every(50, () => {
    if (at < bytes.length) socket.write(bytes.subarray(at, ++at))
  })
}

async function isServed(): Promise<boolean> {
  const client = await HostileClient.dial(url())
  client.send(get(1, '/small'))
  const { content } = await client.frame(({ type }) => type === h2.DATA)
  client.close()
  return content.toString() === 'ok'
}

describe('an HTTP/2 connection ends', () => {
  it.each([
    ['that says nothing', Buffer.alloc(0)],
    ['whose preface does not come to its end', Buffer.from(h2.PREFACE)],
    [
      'whose first SETTINGS do not come to their end',
      Buffer.concat([Buffer.from(h2.PREFACE), h2.settingsFrame(Array.from({ length: 1000 }, () => [3, 1]))]),
    ],
  ])('%s', async (_name, bytes) => {
    const socket = await dialTls(url(), 'h2')
    socket.resume()
    drip(socket, bytes)
    await expect.poll(() => socket.destroyed).toBe(true)
    expect(ended('preface')).toBe(1)
  })

  it.each([
    ['that asks for nothing', (client: HostileClient) => void client],
    [
      'that only pings',
      (client: HostileClient) =>
        every(100, () => client.send(frame({ type: h2.PING, flags: 0, stream: 0 }, Buffer.alloc(8)))),
    ],
    ['that has asked', (client: HostileClient) => client.send(get(1, '/small'))],
  ])('%s, in peace', async (_name, act) => {
    const client = await HostileClient.dial(url())
    act(client)
    await expect.poll(() => client.isClosed).toBe(true)
    expect([client.goAwayCode, ended('idle')]).toEqual([h2.NO_ERROR, 1])
  })

  it.each([
    ['a frame', (socket: TLSSocket) => drip(socket, get(1, '/small').subarray(0, -1))],
    [
      'a field block',
      (socket: TLSSocket) => {
        socket.write(frame({ type: h2.HEADERS, flags: 0, stream: 1 }, request('GET', '/small')))
        every(100, () => socket.write(frame({ type: h2.CONTINUATION, flags: 0, stream: 1 }, Buffer.of(0x88))))
      },
    ],
  ])('that leaves %s unfinished', async (_name, act) => {
    const client = await HostileClient.dial(url())
    act(client.socket as TLSSocket)
    await expect.poll(() => client.goAwayCode).toBe(h2.ENHANCE_YOUR_CALM)
    expect(ended('unfinished')).toBe(1)
    await expect.poll(unfinishedBytes).toBe(0)
  })

  it('CVE-2019-9517: whose windows are open and whose socket is not read', async () => {
    const client = await HostileClient.dial(url(), ANY_WINDOW)
    client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30))
    await client.settle()
    client.socket.pause()
    // Little by little: streams that are over count for nothing, and what was sent of them waits in the socket.
    for (let id = 1; id < 200; id += 2) client.send(get(id, '/large'))
    await expect.poll(() => ended('stalled') + ended('memory') + ended('flood')).toBeGreaterThan(0)
    await expect.poll(unfinishedBytes).toBe(0)
  })
})

describe('an HTTP/2 connection goes on', () => {
  it('whose watch has nothing to say, longer than any limit', async () => {
    const [watching, idle] = [await HostileClient.dial(url()), await HostileClient.dial(url())]
    watching.send(get(1, `${WATCH}?watch=1`))
    await expect.poll(() => sinks.length).toBe(1)
    await expect.poll(() => idle.isClosed).toBe(true)
    // Every limit has passed, for both of them.
    sinks[0]!.write(Buffer.from('an event'))
    const { content } = await watching.frame(({ type }) => type === h2.DATA)
    expect(content.toString()).toBe('an event')
    watching.close()
  })

  it('whose body comes in many frames, as long as they come', async () => {
    const client = await HostileClient.dial(url())
    client.send(headersFrame(1, request('POST', '/body'), false))
    for (let i = 0; i < 100; i++) {
      client.send(dataFrame(1, 'x'))
      await new Promise((resolve) => setImmediate(resolve))
    }
    client.send(dataFrame(1, '', h2.END_STREAM))
    expect((await client.frame(({ type }) => type === h2.DATA)).content.toString()).toBe('100')
    client.close()
  })
})

describe('CVE-2016-1546: an answer that nobody takes', () => {
  it('is given up when the time of its request is over', async () => {
    const client = await HostileClient.dial(url(), NO_WINDOW)
    client.send(get(1, '/large'), get(3, '/large'))
    await expect.poll(unfinishedBytes).toBeGreaterThanOrEqual(2 * MIB)
    await client.frame(({ type, stream }) => type === h2.RST_STREAM && stream === 3)
    expect(unfinishedBytes()).toBeLessThan(1000)
    client.close()
  })

  it('and is an answer to a request that took too long is given up a little later', async () => {
    const client = await HostileClient.dial(url(), NO_WINDOW)
    client.send(headersFrame(1, request('POST', '/body'), false))
    const { content } = await client.frame(({ type, stream }) => type === h2.HEADERS && stream === 1)
    expect(content.includes('504')).toBe(true)
    expect(unfinishedBytes()).toBeGreaterThan(0)
    await expect.poll(unfinishedBytes).toBe(0)
    client.close()
  })

  it.each([
    ['at all', 0],
    ['but for a byte now and then', 1],
  ])('of a watch %s is given up', async (_name, bytes) => {
    const client = await HostileClient.dial(url(), NO_WINDOW)
    client.send(get(1, `${WATCH}?watch=1`))
    await expect.poll(() => sinks.length).toBe(1)
    for (let i = 0; i < 100; i++) sinks[0]!.write(Buffer.alloc(1000))
    if (bytes > 0) every(100, () => client.send(numberFrame(h2.WINDOW_UPDATE, 1, bytes)))
    await client.frame(({ type, stream }) => type === h2.RST_STREAM && stream === 1)
    await expect.poll(unfinishedBytes).toBe(0)
    client.close()
  })

  it('takes no more memory than there is for a connection, and the largest goes first', async () => {
    await open({ requestTimeoutMs: 60_000, limits: { ...LIMITS, stalledMs: 60_000 } })
    const [client, other] = [await HostileClient.dial(url(), NO_WINDOW), await HostileClient.dial(url(), NO_WINDOW)]
    other.send(get(1, '/large'))
    client.send(...Array.from({ length: 100 }, (_, i) => get(2 * i + 1, i === 0 ? '/small' : '/large')))
    const codes = (): readonly number[] =>
      client.seen.filter(({ type }) => type === h2.RST_STREAM).map(({ content }) => content.readUInt32BE(0))
    await expect.poll(() => codes().length).toBeGreaterThanOrEqual(91)
    expect(new Set(codes())).toEqual(new Set([h2.ENHANCE_YOUR_CALM]))
    expect(unfinishedBytes()).toBeLessThanOrEqual(UNFINISHED.perConnectionBytes + 2 * MIB)
    expect(measures.unfinishedResets.of().value).toBe(codes().length)
    client.send(numberFrame(h2.WINDOW_UPDATE, 1, 100))
    expect((await client.frame(({ type }) => type === h2.DATA)).content.toString()).toBe('ok')
    expect(other.seen.some(({ type }) => type === h2.RST_STREAM)).toBe(false)
    client.close()
    other.close()
  })

  it('takes no more memory than there is for all, and who holds most goes first', async () => {
    await open({ requestTimeoutMs: 60_000, limits: { ...LIMITS, stalledMs: 60_000 } })
    const small = await HostileClient.dial(url(), NO_WINDOW)
    small.send(get(1, '/large'))
    const large = await Promise.all(Array.from({ length: 8 }, () => HostileClient.dial(url(), NO_WINDOW)))
    for (const client of large) client.send(...Array.from({ length: 7 }, (_, i) => get(2 * i + 1, '/large')))
    await expect.poll(() => measures.unfinishedResets.of().value).toBeGreaterThan(20)
    await expect.poll(unfinishedBytes).toBeLessThanOrEqual(UNFINISHED.totalBytes)
    expect(small.seen.some(({ type }) => type === h2.RST_STREAM)).toBe(false)
    expect(await isServed()).toBe(true)
    for (const client of [small, ...large]) client.close()
  })
})

describe('CVE-2018-17189: a request that is not complete', () => {
  it('takes no more memory than there is for a connection', async () => {
    await open({ requestTimeoutMs: 60_000, unfinished: { perConnectionBytes: MIB, totalBytes: 32 * MIB } })
    const client = await HostileClient.dial(url())
    const bodies = Array.from({ length: 10 }, (_, i) => 2 * i + 1)
    client.send(...bodies.map((id) => headersFrame(id, request('POST', '/body'), false)))
    for (const id of bodies) for (let i = 0; i < 12; i++) client.send(dataFrame(id, Buffer.alloc(16_000)))
    await expect.poll(() => client.seen.filter(({ type }) => type === h2.RST_STREAM).length).toBeGreaterThan(2)
    expect(unfinishedBytes()).toBeLessThanOrEqual(MIB + 1000)
    client.close()
  })

  it('takes no more than a small multiple of its bytes, in however small pieces it comes', async () => {
    await open({ requestTimeoutMs: 60_000 })
    const client = await HostileClient.dial(url())
    const bodies = Array.from({ length: 20 }, (_, i) => 2 * i + 1)
    client.send(...bodies.map((id) => headersFrame(id, request('POST', '/body'), false)))
    const before = process.memoryUsage()
    for (const id of bodies) {
      const tiny = Buffer.concat(Array.from({ length: 10_000 }, () => dataFrame(id, 'x')))
      await client.write(tiny)
      await client.settle(`${id}`)
    }
    const { heapUsed, external } = process.memoryUsage()
    expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(20e6)
    client.close()
  })
})

describe('an HTTP/1.1 connection goes on', () => {
  it('on which some requests are sent at once: one after another is begun and answered, with its body', async () => {
    let running = 0
    const answered: string[] = []
    const handler: Handler = async (asked) => {
      expect(++running).toBe(1)
      const body = await asked.body.read()
      await new Promise((resolve) => setImmediate(resolve))
      running--
      answered.push(body.toString())
      return plainText(200, body.toString())
    }
    await open({ handler })
    const socket = await dialTls(url(), 'http/1.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    const bodies = Array.from({ length: 20 }, (_, i) => `(${i})`.padEnd(50_000))
    for (const body of bodies) socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n${body}`)
    await expect.poll(() => text.match(/\(\d+\)/g)).toEqual(bodies.map((body) => body.trim()))
    expect(answered).toEqual(bodies)
    socket.destroy()
  })
})

describe('an HTTP/1.1 connection ends', () => {
  const small = 'GET /small HTTP/1.1\r\nHost: x\r\n'
  it.each([
    ['that says nothing', '', ''],
    ['whose header does not come to its end', '', `${small}X-Slow: ${'x'.repeat(1000)}`],
    ['whose second header does not come to its end', `${small}\r\n`, `${small}X-Slow: ${'x'.repeat(1000)}`],
    ['whose body goes on after its answer', `${small}Content-Length: 1000\r\n\r\n`, 'x'.repeat(999)],
  ])('%s', async (_name, text, slowly) => {
    const socket = await dialTls(url(), 'http/1.1')
    socket.resume()
    socket.write(text)
    if (text !== '') await once(socket, 'data')
    drip(socket, Buffer.from(slowly))
    await expect.poll(() => socket.destroyed).toBe(true)
    await expect.poll(() => measures.connections.of().value).toBe(0)
    expect(ended('unfinished')).toBe(1)
  })

  it('that does not take a watch', async () => {
    const socket = await dialTls(url(), 'http/1.1')
    socket.pause()
    socket.write(`GET ${WATCH}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => sinks.length).toBe(1)
    sinks[0]!.write(HUGE)
    await expect.poll(unfinishedBytes).toBe(HUGE.length)
    await expect.poll(() => measures.connections.of().value).toBe(0)
    expect(unfinishedBytes()).toBe(0)
    socket.destroy()
  })

  it.each([
    ['does not take an answer', 1],
    ['asks for more and more and takes nothing', 30],
  ])('that %s, of which little is held', async (_name, times) => {
    const socket = await dialTls(url(), 'http/1.1')
    socket.pause()
    socket.write('GET /document HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times))
    await expect.poll(unfinishedBytes).toBeGreaterThan(0)
    let most = 0
    const connections = (): number => {
      most = Math.max(most, unfinishedBytes())
      return measures.connections.of().value
    }
    await expect.poll(connections).toBe(0)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(MIB)
    expect(unfinishedBytes()).toBe(0)
    socket.destroy()
  })

  it('whose watch has more to say than it takes and there is memory for', async () => {
    await open({ unfinished: { perConnectionBytes: MIB, totalBytes: 32 * MIB } })
    const socket = await dialTls(url(), 'http/1.1')
    socket.pause()
    socket.write(`GET ${WATCH}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => sinks.length).toBe(1)
    sinks[0]!.write(HUGE)
    await expect.poll(() => ended('memory')).toBe(1)
    await expect.poll(unfinishedBytes).toBe(0)
    socket.destroy()
  })

  it('on which very many requests are sent at once', async () => {
    const socket = await dialTls(url(), 'http/1.1')
    socket.write(`GET ${WATCH}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(200))
    await expect.poll(() => ended('flood')).toBe(1)
    expect(sinks.length).toBe(1)
    socket.destroy()
  })

  it.each(['reads nothing', 'has gone, and the other server reads nothing'])(
    'in a tunnel whose client %s',
    async (what) => {
      const socket = await dialTls(url(), 'http/1.1')
      const head = ['Host: x', 'Connection: Upgrade', 'Upgrade: SPDY/3.1']
      socket.write([`GET ${TUNNEL}?watch=1 HTTP/1.1`, ...head, '', ''].join('\r\n'))
      await once(socket, 'data')
      socket.pause()
      const [far] = tunnels as [Duplex]
      if (what === 'reads nothing') far.write(DOCUMENT)
      else {
        socket.write(LARGE)
        await expect.poll(() => far.readableLength).toBeGreaterThanOrEqual(far.readableHighWaterMark)
        socket.destroy()
      }
      await expect.poll(() => measures.connections.of().value).toBe(0)
      socket.destroy()
    },
  )

  it('as a WebSocket that pings and never reads', async () => {
    const socket = await dialTls(url(), 'http/1.1')
    const head = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Origin: https://127.0.0.1']
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    socket.write([`GET ${WATCH}?watch=1 HTTP/1.1`, 'Host: x', ...head, key, '', ''].join('\r\n'))
    await once(socket, 'data')
    socket.pause()
    await expect.poll(() => sinks.length).toBe(1)
    // A ping with as much as it may have, masked with zeroes.
    const ping = Buffer.concat([Buffer.of(0x89, 0x80 | 125, 0, 0, 0, 0), Buffer.alloc(125)])
    const many = Buffer.concat(Array.from({ length: 1000 }, () => ping))
    const before = process.memoryUsage()
    for (let i = 0; i < 200 && !socket.destroyed; i++) await new Promise((resolve) => socket.write(many, resolve))
    const { heapUsed, external } = process.memoryUsage()
    expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(20e6)
    await expect.poll(() => measures.connections.of().value).toBe(0)
    socket.destroy()
  })
})

describe('connections beyond the limit', () => {
  it('are made room for by those that have said nothing', async () => {
    await open({ maxConnections: 10 })
    const silent = Array.from({ length: 10 }, () => connect(listener.port, '127.0.0.1').resume())
    await expect.poll(() => measures.connections.of().value).toBe(10)
    expect(await isServed()).toBe(true)
    expect(ended('limit')).toBe(1)
    await expect.poll(() => silent.filter(({ destroyed }) => destroyed).length).toBe(1)
    for (const socket of silent) socket.destroy()
  })

  it('are made room for by those that have been idle longest', async () => {
    await open({ maxConnections: 10, limits: { ...LIMITS, idleMs: 60_000 } })
    const idle = await Promise.all(Array.from({ length: 10 }, () => HostileClient.dial(url())))
    await expect.poll(isServed).toBe(true)
    expect(ended('limit')).toBeGreaterThan(0)
    await expect.poll(() => idle.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(0)
    for (const client of idle) client.close()
  })

  it('are refused where all are busy, and those go on', async () => {
    await open({ maxConnections: 10 })
    const busy = await Promise.all(Array.from({ length: 10 }, () => HostileClient.dial(url())))
    for (const client of busy) client.send(get(1, `${WATCH}?watch=1`))
    await expect.poll(() => sinks.length).toBe(10)
    await expect(dialTls(url(), 'h2')).rejects.toThrow()
    expect(ended('limit')).toBe(1)
    for (const sink of sinks) sink.write(Buffer.from('an event'))
    await Promise.all(busy.map((client) => client.frame(({ type }) => type === h2.DATA)))
    for (const client of busy) client.close()
  })
})
