// Puts an answer on the wire, at the client's pace. Invariant: an answer that could not be sent whole never looks whole;
// its connection (HTTP/1.1) or stream (HTTP/2) is destroyed instead of ended.
import type { ServerResponse } from 'node:http'
import { constants, Http2ServerResponse } from 'node:http2'
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { CancelledError } from '../lib/errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ServerClosingError } from './abort-reasons.ts'
import type { Exchange } from './exchange.ts'
import type { ByteSink, HttpRequest, HttpResponse, ResponseBody } from './http.ts'

/** Node's response, of either protocol; they differ in what is not used here. */
export type RawResponse = ServerResponse | Http2ServerResponse

/** Bodies above this are compressed for clients that take it. */
export const GZIP_ABOVE_BYTES = 128 * 1024

/** Small pieces are gathered up to this before they are written: each write costs a TLS record and a frame. */
const GATHER_BYTES = 64 * 1024

const gzipAsync = promisify(gzip)

/** The number of bytes given to the connection, when all of them are; rejects where it broke off. */
export function respond(raw: RawResponse, response: HttpResponse, exchange: Exchange): MaybePromise<number> {
  const { body } = response
  switch (body.kind) {
    case 'empty':
      head(raw, response, { exchange })
      raw.end()
      return 0
    case 'bytes':
      return respondBytes(raw, response, { body, exchange })
    case 'pieces':
      return respondPieces(raw, response, { body, exchange })
    case 'stream':
      return respondStream(raw, response, { body, exchange })
  }
}

interface With<Kind extends ResponseBody['kind']> {
  readonly body: Extract<ResponseBody, { kind: Kind }>
  readonly exchange: Exchange
}

type ExtraHeaders = Readonly<Record<string, string | number>>

const GZIPPED: ExtraHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }

interface HeadParts {
  readonly exchange: Exchange
  readonly extra?: ExtraHeaders
}

function head(raw: RawResponse, response: HttpResponse, { exchange, extra }: HeadParts): void {
  // Both protocols take a plain object; only the declared types differ.
  const write = raw as { writeHead(status: number, headers: unknown): unknown }
  write.writeHead(response.status, Object.assign(exchange.envelope(), response.headers, extra))
}

function respondBytes(
  raw: RawResponse,
  response: HttpResponse,
  { body, exchange }: With<'bytes'>,
): MaybePromise<number> {
  const { bytes } = body
  if (body.compress === true && bytes.length > GZIP_ABOVE_BYTES && takesGzip(exchange)) {
    return respondPacked(raw, response, { body, exchange })
  }
  head(raw, response, { exchange, extra: { 'content-length': bytes.length } })
  if (exchange.method === 'HEAD') raw.end()
  else raw.end(bytes)
  return bytes.length
}

async function respondPacked(
  raw: RawResponse,
  response: HttpResponse,
  { body, exchange }: With<'bytes'>,
): Promise<number> {
  const packed = await gzipAsync(body.bytes, { level: 1 })
  head(raw, response, { exchange, extra: { 'content-length': packed.length, ...GZIPPED } })
  if (exchange.method === 'HEAD') raw.end()
  else raw.end(packed)
  return packed.length
}

async function respondPieces(
  raw: RawResponse,
  response: HttpResponse,
  { body, exchange }: With<'pieces'>,
): Promise<number> {
  const gathered = gather(body.pieces)
  if (exchange.method === 'HEAD') {
    head(raw, response, { exchange })
    raw.end()
    return 0
  }
  let out = gathered
  if (body.compress === true && takesGzip(exchange)) {
    const start = await takeUpTo(gathered, GZIP_ABOVE_BYTES)
    const rest = chain(start.chunks, gathered)
    if (start.size > GZIP_ABOVE_BYTES) {
      head(raw, response, { exchange, extra: GZIPPED })
      out = compressed(rest)
    } else {
      head(raw, response, { exchange })
      out = rest
    }
  } else {
    head(raw, response, { exchange })
  }
  const sink = new RawSink(raw, exchange.signal)
  for await (const chunk of out) {
    if (!sink.write(chunk)) await sink.drained()
  }
  raw.end()
  return sink.bytes
}

async function respondStream(
  raw: RawResponse,
  response: HttpResponse,
  { body, exchange }: With<'stream'>,
): Promise<number> {
  head(raw, response, { exchange })
  // A watch may stay silent for long: the client must see that it began.
  ;(raw as ServerResponse).flushHeaders()
  if (exchange.method === 'HEAD') {
    raw.end()
    return 0
  }
  const sink = new RawSink(raw, exchange.signal)
  try {
    await body.run(sink)
  } catch (error) {
    // Whoever watches comes back to another server, or to this one after its start.
    if (!(exchange.signal.reason instanceof ServerClosingError)) throw error
  }
  raw.end()
  return sink.bytes
}

/** A token of Accept-Encoding is exactly `gzip`; weights are not read. */
function takesGzip({ headers }: HttpRequest): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && accepted.split(',').some((token) => token.trim() === 'gzip')
}

async function* gather(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  // A plain loop over what is at hand: `for await` would cost a turn of the queue for every small piece.
  if (Symbol.iterator in pieces) {
    for (const piece of pieces) {
      waiting.push(piece)
      size += piece.length
      if (size < GATHER_BYTES) continue
      yield join(waiting, size)
      waiting = []
      size = 0
    }
  } else {
    for await (const piece of pieces) {
      waiting.push(piece)
      size += piece.length
      if (size < GATHER_BYTES) continue
      yield join(waiting, size)
      waiting = []
      size = 0
    }
  }
  if (size > 0) yield join(waiting, size)
}

function join(pieces: readonly Buffer[], size: number): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size)
}

/** Pulls until there is more than `bytes`, or no more. */
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
  // Whichever end breaks takes the other with it; the fault itself comes out of the packer below.
  pipeline(Readable.from(source, { objectMode: false }), packer, () => {})
  yield* packer as AsyncIterable<Buffer>
}

class RawSink implements ByteSink {
  bytes = 0
  readonly #raw: RawResponse
  readonly #signal: AbortSignal

  constructor(raw: RawResponse, signal: AbortSignal) {
    this.#raw = raw
    this.#signal = signal
  }

  write(piece: Buffer): boolean {
    if (this.#signal.aborted) return false
    this.bytes += piece.length
    // `write` of HTTP/2 lacks the overload with one argument in its common signature.
    return (this.#raw as ServerResponse).write(piece)
  }

  drained(): Promise<void> {
    const raw = this.#raw
    const signal = this.#signal
    if (signal.aborted) return Promise.reject(new CancelledError(signal.reason))
    if (!raw.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        raw.off('drain', go)
        signal.removeEventListener('abort', cancel)
      }
      const go = (): void => {
        stop()
        resolve()
      }
      const cancel = (): void => {
        stop()
        reject(new CancelledError(signal.reason))
      }
      raw.on('drain', go)
      signal.addEventListener('abort', cancel, { once: true })
    })
  }
}

/** Of a closed answer: whether all of it went out. An HTTP/2 stream counts as finished also when it was reset. */
export function wasSent(raw: RawResponse): boolean {
  return raw instanceof Http2ServerResponse ? raw.writableEnded && !raw.stream.aborted : raw.writableFinished
}

/** Breaks the answer off so that nobody takes it for a whole one. */
export function breakOff(raw: RawResponse): void {
  if (raw instanceof Http2ServerResponse) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  else raw.destroy()
}
