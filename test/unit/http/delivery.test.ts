import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Delivery } from '../../../src/http/delivery.ts'
import type { WireConnection, WireResponse } from '../../../src/wire/request-response.ts'
import { Distribution } from '../../../src/lib/measure.ts'
import { StreamSink } from '../../../src/http/stream-sink.ts'

interface Written {
  readonly stream: string
  readonly text: string
}

class World {
  readonly delivery = new Delivery()
  readonly latency = new Distribution([0.5])
  readonly written: Written[] = []
  readonly abort = new AbortController()
  onWrite: ((stream: string) => void) | undefined
  readonly faults: string[] = []

  sink(stream: string, connection: WireConnection, isPaced = false): StreamSink {
    const write = (piece: Buffer): boolean => {
      this.written.push({ stream, text: piece.toString() })
      this.onWrite?.(stream)
      return true
    }
    let gathered = ''
    const gather = (piece: Buffer): boolean => {
      gathered += piece.toString()
      return true
    }
    const flush = (): void => {
      write(text(gathered))
      gathered = ''
    }
    const raw = { connection, needsDrain: false, write, gather, flush } as Partial<WireResponse> as WireResponse
    const { delivery, latency } = this
    const onFault = (error: unknown): void => void this.faults.push(`${stream}: ${(error as Error).message}`)
    return new StreamSink(raw, { signal: this.abort.signal, delivery, latency, isPaced, onFault })
  }

  /** Everything that was on its way has been written. */
  async settled(): Promise<void> {
    for (let turn = 0, before = -1; turn < 5 || before !== this.written.length; turn++) {
      before = this.written.length
      await setImmediate()
    }
  }
}

const connection = (): WireConnection => ({ flush: () => {} })

const text = (piece: string): Buffer => Buffer.from(piece)

