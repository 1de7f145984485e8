import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import * as fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CONNECTION_LIMITS, type ConnectionLimits, type EndReason } from '../../../src/wire/connection-limits.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { HttpDate } from '../../../src/wire/http-date.ts'
import { Http2Session } from '../../../src/wire/http2-server-session.ts'
import type { Http2Stream } from '../../../src/wire/http2-server-stream.ts'
import { RequestTurns } from '../../../src/wire/request-turns.ts'
import { type UnfinishedLimits, UnfinishedMemory } from '../../../src/wire/unfinished-memory.ts'
import { OutboxBuffers } from '../../../src/wire/frame-outbox.ts'
import { readAsStream, readInPlace, type ReadSocket } from '../../../src/lib/runtime/read-socket.ts'
import { Count } from '../../../src/lib/measure.ts'
import { fieldsOf, indexed, indexedLiteral, literal, request, block as blockOf } from '../../corpora/header-blocks.ts'
import * as h2 from '../../rigs/http2-frames.ts'
import {
  dataFrame as data,
  type Frame,
  frame,
  FrameConnection,
  headersFrame,
  numberFrame,
  settingsFrame,
} from '../../rigs/http2-frames.ts'

const MAX_STREAMS = 10
const MAX_HEADER_BYTES = 20_000
const WINDOW_BYTES = 256 * 1024
/** Three times what a second may bring: a busy machine may take a while to read them. */
const FLOOD_FRAMES = 6_000

let server: Server
let onRequest: (stream: Http2Stream, session: Http2Session) => void
let serverSockets: Socket[]
let sessions: Http2Session[]
let faults: unknown[]
let ends: EndReason[]
let limits: ConnectionLimits
let readSocket: ReadSocket
let unfinished: UnfinishedLimits
const held = new Count()

