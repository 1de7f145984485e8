// Our server's end of HTTP/2 beside Node's, which is another's work (nghttp2): what a client may say is made up at random, within the
// rules, and both must hear the same.
import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONNECTION_LIMITS } from '../../src/wire/connection-limits.ts'
import { readInPlace } from '../../src/lib/runtime/read-socket.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { HttpDate } from '../../src/wire/http-date.ts'
import { Http2Session } from '../../src/wire/http2-server-session.ts'
import type { Http2Stream } from '../../src/wire/http2-server-stream.ts'
import { RequestTurns } from '../../src/wire/request-turns.ts'
import { UnfinishedMemory } from '../../src/wire/unfinished-memory.ts'
import { OutboxBuffers } from '../../src/wire/frame-outbox.ts'
import { Count } from '../../src/lib/measure.ts'
import { BlockWriter, type Representation } from '../corpora/header-blocks.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { frame, FrameConnection, numberFrame, settingsFrame } from '../rigs/http2-frames.ts'
import { SEED } from '../rigs/seed.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

/** What a server heard of a request, and says in its answer. */
interface Heard {
  readonly method: string
  readonly path: string
  readonly fields: readonly (readonly [string, string])[]
  readonly body: string
}

/** Without what Node adds by itself. */
function heard(method: string, path: string, headers: http2.IncomingHttpHeaders, body: Buffer): Buffer {
  const fields = Object.entries(headers)
    .filter(([name]) => !name.startsWith(':'))
    .map(([name, value]) => [name, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.from(JSON.stringify({ method, path, fields, body: body.toString('latin1') } satisfies Heard))
}

let nodes: http2.Http2Server
let ours: Server
const faults: unknown[] = []

beforeAll(async () => {
  nodes = http2.createServer()
  nodes.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      if (stream.destroyed) return
      stream.respond({ ':status': 200 })
      stream.end(heard(headers[':method'] ?? '', headers[':path'] ?? '', headers, Buffer.concat(chunks)))
    })
  })
  nodes.on('sessionError', () => {})
  const options = {
    maxStreams: 1000,
    maxHeaderBytes: 64 * 1024,
    limits: CONNECTION_LIMITS,
    memory: new UnfinishedMemory(
      { perConnectionBytes: 1e9, totalBytes: 1e9 },
      { bytes: new Count(), resets: new Count() },
    ),
    turns: new RequestTurns(),
    buffers: new OutboxBuffers(),
    date: new HttpDate(systemClock),
    readSocket: readInPlace,
    onRequest: (stream: Http2Stream) => {
      const chunks: Buffer[] = []
      stream.listen({
        onData: (chunk) => void chunks.push(Buffer.from(chunk)),
        onEnd: () => stream.whole(200, {}, heard(stream.method, stream.target, stream.headers, Buffer.concat(chunks))),
        onError: () => {},
      })
    },
    onFault: (error: unknown) => void faults.push(error),
    onEnd: (reason: unknown) => void faults.push(reason),
  }
  ours = createServer((socket) => void new Http2Session(socket, options))
  await Promise.all([nodes, ours].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
})
afterAll(async () => {
  await Promise.all([nodes, ours].map((server) => new Promise((resolve) => server.close(resolve))))
})

function portOf(server: Server | http2.Http2Server): number {
  return (server.address() as AddressInfo).port
}

const fieldName = fc.constantFrom('accept', 'x-a', 'x-b', 'x-long-name-of-a-header', 'user-agent', 'cookie', 'referer')
const fieldValue = fc.oneof(
  fc.stringMatching(/^[!-~]{1,20}$/),
  fc.stringMatching(/^[!-~]([ -~]{0,300}[!-~])?$/),
  fc.constantFrom('', 'a', 'the same again', 'x'.repeat(3000)),
)
const representation = fc.constantFrom<Representation>('plain', 'never', 'kept')
const body = fc.uint8Array({ maxLength: 40_000 }).map((bytes) => Buffer.from(bytes))

const requests = fc.array(
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
    path: fc.stringMatching(/^\/[a-z0-9/%?=&.-]{0,60}$/),
    fields: fc.array(fc.tuple(fieldName, fieldValue, representation), { maxLength: 6 }),
    body: fc.option(body, { nil: undefined }),
    /** Where the field block is cut, and into how large pieces the body. */
    cuts: fc.array(fc.nat(200), { maxLength: 3 }),
    pieceBytes: fc.integer({ min: 1, max: 16_000 }),
    padding: fc.option(fc.nat(200), { nil: undefined }),
    hasPriority: fc.boolean(),
    trailers: fc.boolean(),
    isReset: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
)

