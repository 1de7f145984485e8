// The server's side of SPDY/3.1, as Kubernetes uses it. The client opens streams with headers, and both sides send data. There is no flow
// control: a stream that is not read holds up the connection.
import { Duplex } from 'node:stream'
import { createDeflate, createInflate, constants, type Deflate, type Inflate } from 'node:zlib'
import { SPDY_DICTIONARY } from './spdy-dictionary.ts'

const HEADER_BYTES = 8
const VERSION = 3
const FIN = 1
/** The types of control frames. */
const SYN_STREAM = 1
const SYN_REPLY = 2
const RST_STREAM = 3
const PING = 6
const CANCEL = 5
const REFUSED = 3
const MOST_STREAMS = 1_000
const LONGEST_CONTROL = 64 * 1024
/** The longest headers of a stream. */
const LONGEST_HEADERS = 64 * 1024
const LONGEST_DATA = 64 * 1024

/** Serves streams on the connection until it ends. Rejects if the client does not speak SPDY. */
export function serveSpdy(socket: Duplex, onStream: (stream: SpdyStream) => void): Promise<void> {
  return new SpdyConnection(socket, onStream).run()
}

class SpdyConnection {
  readonly #socket: Duplex
  readonly #onStream: (stream: SpdyStream) => void
  readonly #streams = new Map<number, SpdyStream>()
  readonly #inflate = new HeaderInflate()
  readonly #deflate = new HeaderDeflate()
  #roomy: PromiseWithResolvers<void> | undefined

  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#socket = socket
    this.#onStream = onStream
  }

  async run(): Promise<void> {
    this.#socket.once('close', () => this.#roomy?.resolve())
    try {
      await this.#read()
    } finally {
      for (const stream of this.#streams.values()) stream.destroy()
      this.#inflate.close()
      this.#deflate.close()
      this.#socket.destroy()
    }
  }

  async #read(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0)
    // Chunks are joined when a whole frame is there: each byte is copied a bounded number of times.
    let waiting: Buffer[] = []
    let bytes = 0
    let needed = 0
    /** The data frame that is not complete yet. */
    let open: { readonly id: number; readonly flags: number; left: number } | undefined
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      waiting.push(chunk)
      bytes += chunk.length
      if (bytes < needed) continue
      rest = waiting.length === 1 ? chunk : Buffer.concat(waiting)
      needed = HEADER_BYTES
      while (rest.length > 0) {
        if (open !== undefined) {
          const piece = rest.subarray(0, open.left)
          rest = rest.subarray(piece.length)
          open.left -= piece.length
          await this.#take(open.id, piece, open.left === 0 && (open.flags & FIN) !== 0)
          if (open.left === 0) open = undefined
          continue
        }
        if (rest.length < HEADER_BYTES) break
        const first = rest.readUInt32BE(0)
        const flags = rest.readUInt8(4)
        const length = rest.readUIntBE(5, 3)
        if (first >>> 31 === 0) {
          rest = rest.subarray(HEADER_BYTES)
          if (length > 0) open = { id: first, flags, left: length }
          else if ((flags & FIN) !== 0) await this.#take(first, Buffer.alloc(0), true)
          continue
        }
        if (((first >>> 16) & 0x7fff) !== VERSION || length > LONGEST_CONTROL)
          throw new Error('the client does not speak SPDY/3.1')
        if (rest.length < HEADER_BYTES + length) {
          needed = HEADER_BYTES + length
          break
        }
        const body = rest.subarray(HEADER_BYTES, HEADER_BYTES + length)
        rest = rest.subarray(HEADER_BYTES + length)
        await this.#control(first & 0xffff, flags, body)
        if (this.#socket.writableNeedDrain) await this.#drained()
      }
      waiting = rest.length === 0 ? [] : [rest]
      bytes = rest.length
      if (open !== undefined) needed = 0
    }
  }

  /** A client that sends pings or streams and does not read would fill the memory with answers. */
  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.once('drain', resolve).once('close', resolve)
    await promise
    this.#socket.off('drain', resolve).off('close', resolve)
  }

  async #control(type: number, flags: number, body: Buffer): Promise<void> {
    if (type === SYN_STREAM && body.length >= 10) return this.#begin(body.readUInt32BE(0), flags, body.subarray(10))
    if (type === RST_STREAM && body.length >= 4) this.#streams.get(body.readUInt32BE(0))?.reset()
    // A ping of the client has an odd number, and is sent back.
    else if (type === PING && body.length >= 4 && body.readUInt32BE(0) % 2 === 1) this.#send(PING, 0, body)
  }

  async #begin(id: number, flags: number, block: Buffer): Promise<void> {
    const headers = readHeaders(await this.#inflate.next(block))
    if (this.#streams.size >= MOST_STREAMS || this.#streams.has(id)) return this.#refuse(id, REFUSED)
    const stream = new SpdyStream(headers, {
      write: (data, isLast) => this.#write(id, data, isLast),
      roomy: () => this.#roomy?.resolve(),
      over: (isClean) => {
        this.#streams.delete(id)
        this.#roomy?.resolve()
        if (!isClean && !this.#socket.destroyed) this.#refuse(id, CANCEL)
      },
    })
    this.#streams.set(id, stream)
    this.#send(SYN_REPLY, 0, Buffer.concat([numbers(id), await this.#deflate.next(numbers(0))]))
    this.#onStream(stream)
    if ((flags & FIN) !== 0) stream.push(null)
  }

  async #take(id: number, data: Buffer, isLast: boolean): Promise<void> {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    const hasRoom = data.length === 0 || stream.push(data)
    if (isLast) stream.push(null)
    else if (!hasRoom && !stream.destroyed) {
      this.#roomy = Promise.withResolvers()
      await this.#roomy.promise
      this.#roomy = undefined
    }
  }

  #refuse(id: number, status: number): void {
    this.#send(RST_STREAM, 0, Buffer.concat([numbers(id), numbers(status)]))
  }

  #send(type: number, flags: number, body: Buffer): void {
    this.#socket.write(Buffer.concat([numbers((((0x8000 | VERSION) << 16) | type) >>> 0), lengthOf(flags, body), body]))
  }

  async #write(id: number, data: Buffer, isLast: boolean): Promise<void> {
    let at = 0
    do {
      const piece = data.subarray(at, at + LONGEST_DATA)
      at += piece.length
      const frame = Buffer.concat([numbers(id), lengthOf(isLast && at >= data.length ? FIN : 0, piece), piece])
      await new Promise<void>((resolve, reject) => {
        this.#socket.write(frame, (error) => (error ? reject(error) : resolve()))
      })
    } while (at < data.length)
  }
}