beforeEach(async () => {
  ends = []
  limits = CONNECTION_LIMITS
  unfinished = { perConnectionBytes: 1e6, totalBytes: 1e6 }
  held.value = 0
  onRequest = (stream) => stream.whole(200, { 'content-type': 'text/plain' }, Buffer.from(stream.target))
  serverSockets = []
  sessions = []
  faults = []
  const options = {
    maxStreams: MAX_STREAMS,
    maxHeaderBytes: MAX_HEADER_BYTES,
    turns: new RequestTurns(),
    buffers: new OutboxBuffers(),
    date: new HttpDate(systemClock),
    readSocket,
    onRequest: (stream: Http2Stream, session: Http2Session) => onRequest(stream, session),
    onFault: (error: unknown) => void faults.push(error),
    limits,
    memory: new UnfinishedMemory(unfinished, { bytes: held, resets: new Count() }),
    onEnd: (reason: EndReason) => void ends.push(reason),
  }
  server = createServer((socket) => {
    serverSockets.push(socket)
    sessions.push(new Http2Session(socket, options))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of serverSockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

async function dial(): Promise<FrameConnection> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return new FrameConnection(socket)
}

async function greet(settings: readonly (readonly [number, number])[] = []): Promise<FrameConnection> {
  const client = await dial()
  client.send(Buffer.from(h2.PREFACE), settingsFrame(settings))
  return client
}

function get(stream: number, path = '/'): Buffer {
  return headersFrame(stream, request('GET', path), true)
}

function statusOf({ content }: Frame): string | undefined {
  return fieldsOf(content).find(([name]) => name === ':status')?.[1]
}

function answerOf(client: FrameConnection, stream: number): Promise<Frame> {
  return client.frame((seen) => seen.type === h2.HEADERS && seen.stream === stream)
}

/** Waits for the end of a stream, and gives all of its data. */
async function bodyOf(client: FrameConnection, stream: number): Promise<string> {
  const isData = (seen: Frame): boolean => seen.type === h2.DATA && seen.stream === stream
  await client.frame((seen) => seen.stream === stream && (seen.flags & h2.END_STREAM) !== 0)
  return Buffer.concat(client.seen.filter(isData).map(({ content }) => content)).toString()
}

async function resetCode(client: FrameConnection, stream: number): Promise<number> {
  const { content } = await client.frame((seen) => seen.type === h2.RST_STREAM && seen.stream === stream)
  return content.readUInt32BE(0)
}

async function farewellCode(client: FrameConnection): Promise<number> {
  const { content } = await client.frame(({ type }) => type === h2.GOAWAY)
  return content.readUInt32BE(4)
}

/** Everything before it has been dealt with. */
async function ping(client: FrameConnection, text: string): Promise<void> {
  client.send(frame({ type: h2.PING, flags: 0, stream: 0 }, Buffer.from(text.padEnd(8))))
  await client.frame(({ type, content }) => type === h2.PING && content.toString().trim() === text)
}

describe.each([
  ['in place', readInPlace],
  ['as a stream', readAsStream],
])('where the socket is read %s:', (_way, reader) => {
  beforeAll(() => {
    readSocket = reader
  })

  describe('a request', () => {
    it('is answered on its stream, with its length of headers and all of its bytes', async () => {
      const client = await greet()
      client.send(get(1, '/one'), get(3, '/three'))
      expect(statusOf(await answerOf(client, 1))).toBe('200')
      expect(await bodyOf(client, 1)).toBe('/one')
      expect(await bodyOf(client, 3)).toBe('/three')
    })

    it('may come byte by byte', async () => {
      const client = await dial()
      for (const byte of Buffer.concat([Buffer.from(h2.PREFACE), settingsFrame([]), get(1, '/slow')])) {
        client.send(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await bodyOf(client, 1)).toBe('/slow')
    })

    it('may have its headers spread over frames, with padding', async () => {
      const client = await greet()
      const block = request('GET', '/spread')
      const first = Buffer.concat([Buffer.of(3), block.subarray(0, 5), Buffer.alloc(3)])
      client.send(
        frame({ type: h2.HEADERS, flags: h2.END_STREAM | 0x8, stream: 1 }, first),
        frame({ type: h2.CONTINUATION, flags: 0, stream: 1 }, block.subarray(5, 9)),
        frame({ type: h2.CONTINUATION, flags: h2.END_HEADERS, stream: 1 }, block.subarray(9)),
      )
      expect(await bodyOf(client, 1)).toBe('/spread')
    })

    it('is told what belongs to it, and what came twice is joined', async () => {
      const client = await greet()
      const seen: unknown[] = []
      onRequest = (stream) => {
        seen.push(stream.method, stream.headers)
        stream.whole(204, {}, undefined)
      }
      const twice = ['a', 'b'].map((value) =>
        blockOf({ 'x-a': value, cookie: value, 'user-agent': value, __proto__x: value }),
      )
      client.send(headersFrame(1, Buffer.concat([request('DELETE', '/'), ...twice]), true))
      expect(statusOf(await answerOf(client, 1))).toBe('204')
      expect(seen).toEqual(['DELETE', { 'x-a': 'a, b', cookie: 'a; b', 'user-agent': 'a', __proto__x: 'a, b' }])
    })

    it('with more headers than are taken is told so, and those after it are understood', async () => {
      const client = await greet()
      const large = literal('x-large', 'x'.repeat(10_000))
      // To be kept: what it names is of use later, although it was too much now.
      const kept = indexedLiteral('x-kept', 'y')
      const names = Buffer.concat([request('GET', '/'), kept, ...Array.from({ length: 600 }, () => literal('a', 'b'))])
      client.send(headersFrame(1, names, true))
      expect(statusOf(await answerOf(client, 1))).toBe('431')
      onRequest = (stream) => stream.whole(200, {}, Buffer.from(String(stream.headers['x-kept'])))
      client.send(headersFrame(3, Buffer.concat([request('GET', '/'), indexed(62), large]), true))
      expect(await bodyOf(client, 3)).toBe('y')
    })

    it('may be followed by what its client had to say of it before it knew that it was over', async () => {
      const client = await greet()
      for (let id = 1; id < 6000; id += 2) {
        client.send(get(id), numberFrame(h2.WINDOW_UPDATE, id, 100), numberFrame(h2.RST_STREAM, id, h2.CANCEL))
      }
      expect(await bodyOf(client, 5999)).toBe('/')
      await ping(client, 'well')
    })

    it('beyond those that are allowed at a time is refused untouched', async () => {
      const client = await greet()
      const open: Http2Stream[] = []
      onRequest = (stream) => void open.push(stream)
      for (let i = 0; i <= MAX_STREAMS; i++) client.send(get(2 * i + 1))
      expect(await resetCode(client, 2 * MAX_STREAMS + 1)).toBe(h2.REFUSED_STREAM)
      expect(open).toHaveLength(MAX_STREAMS)
    })
  })

  describe('a body', () => {
    function readBody(stream: Http2Stream): Promise<string> {
      return new Promise((resolve) => {
        const chunks: Buffer[] = []
        stream.listen({
          onData: (chunk) => void chunks.push(chunk),
          onEnd: () => resolve(Buffer.concat(chunks).toString()),
          onError: (cause) => resolve(`broken: ${(cause as Error).message}`),
        })
      })
    }

    it('is given whole, with what came before anybody listened, and without padding', async () => {
      const client = await greet()
      let got: Promise<string> | undefined
      onRequest = (stream) => {
        setImmediate(() => {
          got = readBody(stream)
          void got.then((text) => stream.whole(200, {}, Buffer.from(text)))
        })
      }
      client.send(
        headersFrame(1, request('POST', '/', { 'content-length': '6' }), false),
        data(1, 'abc'),
        data(1, Buffer.concat([Buffer.of(2), Buffer.from('de'), Buffer.alloc(2)]), 0x8),
      )
      await ping(client, 'between')
      client.send(data(1, 'f', h2.END_STREAM))
      expect(await bodyOf(client, 1)).toBe('abcdef')
      expect(await got).toBe('abcdef')
    })

    it('of any size is taken as it is read, and no faster', async () => {
      const client = await greet()
      let stream: Http2Stream | undefined
      onRequest = (opened) => {
        stream = opened
      }
      client.send(headersFrame(1, request('POST', '/'), false))
      const piece = data(1, Buffer.alloc(h2.DEFAULT_FRAME_BYTES, 'x'))
      const pieces = WINDOW_BYTES / h2.DEFAULT_FRAME_BYTES
      client.send(...Array.from({ length: pieces }, () => piece))
      await ping(client, 'full')
      const roomFrames = (): number => client.seen.filter(({ type, stream: id }) => type === 8 && id === 1).length
      expect(roomFrames()).toBe(0)
      const got = readBody(stream!)
      await client.frame(({ type, stream: id }) => type === h2.WINDOW_UPDATE && id === 1)
      client.send(data(1, 'end', h2.END_STREAM))
      expect(await got).toHaveLength(WINDOW_BYTES + 3)
    })

    it('that nobody wants to read to its end is ended without an error', async () => {
      const client = await greet()
      client.send(headersFrame(1, request('POST', '/early'), false), data(1, 'abc'))
      expect(await bodyOf(client, 1)).toBe('/early')
      expect(await resetCode(client, 1)).toBe(h2.NO_ERROR)
      client.send(data(1, 'what was on its way'), headersFrame(1, literal('x-trailer', 'late'), true))
      await ping(client, 'alive')
    })

    it.each([
      ['shorter than announced', '4', 'abc'],
      ['longer than announced', '2', 'abc'],
    ])('that is %s is no request', async (_, length, text) => {
      const client = await greet()
      const got: Promise<string>[] = []
      onRequest = (stream) => void got.push(readBody(stream))
      client.send(
        headersFrame(1, request('POST', '/', { 'content-length': length }), false),
        data(1, text, h2.END_STREAM),
      )
      expect(await resetCode(client, 1)).toBe(h2.PROTOCOL_ERROR)
      expect(await got[0]).toMatch(/^broken/)
    })

    it('breaks with its connection', async () => {
      const client = await greet()
      const got = new Promise<string>((resolve) => {
        onRequest = (stream) => void readBody(stream).then(resolve)
      })
      client.send(headersFrame(1, request('POST', '/'), false), data(1, 'abc'))
      await ping(client, 'there')
      client.socket.destroy()
      expect(await got).toMatch(/^broken/)
    })
  })

  describe('an answer', () => {
    it('goes out as the client gives room for it', async () => {
      const client = await greet([[h2.INITIAL_WINDOW_SIZE, 10]])
      onRequest = (stream) => stream.whole(200, {}, Buffer.from('0123456789abcdefghij'))
      client.send(get(1))
      const first = await client.frame(({ type }) => type === h2.DATA)
      expect(first.content.toString()).toBe('0123456789')
      await ping(client, 'waits')
      expect(client.seen.filter(({ type }) => type === h2.DATA)).toHaveLength(1)
      client.send(numberFrame(h2.WINDOW_UPDATE, 1, 3))
      await ping(client, 'more')
      client.send(settingsFrame([[h2.INITIAL_WINDOW_SIZE, 100]]))
      expect(await bodyOf(client, 1)).toBe('0123456789abcdefghij')
    })

    it('shares the room of the connection with others, in turns', async () => {
      const client = await greet([[h2.INITIAL_WINDOW_SIZE, h2.LARGEST_WINDOW_BYTES]])
      onRequest = (stream) => stream.whole(200, {}, Buffer.alloc(100_000, stream.id === 1 ? 'a' : 'b'))
      client.send(get(1), get(3))
      await ping(client, 'spent')
      const sent = (stream: number): number =>
        client.seen
          .filter((seen) => seen.type === h2.DATA && seen.stream === stream)
          .reduce((n, { content }) => n + content.length, 0)
      expect([sent(1), sent(3)]).toEqual([h2.DEFAULT_WINDOW_BYTES, 0])
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 * h2.DEFAULT_FRAME_BYTES))
      await ping(client, 'turn')
      expect([sent(1), sent(3)]).toEqual([h2.DEFAULT_WINDOW_BYTES + h2.DEFAULT_FRAME_BYTES, h2.DEFAULT_FRAME_BYTES])
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 1_000_000))
      expect(await bodyOf(client, 1)).toHaveLength(100_000)
      expect(await bodyOf(client, 3)).toHaveLength(100_000)
    })

    it('in pieces asks its writer to wait, and says when to go on', async () => {
      const client = await greet()
      const streams: Http2Stream[] = []
      onRequest = (stream) => {
        streams.push(stream)
        stream.begin(200, {})
      }
      client.send(get(1))
      await answerOf(client, 1)
      const stream = streams[0]!
      expect(stream.write(Buffer.alloc(60_000))).toBe(true)
      expect(stream.write(Buffer.alloc(5_535 + 65_536))).toBe(false)
      expect(stream.needsDrain).toBe(true)
      const drained = new Promise<void>((resolve) => stream.on('drain', resolve))
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 100_000), numberFrame(h2.WINDOW_UPDATE, 1, 100_000))
      await drained
      stream.end()
      expect(await bodyOf(client, 1)).toHaveLength(60_000 + 5_535 + 65_536)
      expect(stream.wasSent).toBe(true)
    })

    it('in small pieces goes out in few frames, and whole', async () => {
      const client = await greet([[h2.INITIAL_WINDOW_SIZE, h2.LARGEST_WINDOW_BYTES]])
      const sizes = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 101)
      const pieces = sizes.map((size, i) => Buffer.alloc(size, String(i)))
      onRequest = (stream) => {
        stream.begin(200, {})
        for (const piece of pieces) stream.gather(piece)
        stream.end()
      }
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30), get(1))
      expect(await bodyOf(client, 1)).toBe(Buffer.concat(pieces).toString())
      const least = Math.ceil(Buffer.concat(pieces).length / h2.DEFAULT_FRAME_BYTES)
      expect(client.seen.filter(({ type }) => type === h2.DATA).length).toBeLessThanOrEqual(least + 3)
    })

    it('whose end comes while the socket is full is ended all the same', async () => {
      const client = await greet([[h2.INITIAL_WINDOW_SIZE, h2.LARGEST_WINDOW_BYTES]])
      const streams: Http2Stream[] = []
      onRequest = (stream) => {
        streams.push(stream)
        stream.begin(200, {})
      }
      client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30), get(1), get(3))
      await answerOf(client, 3)
      client.socket.pause()
      while (streams[0]!.write(Buffer.alloc(65_536))) await new Promise((resolve) => setImmediate(resolve))
      streams[1]!.end()
      streams[0]!.end()
      client.socket.resume()
      expect(await bodyOf(client, 3)).toBe('')
      await bodyOf(client, 1)
    })

    it('may have more headers than a frame has room for', async () => {
      const client = await greet()
      onRequest = (stream) => stream.whole(200, { warning: ['w'.repeat(10_000), 'v'.repeat(10_000)] }, undefined)
      client.send(get(1))
      const rest = await client.frame(({ type }) => type === h2.CONTINUATION)
      const first = await answerOf(client, 1)
      const whole = { ...first, content: Buffer.concat([first.content, rest.content]) }
      expect([statusOf(whole), first.flags, rest.flags]).toEqual(['200', h2.END_STREAM, h2.END_HEADERS])
    })

    it('that breaks off is reset, and its stream is closed once', async () => {
      const client = await greet()
      const closed: boolean[] = []
      onRequest = (stream) => {
        stream.whenClosed(() => closed.push(stream.wasSent))
        stream.begin(200, {})
        stream.breakOff()
        stream.breakOff()
        stream.end()
      }
      client.send(get(1))
      expect(await resetCode(client, 1)).toBe(h2.INTERNAL_ERROR)
      client.send(numberFrame(h2.RST_STREAM, 1, h2.CANCEL))
      await ping(client, 'alive')
      expect(closed).toEqual([false])
    })

    it('is given up when the client cancels it, or goes', async () => {
      const client = await greet()
      const closed: number[] = []
      onRequest = (stream) => {
        stream.whenClosed(() => closed.push(stream.id))
        stream.begin(200, {})
      }
      client.send(get(1), get(3), numberFrame(h2.RST_STREAM, 1, h2.CANCEL))
      await ping(client, 'told')
      expect(closed).toEqual([1])
      const gone = once(serverSockets[0]!, 'close')
      client.socket.destroy()
      await gone
      expect(closed).toEqual([1, 3])
    })
  })

  describe('a connection that is to end', () => {
    it('finishes what is under way, and takes nothing more', async () => {
      const client = await greet()
      const streams: Http2Stream[] = []
      onRequest = (stream, session) => {
        streams.push(stream)
        session.leave()
      }
      const ended = once(client.socket, 'end')
      client.send(get(1))
      expect(await farewellCode(client)).toBe(h2.NO_ERROR)
      client.send(get(3))
      await ping(client, 'both')
      streams[0]!.whole(200, {}, Buffer.from('late'))
      expect(await bodyOf(client, 1)).toBe('late')
      await ended
      expect(streams).toHaveLength(1)
    })

    it('answers what was sent before its client had heard of that, and nothing after', async () => {
      const client = await greet()
      await ping(client, 'here')
      const ended = once(client.socket, 'end')
      const targets: string[] = []
      onRequest = (stream) => {
        targets.push(stream.target)
        stream.whole(200, {}, undefined)
      }
      for (const session of [sessions[0]!, sessions[0]!]) session.drain()
      const { content } = await client.frame(({ type }) => type === h2.GOAWAY)
      expect([content.readUInt32BE(0), content.readUInt32BE(4)]).toEqual([2 ** 31 - 1, h2.NO_ERROR])
      const asked = await client.frame(({ type, flags }) => type === h2.PING && (flags & h2.ACK) === 0)
      client.send(get(1, '/before'))
      expect(statusOf(await answerOf(client, 1))).toBe('200')
      client.send(frame({ type: h2.PING, flags: h2.ACK, stream: 0 }, asked.content), get(3, '/after'))
      await ended
      const farewells = client.seen.filter(({ type }) => type === h2.GOAWAY).map((seen) => seen.content.readUInt32BE(0))
      expect(farewells).toEqual([2 ** 31 - 1, 1])
      expect(targets).toEqual(['/before'])
    })

    it('ends though its client says nothing to that', async () => {
      const client = await greet()
      await ping(client, 'here')
      const ended = once(client.socket, 'end')
      sessions[0]!.drain()
      sessions[0]!.leave()
      await ended
    })
  })

  it('a fault of ours costs one connection, and is told once', async () => {
    const [client, other] = [await greet(), await greet()]
    onRequest = (stream) => {
      if (stream.target === '/bad') throw new TypeError('ours')
      stream.whole(200, {}, undefined)
    }
    client.send(get(1, '/bad'), get(3, '/bad'))
    expect(await farewellCode(client)).toBe(h2.INTERNAL_ERROR)
    expect(faults).toEqual([new TypeError('ours')])
    other.send(get(1))
    expect(statusOf(await answerOf(other, 1))).toBe('200')
  })

  const PING_HEAD = { type: h2.PING, flags: 0, stream: 0 }
  const POST_HEAD = headersFrame(1, request('POST', '/wait'), false)

  describe('what is against the protocol costs the connection:', () => {
    const cases: readonly [string, number, readonly Buffer[]][] = [
      ['a ping of six bytes', h2.FRAME_SIZE_ERROR, [frame(PING_HEAD, Buffer.alloc(6))]],
      ['a ping on a stream', h2.PROTOCOL_ERROR, [frame({ ...PING_HEAD, stream: 1 }, Buffer.alloc(8))]],
      ['settings of five bytes', h2.FRAME_SIZE_ERROR, [frame({ ...PING_HEAD, type: h2.SETTINGS }, Buffer.alloc(5))]],
      [
        'an acknowledgement with settings in it',
        h2.FRAME_SIZE_ERROR,
        [frame({ type: h2.SETTINGS, flags: h2.ACK, stream: 0 }, Buffer.alloc(6))],
      ],
      ['settings on a stream', h2.PROTOCOL_ERROR, [frame({ type: h2.SETTINGS, flags: 0, stream: 1 })]],
      ['pushes that are neither on nor off', h2.PROTOCOL_ERROR, [settingsFrame([[h2.ENABLE_PUSH, 2]])]],
      ['frames that are too small', h2.PROTOCOL_ERROR, [settingsFrame([[h2.MAX_FRAME_SIZE, 100]])]],
      ['a window that is too large', h2.FLOW_CONTROL_ERROR, [settingsFrame([[h2.INITIAL_WINDOW_SIZE, 2 ** 31]])]],
      [
        'a window that grows too large by its streams',
        h2.FLOW_CONTROL_ERROR,
        [POST_HEAD, numberFrame(h2.WINDOW_UPDATE, 1, 2 ** 30), settingsFrame([[h2.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]])],
      ],
      ['no room for all streams', h2.PROTOCOL_ERROR, [numberFrame(h2.WINDOW_UPDATE, 0, 0)]],
      ['too much room for all streams', h2.FLOW_CONTROL_ERROR, [numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 31 - 1)]],
      [
        'room that is no number',
        h2.FRAME_SIZE_ERROR,
        [frame({ ...PING_HEAD, type: h2.WINDOW_UPDATE }, Buffer.alloc(3))],
      ],
      ['a request with an even number', h2.PROTOCOL_ERROR, [get(2)]],
      ['a request with a number of the past', h2.STREAM_CLOSED, [get(3), get(1)]],
      ['data of a stream that never was', h2.PROTOCOL_ERROR, [data(1, 'x')]],
      ['data of no stream', h2.PROTOCOL_ERROR, [data(0, 'x')]],
      ['a reset of a stream that never was', h2.PROTOCOL_ERROR, [numberFrame(h2.RST_STREAM, 1, 0)]],
      [
        'a reset that is no number',
        h2.FRAME_SIZE_ERROR,
        [get(1), frame({ ...PING_HEAD, type: h2.RST_STREAM, stream: 1 })],
      ],
      ['a push', h2.PROTOCOL_ERROR, [frame({ type: h2.PUSH_PROMISE, flags: 0, stream: 1 }, Buffer.alloc(4))]],
      ['a priority of no stream', h2.PROTOCOL_ERROR, [frame({ ...PING_HEAD, type: h2.PRIORITY }, Buffer.alloc(5))]],
      ['headers that are cut off', h2.PROTOCOL_ERROR, [frame({ type: h2.HEADERS, flags: 0, stream: 1 }), get(3)]],
      [
        'a rest of headers that never began',
        h2.PROTOCOL_ERROR,
        [frame({ type: h2.CONTINUATION, flags: 4, stream: 1 })],
      ],
      ['headers that cannot be read', h2.COMPRESSION_ERROR, [headersFrame(1, Buffer.of(0xff, 0xff, 0xff), true)]],
      ['more padding than frame', h2.PROTOCOL_ERROR, [POST_HEAD, data(1, Buffer.of(9, 1), 0x8)]],
      ['a frame that is too long', h2.FRAME_SIZE_ERROR, [frame(PING_HEAD, Buffer.alloc(16_385))]],
      [
        'headers without end',
        h2.ENHANCE_YOUR_CALM,
        [
          frame({ type: h2.HEADERS, flags: 0, stream: 1 }, Buffer.alloc(10_000)),
          ...[1, 2, 3].map(() => frame({ type: h2.CONTINUATION, flags: 0, stream: 1 }, Buffer.alloc(15_000))),
        ],
      ],
      [
        'headers in pieces without end',
        h2.ENHANCE_YOUR_CALM,
        [
          frame({ type: h2.HEADERS, flags: 0, stream: 1 }),
          ...Array.from({ length: 1100 }, () => frame({ type: h2.CONTINUATION, flags: 0, stream: 1 })),
        ],
      ],
      [
        'pings without end',
        h2.ENHANCE_YOUR_CALM,
        Array.from({ length: FLOOD_FRAMES }, () => frame(PING_HEAD, Buffer.alloc(8))),
      ],
      ['settings without end', h2.ENHANCE_YOUR_CALM, Array.from({ length: FLOOD_FRAMES }, () => settingsFrame([]))],
      [
        'empty data without end',
        h2.ENHANCE_YOUR_CALM,
        [POST_HEAD, ...Array.from({ length: FLOOD_FRAMES }, () => data(1, ''))],
      ],
      [
        'frames that nobody knows without end',
        h2.ENHANCE_YOUR_CALM,
        Array.from({ length: FLOOD_FRAMES }, () => frame({ type: 99, flags: 0, stream: 0 })),
      ],
      [
        'data of requests that are over without end',
        h2.ENHANCE_YOUR_CALM,
        [
          ...Array.from({ length: 300 }, (_, i) => get(2 * i + 1)),
          ...Array.from({ length: FLOOD_FRAMES }, (_, i) => data(2 * (i % 300) + 1, 'x')),
        ],
      ],
      [
        'requests that are none without end',
        h2.ENHANCE_YOUR_CALM,
        Array.from({ length: FLOOD_FRAMES }, (_, i) => headersFrame(2 * i + 1, Buffer.alloc(0), true)),
      ],
    ]
    it.each(cases)('%s', async (_, code, frames) => {
      const client = await greet()
      onRequest = (stream) => {
        if (stream.target !== '/wait') stream.whole(200, {}, undefined)
      }
      const ended = once(client.socket, 'end')
      client.send(...frames)
      expect(await farewellCode(client)).toBe(code)
      await ended
    })

    it('other first words', async () => {
      const client = await dial()
      client.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
      expect(await farewellCode(client)).toBe(h2.PROTOCOL_ERROR)
    })

    it('frames before the settings', async () => {
      const client = await dial()
      client.send(Buffer.from(h2.PREFACE), get(1))
      expect(await farewellCode(client)).toBe(h2.PROTOCOL_ERROR)
    })

    it('asking and never reading', async () => {
      const client = await greet()
      const closed = once(serverSockets[0]!, 'close')
      client.socket.pause()
      onRequest = (stream) => stream.whole(200, { 'x-large': 'x'.repeat(16_000) }, undefined)
      for (let id = 1; id < 100_000 && !serverSockets[0]!.destroyed; id += 2) {
        client.send(get(id))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(serverSockets[0]!.destroyed).toBe(true)
      await closed
    })
  })

  describe('what is against the protocol costs a request alone:', () => {
    const rows: readonly [string, Readonly<Record<string, string>>][] = [
      ['no method', { ':scheme': 'https', ':path': '/' }],
      ['no path', { ':method': 'GET', ':scheme': 'https' }],
      ['an empty path', { ':method': 'GET', ':scheme': 'https', ':path': '' }],
      ['no scheme', { ':method': 'GET', ':path': '/' }],
      ['a connection to nowhere', { ':method': 'CONNECT' }],
      ['a method with a space', { ':method': 'GET /x', ':scheme': 'https', ':path': '/' }],
      ['a pseudo header that is unknown', { ':method': 'GET', ':scheme': 'https', ':path': '/', ':x': 'y' }],
      ['a pseudo header of answers', { ':method': 'GET', ':scheme': 'https', ':path': '/', ':status': '200' }],
      ['a pseudo header behind others', { ':method': 'GET', ':scheme': 'https', 'x-a': 'b', ':path': '/' }],
      ...(
        [
          ['a name with a capital', { 'X-A': 'b' }],
          ['a name with a space', { 'x a': 'b' }],
          ['an empty name', { '': 'b' }],
          ['a value with a line end', { 'x-a': 'b\r\nc: d' }],
          ['a value with a zero', { 'x-a': 'b\0' }],
          ['a connection header', { connection: 'keep-alive' }],
          ['a transfer coding', { 'transfer-encoding': 'chunked' }],
          ['an upgrade', { upgrade: 'h2c' }],
          ['a te that is not for trailers', { te: 'gzip' }],
          ['a length that is no number', { 'content-length': '1e3' }],
          ['a length without a body', { 'content-length': '3' }],
        ] as const
      ).map(([name, more]): [string, Record<string, string>] => [
        name,
        { ':method': 'GET', ':scheme': 'https', ':path': '/', ...more },
      ]),
    ]
    it.each(rows)('%s', async (_, fields) => {
      const client = await greet()
      client.send(headersFrame(1, blockOf(fields), true))
      expect(await resetCode(client, 1)).toBe(h2.PROTOCOL_ERROR)
      client.send(get(3, '/next'))
      expect(await bodyOf(client, 3)).toBe('/next')
    })

    it.each([
      ['two paths', Buffer.concat([request('GET', '/'), literal(':path', '/b')])],
      [
        'two lengths that differ',
        Buffer.concat([request('GET', '/', { 'content-length': '0' }), literal('content-length', '1')]),
      ],
    ])('%s', async (_, block) => {
      const client = await greet()
      client.send(headersFrame(1, block, true))
      expect(await resetCode(client, 1)).toBe(h2.PROTOCOL_ERROR)
    })

    it.each([
      ['no room for its stream', h2.PROTOCOL_ERROR, numberFrame(h2.WINDOW_UPDATE, 1, 0)],
      ['too much room for its stream', h2.FLOW_CONTROL_ERROR, numberFrame(h2.WINDOW_UPDATE, 1, 2 ** 31 - 1)],
      ['a second head', h2.PROTOCOL_ERROR, headersFrame(1, literal('x-a', 'b'), false)],
      ['a pseudo header among its trailers', h2.PROTOCOL_ERROR, headersFrame(1, literal(':path', '/'), true)],
    ])('%s', async (_, code, wrong) => {
      const client = await greet()
      onRequest = () => {}
      client.send(POST_HEAD, wrong)
      expect(await resetCode(client, 1)).toBe(code)
      await ping(client, 'alive')
    })

    it('more of a body than there was room for', async () => {
      const client = await greet()
      onRequest = () => {}
      client.send(POST_HEAD)
      await ping(client, 'begun')
      const frames = Array.from({ length: 17 }, () => data(1, Buffer.alloc(h2.DEFAULT_FRAME_BYTES)))
      client.send(...frames)
      expect(await resetCode(client, 1)).toBe(h2.FLOW_CONTROL_ERROR)
    })

    it.each([
      ['data', data(1, 'x')],
      ['headers', headersFrame(1, literal('x-a', 'b'), true)],
    ])('%s behind its end', async (_, late) => {
      const client = await greet()
      onRequest = () => {}
      client.send(get(1), late)
      expect(await resetCode(client, 1)).toBe(h2.STREAM_CLOSED)
      await ping(client, 'alive')
    })
  })

  it('of a client that goes on sending when its connection is over, little more is read', async () => {
    const client = await greet()
    client.send(numberFrame(h2.WINDOW_UPDATE, 0, 0))
    expect(await farewellCode(client)).toBe(h2.PROTOCOL_ERROR)
    client.socket.on('error', () => {})
    client.send(Buffer.alloc(20e6))
    await expect.poll(() => serverSockets[0]!.destroyed).toBe(true)
    expect(serverSockets[0]!.bytesRead).toBeLessThan(2e6)
  })

  it('whatever comes behind the first words is answered or ends the connection, and nothing else breaks', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 })
    const frames = fc.array(
      fc.record({
        type: fc.integer({ min: 0, max: 10 }),
        flags: fc.integer({ min: 0, max: 255 }),
        stream: fc.nat(6),
        content: bytes,
      }),
      { maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(frames, async (some) => {
        const client = await greet()
        client.send(...some.map(({ content, ...rest }) => frame(rest, Buffer.from(content))), get(7, '/after'))
        await client.frame(
          ({ type, stream, flags }) =>
            type === h2.GOAWAY || (stream === 7 && (type === h2.RST_STREAM || (flags & h2.END_STREAM) !== 0)),
        )
        expect(faults).toEqual([])
        client.socket.destroy()
      }),
      { numRuns: 60 },
    )
  })
})
