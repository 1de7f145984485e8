import { duplexPair, type Duplex } from 'node:stream'
import { constants, createDeflate, createInflate } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { serveSpdy, type SpdyStream } from '../../../src/wire/spdy.ts'
import { SPDY_DICTIONARY } from '../../../src/wire/spdy-dictionary.ts'

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, 4 * i))
  return bytes
}

function control(type: number, flags: number, body: Buffer): Buffer {
  return Buffer.concat([numbers(0x80030000 + type, flags * 2 ** 24 + body.length), body])
}

function data(id: number, text: string, flags = 0): Buffer {
  return Buffer.concat([numbers(id, flags * 2 ** 24 + text.length), Buffer.from(text)])
}

interface Frame {
  readonly type: number | 'data'
  readonly id: number
  readonly flags: number
  readonly body: Buffer
}

/** A client of SPDY, and the streams that the server has seen. */
class Client {
  readonly socket: Duplex
  /** The end of the server. */
  readonly far: Duplex
  readonly streams: SpdyStream[] = []
  readonly over: Promise<unknown>
  readonly #deflate = createDeflate({ dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  #received = Buffer.alloc(0)

  constructor() {
    const [near, far] = duplexPair()
    this.socket = near
    this.far = far
    near.on('data', (piece: Buffer) => (this.#received = Buffer.concat([this.#received, piece]))).on('error', () => {})
    this.over = serveSpdy(far, (stream) => this.streams.push(stream.on('error', () => {}))).then(
      () => undefined,
      (error: unknown) => error,
    )
    onTestFinished(() => void near.destroy())
  }

  async open(id: number, headers: Readonly<Record<string, string>>, flags = 0): Promise<void> {
    const texts = Object.entries(headers)
      .flat()
      .flatMap((text) => [numbers(text.length), Buffer.from(text)])
    await this.block(id, Buffer.concat([numbers(Object.keys(headers).length), ...texts]), flags)
  }

  async block(id: number, block: Buffer, flags = 0): Promise<void> {
    const pieces: Buffer[] = []
    const take = (piece: Buffer): unknown => pieces.push(piece)
    this.#deflate.on('data', take)
    await new Promise<void>((resolve) => this.#deflate.write(block, () => resolve()))
    this.#deflate.off('data', take)
    this.socket.write(control(1, flags, Buffer.concat([numbers(id, 0), Buffer.alloc(2), ...pieces])))
  }

  get frames(): readonly Frame[] {
    const frames: Frame[] = []
    let at = 0
    while (at + 8 <= this.#received.length) {
      const first = this.#received.readUInt32BE(at)
      const length = this.#received.readUIntBE(at + 5, 3)
      const body = this.#received.subarray(at + 8, at + 8 + length)
      const flags = this.#received.readUInt8(at + 4)
      const isData = first < 0x80000000
      const id = isData || length < 4 ? first : body.readUInt32BE(0)
      frames.push({ type: isData ? 'data' : first & 0xffff, id, flags, body })
      at += 8 + length
    }
    return frames
  }

  text(id: number): string {
    return this.frames
      .flatMap((frame) => (frame.type === 'data' && frame.id === id ? [frame.body.toString()] : []))
      .join('')
  }
}

it('streams have headers, and bytes in both directions', async () => {
  const client = new Client()
  await client.open(1, { streamType: 'data', Port: '80' })
  await expect.poll(() => client.streams).toHaveLength(1)
  const [stream] = client.streams as [SpdyStream]
  expect([...stream.headers]).toEqual([
    ['streamtype', 'data'],
    ['port', '80'],
  ])
  expect(client.frames).toMatchObject([{ type: 2, id: 1 }])
  // The headers of an answer are compressed too: none of them.
  const inflate = createInflate({ dictionary: SPDY_DICTIONARY })
  inflate.write(client.frames[0]!.body.subarray(4))
  await expect.poll(() => inflate.read() as unknown).toEqual(numbers(0))
  for (const byte of data(1, 'hello')) client.socket.write(Buffer.of(byte))
  client.socket.write(data(1, ' world', 1))
  let text = ''
  for await (const piece of stream) text += String(piece)
  expect(text).toBe('hello world')
  stream.end('y'.repeat(200_000))
  await expect.poll(() => client.text(1)).toBe('y'.repeat(200_000))
  expect(client.frames.at(-1)).toMatchObject({ type: 'data', id: 1, flags: 1 })
  client.socket.end()
  expect(await client.over).toBeUndefined()
})

it('a stream that is not read holds up the connection, and no other waits when it is gone', async () => {
  const client = new Client()
  await client.open(1, { a: 'b' })
  client.socket.write(data(1, 'x'.repeat(100_000)))
  await client.open(3, { a: 'b' }, 1)
  await expect.poll(() => client.streams).toHaveLength(1)
  client.streams[0]!.destroy()
  await expect.poll(() => client.streams).toHaveLength(2)
  expect(client.frames.filter(({ type }) => type === 3)).toMatchObject([{ id: 1 }])
})

it('pings of the client are answered', async () => {
  const client = new Client()
  client.socket.write(control(6, 0, numbers(7)))
  await expect.poll(() => client.frames).toMatchObject([{ type: 6, id: 7 }])
})

it('a client that pings and does not read holds up its own connection', async () => {
  const client = new Client()
  client.socket.pause()
  for (let i = 0; i < 300; i++) {
    client.socket.write(control(6, 0, Buffer.concat([numbers(7), Buffer.alloc(4000)])))
    await new Promise(setImmediate)
  }
  expect(client.far.writableLength).toBeLessThan(100_000)
  client.socket.resume()
  await expect.poll(() => client.frames.length).toBe(300)
})

it.each<[string, (client: Client) => unknown]>([
  ['another protocol', (client) => client.socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(2).replace(/^G/, '\u00ff'))],
  ['another version', (client) => client.socket.write(Buffer.concat([numbers(0x80020001, 0)]))],
  ['a control frame that is too long', (client) => client.socket.write(numbers(0x80030001, 2 ** 24 - 1))],
  ['headers that are no zlib', (client) => client.socket.write(control(1, 0, Buffer.alloc(40, 7)))],
  ['headers that are cut off', (client) => client.block(1, numbers(3, 9))],
  ['headers that grow beyond their limit', (client) => client.block(1, Buffer.alloc(10_000_000))],
])('%s ends the connection', async (_what, send) => {
  const client = new Client()
  await send(client)
  expect(await client.over).toBeInstanceOf(Error)
  expect(client.streams).toEqual([])
})

it('a connection has a bounded number of streams', async () => {
  const client = new Client()
  for (let id = 1; id <= 2_003; id += 2) await client.open(id, { a: 'b' })
  await expect.poll(() => client.frames.filter(({ type }) => type === 3)).toMatchObject([{ id: 2_001 }, { id: 2_003 }])
})