describe('delivering to streams', () => {
  it('goes on with the others where one cannot be written to, or a connection', async () => {
    const world = new World()
    const flush = (): never => {
      throw new Error('gone')
    }
    const one = connection()
    const sinks = [
      world.sink('a', one),
      world.sink('b', one),
      world.sink('c', { flush }),
      world.sink('d', connection()),
    ]
    world.onWrite = (stream) => {
      if (stream === 'a') throw new Error('no')
    }
    const others = (): readonly string[] =>
      world.written.filter(({ stream }) => stream === 'b' || stream === 'd').map((each) => each.stream + each.text)
    for (const sink of sinks) sink.write(text('1'))
    await expect.poll(others).toEqual(['b1', 'd1'])
    expect(world.faults).toEqual(['a: no', 'c: gone'])
    for (const sink of sinks) sink.write(text('2'))
    await expect.poll(others).toEqual(['b1', 'd1', 'b2', 'd2'])
  })

  it('writes what came for a stream at once, connection by connection', async () => {
    const world = new World()
    const [one, other] = [connection(), connection()]
    const sinks = [world.sink('a', one), world.sink('b', other), world.sink('c', one)]
    for (const piece of ['1', '2', '3']) for (const sink of sinks) sink.write(text(piece))
    expect(world.written).toEqual([])
    await world.settled()
    expect(world.written.map(({ stream, text }) => stream + text)).toEqual(['a123', 'c123', 'b123'])
  })

  it('joins the same pieces once for all who get them', () => {
    const delivery = new Delivery()
    const [first, second, third] = [text('1'), text('2'), text('3')]
    const joined = delivery.join([first, second])
    expect(joined.toString()).toBe('12')
    expect(delivery.join([first, second])).toBe(joined)
    expect(delivery.join([first, third]).toString()).toBe('13')
    expect(delivery.join([first])).toBe(first)
  })

  it('keeps the order of a stream while rounds go on, and loses nothing', async () => {
    const world = new World()
    const connections = Array.from({ length: 7 }, () => connection())
    const sinks = Array.from({ length: 200 }, (_, at) => world.sink(String(at), connections[at % 7]!))
    const got = new Map<string, string>()
    let next = 1
    const complete = new Promise<void>((resolve) => {
      world.onWrite = () => {
        const { stream, text: piece } = world.written.at(-1)!
        got.set(stream, (got.get(stream) ?? '') + piece)
        // In the midst of a round there is something new for everyone.
        if (next <= 10 && world.written.length >= next * 150) {
          for (const sink of sinks) sink.write(text(`${next}.`))
          next++
        }
        if (sinks.every((_, at) => got.get(String(at))?.endsWith('10.'))) resolve()
      }
    })
    for (const sink of sinks) sink.write(text('0.'))
    await complete
    expect(new Set(got.values())).toEqual(new Set(['0.1.2.3.4.5.6.7.8.9.10.']))
    expect(world.written.length).toBeLessThan(200 * 11)
  })

  it.each([
    ['a little where events come one by one', ['1'], 8],
    ['much longer where they share a round', ['1', '2'], 32],
  ])('rests after a round in proportion to what its writing took: %s', async (_, pieces, restMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = new World()
    const sink = world.sink('a', connection())
    const write = async (tookMs: number, ...of: readonly string[]): Promise<void> => {
      world.onWrite = () => void vi.advanceTimersByTime(tookMs)
      for (const piece of of) sink.write(text(piece))
      await world.settled()
    }
    await write(2, ...pieces)
    await write(0, 'waits')
    vi.advanceTimersByTime(restMs - 1)
    await world.settled()
    expect(world.written).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await world.settled()
    expect(world.written).toHaveLength(2)
    await write(0, 'at once after a cheap one')
    expect(world.written).toHaveLength(3)
  })

  it('writes to paced streams at once, then together and not before they can be seen again, and holds up no others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = new World()
    const one = connection()
    const [plain, ...paced] = [world.sink('plain', one), world.sink('a', one, true), world.sink('b', one, true)]
    const write = async (piece: string): Promise<void> => {
      for (const sink of [plain, ...paced]) sink.write(text(piece))
      await world.settled()
    }
    const written = (): readonly string[] => world.written.splice(0).map(({ stream, text }) => `${stream} ${text}`)
    await write('1')
    expect(written()).toEqual(['plain 1', 'a 1', 'b 1'])
    for (const piece of ['2', '3', '4']) {
      vi.advanceTimersByTime(10)
      await write(piece)
    }
    expect(written()).toEqual(['plain 2', 'plain 3', 'plain 4'])
    vi.advanceTimersByTime(20)
    await world.settled()
    expect(written()).toEqual(['a 234', 'b 234'])
    await write('5')
    expect(written()).toEqual(['plain 5'])
    paced[0]?.flush(performance.now())
    expect(written()).toEqual(['a 5'])
    vi.advanceTimersByTime(100)
    await world.settled()
    expect(written()).toEqual(['b 5'])
    await write('6')
    vi.advanceTimersByTime(50)
    await world.settled()
    expect(written()).toEqual(['plain 6', 'a 6', 'b 6'])
  })

  it('does not let much wait', () => {
    const world = new World()
    const sink = world.sink('a', connection())
    sink.write(text('small'))
    sink.write(Buffer.alloc(64 * 1024, 'x'))
    expect(world.written.map(({ text }) => text.length)).toEqual([5 + 64 * 1024])
  })

  it('sends parts as if they were one piece, a few and many', async () => {
    const world = new World()
    const sink = world.sink('a', connection())
    sink.write([text('one '), text('piece, ')])
    for (let i = 0; i < 40; i++) sink.write([text('head '), Buffer.alloc(5_000, 'x'), text(' end.')])
    await world.settled()
    const all = world.written.map(({ text }) => text).join('')
    expect(all).toBe(`one piece, ${`head ${'x'.repeat(5_000)} end.`.repeat(40)}`)
    expect(sink.bytes).toBe(all.length)
    expect(world.written.length).toBeLessThan(6)
  })

  it('counts once a write how long the first of its pieces has waited', async () => {
    const world = new World()
    const sink = world.sink('a', connection())
    const now = performance.now()
    sink.write(text('of a state'))
    sink.write(text('1'), now - 2000)
    sink.write(text('2'), now)
    await world.settled()
    expect([...world.latency.counts]).toEqual([0, 1])
    sink.write(text('3'), performance.now())
    sink.flush(performance.now())
    expect([...world.latency.counts]).toEqual([1, 1])
    sink.write(text('bookmark'))
    await world.settled()
    expect([...world.latency.counts]).toEqual([1, 1])
  })

  it('writes what is left when a stream is flushed, and nothing to one that is gone', async () => {
    const world = new World()
    const sink = world.sink('a', connection())
    sink.write(text('last'))
    sink.flush(performance.now())
    expect(world.written).toEqual([{ stream: 'a', text: 'last' }])
    sink.write(text('too late'))
    world.abort.abort()
    await world.settled()
    expect(sink.write(text('more'))).toBe(false)
    expect(world.written).toHaveLength(1)
  })
})
