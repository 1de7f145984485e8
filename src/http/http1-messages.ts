// Node's request and response for HTTP/1.1 behind the same interfaces as a stream of HTTP/2 (`wire/http2-server-stream.ts`).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { WriteBuffer } from './write-buffer.ts'
import type { HttpDate } from '../wire/http-date.ts'
import type { Holding } from '../wire/unfinished-memory.ts'
import type {
  BodyListener,
  HeaderRecord,
  WireBody,
  WireConnection,
  WireRequest,
  WireResponse,
} from '../wire/request-response.ts'

export function requestOf(message: IncomingMessage, holding: Holding): WireRequest {
  const { method = 'GET', url: target = '/', headers, rawHeaders } = message
  return { method, target, headers, rawHeaders, body: new Http1Body(message, holding) }
}

class Http1Body implements WireBody {
  readonly #message: IncomingMessage
  readonly #holding: Holding
  #listener: BodyListener | undefined
  #heldBytes = 0

  constructor(message: IncomingMessage, holding: Holding) {
    this.#message = message
    this.#holding = holding
  }

  listen(listener: BodyListener): void {
    this.#listener = listener
    this.#message.on('data', this.#onData).on('end', listener.onEnd).on('error', listener.onError)
  }

  mute(): void {
    if (this.#listener === undefined) return
    const { onEnd, onError } = this.#listener
    this.#message.off('data', this.#onData).off('end', onEnd).off('error', onError)
    this.#holding.change(-this.#heldBytes)
    this.#heldBytes = 0
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#holding.change(chunk.length)
    this.#heldBytes += chunk.length
    this.#listener?.onData(chunk)
  }
}

/** The state of the connection that an answer is sent on. */
interface AnsweredConnection {
  readonly holding: Holding
  readonly isDraining: boolean
}

export class Http1Response implements WireResponse {
  readonly #raw: ServerResponse
  readonly #connection: AnsweredConnection
  readonly #date: HttpDate
  #buffer: WriteBuffer | undefined
  #leaves = false
  #givenBytes = 0
  #heldBytes = 0

  constructor(raw: ServerResponse, connection: AnsweredConnection, date: HttpDate) {
    this.#raw = raw
    this.#connection = connection
    this.#date = date
    raw.once('close', () => this.#hold(-this.#heldBytes))
  }

  get connection(): WireConnection {
    return this
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

  get unsentBytes(): number {
    return this.#raw.writableLength
  }

  get sentBytes(): number {
    return this.#givenBytes - this.unsentBytes
  }

  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void {
    this.#head(status, headers)
    this.#hold(body?.length ?? 0)
    this.#raw.end(body)
  }

  begin(status: number, headers: HeaderRecord): void {
    this.#head(status, headers)
    this.#raw.flushHeaders()
  }

  write(piece: Buffer): boolean {
    return this.#write(piece, NOTHING)
  }

  gather(piece: Buffer): boolean {
    this.#buffer ??= new WriteBuffer((pieces, done) => this.#write(pieces, done))
    return this.#buffer.add(piece)
  }

  settle(): boolean {
    // The pieces were copied when they were gathered.
    return true
  }

  flush(): void {
    this.#buffer?.flush()
  }

  end(): void {
    this.flush()
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

  #write(piece: Buffer, done: () => void): boolean {
    this.#hold(piece.length)
    return this.#raw.write(piece, () => {
      if (this.#heldBytes > 0) this.#hold(-piece.length)
      done()
    })
  }

  #hold(bytes: number): void {
    if (bytes > 0) this.#givenBytes += bytes
    this.#heldBytes += bytes
    this.#connection.holding.change(bytes)
  }

  #head(status: number, headers: HeaderRecord): void {
    headers['date'] = this.#date.text
    if (this.#leaves || this.#connection.isDraining) headers['connection'] = 'close'
    // Node's declared type does not accept read-only lists.
    this.#raw.writeHead(status, headers as Record<string, string | number | string[]>)
  }
}

const NOTHING = (): void => {}
