// Puts an answer on the wire, at the client's pace. Invariant: an answer that could not be sent whole never looks whole;
// its connection (HTTP/1.1) or stream (HTTP/2) is destroyed instead of ended.
import type { ServerResponse } from 'node:http'
import { constants, Http2ServerResponse } from 'node:http2'
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { CancelledError } from '../lib/errors.ts'
import { ServerClosingError } from './abort-reasons.ts'
import type { ByteSink, HttpRequest, HttpResponse, ResponseBody } from './http.ts'

/** Node's response, of either protocol; they differ in what is not used here. */
export type RawResponse = ServerResponse | Http2ServerResponse

/** Bodies above this are compressed for clients that take it. */
export const GZIP_ABOVE_BYTES = 128 * 1024

/** Small pieces are gathered up to this before they are written: each write costs a TLS record and a frame. */
const GATHER_BYTES = 64 * 1024

const gzipAsync = promisify(gzip)

/** Resolves with the number of bytes given to the connection, when all of them are; rejects where it broke off. */
export async function respond(raw: RawResponse, response: HttpResponse, request: HttpRequest): Promise<number> {
  const { body } = response
  switch (body.kind) {
    case 'empty':
      head(raw, response, {})
      raw.end()
      return 0
    case 'bytes':
      return respondBytes(raw, response, { body, request })
    case 'pieces':
      return respondPieces(raw, response, { body, request })
    case 'stream':
      return respondStream(raw, response, { body, request })
  }
}

interface With<Kind extends ResponseBody['kind']> {
  readonly body: Extract<ResponseBody, { kind: Kind }>
  readonly request: HttpRequest
}

type ExtraHeaders = Readonly<Record<string, string | number>>

const GZIPPED: ExtraHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }

function head(raw: RawResponse, response: HttpResponse, extra: ExtraHeaders): void {
  // Both protocols take a plain object; only the declared types differ.
  const write = raw as { writeHead(status: number, headers: unknown): unknown }
  write.writeHead(response.status, { ...response.headers, ...extra })
}

async function respondBytes(
  raw: RawResponse,
  response: HttpResponse,
  { body, request }: With<'bytes'>,
): Promise<number> {
  const packed = body.compress === true && body.bytes.length > GZIP_ABOVE_BYTES && takesGzip(request)
  const bytes = packed ? await gzipAsync(body.bytes, { level: 1 }) : body.bytes
  head(raw, response, { 'content-length': bytes.length, ...(packed ? GZIPPED : {}) })
  if (request.method === 'HEAD') raw.end()
  else raw.end(bytes)
  return bytes.length
}

async function respondPieces(
  raw: RawResponse,
  response: HttpResponse,
  { body, request }: With<'pieces'>,
): Promise<number> {
  const gathered = gather(body.pieces)
  if (request.method === 'HEAD') {
    head(raw, response, {})
    raw.end()
    return 0
  }
  let out = gathered
  if (body.compress === true && takesGzip(request)) {
    const start = await takeUpTo(gathered, GZIP_ABOVE_BYTES)
    const rest = chain(start.chunks, gathered)
    if (start.size > GZIP_ABOVE_BYTES) {
      head(raw, response, GZIPPED)
      out = compressed(rest)
    } else {
      head(raw, response, {})
      out = rest
    }
  } else {
    head(raw, response, {})
  }
  const sink = new RawSink(raw, request.signal)
  for await (const chunk of out) {
    if (!sink.write(chunk)) await sink.drained()
  }
  raw.end()
  return sink.bytes
}

async function respondStream(
  raw: RawResponse,
  response: HttpResponse,
  { body, request }: With<'stream'>,
): Promise<number> {
  head(raw, response, {})
  // A watch may stay silent for long: the client must see that it began.
  ;(raw as ServerResponse).flushHeaders()
  if (request.method === 'HEAD') {
    raw.end()
    return 0
  }
  const sink = new RawSink(raw, request.signal)
  try {
    await body.run(sink)
  } catch (error) {
    // Whoever watches comes back to another server, or to this one after its start.
    if (!(request.signal.reason instanceof ServerClosingError)) throw error
  }
  raw.end()
  return sink.bytes
}

/** A token of Accept-Encoding is exactly `gzip`; weights are not read. */
function takesGzip(request: HttpRequest): boolean {
  const accepted = request.headers['accept-encoding']
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
