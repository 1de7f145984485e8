// Calls to a peer that answers frame by frame, rightly and wrongly: each ends once, and says what is known of it.
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { callHeaders, Endpoint } from '../../../../src/kv/etcd/endpoint.ts'
import * as h2 from '../../../rigs/http2-frames.ts'
import { HeaderReader } from '../../../../src/wire/http2-client-headers.ts'
import { literal } from '../../../corpora/header-blocks.ts'
import { AUTHENTICATE } from '../../../../src/kv/gen/rpc.ts'
import { encode } from '../../../../src/kv/rpc.ts'
import { RpcError, UntouchedError } from '../../../../src/kv/etcd/verdict.ts'
import {
  answer,
  answerHeaders,
  dataFrames,
  framed,
  GrpcPeer,
  type PeerOptions,
  trailers,
} from '../../../fakes/grpc-peer.ts'
import { frame, headersFrame, numberFrame, type FrameConnection, settingsFrame } from '../../../rigs/http2-frames.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

function endpointAt(url: string): Endpoint {
  const endpoint = new Endpoint(url, undefined)
  opened.push({ [Symbol.asyncDispose]: async () => endpoint.close() })
  return endpoint
}

async function peerWith(options: PeerOptions): Promise<{ peer: GrpcPeer; endpoint: Endpoint }> {
  const peer = await GrpcPeer.start(options)
  opened.push(peer)
  return { peer, endpoint: endpointAt(peer.url) }
}

interface Asking {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly name?: string
}

/** Any call would do; this one has texts of any length in both directions. */
function ask(
  endpoint: Endpoint,
  { timeoutMs = 20_000, signal = neverAborted(), name = 'me' }: Asking = {},
): Promise<string> {
  return endpoint
    .unary(AUTHENTICATE, { name, password: '' }, { timeoutMs, signal, headers: callHeaders('secret') })
    .then(({ token }) => token)
}

function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** The answer to `ask`. */
function tokenMessage(token: string): Buffer {
  const text = Buffer.from(token)
  const length: number[] = []
  for (let rest = text.length; ; rest >>>= 7) {
    length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) break
  }
  return Buffer.concat([Buffer.of(0x12, ...length), text])
}

const TOKEN = tokenMessage('token')

function answering(make: (stream: number) => readonly Buffer[]): PeerOptions {
  return { onCall: (stream, connection) => connection.send(...make(stream)) }
}

describe('an answer', () => {
  it('is given to who asked, and the question has its headers', async () => {
    const { peer, endpoint } = await peerWith(answering((stream) => [answer(stream, TOKEN)]))
    expect(await ask(endpoint)).toBe('token')
    const { content } = await peer.connections[0]!.frame(({ type }) => type === h2.HEADERS)
    // Method and scheme are numbers of a table that this reader does not know.
    expect(Object.fromEntries(new HeaderReader().read(content))).toMatchObject({
      ':path': '/etcdserverpb.Auth/Authenticate',
      ':authority': peer.url.slice('http://'.length),
      'content-type': 'application/grpc',
      te: 'trailers',
      token: 'secret',
      hasleader: 'true',
      'grpc-timeout': '20000m',
    })
  })

  it('that comes byte by byte is put together', async () => {
    const { endpoint } = await peerWith({
      onCall: (stream, { socket }) => {
        const [...bytes] = answer(stream, TOKEN)
        const next = (): void => {
          socket.write(Buffer.of(bytes.shift()!))
          if (bytes.length > 0) setImmediate(next)
        }
        next()
      },
    })
    expect(await ask(endpoint)).toBe('token')
  })

  it.each([
    [
      'in frames of one byte',
      (stream: number) => [...framed(TOKEN)].map((byte) => dataFrames(stream, Buffer.of(byte))),
    ],
    [
      'with padding',
      (stream: number) => [frame({ type: h2.DATA, flags: 0x8, stream }, Buffer.of(3), framed(TOKEN), Buffer.alloc(3))],
    ],
    [
      'with empty frames',
      (stream: number) => [
        frame({ type: h2.DATA, flags: 0, stream }),
        dataFrames(stream, framed(TOKEN)),
        frame({ type: h2.DATA, flags: 0, stream }),
      ],
    ],
    [
      'after frames of a kind that nobody knows',
      (stream: number) => [frame({ type: 0x42, flags: 0xff, stream }, TOKEN), dataFrames(stream, framed(TOKEN))],
    ],
  ])('%s is read', async (_, data) => {
    const { endpoint } = await peerWith(
      answering((stream) => [
        headersFrame(stream, answerHeaders, false),
        ...data(stream),
        headersFrame(stream, trailers(0), true),
      ]),
    )
    expect(await ask(endpoint)).toBe('token')
  })

  it('whose headers are split, padded and have a priority is read', async () => {
    const block = trailers(5, 'split')
    const { endpoint } = await peerWith(
      answering((stream) => [
        frame(
          { type: h2.HEADERS, flags: 0x8 | 0x20 | h2.END_STREAM, stream },
          Buffer.of(2, 0, 0, 0, 0, 7),
          block.subarray(0, 4),
          Buffer.alloc(2),
        ),
        frame({ type: h2.CONTINUATION, flags: 0, stream }, block.subarray(4, 9)),
        frame({ type: h2.CONTINUATION, flags: h2.END_HEADERS, stream }, block.subarray(9)),
      ]),
    )
    await expect(ask(endpoint)).rejects.toMatchObject({ status: 5, message: 'split' })
  })

  it('of many to many at once goes to the right one', async () => {
    const kept: number[] = []
    const { endpoint } = await peerWith({
      onCall: (stream, connection) => {
        kept.push(stream)
        if (kept.length < 50) return
        for (const id of kept.toReversed()) connection.send(answer(id, tokenMessage(String(id))))
      },
    })
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(endpoint)))
    expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => String(i * 2 + 1)))
  })
})

