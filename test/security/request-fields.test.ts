// The fields of a request: how much they may come to and cost, on both protocols, and what may stand in them (RFC 9113, section 8).
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { block, fieldsOf, indexed, indexedLiteral, literal, request } from '../corpora/header-blocks.ts'
import { dialTls, HostileClient, NOBODY } from '../fakes/hostile-client.ts'
import { FULL_FIELDS } from '../corpora/hostile-requests.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { headersFrame, numberFrame, spreadFrames } from '../rigs/http2-frames.ts'
import { NobodyServer } from '../rigs/nobody-server.ts'

let server: NobodyServer
/** The processor time of one honest request, in milliseconds. */
let requestMs = 0

beforeAll(async () => {
  server = await NobodyServer.start()
  const honest = (): Buffer => request('GET', '/api', NOBODY)
  // The first times are for the compiler.
  for (let i = 0; i < 3; i++) requestMs = (await costOf(600, honest)).milliseconds / 600
})
afterAll(() => server?.[Symbol.asyncDispose]())

interface Cost {
  readonly milliseconds: number
  readonly statuses: ReadonlySet<string>
}

/** Of so many requests over HTTP/2, one after another on one connection. */
async function costOf(count: number, blockOf: (turn: number) => Buffer): Promise<Cost> {
  const client = await HostileClient.dial(server.url)
  client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30))
  const before = server.processorMilliseconds
  for (let turn = 0; turn < count; turn++) {
    const id = 2 * turn + 1
    client.send(headersFrame(id, blockOf(turn), true))
    await client.frame(({ stream, flags, type }) => stream === id && (type === h2.RST_STREAM || (flags & 1) !== 0))
  }
  const milliseconds = server.processorMilliseconds - before
  const heads = client.seen.filter(({ type }) => type === h2.HEADERS)
  client.close()
  return { milliseconds, statuses: new Set(heads.map(({ content }) => fieldsOf(content)[0]![1])) }
}

async function statusOf(client: HostileClient, id: number): Promise<string> {
  const { content } = await client.frame(({ type, stream }) => type === h2.HEADERS && stream === id)
  return fieldsOf(content)[0]![1]
}

describe('CVE-2016-6581: fields that are named again and again', () => {
  it('are refused when they come to more than 64 KiB, and cost next to nothing (P-231)', async () => {
    const residentBefore = server.residentBytes
    const clauses = 'a/b,'.repeat(1000)
    // A value of 4 KB that the dynamic table keeps, and then a byte for each time that it is meant.
    const bomb = (turn: number): Buffer =>
      Buffer.concat([
        request('GET', '/api', NOBODY),
        ...(turn === 0 ? [indexedLiteral('accept', clauses)] : []),
        ...Array.from({ length: 240 }, () => indexed(62)),
      ])
    const { milliseconds, statuses } = await costOf(70, bomb)
    expect([...statuses]).toEqual(['431'])
    expect(milliseconds / requestMs).toBeLessThan(70 * 5 + 500)
    expect(server.residentBytes - residentBefore).toBeLessThan(100e6)
  })

  it('leave the table as it was, so that what comes next is understood', async () => {
    const client = await HostileClient.dial(server.url)
    const named = Array.from({ length: 30 }, () => indexed(62))
    const first = [request('GET', '/api', NOBODY), indexedLiteral('x-large', 'y'.repeat(3500)), ...named]
    client.send(headersFrame(1, Buffer.concat(first), true))
    const second = [request('GET', '/api', NOBODY), indexed(62)]
    client.send(headersFrame(3, Buffer.concat(second), true))
    expect([await statusOf(client, 1), await statusOf(client, 3)]).toEqual(['431', '200'])
    client.close()
  })

  it('are announced: SETTINGS_MAX_HEADER_LIST_SIZE', async () => {
    const client = await HostileClient.dial(server.url)
    const { content } = await client.frame(({ type }) => type === h2.SETTINGS)
    const entries = Array.from({ length: content.length / 6 }, (_, i) => [
      content.readUInt16BE(i * 6),
      content.readUInt32BE(i * 6 + 2),
    ])
    expect(entries).toContainEqual([h2.MAX_HEADER_LIST_SIZE, 64 * 1024])
    client.close()
  })
})

describe('CVE-2022-41717: names that nobody has sent before', () => {
  it('are not kept when their request is over', async () => {
    const names = (turn: number): Buffer => {
      const some = Array.from({ length: 300 }, (_, i) => literal(`x-${turn}-${i}-${'n'.repeat(20)}`, 'y'))
      return Buffer.concat([request('GET', '/api', NOBODY), ...some])
    }
    await costOf(100, names)
    const before = server.residentBytes
    await costOf(600, (turn) => names(turn + 100))
    expect(server.residentBytes - before).toBeLessThan(60e6)
  })
})

