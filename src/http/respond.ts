// Sends an answer at the client's pace. Invariant: an answer that could not be sent whole never looks whole. Its connection (HTTP/1.1) or
// stream (HTTP/2) is destroyed instead of ended.
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { InvariantError } from '../lib/errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ServerClosingError } from './abort-reasons.ts'
import type { Delivery } from './delivery.ts'
import type { Exchange } from './exchange.ts'
import type { HttpRequest, HttpResponse, Piece, Pieces, ResponseBody } from './http.ts'
import type { HeaderRecord, WireResponse } from '../wire/request-response.ts'
import { drainedOf, StreamSink } from './stream-sink.ts'

/** Larger bodies are compressed for clients that accept gzip. */
export const GZIP_ABOVE_BYTES = 128 * 1024

const GATHER_BYTES = 64 * 1024

/**
 * No object is this large. A larger body is sent in slices: its unread rest is not copied for each client, and all clients share the bytes.
 */
const LARGE_BYTES = 4 * 1024 * 1024
const SLICE_BYTES = 256 * 1024

const gzipAsync = promisify(gzip)

/** Sends an answer. Returns the number of bytes when all of them are given to the connection. Rejects if the connection broke off. */
export function respond(
  raw: WireResponse,
  response: HttpResponse,
  { exchange, delivery }: { readonly exchange: Exchange; readonly delivery: Delivery },
): MaybePromise<number> {
  const { body } = response
  switch (body.kind) {
    case 'empty':
      raw.whole(response.status, headOf(response, exchange), undefined)
      return 0
    case 'bytes':
      return respondBytes(raw, response, { body, exchange })
    case 'pieces':
      return respondPieces(raw, response, { body, exchange })
    case 'stream':
      return respondStream(raw, response, { body, exchange, delivery })
    case 'tunnel':
      body.peer.destroy()
      throw new InvariantError('a tunnel in answer to a request without an upgrade')
  }
}

interface With<Kind extends ResponseBody['kind']> {
  readonly body: Extract<ResponseBody, { kind: Kind }>
  readonly exchange: Exchange
}

type ExtraHeaders = Readonly<Record<string, string | number>>

function gzipped({ headers: { vary } }: HttpResponse): ExtraHeaders {
  const others = String(vary ?? '')
  const isThere = others.includes('Accept-Encoding')
  return { 'content-encoding': 'gzip', vary: isThere ? others : [others, 'Accept-Encoding'].filter(Boolean).join(', ') }
}

function headOf(response: HttpResponse, exchange: Exchange, extra?: ExtraHeaders): HeaderRecord {
  return Object.assign(exchange.responder.envelope(), response.headers, extra)
}

function respondBytes(
  raw: WireResponse,
  response: HttpResponse,
  { body, exchange }: With<'bytes'>,
): MaybePromise<number> {
  const { bytes } = body
  const isPacked = body.compress === true && bytes.length > GZIP_ABOVE_BYTES && takesGzip(exchange)
  if (!isPacked) return sendWhole(raw, response, { exchange, bytes })
  const extra = gzipped(response)
  return gzipAsync(bytes, { level: 1 }).then((packed) => sendWhole(raw, response, { exchange, bytes: packed, extra }))
}

interface Whole {
  readonly exchange: Exchange
  readonly bytes: Buffer
  readonly extra?: ExtraHeaders
}

function sendWhole(raw: WireResponse, response: HttpResponse, { exchange, bytes, extra }: Whole): MaybePromise<number> {
  const head = headOf(response, exchange, extra)
  head['content-length'] = bytes.length
  const body = exchange.method === 'HEAD' ? undefined : bytes
  if (body !== undefined && body.length > LARGE_BYTES) {
    raw.begin(response.status, head)
    return sendSlices(raw, body, exchange)
  }
  raw.whole(response.status, head, body)
  return bytes.length
}

async function sendSlices(raw: WireResponse, bytes: Buffer, exchange: Exchange): Promise<number> {
  const sink = new RawSink(raw, exchange)
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (!sink.write(bytes.subarray(at, at + SLICE_BYTES))) await sink.drained()
  }
  raw.end()
  return sink.bytes
}

async function respondPieces(
  raw: WireResponse,
  response: HttpResponse,
  { body, exchange }: With<'pieces'>,
): Promise<number> {
  if (exchange.method === 'HEAD') {
    raw.whole(response.status, headOf(response, exchange), undefined)
    return 0
  }
  const sink = new RawSink(raw, exchange)
  if (body.compress === true && takesGzip(exchange)) {
    const packed = await packedOrNot(body.pieces)
    raw.begin(response.status, headOf(response, exchange, packed.isPacked ? gzipped(response) : undefined))
    for await (const chunk of packed.chunks) if (!sink.write(chunk)) await sink.drained()
  } else {
    raw.begin(response.status, headOf(response, exchange))
    await writeGathered(body.pieces, sink)
  }
  raw.end()
  return sink.bytes
}

