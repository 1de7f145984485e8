// The connection of a client in this process. Its requests become exchanges without socket, TLS or frames. The filters and everything
// behind them are the same as for other clients. Two invariants: each request begins in a new turn of the event loop, as over a socket, so
// that a client with many requests delays no other client. An incomplete response breaks off and never ends normally.
import type { HttpDate } from '../wire/http-date.ts'
import { type RequestHead, requestHeadOf } from '../wire/request-head.ts'
import type { BodyListener, HeaderRecord, WireBody, WireRequest, WireResponse } from '../wire/request-response.ts'
import type { RemoteEnd } from './http.ts'

export interface InProcessRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer | undefined
}

export interface InProcessAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: InProcessBody
  /** Whether the body is complete. Call this when the body has ended. */
  readonly isComplete: () => boolean
}

export interface InProcessOptions {
  /** `host:port` of the server. */
  readonly authority: string
  readonly date: HttpDate
  /** Answers a request. Returns the function to call when nothing more is sent. */
  readonly serve: (stream: InProcessStream, remote: RemoteEnd) => () => void
  /** Called when the client or the server closes the connection. */
  readonly onClosed: () => void
}

/** The writer must wait while this many bytes are unread. */
const HIGH_WATER_BYTES = 64 * 1024

export class InProcessConnection {
  readonly #options: InProcessOptions
  readonly #streams = new Set<InProcessStream>()
  readonly #remote: RemoteEnd = {
    address: '127.0.0.1',
    isLoopback: true,
    protocol: 'h2',
    certificate: undefined,
    hangUp: () => this.#breakOff('the server has hung up'),
  }
  #isClosed = false

  constructor(options: InProcessOptions) {
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Resolves with the head of the answer. Rejects if there is none, and with the signal's reason if the signal fires. */
  async send(request: InProcessRequest, signal: AbortSignal): Promise<InProcessAnswer> {
    const { authority, date, serve } = this.#options
    if (this.#isClosed) throw new Error('the connection is closed')
    const head = requestHeadOf(fieldsOf(request, authority))
    if (head === undefined) throw new Error('the request is malformed')
    const { promise, resolve, reject } = Promise.withResolvers<InProcessAnswer>()
    const stream = new InProcessStream(head, request.body, { date, resolve, reject })
    const cancel = (): void => stream.abandon(signal.reason as Error)
    stream.whenClosed(() => {
      this.#streams.delete(stream)
      signal.removeEventListener('abort', cancel)
    })
    this.#streams.add(stream)
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    setImmediate(() => {
      if (!stream.isClosed) stream.whenClosed(serve(stream, this.#remote))
    })
    return promise
  }

  /** Closes the connection. Callers that wait for an answer get an error. */
  close(): void {
    this.#isClosed = true
    this.#breakOff('the connection was closed')
    this.#options.onClosed()
  }

  #breakOff(why: string): void {
    for (const stream of this.#streams) stream.abandon(new Error(why))
  }
}

function fieldsOf({ method, path, headers }: InProcessRequest, authority: string): string[] {
  const fields = [':method', method, ':scheme', 'https', ':authority', authority, ':path', path]
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') fields.push(name.toLowerCase(), value)
    else for (const one of value) fields.push(name.toLowerCase(), one)
  }
  return fields
}

interface AnswerTaker {
  readonly date: HttpDate
  readonly resolve: (answer: InProcessAnswer) => void
  readonly reject: (error: Error) => void
}

/** A request and its answer. */
export class InProcessStream implements WireRequest, WireResponse, WireBody {
  readonly method: string
  readonly target: string
  readonly headers: RequestHead['headers']
  readonly rawHeaders: readonly string[]
  headersSent = false
  wasSent = false
  isClosed = false
  readonly #sent: InProcessRequest['body']
  readonly #taker: AnswerTaker
  readonly #answer = new InProcessBody({ onTaken: () => this.#wakeWriters(), onGivenUp: () => this.abandon() })
  readonly #onClose: (() => void)[] = []
  #onDrain: (() => void)[] = []
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #writtenBytes = 0

  constructor(
    { method, target = '', headers, rawHeaders }: RequestHead,
    body: InProcessRequest['body'],
    taker: AnswerTaker,
  ) {
    this.method = method
    this.target = target
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.#sent = body
    this.#taker = taker
  }

  get body(): WireBody {
    return this
  }

  get connection(): InProcessStream {
    return this
  }

  get needsDrain(): boolean {
    return this.unsentBytes >= HIGH_WATER_BYTES
  }

  get unsentBytes(): number {
    return this.#answer.waitingBytes
  }

  get sentBytes(): number {
    return this.#writtenBytes - this.unsentBytes
  }

  /** Calls the listener once, when nothing more can be sent. */
  whenClosed(listener: () => void): void {
    if (this.isClosed) listener()
    else this.#onClose.push(listener)
  }

  listen({ onData, onEnd }: BodyListener): void {
    if (this.#sent !== undefined) onData(typeof this.#sent === 'string' ? Buffer.from(this.#sent) : this.#sent)
    onEnd()
  }

  mute(): void {}

  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void {
    if (this.isClosed) return
    this.begin(status, headers)
    if (body !== undefined) this.#give(body)
    this.end()
  }

  begin(status: number, headers: HeaderRecord): void {
    if (this.isClosed) return
    this.headersSent = true
    const texts: Record<string, string> = { date: this.#taker.date.text }
    for (const [name, value] of Object.entries(headers))
      texts[name] = Array.isArray(value) ? value.join(', ') : String(value)
    this.#taker.resolve({ status, headers: texts, body: this.#answer, isComplete: () => this.wasSent })
  }

  write(piece: Buffer): boolean {
    if (this.isClosed) return false
    this.flush()
    this.#give(piece)
    return !this.needsDrain
  }

  gather(piece: Buffer): boolean {
    if (this.isClosed) return false
    this.#gathered.push(Buffer.from(piece))
    this.#gatheredBytes += piece.length
    if (this.#gatheredBytes >= HIGH_WATER_BYTES) this.flush()
    return !this.needsDrain
  }

  settle(): boolean {
    // The pieces were copied when they were gathered.
    return true
  }

  flush(): void {
    if (this.#gatheredBytes === 0 || this.isClosed) return
    this.#give(Buffer.concat(this.#gathered))
    this.#gathered = []
    this.#gatheredBytes = 0
  }

  end(): void {
    if (this.isClosed) return
    this.flush()
    this.#answer.end()
    this.#close(true)
  }

  breakOff(): void {
    this.abandon(new Error('the answer was broken off'))
  }

  leave(): void {}

  /** Breaks off the answer, for the client or for the server. */
  abandon(reason: Error = new Error('the request was given up')): void {
    if (this.isClosed) return
    this.#taker.reject(reason)
    this.#answer.fail(reason)
    this.#close(false)
  }

  on(_event: 'drain', listener: () => void): void {
    this.#onDrain.push(listener)
  }

  off(_event: 'drain', listener: () => void): void {
    this.#onDrain = this.#onDrain.filter((some) => some !== listener)
  }

  #give(piece: Buffer): void {
    this.#writtenBytes += piece.length
    this.#answer.add(piece)
  }

  #wakeWriters(): void {
    if (!this.needsDrain) for (const listener of this.#onDrain.slice()) listener()
  }

  #close(wasSent: boolean): void {
    this.isClosed = true
    this.wasSent = wasSent
    for (const listener of this.#onClose.splice(0)) listener()
  }
}

interface BodyEvents {
  readonly onTaken: () => void
  /** Called when the client stops reading before the end. */
  readonly onGivenUp: () => void
}

/** The bytes of an answer, in their order. They can be read once. */
class InProcessBody implements AsyncIterable<Buffer> {
  waitingBytes = 0
  /** The body was read to its end. */
  readableEnded = false
  readonly #events: BodyEvents
  #pieces: Buffer[] = []
  #isWhole = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(events: BodyEvents) {
    this.#events = events
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.waitingBytes += piece.length
    this.#wake?.()
  }

  end(): void {
    this.#isWhole = true
    this.#wake?.()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#wake?.()
  }

  destroy(): void {
    this.#events.onGivenUp()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        if (this.waitingBytes > 0) yield this.#take()
        else if (this.#failure !== undefined) throw this.#failure
        else if (this.#isWhole) break
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      this.readableEnded = true
    } finally {
      if (!this.readableEnded) this.destroy()
    }
  }

  #take(): Buffer {
    const pieces = this.#pieces
    this.#pieces = []
    this.waitingBytes = 0
    this.#events.onTaken()
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }
}