describe('a failure', () => {
  const end = (status: number, message?: string) => (stream: number) => [
    headersFrame(stream, trailers(status, message), true),
  ]
  const after = (data: Buffer, status: number) => (stream: number) => [
    headersFrame(stream, answerHeaders, false),
    dataFrames(stream, data),
    headersFrame(stream, trailers(status), true),
  ]
  it.each([
    ['said at once', end(9, 'etcdserver: no leader'), 9, 'etcdserver: no leader'],
    ['said in other letters', end(3, '%c3%a9 %E2%82%AC 100%25'), 3, 'é € 100%'],
    ['said in letters that are none', end(3, '100%'), 3, '100%'],
    ['said without words', end(7), 7, ''],
    ['said without a number', (stream: number) => [headersFrame(stream, literal('grpc-status', 'x'), true)], 2, ''],
    ['said after the answer', after(framed(TOKEN), 14), 14, ''],
    [
      'a proxy says',
      (stream: number) => [headersFrame(stream, literal(':status', '503'), true)],
      14,
      'HTTP status 503',
    ],
    [
      'something else than etcd says',
      (stream: number) => [headersFrame(stream, literal(':status', '404'), false)],
      12,
      'HTTP status 404',
    ],
    [
      'nobody says',
      (stream: number) => [
        headersFrame(stream, answerHeaders, false),
        frame({ type: h2.DATA, flags: h2.END_STREAM, stream }),
      ],
      2,
      'the answer ended without a status',
    ],
    ['an answer is missing', end(0), 13, 'the answer cannot be read: it is missing'],
    ['an answer is cut off', after(framed(TOKEN).subarray(0, 8), 0), 13, 'the answer was cut off'],
    ['an answer is compressed', after(framed(TOKEN, 1), 0), 13, 'the answer is compressed, which was not asked for'],
    [
      'an answer cannot be read',
      after(framed(Buffer.of(0x12, 99)), 0),
      13,
      expect.stringContaining('the answer cannot be read'),
    ],
  ])('%s', async (_, make, status, message) => {
    const { endpoint } = await peerWith(answering(make))
    const failed = await ask(endpoint).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(RpcError)
    expect(failed).not.toBeInstanceOf(UntouchedError)
    expect(failed).toMatchObject({ status, message })
    expect(endpoint.isReady).toBe(true)
  })

  it.each([
    [h2.REFUSED_STREAM, 14, true],
    [h2.CANCEL, 1, false],
    [h2.ENHANCE_YOUR_CALM, 8, false],
    [h2.INADEQUATE_SECURITY, 7, false],
    [2, 13, false],
  ])('a reset with code %i has status %i', async (code, status, untouched) => {
    const { endpoint } = await peerWith({ onCall: (stream, connection) => connection.reset(stream, code) })
    const failed = await ask(endpoint).catch((error: unknown) => error)
    expect(failed).toMatchObject({ status })
    expect(failed instanceof UntouchedError).toBe(untouched)
  })

  it('no answer in time: the call is given up, and the peer is told', async () => {
    const { peer, endpoint } = await peerWith({
      onCall: (stream, connection) => stream === 1 && connection.send(answer(stream, TOKEN)),
    })
    await ask(endpoint)
    await expect(ask(endpoint, { timeoutMs: 30 })).rejects.toMatchObject({ status: 4 })
    const reset = await peer.connections[0]!.frame(({ type }) => type === h2.RST_STREAM)
    expect(reset.content.readUInt32BE()).toBe(h2.CANCEL)
  })

  it('the caller gives up: the peer is told, and what it still sends disturbs nobody', async () => {
    const stop = new AbortController()
    const { peer, endpoint } = await peerWith({
      onCall: (stream, connection) =>
        stream === 1 ? stop.abort() : connection.send(answer(1, TOKEN), answer(stream, TOKEN)),
    })
    await expect(ask(endpoint, { signal: stop.signal })).rejects.toMatchObject({ name: 'CancelledError' })
    await peer.connections[0]!.frame(({ type }) => type === h2.RST_STREAM)
    expect(await ask(endpoint)).toBe('token')
  })
})

