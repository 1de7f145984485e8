// A request over HTTP/2 and its answer, on one stream of a session. It is our own because Node's streams cost as much as all the
// rest of a small request. Invariants: it is closed exactly once; what is not sent whole is reset, never ended.
import { GatheredBytes } from './gathered-bytes.ts'
import { headerText, statusText } from './hpack.ts'
import { FLOW_CONTROL_ERROR, INTERNAL_ERROR, NO_ERROR, PROTOCOL_ERROR } from './http2-frames.ts'
import type {
  BodyListener,
  HeaderRecord,
  WireBody,
  WireConnection,
  WireRequest,
  WireResponse,
} from './request-response.ts'
import type { RequestHead } from './request-head.ts'

/** What carries a stream. */
export interface StreamCarrier extends WireConnection {
  /** Each character is a byte. */
  sendHead(stream: Http2Stream, block: string, isLast: boolean): void
  /** Sends as much as flow control allows, and the rest when it allows more. */
  pump(stream: Http2Stream): void
  /** The client may send so much more on this one. */
  sendWindowUpdate(stream: Http2Stream, bytes: number): void
  /** So much more of it is unfinished, or less. */
  hold(bytes: number): void
  reset(stream: Http2Stream, code: number): void
  /** Takes no more requests. */
  leave(): void
  readonly date: string
}

/** For a body; half of it is given back at a time. */
export const STREAM_WINDOW_BYTES = 256 * 1024
const STEP_BYTES = STREAM_WINDOW_BYTES / 2

/** More than this waiting to be sent, and the writer is asked to wait. */
const HIGH_WATER_BYTES = 64 * 1024
/** Copying less costs less than a frame of its own. */
const FRAME_WORTH_BYTES = 2048
/** So many places of pieces that were sent are kept before the others move up. */
const MOST_DROPPED = 1024
const EMPTY = Buffer.alloc(0)

export class Http2Stream implements WireRequest, WireResponse, WireBody {
  readonly id: number
  readonly head: RequestHead
  headersSent = false
  wasSent = false
  /** For the session: the flow-control window for what we send. */
  window: number
  /** For the session: the request is all here. */
  isRequestWhole = false
  readonly openedAt = performance.now()
  readonly #carrier: StreamCarrier
  /** The pieces that are still to be sent begin at `#at`, at `#offset` within the first. */
  #outgoing: Buffer[] = []
  #at = 0
  /** Those before this one are ours, or never change. */
  #settled = 0
  /** Nothing more is to be gathered before all of it is sent. */
  #waitsForAll = false
  #offset = 0
  #outgoingBytes = 0
  #sentBytes = 0
  #isAnswerWhole = false
  #trailers: string | undefined
  #isClosed = false
  #onClose: (() => void) | undefined
  #onDrain: (() => void)[] = []
  #listener: BodyListener | undefined
  #isMuted = false
  /** The data that came before there was a listener. */
  #unread: GatheredBytes | undefined
  #receivedBytes = 0
  /** What came and the client has no window for again. */
  #owedBytes = 0
  /** The flow-control window for what the client sends. */
  #receiveWindow = STREAM_WINDOW_BYTES