async function writeGathered(pieces: Pieces, sink: RawSink): Promise<void> {
  // This loop does not use `for await`, which would cost a microtask for every small piece.
  if (Symbol.iterator in pieces) {
    for (const piece of pieces) {
      for (const part of partsOf(piece)) if (!sink.gather(part)) await sink.drained()
      if (!sink.settle()) await sink.drained()
    }
  } else {
    for await (const piece of pieces) {
      for (const part of partsOf(piece)) if (!sink.gather(part)) await sink.drained()
      if (!sink.settle()) await sink.drained()
    }
  }
}

function partsOf(piece: Piece): readonly Buffer[] {
  return Buffer.isBuffer(piece) ? [piece] : piece
}

/** Compresses the answer if it is large enough. */
async function packedOrNot(
  pieces: Pieces,
): Promise<{ readonly isPacked: boolean; readonly chunks: AsyncIterable<Buffer> }> {
  const gathered = gather(pieces)
  const start = await takeUpTo(gathered, GZIP_ABOVE_BYTES)
  const all = chain(start.chunks, gathered)
  const isPacked = start.size > GZIP_ABOVE_BYTES
  return { isPacked, chunks: isPacked ? compressed(all) : all }
}

async function respondStream(
  raw: WireResponse,
  response: HttpResponse,
  { body, exchange, delivery }: With<'stream'> & { readonly delivery: Delivery },
): Promise<number> {
  const isPacked = body.compress === true && takesGzip(exchange)
  const head = headOf(response, exchange, isPacked ? gzipped(response) : undefined)
  if (exchange.method === 'HEAD') {
    raw.whole(response.status, head, undefined)
    return 0
  }
  // A watch may stay silent for long: the client must see that the watch has begun.
  raw.begin(response.status, head)
  const fault = Promise.withResolvers<never>()
  const sink = new StreamSink(raw, {
    onFault: fault.reject,
    signal: exchange.signal,
    delivery,
    latency: body.latency,
    isPaced: body.isPaced,
    isPacked,
  })
  try {
    await Promise.race([body.run(sink), fault.promise])
  } catch (error) {
    // The stream ends normally. A watching client reconnects to another server, or to this one after its restart.
    if (!(exchange.signal.reason instanceof ServerClosingError)) throw error
  }
  await sink.finish()
  raw.end()
  return sink.bytes
}

/** Whether a token of Accept-Encoding is exactly `gzip`. Tokens with weights do not count. */
function takesGzip({ headers }: HttpRequest): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && accepted.split(',').some((token) => token.trim() === 'gzip')
}

async function* gather(pieces: Pieces): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    for (const part of partsOf(piece)) {
      waiting.push(part.length > GATHER_BYTES ? part : Buffer.from(part))
      size += part.length
    }
    if (size < GATHER_BYTES) continue
    yield join(waiting, size)
    waiting = []
    size = 0
  }
  if (size > 0) yield join(waiting, size)
}

function join(pieces: readonly Buffer[], size: number): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size)
}

/** Pulls until there are more than `bytes` bytes, or until the source ends. */
async function takeUpTo(source: AsyncGenerator<Buffer>, bytes: number): Promise<{ chunks: Buffer[]; size: number }> {
  const chunks: Buffer[] = []
  let size = 0
  while (size <= bytes) {
    const next = await source.next()
    if (next.done === true) break
    chunks.push(next.value)
    size += next.value.length
  }
  return { chunks, size }
}

async function* chain(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

async function* compressed(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const packer = createGzip({ level: 1, chunkSize: GATHER_BYTES })
  // If the source or the packer fails, the pipeline destroys the other. Reading from the packer then throws the error.
  pipeline(Readable.from(source, { objectMode: false }), packer, () => {})
  yield* packer as AsyncIterable<Buffer>
}

class RawSink {
  bytes = 0
  readonly #raw: WireResponse
  readonly #exchange: Exchange

  constructor(raw: WireResponse, exchange: Exchange) {
    this.#raw = raw
    this.#exchange = exchange
  }

  write(piece: Buffer): boolean {
    if (this.#exchange.signal.aborted) return false
    this.bytes += piece.length
    return this.#raw.write(piece)
  }

  gather(piece: Buffer): boolean {
    if (this.#exchange.signal.aborted) return false
    this.bytes += piece.length
    return this.#raw.gather(piece)
  }

  settle(): boolean {
    return this.#raw.settle()
  }

  async drained(): Promise<void> {
    await drainedOf(this.#raw, this.#exchange.signal)
    this.#exchange.resume()
  }
}