describe('fields that come to as much as they may', () => {
  const REQUESTS = 20
  /** What one may cost, in honest requests. */
  const MOST = 40

  const ENOUGH = REQUESTS * MOST + 500
  const TRIES = 3

  /** In honest requests, the cheapest of a few tries: compilers and collectors run when they like. */
  async function leastCost(send: () => Promise<void>): Promise<number> {
    let least = Infinity
    for (let i = 0; i < TRIES && least >= ENOUGH; i++) {
      const before = server.processorMilliseconds
      await send()
      least = Math.min(least, (server.processorMilliseconds - before) / requestMs)
    }
    return least
  }

  it.each(FULL_FIELDS)('%s, over HTTP/2', async (_name, fields) => {
    const wire = fields().map(([name, value]) => literal(name, value))
    const cost = await leastCost(async () => {
      const client = await HostileClient.dial(server.url)
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30))
      for (let id = 1; id < 2 * REQUESTS; id += 2) {
        client.send(spreadFrames(id, Buffer.concat([request('GET', '/api', NOBODY), ...wire])))
        await client.frame(({ stream, flags, type }) => stream === id && (type === h2.RST_STREAM || (flags & 1) !== 0))
      }
      expect(client.goAwayCode).toBeUndefined()
      client.close()
    })
    expect(cost).toBeLessThan(ENOUGH)
  })

  it.each(FULL_FIELDS)('%s, over HTTP/1.1', async (_name, fields) => {
    const lines = [...Object.entries(NOBODY), ...fields()].map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const text = `GET /api HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
    const cost = await leastCost(async () => {
      const socket = await dialTls(server.url, 'http/1.1')
      let answers = ''
      socket.on('data', (chunk: Buffer) => (answers += chunk.toString('latin1')))
      for (let i = 0; i < REQUESTS; i++) {
        socket.write(text)
        await expect.poll(() => answers.match(/HTTP\/1\.1 (?:200|400|406) /g)?.length, { interval: 1 }).toBe(i + 1)
      }
      socket.destroy()
    })
    expect(cost).toBeLessThan(ENOUGH)
  })

  it('and a little more are 431 on both', async () => {
    const socket = await dialTls(server.url, 'http/1.1')
    socket.write(`GET /api HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(66_000)}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString('latin1', 0, 12)).toBe('HTTP/1.1 431')
    socket.destroy()
    // Each counts for 32 bytes more than its texts.
    const many = Array.from({ length: 680 }, (_, i) => literal(`x-${i}`, 'y'.repeat(60)))
    const client = await HostileClient.dial(server.url)
    client.send(spreadFrames(1, Buffer.concat([request('GET', '/api', NOBODY), ...many])))
    client.send(headersFrame(3, request('GET', '/api', NOBODY), true))
    expect([await statusOf(client, 1), await statusOf(client, 3)]).toEqual(['431', '200'])
    client.close()
  })
})

describe('CVE-2021-33193, CVE-2021-21295: what does not belong into a field', () => {
  const good = { ':method': 'GET', ':scheme': 'https', ':authority': 'here', ':path': '/api', ...NOBODY }
  const bad: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ...['\r', '\n', '\0', '\x01', '\x7f', ' '].flatMap((byte) =>
      [':method', ':scheme', ':authority', ':path'].map(
        (name) =>
          [`${JSON.stringify(byte)} in ${name}`, { ...good, [name]: `${good[name as ':path']}${byte}x` }] as const,
      ),
    ),
    ...['\r', '\n', '\0', '\x01', '\x1f', '\x7f'].map(
      (byte) => [`${JSON.stringify(byte)} in a value`, { ...good, 'x-a': `a${byte}b` }] as const,
    ),
    ...['\r', '\n', '\0', ' ', '\x7f', '\x80', 'A', ':', '"', '/'].map(
      (byte) => [`${JSON.stringify(byte)} in a name`, { ...good, [`x${byte}a`]: 'b' }] as const,
    ),
    ['a space before a value', { ...good, 'x-a': ' b' }],
    ['a tab behind a value', { ...good, 'x-a': 'b\t' }],
    ['a request within a method', { ...good, ':method': 'GET /secret HTTP/1.1\r\nX-A: b\r\n\r\n' }],
    ['a path in absolute-form', { ...good, ':path': 'https://elsewhere/ok' }],
    ['somebody in the authority', { ...good, ':authority': 'user@here' }],
    ['a scheme that is not ours', { ...good, ':scheme': 'ftp' }],
    ['an authority and a path of CONNECT', { ...good, ':method': 'CONNECT' }],
    ['a length that is another', { ...good, 'content-length': '3' }],
    ['a transfer coding', { ...good, 'transfer-encoding': 'chunked' }],
  ]
  it('is a stream error of type PROTOCOL_ERROR, and the connection goes on', async () => {
    const client = await HostileClient.dial(server.url)
    client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30))
    const outcomes: (readonly [string, number | string])[] = []
    for (const [i, [name, fields]] of bad.entries()) {
      const id = 4 * i + 1
      client.send(headersFrame(id, block(fields), true), headersFrame(id + 2, block(good), true))
      const { type, content } = await client.frame(
        ({ stream, type }) => stream === id && (type === h2.RST_STREAM || type === h2.HEADERS),
      )
      outcomes.push([name, type === h2.RST_STREAM ? content.readUInt32BE(0) : fieldsOf(content)[0]![1]])
      expect(await statusOf(client, id + 2)).toBe('200')
    }
    expect(outcomes).toEqual(bad.map(([name]) => [name, h2.PROTOCOL_ERROR]))
    client.close()
  })

  it.each([
    ['a control character in the request target', '/api\x01'],
    ['a tab in the request target', '/a\tpi'],
  ])('%s is a 400 over HTTP/1.1', async (_name, target) => {
    const socket = await dialTls(server.url, 'http/1.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${NOBODY['authorization']}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString('latin1', 0, 12)).toBe('HTTP/1.1 400')
    socket.destroy()
  })

  // RFC 9112, section 3.2.2: a server has to take it, and only its path counts.
  it('a request target in absolute-form is answered as its path over HTTP/1.1', async () => {
    const socket = await dialTls(server.url, 'http/1.1')
    socket.write(`GET https://here/readyz HTTP/1.1\r\nHost: here\r\nAuthorization: ${NOBODY['authorization']}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString('latin1', 0, 12)).toBe('HTTP/1.1 200')
    socket.destroy()
  })
})
