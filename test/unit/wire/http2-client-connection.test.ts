// Whether the peer is there: asked after a silence while something is waited for, and never without need.
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '../../../src/wire/http2-client-connection.ts'
import type { Broken } from '../../../src/wire/http2-client-stream.ts'
import { ACK, frame, FrameReader, PING, PREFACE, settingsFrame } from '../../rigs/http2-frames.ts'

/** A socket that ends nowhere: what is written to it is cut into frames and kept. */
class Line extends Duplex {
  readonly pings: number[] = []
  readonly #reader = new FrameReader()
  #isGreeted = false

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    const frames = this.#isGreeted ? chunk : chunk.subarray(PREFACE.length)
    this.#isGreeted = true
    for (const { type, flags } of this.#reader.push(frames)) if (type === PING) this.pings.push(flags)
    done()
  }
}

describe('the peer of a connection', () => {
  let line: Line
  let connection: Connection
  let read: (chunk: Buffer) => void
  const ends: Broken[] = []
  const listener = {
    onHeaders: () => undefined,
    onData: () => undefined,
    onBroken: (cause: Broken) => ends.push(cause),
  }

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    ends.length = 0
    line = new Line()
    connection = new Connection(
      (onRead) => {
        read = onRead
        return line
      },
      () => undefined,
    )
    await comes(settingsFrame([]))
  })
  afterEach(() => {
    connection.close()
    vi.useRealTimers()
  })

  async function comes(bytes: Buffer): Promise<void> {
    read(bytes)
    await new Promise(setImmediate)
  }

  async function pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms)
    await new Promise(setImmediate)
  }

  it('is asked after ten seconds of silence, and given up after five more', async () => {
    connection.open(Buffer.alloc(0), listener)
    await pass(9_999)
    expect(line.pings).toEqual([])
    await pass(1)
    expect(line.pings).toEqual([0])
    await pass(4_999)
    expect(ends).toEqual([])
    await pass(1)
    expect(ends).toEqual([{ message: expect.stringContaining('no response'), untouched: false }])
    expect(connection.state).toBe('closed')
  })

  it('that answers is asked again only after the next silence', async () => {
    connection.open(Buffer.alloc(0), listener)
    await pass(10_000)
    await comes(frame({ type: PING, flags: ACK, stream: 0 }, Buffer.alloc(8)))
    await pass(9_999)
    expect(line.pings).toEqual([0])
    await pass(1)
    expect(line.pings).toEqual([0, 0])
    expect(connection.state).toBe('open')
  })

  it('from which something comes all the time is not asked', async () => {
    connection.open(Buffer.alloc(0), listener)
    for (let i = 0; i < 10; i++) {
      await pass(9_000)
      await comes(settingsFrame([]))
    }
    expect(line.pings).toEqual([])
  })

  it('is asked at once where an answer is late, and given up after the same time again', async () => {
    connection.open(Buffer.alloc(0), listener)
    await pass(999)
    connection.check(1_000)
    expect(line.pings).toEqual([])
    await pass(1)
    connection.check(1_000)
    connection.check(1_000)
    await pass(999)
    expect(line.pings).toEqual([0])
    expect(ends).toEqual([])
    await pass(1)
    expect(ends).toEqual([{ message: expect.stringContaining('no response within 2000 ms'), untouched: false }])
  })

  it('that answers is not asked more often than etcd allows, and not forgotten', async () => {
    connection.open(Buffer.alloc(0), listener)
    for (let second = 0; second < 10; second++) {
      await pass(1_000)
      connection.check(1_000)
      await comes(frame({ type: PING, flags: ACK, stream: 0 }, Buffer.alloc(8)))
    }
    expect(line.pings).toHaveLength(2)
    await pass(15_000)
    expect(connection.state).toBe('closed')
  })

  it('of which nothing is wanted is not asked', async () => {
    connection.open(Buffer.alloc(0), listener).reset()
    await pass(100_000)
    expect(line.pings).toEqual([])
    expect(connection.state).toBe('open')
  })

  it('that never says a word is given up after five seconds', async () => {
    const silent = new Connection(
      () => new Line(),
      () => undefined,
    )
    silent.open(Buffer.alloc(0), listener)
    await pass(5_000)
    expect(silent.state).toBe('closed')
    expect(ends).toEqual([{ message: expect.stringContaining('no answer'), untouched: true }])
  })
})
