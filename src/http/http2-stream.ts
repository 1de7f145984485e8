// A request over HTTP/2 and its answer, on one stream of a session. It is our own because Node's streams cost as much as all the
// rest of a small request. Invariants: it is closed exactly once; what is not sent whole is reset, never ended.
import { headerText, statusText } from '../lib/hpack.ts'
import { FLOW_CONTROL_ERROR, INTERNAL_ERROR, NO_ERROR, PROTOCOL_ERROR } from '../lib/http2-frames.ts'
import type { BodyListener, HeaderRecord, RawBody, RawRequest, RawResponse } from './raw.ts'
import type { RequestHead } from './request-head.ts'

/** What carries a stream. */
export interface StreamCarrier {
  /** Each character is a byte. */
  sendHead(stream: Http2Stream, block: string, isLast: boolean): void
  /** Sends as much as there is room for, and the rest when there is more. */
  pump(stream: Http2Stream): void
  /** The client may send so much more on this one. */
  giveRoom(stream: Http2Stream, bytes: number): void
  reset(stream: Http2Stream, code: number): void
  /** Takes no more requests. */
  leave(): void
  readonly date: string
}

/** Room for a body, of which half is given back at a time. */
export const STREAM_WINDOW_BYTES = 256 * 1024
const STEP_BYTES = STREAM_WINDOW_BYTES / 2

/** More than this waiting to be sent, and the writer is asked to wait. */
const HIGH_WATER_BYTES = 64 * 1024

interface Outgoing {
  bytes: Buffer
  readonly done: (() => void) | undefined
}

export class Http2Stream implements RawRequest, RawResponse, RawBody {
  readonly id: number
  readonly head: RequestHead
  headersSent = false
  wasSent = false
  /** For the session: how much the client takes. */
  room: number
  /** For the session: the request is all here. */
  isRequestWhole = false
  readonly #carrier: StreamCarrier
  readonly #outgoing: Outgoing[] = []
  #outgoingBytes = 0
  #isAnswerWhole = false
  #isClosed = false
  #onClose: (() => void) | undefined
  #onDrain: (() => void)[] = []
  #listener: BodyListener | undefined
  #unread: Buffer[] = []
  #receivedBytes = 0
  #owedBytes = 0
  /** What the client may still send. */
  #inRoom = STREAM_WINDOW_BYTES

  constructor(id: number, head: RequestHead, { carrier, room }: NewStream) {
    this.id = id
    this.head = head
    this.room = room
    this.#carrier = carrier
  }

  get method(): string {
    return this.head.method
  }

  get target(): string {
    return this.head.target ?? ''
  }

  get headers(): Record<string, string | undefined> {
    return this.head.headers
  }

  get rawHeaders(): readonly string[] {
    return this.head.rawHeaders
  }

  get body(): RawBody {
    return this
  }

  get connection(): object {
    return this.#carrier
  }

  get needsDrain(): boolean {
    return this.#outgoingBytes >= HIGH_WATER_BYTES
  }

