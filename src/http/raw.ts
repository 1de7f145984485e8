// A request and its answer as the two protocols have them, in the few words that are used here. HTTP/1.1 is Node's own
// pair of objects; HTTP/2 is a stream of our own (`http2-stream.ts`).
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Gathering } from './gathering.ts'
import type { Holding } from './unfinished-memory.ts'

export interface RawRequest {
  readonly method: string
  /** The path and query as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: RawBody
}

export interface RawBody {
  /** The one listener gets all that came so far, and then what comes. */
  listen(listener: BodyListener): void
  /** What else comes is of no interest. */
  mute(): void
}

export interface BodyListener {
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: () => void
  readonly onError: (cause: unknown) => void
}

export type HeaderRecord = Record<string, string | number | readonly string[]>

export interface RawConnection {
  /** What was written to any of its answers is sent now, not only at the end of this turn of the event loop. */
  flush(): void
}

/** How far an answer has come. */
export interface AnswerProgress {
  /** Made, and not taken by the client. */
  readonly unsentBytes: number
  readonly sentBytes: number
}

export interface RawResponse extends AnswerProgress {
  /** What it shares with the other answers of its connection. */
  readonly connection: RawConnection
  readonly headersSent: boolean
  readonly needsDrain: boolean
  /** Of a closed answer: whether all of it went out. */
  readonly wasSent: boolean
  /** The head with all of the body that there is; `undefined`: none. */
  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void
  /** The head of what follows with `write`, sent at once. */
  begin(status: number, headers: HeaderRecord): void
  /** False: better wait for `drain`. */
  write(piece: Buffer): boolean
  /** Like `write`, but small pieces go together, at the latest when `flush` or `end` is called. */
  gather(piece: Buffer): boolean
  /** The bytes that were gathered may change from now on. False: only after `drain`. */
  settle(): boolean
  flush(): void
  end(): void
  /** Breaks the answer off so that nobody takes it for a whole one. */
  breakOff(): void
  /** The client is to come back on another connection. */
  leave(): void
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

export function requestOf(message: IncomingMessage, target: string, holding: Holding): RawRequest {
  const { method = 'GET', headers, rawHeaders } = message
  return { method, target, headers, rawHeaders, body: new MessageBody(message, holding) }
}

class MessageBody implements RawBody {
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

export class MessageResponse implements RawResponse {
  readonly #raw: ServerResponse
  readonly #holding: Holding
  #gathering: Gathering | undefined
  #leaves = false
  #givenBytes = 0
  #heldBytes = 0

  constructor(raw: ServerResponse, holding: Holding) {
    this.#raw = raw
    this.#holding = holding
    raw.once('close', () => this.#hold(-this.#heldBytes))
  }

  get connection(): RawConnection {
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
    this.#gathering ??= new Gathering((gathered, done) => this.#write(gathered, done))
    return this.#gathering.add(piece)
  }

  settle(): boolean {
    // They were copied.
    return true
  }

  flush(): void {
    this.#gathering?.flush()
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
    this.#holding.change(bytes)
  }

  #head(status: number, headers: HeaderRecord): void {
    if (this.#leaves) headers['connection'] = 'close'
    // Node's declared type has no place for lists that are not to be changed.
    this.#raw.writeHead(status, headers as Record<string, string | number | string[]>)
  }
}

const NOTHING = (): void => {}
