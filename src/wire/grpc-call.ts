// The client's side of a gRPC call on a stream of HTTP/2: messages with their lengths, and a status at the end. Invariant: a call ends
// once, and no message comes after its end.
import type { Connection } from './http2-client-connection.ts'
import { CANCEL, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY } from './http2-frames.ts'
import { GrpcMessages, type MessagesListener, PREFIX_BYTES } from './grpc-messages.ts'
import { literal } from './hpack.ts'
import type { Broken, Stream, StreamListener } from './http2-client-stream.ts'

/** The status codes of gRPC that this client sets. `verdict.ts` explains the codes. */
export const STATUS_OK = 0
export const STATUS_CANCELLED = 1
export const STATUS_DEADLINE_EXCEEDED = 4
export const STATUS_INTERNAL = 13
export const STATUS_UNAVAILABLE = 14

export interface CallEnd {
  readonly status: number
  readonly message: string
  /** The server has not processed the call. */
  readonly untouched: boolean
}

export interface CallListener {
  onMessage(message: Buffer): void
  onEnd(end: CallEnd): void
}

const BY_RESET: Readonly<Record<number, number>> = Object.freeze({
  [CANCEL]: STATUS_CANCELLED,
  [ENHANCE_YOUR_CALM]: 8,
  [INADEQUATE_SECURITY]: 7,
})

/** The gRPC status for the HTTP status of an answer that is not gRPC. */
const BY_HTTP_STATUS: Readonly<Record<string, number>> = Object.freeze({
  400: STATUS_INTERNAL,
  401: 16,
  403: 7,
  404: 12,
  429: STATUS_UNAVAILABLE,
  502: STATUS_UNAVAILABLE,
  503: STATUS_UNAVAILABLE,
  504: STATUS_UNAVAILABLE,
})
const STATUS_UNKNOWN = 2

/** The header that tells the server the longest wait of the caller. Its number has at most eight digits. */
export function timeoutHeader(timeoutMs: number): Buffer {
  return literal('grpc-timeout', `${Math.min(Math.ceil(timeoutMs), 99_999_999)}m`)
}

export class GrpcCall implements StreamListener, MessagesListener {
  readonly #stream: Stream
  readonly #listener: CallListener
  readonly #messages = new GrpcMessages(this)
  #ended = false

  constructor(connection: Connection, headers: Buffer, listener: CallListener) {
    this.#listener = listener
    this.#stream = connection.open(headers, this)
  }

  /** Sends a message, which must begin with `PREFIX_BYTES` free bytes. */
  send(message: Buffer, isLast: boolean): void {
    if (this.#ended) return
    message[0] = 0
    message.writeUInt32BE(message.length - PREFIX_BYTES, 1)
    this.#stream.send(message, isLast)
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** The number of bytes that the listener has not handled yet. */
  set unread(bytes: number) {
    if (!this.#ended) this.#stream.unread = bytes
  }

  /** Ends the call with this status, unless it has ended. */
  cancel(status: number, message: string): void {
    if (this.#ended) return
    const untouched = !this.#stream.hasBegun
    this.#stream.reset()
    this.#end({ status, message, untouched })
  }

  onHeaders(fields: ReadonlyMap<string, string>, isLast: boolean): void {
    const status = fields.get('grpc-status')
    const http = fields.get(':status')
    if (status !== undefined && isLast) {
      const code = Number(status)
      return this.#endWith(Number.isInteger(code) ? code : STATUS_UNKNOWN, fields.get('grpc-message') ?? '')
    }
    if (http !== undefined && http !== '200' && !http.startsWith('1')) {
      return this.cancel(BY_HTTP_STATUS[http] ?? STATUS_UNKNOWN, `HTTP status ${http}`)
    }
    if (isLast) this.#endWith(STATUS_UNKNOWN, 'the answer ended without a status')
  }

  onData(bytes: Buffer, isLast: boolean): void {
    if (!this.#ended) this.#messages.push(bytes)
    if (isLast) this.#endWith(STATUS_UNKNOWN, 'the answer ended without a status')
  }

  onBroken({ code, message, untouched }: Broken): void {
    const status = code === undefined || untouched ? STATUS_UNAVAILABLE : (BY_RESET[code] ?? STATUS_INTERNAL)
    this.#end({ status, message, untouched })
  }

  onMessage(message: Buffer): void {
    this.#listener.onMessage(message)
  }

  onCompressed(): void {
    this.cancel(STATUS_INTERNAL, 'the answer is compressed, which was not asked for')
  }

  /** Never called: answers may have any length. */
  onTooLong(): void {}

  #endWith(status: number, message: string): void {
    if (status !== STATUS_OK || !this.#messages.isCutOff)
      this.#end({ status, message: decodeMessage(message), untouched: false })
    else this.#end({ status: STATUS_INTERNAL, message: 'the answer was cut off', untouched: false })
  }

  #end(end: CallEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#messages.end()
    this.#listener.onEnd(end)
  }
}

/** Decodes a text in which characters other than printable ASCII are escaped as in a URL. */
function decodeMessage(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