  /** When nothing more can come or be sent; told once. */
  whenClosed(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#onClose = listener
  }

  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void {
    if (this.#isClosed) return
    const isEmpty = body === undefined || body.length === 0
    this.#isAnswerWhole = true
    if (!isEmpty) this.#queue(body, undefined)
    this.#sendHead(status, headers, isEmpty)
    if (!isEmpty) this.#carrier.pump(this)
  }

  begin(status: number, headers: HeaderRecord): void {
    if (!this.#isClosed) this.#sendHead(status, headers, false)
  }

  /** The client may send its body. */
  continue(): void {
    this.#carrier.sendHead(this, statusText(100), false)
  }

  write(piece: Buffer, done?: () => void): boolean {
    if (this.#isClosed) return false
    if (piece.length === 0) {
      done?.()
      return !this.needsDrain
    }
    this.#queue(piece, done)
    this.#carrier.pump(this)
    return !this.needsDrain
  }

  end(): void {
    if (this.#isClosed || this.#isAnswerWhole) return
    this.#isAnswerWhole = true
    this.#carrier.pump(this)
  }

  breakOff(): void {
    if (!this.#isClosed) this.#carrier.reset(this, INTERNAL_ERROR)
  }

  leave(): void {
    this.#carrier.leave()
  }

  on(_event: 'drain', listener: () => void): void {
    this.#onDrain.push(listener)
  }

  off(_event: 'drain', listener: () => void): void {
    this.#onDrain = this.#onDrain.filter((some) => some !== listener)
  }

  listen(listener: BodyListener): void {
    this.#listener = listener
    const unread = this.#unread
    this.#unread = []
    for (const chunk of unread) this.#hand(chunk)
    if (this.#isClosed && !this.isRequestWhole) listener.onError(new Error('the stream was closed'))
    else if (this.isRequestWhole) this.#listener?.onEnd()
  }

  mute(): void {
    this.#listener = undefined
  }

  /** For the session: what is to be sent next. */
  get next(): Buffer | undefined {
    return this.#outgoing[0]?.bytes
  }

  /** For the session: something is still to be sent. */
  get hasNext(): boolean {
    return !this.#isClosed && (this.#isAnswerWhole || this.#outgoing.length > 0)
  }

  /** For the session: whether so much is all that is left of the answer. */
  isLast(bytes: number): boolean {
    return this.#isAnswerWhole && this.#outgoingBytes === bytes
  }

  /** For the session: so much of `next` was sent. */
  sent(bytes: number): void {
    const first = this.#outgoing[0]
    const needed = this.needsDrain
    this.#outgoingBytes -= bytes
    if (first !== undefined) {
      if (first.bytes.length > bytes) first.bytes = first.bytes.subarray(bytes)
      else {
        this.#outgoing.shift()
        first.done?.()
      }
    }
    if (needed && !this.needsDrain) for (const listener of this.#onDrain.slice()) listener()
  }

  /** For the session: an error where more came than there was room for, or than was announced. */
  take(bytes: Buffer, frameBytes: number): number {
    this.#inRoom -= frameBytes
    this.#receivedBytes += bytes.length
    if (this.#inRoom < 0) return FLOW_CONTROL_ERROR
    if (this.#receivedBytes > (this.head.length ?? Infinity)) return PROTOCOL_ERROR
    // Padding is nobody's to read.
    this.#owedBytes += frameBytes - bytes.length
    if (this.#listener === undefined) this.#unread.push(bytes)
    else this.#hand(bytes)
    return NO_ERROR
  }

  /** For the session: the request is whole; false where it is shorter than was announced. */
  takeEnd(): boolean {
    if (this.head.length !== undefined && this.#receivedBytes !== this.head.length) return false
    this.isRequestWhole = true
    this.#listener?.onEnd()
    return true
  }

  /** For the session: there is no way to or from the client any more; `wasSent`: all of the answer had gone it. */
  close(wasSent: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.wasSent = wasSent
    this.#outgoing.length = 0
    this.#outgoingBytes = 0
    this.#unread = []
    if (!this.isRequestWhole) this.#listener?.onError(new Error('the stream was closed'))
    this.#onClose?.()
  }

  #sendHead(status: number, headers: HeaderRecord, isLast: boolean): void {
    this.headersSent = true
    let block = statusText(status)
    for (const name in headers) {
      const value = headers[name]!
      if (typeof value === 'object') for (const one of value) block += headerText(name, one)
      else block += headerText(name, String(value))
    }
    this.#carrier.sendHead(this, block + headerText('date', this.#carrier.date), isLast)
  }

  #queue(bytes: Buffer, done: (() => void) | undefined): void {
    this.#outgoing.push({ bytes, done })
    this.#outgoingBytes += bytes.length
  }

  #hand(bytes: Buffer): void {
    this.#listener?.onData(bytes)
    this.#owedBytes += bytes.length
    if (this.#owedBytes < STEP_BYTES || this.isRequestWhole) return
    this.#inRoom += this.#owedBytes
    this.#carrier.giveRoom(this, this.#owedBytes)
    this.#owedBytes = 0
  }
}

interface NewStream {
  readonly carrier: StreamCarrier
  readonly room: number
}
