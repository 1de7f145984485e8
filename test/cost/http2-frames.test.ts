// What frames cost that say something of windows and settings: a stream more is not a frame more, and many small steps are one.
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
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
import { request } from '../corpora/header-blocks.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { type Frame, FrameReader, headersFrame, numberFrame, settingsFrame } from '../rigs/http2-frames.ts'
import { processorMilliseconds } from '../rigs/processor-time.ts'

setFlagsFromString('--expose-gc')

/** A socket whose other end is the test: what is pushed is read at once. */
class Line extends Duplex {
  readonly sent: Frame[] = []
  readonly #reader = new FrameReader()

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.sent.push(...this.#reader.push(chunk))
    done()
  }

  setTimeout(): void {}
}

/** A connection on which the client's windows are closed. */
function open(onRequest: (stream: Http2Stream) => void, turns = new RequestTurns()): Line {
  const line = new Line()
  const session = new Http2Session(line as unknown as Socket, {
    maxStreams: 1000,
    maxHeaderBytes: 64 * 1024,
    limits: CONNECTION_LIMITS,
    memory: new UnfinishedMemory(
      { perConnectionBytes: 1e9, totalBytes: 1e9 },
      { bytes: new Count(), resets: new Count() },
    ),
    turns,
    buffers: new OutboxBuffers(),
    date: new HttpDate(systemClock),
    readSocket: readInPlace,
    onRequest,
    onFault: (error) => {
      throw error
    },
    onEnd: (reason) => expect.unreachable(reason),
  })
  expect(session.socket).toBe(line)
  line.push(Buffer.concat([Buffer.from(h2.PREFACE), settingsFrame([[h2.INITIAL_WINDOW_SIZE, 0]])]))
  return line
}

const ANSWER = Buffer.alloc(100_000)

/** With so many streams, each with an answer that there is no window for. */
async function blocked(streams: number): Promise<Line> {
  const line = open((stream) => stream.whole(200, {}, ANSWER))
  for (let i = 0; i < streams; i++) line.push(headersFrame(2 * i + 1, request('GET', '/'), true))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  return line
}

/** The same on so many connections: some systems count processor time in large steps. */
const CONNECTIONS = 40

async function costOf(streams: number, chunks: readonly Buffer[]): Promise<number> {
  const lines: Line[] = []
  for (let i = 0; i < CONNECTIONS; i++) lines.push(await blocked(streams))
  const milliseconds = processorMilliseconds(() => {
    for (const line of lines) for (const chunk of chunks) line.push(chunk)
  })
  for (const line of lines) line.destroy()
  return milliseconds
}

describe('what is said of all streams', () => {
  it.each([
    ['WINDOW_UPDATE for the connection', Array.from({ length: 8000 }, () => numberFrame(h2.WINDOW_UPDATE, 0, 1))],
    [
      'SETTINGS with very many values of one setting',
      [settingsFrame(Array.from({ length: 2700 }, (_, i) => [h2.INITIAL_WINDOW_SIZE, i % 2]))],
    ],
  ])('%s costs the same with one and with a hundred that wait', async (_name, chunks) => {
    const [one, hundred] = [await costOf(1, chunks), await costOf(100, chunks)]
    expect(hundred).toBeLessThan(3 * one + 50)
  })
})

describe('CVE-2019-9511: windows that are opened byte by byte', () => {
  it.each([
    ['of a stream', 1],
    ['of the connection', 0],
  ])('%s let out one frame for all that came together', async (_name, id) => {
    const line = await blocked(1)
    // The other window is open.
    if (id === 0) line.push(Buffer.concat([numberFrame(h2.WINDOW_UPDATE, 1, 1e6)]))
    await new Promise((resolve) => setImmediate(resolve))
    const before = line.sent.filter(({ type }) => type === h2.DATA).length
    line.push(Buffer.concat(Array.from({ length: 500 }, () => numberFrame(h2.WINDOW_UPDATE, id, 1))))
    await new Promise((resolve) => setImmediate(resolve))
    const frames = line.sent.filter(({ type }) => type === h2.DATA).slice(before)
    expect(frames.map(({ content }) => content.length)).toEqual([500])
  })
})

describe('an answer that is always a little behind', () => {
  it('keeps nothing of what was sent', async () => {
    const collectGarbage = runInNewContext('gc') as () => void
    const streams: Http2Stream[] = []
    const line = open((stream) => void streams.push(stream))
    line.push(headersFrame(1, request('GET', '/'), true))
    const stream = streams[0]!
    stream.begin(200, {})
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 3000; i++) {
      stream.write(Buffer.allocUnsafeSlow(10_000))
      // All but the last byte.
      line.push(Buffer.concat([0, 1].map((id) => numberFrame(h2.WINDOW_UPDATE, id, i === 0 ? 9_999 : 10_000))))
      line.sent.length = 0
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(stream.unsentBytes).toBeGreaterThan(0)
    const kept = (): number => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers - before
    }
    await expect.poll(kept).toBeLessThan(5e6)
    line.destroy()
  })
})

/** A millisecond of the processor, whatever the clock says. */
function work(): void {
  const before = process.threadCpuUsage()
  for (let spent = before; spent.user + spent.system < before.user + before.system + 1000; ) {
    spent = process.threadCpuUsage()
  }
}

describe('requests that come all at once', () => {
  const many = (count: number): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, i) => headersFrame(2 * i + 1, request('GET', '/'), true)))

  it('are begun some at a time, so that others have their turn, and all of them in the end', async () => {
    let begun = 0
    const line = open((stream) => {
      begun++
      work()
      stream.whole(204, {}, undefined)
    })
    expect(line.push(many(200))).toBe(false)
    expect(begun).toBeLessThan(100)
    // What comes meanwhile waits for its turn.
    line.push(headersFrame(401, request('GET', '/'), true))
    expect(begun).toBeLessThan(100)
    const answered = (): readonly number[] =>
      line.sent.filter(({ type }) => type === h2.HEADERS).map(({ stream }) => stream)
    await expect.poll(answered).toEqual(Array.from({ length: 201 }, (_, i) => 2 * i + 1))
    expect(begun).toBe(201)
    line.destroy()
  })

  it('are begun a few at a time where their work comes later and is much', async () => {
    let begun = 0
    const line = open((stream) => {
      begun++
      void Promise.resolve().then(() => {
        work()
        work()
        stream.whole(204, {}, undefined)
      })
    })
    const turns: number[] = []
    const look = (): void => {
      turns.push(begun)
      if (begun < 200) setImmediate(look)
    }
    line.push(many(200))
    look()
    await expect.poll(() => begun).toBe(200)
    const inEach = turns.map((sum, at) => sum - (turns[at - 1] ?? 0))
    expect(inEach[0]).toBeLessThan(40)
    // It has been learned what they take.
    expect(Math.max(...inEach.slice(-5))).toBeLessThan(15)
    line.destroy()
  })

  it('on many connections share one turn, and each connection has one begun in it', async () => {
    const turns = new RequestTurns()
    const begun = Array.from({ length: 20 }, () => 0)
    const lines = begun.map((_, at) =>
      open((stream) => {
        begun[at]!++
        work()
        stream.whole(204, {}, undefined)
      }, turns),
    )
    for (const line of lines) line.push(many(15))
    expect(begun[0]).toBeGreaterThan(1)
    expect(begun.slice(12)).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
    await expect.poll(() => begun).toEqual(begun.map(() => 15))
    for (const line of lines) line.destroy()
  })
})
