// gRPC on a stream of HTTP/2: messages, each with its length before it, and a status at the end. Invariant: a call ends once,
// and after its end no message comes.
import type { Connection } from './http2-client-connection.ts'
import { CANCEL, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY } from './http2-frames.ts'
import { literal } from './hpack.ts'
import type { Broken, Stream, StreamListener } from './http2-client-stream.ts'

/** gRPC's numbers, those that are given by us; `verdict.ts` has what they mean. */
export const STATUS_OK = 0
export const STATUS_CANCELLED = 1
export const STATUS_DEADLINE_EXCEEDED = 4
export const STATUS_INTERNAL = 13
export const STATUS_UNAVAILABLE = 14

export interface CallEnd {
  readonly status: number
  readonly message: string
  /** The other side has not looked at it. */
  readonly untouched: boolean
}

export interface CallListener {
  onMessage(message: Buffer): void
  onEnd(end: CallEnd): void
}

/** Whether a message is compressed, and its length. */
export const PREFIX_BYTES = 5
const EMPTY = Buffer.alloc(0)

/** So much memory is taken for a message on the word of its prefix alone. */
const AHEAD_BYTES = 16 << 20

const BY_RESET: Readonly<Record<number, number>> = Object.freeze({
  [CANCEL]: STATUS_CANCELLED,
  [ENHANCE_YOUR_CALM]: 8,
  [INADEQUATE_SECURITY]: 7,
})

/** What it means where something other than gRPC answers. */
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

/** How long the caller waits, for the other side to know; not more than eight digits. */
export function timeoutHeader(timeoutMs: number): Buffer {
  return literal('grpc-timeout', `${Math.min(Math.ceil(timeoutMs), 99_999_999)}m`)
}

export class GrpcCall implements StreamListener {
  readonly #stream: Stream
  readonly #listener: CallListener
  /** What came of a prefix that is not whole. */
  #prefix: Buffer = EMPTY
  /** What came of the message behind it, and how long that is to be. */
  #body: Buffer | undefined
  #filled = 0
  #wanted = 0
  #ended = false

  constructor(connection: Connection, headers: Buffer, listener: CallListener) {
    this.#listener = listener
    this.#stream = connection.open(headers, this)
  }

  /** The message has `PREFIX_BYTES` before it that are free. */
  send(message: Buffer, isLast: boolean): void {
    if (this.#ended) return
    message[0] = 0
    message.writeUInt32BE(message.length - PREFIX_BYTES, 1)
    this.#stream.send(message, isLast)
  }

  /** So much of what was handed out lies with the listener unread. */
  set unread(bytes: number) {
    if (!this.#ended) this.#stream.unread = bytes
  }

  /** Ends it with this status, unless it has ended. */
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
    let rest = bytes
    while (rest.length > 0 && !this.#ended) {
      rest = this.#body === undefined ? this.#takePrefix(rest) : this.#takeBody(rest, this.#body)
    }
    if (isLast) this.#endWith(STATUS_UNKNOWN, 'the answer ended without a status')
  }

  onBroken({ code, message, untouched }: Broken): void {
    const status = code === undefined || untouched ? STATUS_UNAVAILABLE : (BY_RESET[code] ?? STATUS_INTERNAL)
    this.#end({ status, message, untouched })
  }

  /** Takes a prefix off, and gives back what is behind it. */
  #takePrefix(bytes: Buffer): Buffer {
    const known = this.#prefix.length === 0 ? bytes : Buffer.concat([this.#prefix, bytes])
    if (known.length < PREFIX_BYTES) {
      this.#prefix = Buffer.from(known)
      return EMPTY
    }
    this.#prefix = EMPTY
    this.#wanted = known.readUInt32BE(1)
    if (known[0] !== 0) this.cancel(STATUS_INTERNAL, 'the answer is compressed, which nobody asked for')
    else if (this.#wanted === 0) this.#takeMessage(EMPTY)
    else this.#body = Buffer.allocUnsafe(Math.min(this.#wanted, AHEAD_BYTES))
    return known.subarray(PREFIX_BYTES)
  }

  /** Takes what belongs to the message under way, and gives back what is behind it. */
  #takeBody(bytes: Buffer, body: Buffer): Buffer {
    const part = bytes.subarray(0, this.#wanted - this.#filled)
    const filled = this.#filled + part.length
    const target = filled <= body.length ? body : grown(body, Math.min(this.#wanted, filled * 2))
    part.copy(target, this.#filled)
    this.#filled = filled
    this.#body = target
    if (filled === this.#wanted) this.#takeMessage(target)
    return bytes.subarray(part.length)
  }

  #takeMessage(message: Buffer): void {
    this.#body = undefined
    this.#filled = 0
    this.#listener.onMessage(message)
  }

  #endWith(status: number, message: string): void {
    const isCutOff = this.#prefix.length > 0 || this.#body !== undefined
    if (status !== STATUS_OK || !isCutOff) this.#end({ status, message: decodeMessage(message), untouched: false })
    else this.#end({ status: STATUS_INTERNAL, message: 'the answer was cut off', untouched: false })
  }

  #end(end: CallEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#body = undefined
    this.#listener.onEnd(end)
  }
}

function grown(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size)
  bytes.copy(larger)
  return larger
}

/** Whatever is no printable ASCII is written like in a URL. */
function decodeMessage(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