type Request = typeof requests extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** Frames that belong together stand together: nothing may come between the pieces of a field block. */
function framesOf(stream: number, request: Request, writer: BlockWriter): readonly Buffer[] {
  const { trailers, isReset } = request
  const head = headersOf(stream, request, writer)
  const data = dataOf(stream, request)
  const last = trailers ? [h2.headersFrame(stream, writer.write([['x-trailer', 'y', 'plain']]), true)] : []
  const reset = isReset ? [numberFrame(h2.RST_STREAM, stream, h2.CANCEL)] : []
  return [head, ...data, ...last, ...reset]
}

function headersOf(stream: number, request: Request, writer: BlockWriter): Buffer {
  const { method, path, fields, body: bytes, cuts, padding, hasPriority, trailers } = request
  const length = bytes === undefined ? [] : ([['content-length', String(bytes.length), 'plain']] as const)
  const pseudo = [
    [':method', method, 'plain'],
    [':scheme', 'http', 'kept'],
    [':path', path, 'kept'],
    [':authority', 'here', 'kept'],
  ] as const
  const whole = writer.write([...pseudo, ...fields, ...length])
  const places = [...new Set(cuts.map((cut) => cut % whole.length))].sort((a, b) => a - b)
  const pieces = [0, ...places].map((at, i) => whole.subarray(at, places[i] ?? whole.length))
  const frames = pieces.map((piece, i) => {
    const ends = i === pieces.length - 1 ? h2.END_HEADERS : 0
    if (i > 0) return frame({ type: h2.CONTINUATION, flags: ends, stream }, piece)
    const last = bytes === undefined && !trailers ? h2.END_STREAM : 0
    const content = hasPriority ? Buffer.concat([Buffer.from([0, 0, 0, 0, 15]), piece]) : piece
    const flags = ends | last | (hasPriority ? h2.WITH_PRIORITY : 0)
    return padded({ type: h2.HEADERS, flags, stream }, content, padding)
  })
  return Buffer.concat(frames)
}

function dataOf(stream: number, { body: bytes, pieceBytes, padding, trailers }: Request): readonly Buffer[] {
  if (bytes === undefined) return []
  const count = Math.max(1, Math.ceil(bytes.length / pieceBytes))
  return Array.from({ length: count }, (_, i) => {
    const piece = bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes)
    const flags = i === count - 1 && !trailers ? h2.END_STREAM : 0
    return padded({ type: h2.DATA, flags, stream }, piece, padding)
  })
}

/** With padding, where it is asked for and there is room for it. */
function padded(head: h2.FrameHead, content: Buffer, padding: number | undefined): Buffer {
  if (padding === undefined || content.length + padding + 1 > h2.DEFAULT_FRAME_BYTES) return frame(head, content)
  return frame({ ...head, flags: head.flags | h2.PADDED }, Buffer.of(padding), content, Buffer.alloc(padding))
}

const between = fc.array(
  fc.oneof(
    fc.constant(frame({ type: h2.PRIORITY, flags: 0, stream: 99 }, Buffer.from([0, 0, 0, 0, 7]))),
    fc.constant(numberFrame(h2.WINDOW_UPDATE, 0, 1000)),
    fc.constant(frame({ type: 0x42, flags: 0xff, stream: 0 }, Buffer.from('an extension'))),
    fc.constant(frame({ type: h2.PING, flags: 0, stream: 0 }, Buffer.from('by-chanc'))),
    fc.nat(70_000).map((window) => settingsFrame([[h2.INITIAL_WINDOW_SIZE, window]])),
    fc.constant(settingsFrame([[h2.HEADER_TABLE_SIZE, 100]])),
  ),
  { maxLength: 8 },
)

/** What comes of it: of each request that was not taken back, what the server heard. */
async function answersTo(
  port: number,
  chunks: readonly Buffer[],
  streams: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  const client = new FrameConnection(socket)
  for (const chunk of chunks) {
    socket.write(chunk)
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Whatever the windows were, there is enough for all of it now.
  client.send(settingsFrame([[h2.INITIAL_WINDOW_SIZE, 2 ** 24]]), numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 24))
  const isOver = ({ type, stream, flags }: h2.Frame, id: number): boolean =>
    type === h2.GOAWAY || (stream === id && (type === h2.RST_STREAM || (type === h2.DATA && (flags & 1) !== 0)))
  const answers = new Map<number, string>()
  for (const id of streams) {
    const { type, content } = await client.frame((seen) => isOver(seen, id))
    const pieces = client.seen.filter((seen) => seen.type === h2.DATA && seen.stream === id)
    const text = Buffer.concat(pieces.map((piece) => piece.content)).toString()
    answers.set(id, type === h2.DATA ? text : `${type}: ${content.toString('hex')}`)
  }
  socket.destroy()
  return answers
}