interface StreamEnds {
  readonly write: (data: Buffer, isLast: boolean) => Promise<void>
  /** Called when the client's data was read. */
  readonly roomy: () => void
  readonly over: (isClean: boolean) => void
}

/** A stream: reads give the client's bytes, and writes go to the client. */
export class SpdyStream extends Duplex {
  /** The names are in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly #ends: StreamEnds
  #isReset = false

  constructor(headers: ReadonlyMap<string, string>, ends: StreamEnds) {
    super({ allowHalfOpen: true })
    this.headers = headers
    this.#ends = ends
  }

  /** Ends the stream, because the client does not need it any more. */
  reset(): void {
    this.#isReset = true
    this.destroy()
  }

  override _read(): void {
    this.#ends.roomy()
  }

  override _write(data: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#ends.write(data, false).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#ends.write(Buffer.alloc(0), true).then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ends.over(this.#isReset || (this.writableFinished && this.readableEnded))
    done(error)
  }
}

function numbers(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function lengthOf(flags: number, { length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt8(flags)
  bytes.writeUIntBE(length, 1, 3)
  return bytes
}

/** Reads the headers of a block. Throws if the block is cut off. */
function readHeaders(block: Buffer): ReadonlyMap<string, string> {
  let at = 0
  const number = (): number => {
    const value = block.readUInt32BE(at)
    at += 4
    return value
  }
  const text = (): string => {
    const length = number()
    if (at + length > block.length) throw new Error('headers of SPDY that are cut off')
    at += length
    return block.toString('latin1', at - length, at)
  }
  const headers = new Map<string, string>()
  for (let left = number(); left > 0; left--) headers.set(text().toLowerCase(), text())
  return headers
}

/** All header blocks of a connection are one zlib stream, which is flushed after each block. */
class HeaderInflate {
  readonly #zlib: Inflate = createInflate({ dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH })

  next(block: Buffer): Promise<Buffer> {
    return flushed(this.#zlib, block, LONGEST_HEADERS)
  }

  close(): void {
    this.#zlib.destroy()
  }
}

class HeaderDeflate {
  readonly #zlib: Deflate = createDeflate({ dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH })

  next(block: Buffer): Promise<Buffer> {
    return flushed(this.#zlib, block, LONGEST_HEADERS)
  }

  close(): void {
    this.#zlib.destroy()
  }
}

function flushed(zlib: Inflate | Deflate, block: Buffer, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    const onData = (piece: Buffer): void => {
      pieces.push(piece)
      length += piece.length
      if (length <= most) return
      zlib.destroy()
      reject(new Error('headers of SPDY that are too long'))
    }
    zlib.on('data', onData)
    zlib.once('error', reject)
    zlib.write(block, (error) => {
      zlib.off('data', onData)
      if (error) return reject(error)
      zlib.off('error', reject)
      resolve(Buffer.concat(pieces))
    })
  })
}
