// A request and its answer as the two protocols have them, in the few words that are used here. HTTP/1.1 is Node's own
// pair of objects; an HTTP/2 stream is used as it is, because Node's imitation of the old pair on top of it costs half as
// much again as the rest of an answer.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'

export interface RawRequest {
  readonly method: string
  /** The path and query as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders | Http2Headers
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: Readable
}

export type HeaderRecord = Record<string, string | number | readonly string[]>

export interface RawResponse {
  /** What it shares with the other answers of its connection. */
  readonly connection: object
  readonly headersSent: boolean
  readonly needsDrain: boolean
  /** Of a closed answer: whether all of it went out. */
  readonly wasSent: boolean
  /** The head with all of the body that there is; `undefined`: none. */
  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void
  /** The head of what follows with `write`, sent at once. */
  begin(status: number, headers: HeaderRecord): void
  /** `done`: the bytes are no longer needed. */
  write(piece: Buffer, done?: () => void): boolean
  end(): void
  /** Breaks the answer off so that nobody takes it for a whole one. */
  breakOff(): void
  /** The client is to come back on another connection. */
  leave(): void
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

export function requestOf(message: IncomingMessage, target: string): RawRequest {
  const { method = 'GET', headers, rawHeaders } = message
  return { method, target, headers, rawHeaders, body: message }
}

/** Undefined for CONNECT, which names no resource. */
export function requestOfStream(
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
): RawRequest | undefined {
  const { ':method': method, ':path': target } = headers
  if (method === undefined || target === undefined) return undefined
  return { method, target, headers, rawHeaders, body: stream }
}

export class MessageResponse implements RawResponse {
  readonly #raw: ServerResponse
  #leaves = false

  constructor(raw: ServerResponse) {
    this.#raw = raw
  }

  get connection(): object {
    return this.#raw
  }

  get headersSent(): boolean {
    return this.#raw.headersSent
  }

  get needsDrain(): boolean {
    return this.#raw.writableNeedDrain
  }

  get wasSent(): boolean {
    return this.#raw.writableFinished
  }

  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void {
    this.#head(status, headers)
    this.#raw.end(body)
  }

  begin(status: number, headers: HeaderRecord): void {
    this.#head(status, headers)
    this.#raw.flushHeaders()
  }

  write(piece: Buffer, done?: () => void): boolean {
    return this.#raw.write(piece, done)
  }

  end(): void {
    this.#raw.end()
  }

  breakOff(): void {
    this.#raw.destroy()
  }

  leave(): void {
    this.#leaves = true
  }

  on(event: 'drain', listener: () => void): void {
    this.#raw.on(event, listener)
  }

  off(event: 'drain', listener: () => void): void {
    this.#raw.off(event, listener)
  }

  #head(status: number, headers: HeaderRecord): void {
    if (this.#leaves) headers['connection'] = 'close'
    // Node's declared type has no place for lists that are not to be changed.
    this.#raw.writeHead(status, headers as Record<string, string | number | string[]>)
  }
}

export class StreamResponse implements RawResponse {
  readonly #stream: ServerHttp2Stream

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream
    // A stream that the client reset is seen by its close.
    stream.on('error', () => {})
  }

  get connection(): object {
    return this.#stream.session ?? this.#stream
  }

  get headersSent(): boolean {
    return this.#stream.headersSent
  }

  get needsDrain(): boolean {
    return this.#stream.writableNeedDrain
  }

  /** A stream counts as finished also when it was reset. */
  get wasSent(): boolean {
    return this.#stream.writableEnded && !this.#stream.aborted
  }

  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void {
    if (this.#stream.destroyed || this.#stream.closed) return
    this.#stream.respond(inTurn(status, headers), body === undefined ? ENDS : undefined)
    if (body !== undefined) this.#stream.end(body)
    this.#letGo()
  }

  begin(status: number, headers: HeaderRecord): void {
    if (this.#stream.destroyed || this.#stream.closed) return
    this.#stream.respond(inTurn(status, headers))
  }

  write(piece: Buffer, done?: () => void): boolean {
    return !this.#stream.destroyed && this.#stream.write(piece, done)
  }

  end(): void {
    this.#stream.end()
    this.#letGo()
  }

  /**
   * The answer is complete, whether or not all of the request has come: a client that never ends its body must not keep the
   * stream. Where nothing of the body was read Node sees to that.
   */
  #letGo(): void {
    const stream = this.#stream
    if (stream.endAfterHeaders || stream.readableEnded || stream.readableFlowing === null) return
    stream.once('finish', () => setImmediate(() => stream.close()))
  }

  breakOff(): void {
    this.#stream.destroy(new Error('the answer broke off'))
  }

  leave(): void {
    const { session } = this.#stream
    this.#stream.once('close', () => session?.close())
  }

  on(event: 'drain', listener: () => void): void {
    this.#stream.on(event, listener)
  }

  off(event: 'drain', listener: () => void): void {
    this.#stream.off(event, listener)
  }
}

const ENDS = Object.freeze({ endStream: true })

/** Names and values in turn: of a record Node makes two others, which takes as long as all the rest that it does with it. */
function inTurn(status: number, headers: HeaderRecord): string[] {
  const list = [':status', String(status)]
  // Node's declared type has no place for numbers and lists, which it takes.
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}