describe('a server of ours', () => {
  it('hears of frames what Node’s hears', async () => {
    const script = fc.record({
      requests,
      between,
      /** In which order the streams have their turns, and how what is sent is cut. */
      order: fc.array(fc.nat(7), { maxLength: 60 }),
      chunkBytes: fc.integer({ min: 1, max: 30_000 }),
      resizes: fc.option(fc.nat(4096), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(script, async ({ requests: some, between: others, order, chunkBytes, resizes }) => {
        const writer = new BlockWriter()
        if (resizes !== undefined) writer.resize(resizes)
        // Blocks are written in the order in which they are sent, and so are the streams opened; their bodies take turns.
        const queues = some.map((request, i) => framesOf(2 * i + 1, withoutTrailers(request, i, some), writer))
        const frames = queues.map(([head]) => head!)
        const rests = queues.map(([, ...rest]) => rest)
        for (const turn of order) frames.push(rests[turn % rests.length]?.shift() ?? Buffer.alloc(0))
        frames.push(...rests.flat())
        others.forEach((other, i) => frames.splice((i * 7) % (frames.length + 1), 0, other))
        const bytes = Buffer.concat([Buffer.from(h2.PREFACE), settingsFrame([]), ...frames])
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; at += Math.max(chunkBytes, bytes.length / 50)) {
          chunks.push(bytes.subarray(at, at + Math.max(chunkBytes, bytes.length / 50)))
        }
        const wanted = some.flatMap(({ isReset }, i) => (isReset ? [] : [2 * i + 1]))
        const [theirs, own] = await Promise.all(
          [portOf(nodes), portOf(ours)].map((port) => answersTo(port, chunks, wanted)),
        )
        expect(own).toEqual(theirs)
        for (const [i, request] of some.entries()) {
          if (request.isReset) continue
          const said = JSON.parse(own!.get(2 * i + 1) ?? '') as Heard
          expect([said.method, said.path, said.body]).toEqual([
            request.method,
            request.path,
            request.body?.toString('latin1') ?? '',
          ])
        }
        expect(faults).toEqual([])
      }),
      { numRuns: 120 },
    )
  })

  it('tells Node’s client what Node’s server tells it', async () => {
    const calls = fc.array(
      fc.record({
        method: fc.constantFrom('GET', 'POST', 'PUT'),
        path: fc.stringMatching(/^\/[a-z0-9/-]{0,40}$/),
        fields: fc.dictionary(fieldName, fc.stringMatching(/^[!-~]([ -~]{0,500}[!-~])?$/), { maxKeys: 5 }),
        body: fc.option(body, { nil: undefined }),
        isCancelled: fc.boolean(),
      }),
      { minLength: 1, maxLength: 10 },
    )
    const settings = fc.record({
      initialWindowSize: fc.integer({ min: 1, max: 100_000 }),
      headerTableSize: fc.nat(10_000),
    })
    await fc.assert(
      fc.asyncProperty(calls, settings, fc.nat(3), async (some, agreed, padding) => {
        const outcomes = await Promise.all(
          [portOf(nodes), portOf(ours)].map(async (port) => {
            const client = http2.connect(`http://127.0.0.1:${port}`, { settings: agreed, paddingStrategy: padding % 3 })
            client.on('error', () => {})
            const all = await Promise.all(
              some.map(async ({ method, path, fields, body: bytes, isCancelled }) => {
                const stream = client.request(
                  { ':method': method, ':path': path, ...fields },
                  { endStream: bytes === undefined },
                )
                stream.on('error', () => {})
                if (bytes !== undefined) stream.end(bytes)
                if (isCancelled) stream.close(http2.constants.NGHTTP2_CANCEL)
                let [status, text] = [0, '']
                stream.on('response', (headers) => (status = Number(headers[':status'])))
                stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
                if (!stream.closed || !isCancelled) await new Promise((resolve) => stream.once('close', resolve))
                return isCancelled ? 'cancelled' : [status, text, stream.rstCode]
              }),
            )
            client.destroy()
            return all
          }),
        )
        expect(outcomes[1]).toEqual(outcomes[0])
        expect(faults).toEqual([])
      }),
      { numRuns: 80 },
    )
  })
})

/** What is behind the trailers of one must not be written before those of another: the table knows one order only. */
function withoutTrailers(request: Request, at: number, all: readonly Request[]): Request {
  return at === all.length - 1 ? request : { ...request, trailers: false }
}
