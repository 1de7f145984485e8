// A request over HTTP/2 and its answer, on one stream of a session. The code is our own because Node's streams take as much time as all
// other work for a small request. Invariants: a stream is closed exactly once. An incomplete answer is reset, never ended.
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

/** The session of a stream. */
export interface StreamCarrier extends WireConnection {
  /** Sends the head of an answer. Each character of `block` is a byte. */
  sendHead(stream: Http2Stream, block: string, isLast: boolean): void
  /** Sends as much as flow control allows, and the rest when it allows more. */
  pump(stream: Http2Stream): void
  /** Lets the client send this many more bytes on this stream. */
  sendWindowUpdate(stream: Http2Stream, bytes: number): void
  /** Adds to the number of unfinished bytes, which are unsent or belong to an incomplete request. `bytes` may be negative. */
  hold(bytes: number): void
  reset(stream: Http2Stream, code: number): void
  /** Takes no more requests. */
  leave(): void
  readonly date: string
}

/** The window for a body. It is opened again in steps of half its size. */
export const STREAM_WINDOW_BYTES = 256 * 1024
const STEP_BYTES = STREAM_WINDOW_BYTES / 2

/** With this many bytes to send, the writer must wait. */
const HIGH_WATER_BYTES = 64 * 1024
/** Fewer bytes are copied, because a frame of their own would cost more. */
const FRAME_WORTH_BYTES = 2048
/** The list of pieces is shortened after this many sent pieces. */
const MOST_DROPPED = 1024
const EMPTY = Buffer.alloc(0)

export class Http2Stream implements WireRequest, WireResponse, WireBody {
  readonly id: number
  readonly head: RequestHead
  headersSent = false
  wasSent = false
  /** For the session: the flow-control window for our bytes. */
  window: number
  /** For the session: whether the request is complete. */
  isRequestWhole = false
  readonly openedAt = performance.now()
  readonly #carrier: StreamCarrier
  /** The unsent pieces begin at `#at`. The unsent bytes of the first one begin at `#offset`. */
  #outgoing: Buffer[] = []
  #at = 0
  /** The pieces before this index are copies, or their bytes never change. */
  #settled = 0
  /** No more bytes are gathered before all bytes are sent. */
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
  /** Received bytes since the window was last opened. */
  #owedBytes = 0
  /** The flow-control window for the client's bytes. */
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

  /** For the session: the unsent bytes of the answer, and the received bytes of the request until it is complete. */
  get heldBytes(): number {
    return this.#outgoingBytes + (this.isRequestWhole ? 0 : this.#receivedBytes)
  }

  /** Calls the listener once, when nothing more can be received or sent. */
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

  /** Tells the client that it may send its body. */
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

  /** Copies small pieces, which stay gathered. Large pieces are not copied: they must be sent first. */
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

  /** Ends the answer with trailers. */
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

  /** For the sender: whether this many bytes are the rest of the answer. */
  isLast(bytes: number): boolean {
    return this.#isAnswerWhole && this.#outgoingBytes === bytes
  }

  /** For the sender: the trailers, if there are any. */
  get trailers(): string | undefined {
    return this.#trailers
  }

  /** For the sender: whether there is more to send. */
  get hasNext(): boolean {
    return !this.#isClosed && (this.#isAnswerWhole || this.#outgoingBytes > 0)
  }

  /** For the sender: moves this many of the unsent bytes to `target`. */
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

  /** For the sender: wakes the writers after bytes were sent. */
  wakeWriters(): void {
    if (this.#onDrain.length > 0 && !this.needsDrain) for (const listener of this.#onDrain.slice()) listener()
  }

  /** For the session: takes data. Returns an error code if the data exceeds the window or the announced length. */
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

  /** For the session: ends the request. False: the body is shorter than announced. */
  takeEnd(): boolean {
    if (this.head.length !== undefined && this.#receivedBytes !== this.head.length) return false
    if (this.#receivedBytes > 0) this.#carrier.hold(-this.#receivedBytes)
    this.isRequestWhole = true
    this.#listener?.onEnd()
    return true
  }

  /** For the session: closes the stream, which is over. `wasSent`: the whole answer was sent before. */
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
    // A client that is always a little behind must not keep sent pieces in memory.
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

/** Fewer bytes are copied in a loop, because a call would cost more. */
const TINY_BYTES = 8

function copy(piece: Buffer, from: number, { target, at, size }: { target: Buffer; at: number; size: number }): void {
  if (size >= TINY_BYTES) piece.copy(target, at, from, from + size)
  else for (let i = 0; i < size; i++) target[at + i] = piece[from + i]!
}