describe('a connection', () => {
  it('that is lost takes its calls along, and the next call makes another', async () => {
    const { peer, endpoint } = await peerWith({
      onCall: (stream, connection) =>
        peer.connections.length === 1 ? connection.socket.destroy() : connection.send(answer(stream, TOKEN)),
    })
    const failed = await ask(endpoint).catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: 14, message: expect.stringContaining('the connection was lost') })
    expect(failed).not.toBeInstanceOf(UntouchedError)
    expect(endpoint.isReady).toBe(false)
    expect(await ask(endpoint)).toBe('token')
  })

  it('of which the peer takes leave ends what was begun; what came too late did nothing', async () => {
    const { peer, endpoint } = await peerWith({
      onCall: (stream, connection) => {
        if (peer.connections.length > 1) connection.send(answer(stream, TOKEN))
        else if (stream === 3) {
          connection.goAway(1)
          connection.send(answer(1, TOKEN))
        }
      },
    })
    const [first, second] = await Promise.allSettled([ask(endpoint), ask(endpoint)])
    expect(first).toMatchObject({ value: 'token' })
    expect(second).toMatchObject({ reason: expect.any(UntouchedError) })
    expect(await ask(endpoint)).toBe('token')
    expect(peer.connections).toHaveLength(2)
  })

  it.each([
    ['an answer of HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a TLS alert', Buffer.from('15030100020246', 'hex')],
    ['a frame that is not the first', frame({ type: h2.PING, flags: 0, stream: 0 }, Buffer.alloc(8))],
  ])('to something that greets with %s is none', async (_, greeting) => {
    const { endpoint } = await peerWith({ greeting })
    await expect(ask(endpoint)).rejects.toBeInstanceOf(UntouchedError)
    expect(endpoint.connect()).toBe('failing')
  })

  it.each([
    ['a frame that is too long', Buffer.from('00ffff000000000001', 'hex')],
    ['headers that cannot be read', headersFrame(1, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff), false)],
    [
      'headers that something else comes between',
      Buffer.concat([frame({ type: h2.HEADERS, flags: 0, stream: 1 }), numberFrame(h2.WINDOW_UPDATE, 0, 1)]),
    ],
    ['more padding than frame', frame({ type: h2.DATA, flags: 0x8, stream: 1 }, Buffer.of(9))],
    ['what nobody asked for', frame({ type: h2.PUSH_PROMISE, flags: h2.END_HEADERS, stream: 1 }, Buffer.alloc(4))],
    ['more room than there is', numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 31 - 1)],
    ['a reset without a reason', frame({ type: h2.RST_STREAM, flags: 0, stream: 1 })],
  ])('over which comes %s is given up', async (_, bytes) => {
    const { endpoint } = await peerWith({ onCall: (_stream, connection) => connection.send(bytes) })
    await expect(ask(endpoint)).rejects.toMatchObject({ status: 14 })
    expect(endpoint.isReady).toBe(false)
  })

  it('over which anything may come ends its call all the same', async () => {
    let garbage = Buffer.alloc(0)
    const { endpoint } = await peerWith({
      onCall: (_, { socket }) => {
        socket.end(garbage)
      },
    })
    const frames = fc.record({
      type: fc.integer({ min: 0, max: 12 }),
      flags: fc.integer({ min: 0, max: 255 }),
      stream: fc.constantFrom(0, 1, 3),
      content: fc.uint8Array({ maxLength: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(frames, { maxLength: 6 }), async (many) => {
        garbage = Buffer.concat(many.map(({ content, ...head }) => frame(head, Buffer.from(content))))
        await expect(ask(endpoint)).rejects.toBeInstanceOf(RpcError)
      }),
      { numRuns: 50 },
    )
  })

  it('answers a ping', async () => {
    const ping = Buffer.from('12345678')
    const { peer, endpoint } = await peerWith({
      onCall: (_, connection) => connection.send(frame({ type: h2.PING, flags: 0, stream: 0 }, ping)),
    })
    const asking = ask(endpoint)
    void asking.catch(() => undefined)
    const pong = await openedBy(peer).then((connection) =>
      connection.frame(({ type, flags }) => type === h2.PING && flags === h2.ACK),
    )
    expect(pong.content).toEqual(ping)
  })

  it('carries no more calls at a time than the peer wants', async () => {
    let open = 0
    let most = 0
    const { endpoint } = await peerWith({
      settings: [[h2.MAX_CONCURRENT_STREAMS, 3]],
      onCall: (stream, connection) => {
        most = Math.max(most, ++open)
        setImmediate(() => {
          open--
          connection.send(answer(stream, TOKEN))
        })
      },
    })
    expect(await Promise.all(Array.from({ length: 20 }, () => ask(endpoint)))).toHaveLength(20)
    expect(most).toBe(3)
  })

  it('takes room away and gives it while a question is on its way', async () => {
    const name = 'n'.repeat(100_000)
    const { peer, endpoint } = await peerWith({
      settings: [[h2.INITIAL_WINDOW_SIZE, 10]],
      onCall: (stream, connection) => connection.send(answer(stream, TOKEN)),
    })
    const asking = ask(endpoint, { name })
    const connection = await openedBy(peer)
    await connection.frame(({ type }) => type === h2.DATA)
    connection.send(settingsFrame([[h2.INITIAL_WINDOW_SIZE, 0]]))
    connection.send(settingsFrame([[h2.INITIAL_WINDOW_SIZE, 90_000]]))
    await connection.frame(() => sentBytes(connection) === h2.DEFAULT_WINDOW_BYTES)
    connection.send(numberFrame(h2.WINDOW_UPDATE, 0, 1_000_000))
    await connection.frame(() => sentBytes(connection) === 90_000)
    connection.send(numberFrame(h2.WINDOW_UPDATE, 1, 1_000_000))
    expect(await asking).toBe('token')
  })

  it('gives room for answers of any size, but not for watch responses that nobody reads', async () => {
    const message = tokenMessage('w'.repeat(1_000_000))
    const { peer, endpoint } = await peerWith({
      onCall: (stream, connection) => connection.send(answer(stream, tokenMessage('t'.repeat(8_000_000)))),
    })
    const watch = endpoint.openWatch(callHeaders(undefined))
    watch.send({ progressRequest: {} })
    const connection = await openedBy(peer)
    const { stream } = await connection.frame(({ type }) => type === h2.DATA)
    connection.send(headersFrame(stream, answerHeaders, false))
    for (let i = 0; i < 8; i++) connection.send(dataFrames(stream, framed(message)))
    expect(await ask(endpoint)).toHaveLength(8_000_000)
    expect(roomGiven(connection, stream)).toBeLessThan(5_000_000)
    while (watch.read() !== undefined);
    await connection.frame(() => roomGiven(connection, stream) > 5_000_000)
    watch.cancel()
  })
})