  constructor(id: number, head: RequestHead, { carrier, window }: NewStream) {
    this.id = id
    this.head = head
    this.window = window
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

  get body(): WireBody {
    return this
  }

  get connection(): WireConnection {
    return this.#carrier
  }

  get needsDrain(): boolean {
    return this.#outgoingBytes >= (this.#waitsForAll ? 1 : HIGH_WATER_BYTES)
  }

  get unsentBytes(): number {
    return this.#outgoingBytes
  }

  get sentBytes(): number {
    return this.#sentBytes
  }

  /** For the session: what of it is unfinished. */
  get heldBytes(): number {
    return this.#outgoingBytes + (this.isRequestWhole ? 0 : this.#receivedBytes)
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
    if (!isEmpty) this.#queue(body)
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

  write(piece: Buffer): boolean {
    if (this.#isClosed) return false
    this.#queue(piece)
    this.#carrier.pump(this)
    return !this.needsDrain
  }

  gather(piece: Buffer): boolean {
    if (this.#isClosed) return false
    this.#queue(piece)
    if (this.needsDrain) this.#carrier.pump(this)
    return !this.needsDrain
  }

  /** What is worth a frame is sent, or has to be waited for; what is not is copied. */
  settle(): boolean {
    if (this.#outgoingBytes >= FRAME_WORTH_BYTES) this.#carrier.pump(this)
    this.#waitsForAll = this.#outgoingBytes >= FRAME_WORTH_BYTES
    if (this.#waitsForAll) return false
    const from = Math.max(this.#at, this.#settled)
    for (let i = from; i < this.#outgoing.length; i++) this.#outgoing[i] = Buffer.from(this.#outgoing[i]!)
    this.#settled = this.#outgoing.length
    return true
  }

  flush(): void {
    if (!this.#isClosed) this.#carrier.pump(this)
  }

  end(): void {
    if (this.#isClosed || this.#isAnswerWhole) return
    this.#isAnswerWhole = true
    this.#carrier.pump(this)
  }

  /** Ends it with fields behind the body. */
  endWith(trailers: HeaderRecord): void {
    if (this.#isClosed || this.#isAnswerWhole) return
    this.#trailers = fieldsText(trailers)
    this.end()
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
    const unread = this.#unread?.take()
    this.#unread = undefined
    if (unread !== undefined) this.#hand(unread)
    if (this.#isClosed && !this.isRequestWhole) listener.onError(new Error('the stream was closed'))
    else if (this.isRequestWhole) this.#listener?.onEnd()
  }

  mute(): void {
    this.#listener = undefined
    this.#isMuted = true
  }

  /** For the sender: whether so much is all that is left of the answer. */
  isLast(bytes: number): boolean {
    return this.#isAnswerWhole && this.#outgoingBytes === bytes
  }

  /** For the sender: the field block that ends it, where there is one. */
  get trailers(): string | undefined {
    return this.#trailers
  }

  /** For the sender: something is still to be sent. */
  get hasNext(): boolean {
    return !this.#isClosed && (this.#isAnswerWhole || this.#outgoingBytes > 0)
  }

  /** For the sender: moves so many of the bytes that are to be sent. */
  moveTo(target: Buffer, start: number, bytes: number): void {
    const end = start + bytes
    for (let to = start; to < end; ) {
      const piece = this.#outgoing[this.#at]!
      const size = Math.min(piece.length - this.#offset, end - to)
      copy(piece, this.#offset, { target, at: to, size })
      to += size
      this.#offset += size
      if (this.#offset === piece.length) this.#dropFirst()
    }
    this.#outgoingBytes -= bytes
    this.#sentBytes += bytes
    this.#carrier.hold(-bytes)
  }

  /** For the sender: something was sent. */
  wakeWriters(): void {
    if (this.#onDrain.length > 0 && !this.needsDrain) for (const listener of this.#onDrain.slice()) listener()
  }

  /** For the session: an error where more came than the window allowed, or than was announced. */
  take(bytes: Buffer, frameBytes: number): number {
    this.#receiveWindow -= frameBytes
    this.#receivedBytes += bytes.length
    this.#carrier.hold(bytes.length)
    if (this.#receiveWindow < 0) return FLOW_CONTROL_ERROR
    if (this.#receivedBytes > (this.head.length ?? Infinity)) return PROTOCOL_ERROR
    // Padding is not passed on.
    this.#owedBytes += frameBytes - bytes.length
    if (this.#listener !== undefined) this.#hand(bytes)
    else if (!this.#isMuted) (this.#unread ??= new GatheredBytes()).add(bytes)
    return NO_ERROR
  }

  /** For the session: the request is whole; false where it is shorter than was announced. */
  takeEnd(): boolean {
    if (this.head.length !== undefined && this.#receivedBytes !== this.head.length) return false
    if (this.#receivedBytes > 0) this.#carrier.hold(-this.#receivedBytes)
    this.isRequestWhole = true
    this.#listener?.onEnd()
    return true
  }

  /** For the session: the connection to the client is gone. `wasSent`: all of the answer was sent before that. */
  close(wasSent: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.wasSent = wasSent
    if (this.heldBytes > 0) this.#carrier.hold(-this.heldBytes)
    this.#outgoing = []
    this.#outgoingBytes = 0
    this.#receivedBytes = 0
    this.#unread = undefined
    if (!this.isRequestWhole) this.#listener?.onError(new Error('the stream was closed'))
    this.#onClose?.()
  }

  #sendHead(status: number, headers: HeaderRecord, isLast: boolean): void {
    this.headersSent = true
    const block = statusText(status) + fieldsText(headers) + headerText('date', this.#carrier.date)
    this.#carrier.sendHead(this, block, isLast)
  }

  #queue(piece: Buffer): void {
    if (piece.length === 0) return
    this.#outgoing.push(piece)
    this.#outgoingBytes += piece.length
    this.#carrier.hold(piece.length)
  }

  #dropFirst(): void {
    this.#offset = 0
    // A client that is always a little behind must not keep what it was sent long ago.
    this.#outgoing[this.#at++] = EMPTY
    const isAll = this.#at === this.#outgoing.length
    if (isAll) this.#waitsForAll = false
    if (!isAll && this.#at < MOST_DROPPED) return
    this.#outgoing = isAll ? [] : this.#outgoing.slice(this.#at)
    this.#settled = Math.max(0, this.#settled - this.#at)
    this.#at = 0
  }

  #hand(bytes: Buffer): void {
    this.#listener?.onData(bytes)
    this.#owedBytes += bytes.length
    if (this.#owedBytes < STEP_BYTES || this.isRequestWhole) return
    this.#receiveWindow += this.#owedBytes
    this.#carrier.sendWindowUpdate(this, this.#owedBytes)
    this.#owedBytes = 0
  }
}

interface NewStream {
  readonly carrier: StreamCarrier
  readonly window: number
}

function fieldsText(fields: HeaderRecord): string {
  let block = ''
  for (const name in fields) {
    const value = fields[name]!
    if (typeof value === 'object') for (const one of value) block += headerText(name, one)
    else block += headerText(name, String(value))
  }
  return block
}

/** A call costs more than a few bytes do. */
const TINY_BYTES = 8

function copy(piece: Buffer, from: number, { target, at, size }: { target: Buffer; at: number; size: number }): void {
  if (size >= TINY_BYTES) piece.copy(target, at, from, from + size)
  else for (let i = 0; i < size; i++) target[at + i] = piece[from + i]!
}