describe('beside another implementation of HTTP/2', () => {
  it('words in all letters that headers can have come through, compressed', async () => {
    // Eight that are short to every one that is long, so that compressing pays.
    const letters = Array.from({ length: 224 }, (_, i) => String.fromCharCode(0x20 + i)).filter(
      (c) => c !== '%' && c !== '\x7f',
    )
    const words = `a${letters.map((letter) => `aaaaaaaa${letter}`).join('')}a`
    const url = await serve((stream) => {
      stream.respond({ ':status': 200, 'grpc-status': '3', 'grpc-message': words }, { endStream: true })
    })
    await expect(ask(endpointAt(url))).rejects.toMatchObject({ status: 3, message: words })
  })

  it('questions and answers of megabytes come through', async () => {
    const url = await serve((stream) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }))
        stream.end(framed(tokenMessage(String(Buffer.concat(parts).length).padEnd(12_000_000, '.'))))
      })
    })
    const endpoint = endpointAt(url)
    const name = 'n'.repeat(3_000_000)
    const sent = framed(encode(AUTHENTICATE.request, { name })).length
    for (const token of await Promise.all([ask(endpoint, { name }), ask(endpoint, { name })])) {
      expect(token).toHaveLength(12_000_000)
      expect(token.slice(0, 10)).toBe(`${sent}...`)
    }
  })
})

/** A server of Node's own that answers each call like this. */
async function serve(answerTo: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createServer()
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    answerTo(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push({ [Symbol.asyncDispose]: async () => void server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The connection of the peer, when it has come. */
async function openedBy(peer: GrpcPeer): Promise<FrameConnection> {
  return expect
    .poll(() => peer.connections[0])
    .toBeDefined()
    .then(() => peer.connections[0]!)
}

function sentBytes({ seen }: FrameConnection): number {
  return seen.filter(({ type }) => type === h2.DATA).reduce((sum, { content }) => sum + content.length, 0)
}

function roomGiven({ seen }: FrameConnection, id: number): number {
  return seen
    .filter(({ type, stream }) => type === h2.WINDOW_UPDATE && stream === id)
    .reduce((sum, { content }) => sum + content.readUInt32BE(), 0)
}
