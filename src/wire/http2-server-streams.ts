// The streams of an HTTP/2 connection, and the effect of the client's frames on them (RFC 9113, sections 5, 6 and 8). Invariant: a
// violation of the protocol throws a `ConnectionError` or resets its stream. Too many frames of one type also throw a `ConnectionError`.
import { TurnoverMap } from '../lib/turnover-map.ts'
import { type HeaderBlock, HeaderBlocks } from './header-blocks.ts'
import { HeaderDecoder } from './hpack.ts'
import * as h2 from './http2-frames.ts'
import { ConnectionError, type FrameHead, settingsContent } from './http2-frames.ts'
import { readSettings } from './client-settings.ts'
import { FrameRates } from './frame-rates.ts'
import type { HttpDate } from './http-date.ts'
import type { Http2Sender } from './http2-server-sender.ts'
import { Http2Stream, type StreamCarrier, STREAM_WINDOW_BYTES } from './http2-server-stream.ts'
import { areTrailers, type RequestHead, requestHeadOf } from './request-head.ts'

export interface StreamsOptions {
  readonly maxStreams: number
  /** SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly maxHeaderBytes: number
  readonly date: HttpDate
  /** Called with the change of the unfinished bytes. */
  readonly hold: (bytes: number) => void
  readonly onRequest: (stream: Http2Stream) => void
  /** Called when the last open stream was closed. */
  readonly onNone: () => void
  /** Called to take no more requests on this connection. */
  readonly leave: () => void
  /** Called when the client has answered a PING of ours. */
  readonly onPong: () => void
}

/** The window for the bodies of all streams together. It is opened again as bytes come, because each stream also has its own window. */
const WINDOW_BYTES = 1024 * 1024
const STEP_BYTES = WINDOW_BYTES / 2

/**
 * If a client still sends its request this long after the whole answer, it is told to stop. Without the delay, some clients would not read
 * the answer.
 */
const HANG_UP_MS = 20

/** This many of the last reset streams are remembered, because the client may not know of their reset yet. */
const RESETS_KEPT = 200

/** A request that is reset sooner counts against the client. Later resets are few, because the number of open streams is limited. */
const PREMATURE_MS = 1000

const HEADER_TABLE_BYTES = 4096

export class Http2Streams implements StreamCarrier {
  readonly headerBlocks: HeaderBlocks
  /** The client's first SETTINGS have come. */
  hasSettings = false
  /** The highest number of a stream so far. */
  lastId = 0
  readonly #sender: Http2Sender
  readonly #options: StreamsOptions
  readonly #headerDecoder: HeaderDecoder
  readonly #rates = new FrameRates()
  readonly #streams = new TurnoverMap<number, Http2Stream>()
  readonly #resets = new Set<number>()
  #refusesNew = false
  /** The window that the client gives a new stream. */
  #initialWindow = h2.DEFAULT_WINDOW_BYTES
  /** The window of the connection, and the bytes since it was last opened. */
  #receiveWindow = WINDOW_BYTES
  #owedBytes = 0

  constructor(sender: Http2Sender, options: StreamsOptions) {
    const { maxStreams, maxHeaderBytes } = options
    this.#sender = sender
    this.#options = options
    // A client that exceeds the limit by a little gets an answer, for which the whole block must be read.
    this.headerBlocks = new HeaderBlocks(2 * maxHeaderBytes)
    this.#headerDecoder = new HeaderDecoder({ tableBytes: HEADER_TABLE_BYTES, listBytes: maxHeaderBytes })
    const settings: readonly (readonly [number, number])[] = [
      [h2.MAX_CONCURRENT_STREAMS, maxStreams],
      [h2.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
      [h2.MAX_HEADER_LIST_SIZE, maxHeaderBytes],
    ]
    sender.sendSettings(settingsContent(settings))
    sender.sendNumber(h2.WINDOW_UPDATE, 0, WINDOW_BYTES - h2.DEFAULT_WINDOW_BYTES)
  }

  get size(): number {
    return this.#streams.size
  }

  get date(): string {
    return this.#options.date.text
  }

  sendHead(stream: Http2Stream, block: string, isLast: boolean): void {
    this.#sender.sendHead(stream, block, isLast)
  }

  flush(): void {
    this.#sender.flush()
  }

  pump(stream: Http2Stream): void {
    this.#sender.pump(stream)
  }

  sendWindowUpdate(stream: Http2Stream, bytes: number): void {
    if (this.#streams.has(stream.id)) this.#sender.sendNumber(h2.WINDOW_UPDATE, stream.id, bytes)
  }

  hold(bytes: number): void {
    this.#options.hold(bytes)
  }

  leave(): void {
    this.#options.leave()
  }

  reset(stream: Http2Stream, code: number): void {
    this.#sendReset(stream.id, code)
    this.#forget(stream, false)
  }

  /** Drops all later requests. The client repeats them on its next connection. */
  refuseNew(): void {
    this.#refusesNew = true
  }

  /** Closes a stream whose whole answer was sent. The request may be incomplete. */
  finish(stream: Http2Stream): void {
    const { id, isRequestWhole } = stream
    if (!isRequestWhole) {
      this.#noteReset(id)
      setTimeout(() => this.#sender.sendNumber(h2.RST_STREAM, id, h2.NO_ERROR), HANG_UP_MS).unref()
    }
    this.#forget(stream, true)
  }

  /** Call this when DATA was sent. */
  noteData(): void {
    this.#rates.expectFlowControl()
  }

  /** Resets the stream that holds most memory. False: no stream holds memory. */
  resetLargest(): boolean {
    let largest: Http2Stream | undefined
    for (const stream of this.#streams.values()) {
      if (stream.heldBytes > (largest?.heldBytes ?? 0)) largest = stream
    }
    if (largest !== undefined) this.reset(largest, h2.ENHANCE_YOUR_CALM)
    return largest !== undefined
  }

  closeAll(): void {
    for (const stream of this.#streams.values()) this.#forget(stream, false)
  }

  /** Takes a frame of the client. Throws `ConnectionError`. */
  take(head: FrameHead, content: Buffer): void {
    if (!this.hasSettings && (head.type !== h2.SETTINGS || (head.flags & h2.ACK) !== 0)) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, 'SETTINGS must come first')
    }
    this.headerBlocks.check(head)
    switch (head.type) {
      case h2.DATA:
        return this.#takeData(head, content)
      case h2.HEADERS:
      case h2.CONTINUATION:
        return this.#takeHeaders(head, content)
      case h2.RST_STREAM:
        return this.#takeReset(head, content)
      case h2.SETTINGS:
        return this.#takeSettings(head, content)
      case h2.PING:
        return this.#takePing(head, content)
      case h2.WINDOW_UPDATE:
        return this.#takeWindowUpdate(head, content)
      case h2.PUSH_PROMISE:
        throw new ConnectionError(h2.PROTOCOL_ERROR, 'PUSH_PROMISE of a client')
      default:
        return this.#takeOther(head, content)
    }
  }

  #forget(stream: Http2Stream, wasSent: boolean): void {
    this.#streams.delete(stream.id)
    this.#sender.forget(stream)
    stream.close(wasSent)
    if (this.#streams.size === 0) this.#options.onNone()
  }

  #takeHeaders(head: FrameHead, content: Buffer): void {
    if (head.stream % 2 === 0) throw new ConnectionError(h2.PROTOCOL_ERROR, 'a stream that no client can open')
    const block = this.headerBlocks.take(head, content)
    if (block === undefined) return
    const fields = this.#decode(block)
    const open = this.#streams.get(block.stream)
    if (open !== undefined) this.#takeTrailers(open, block, fields)
    else if (block.stream > this.lastId) this.#takeRequest(block, fields)
    else if (this.#resets.has(block.stream)) this.#noteControl()
    else throw new ConnectionError(h2.STREAM_CLOSED, 'HEADERS on a closed stream')
  }

  #decode({ bytes }: HeaderBlock): readonly string[] | undefined {
    try {
      return this.#headerDecoder.decode(bytes)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new ConnectionError(h2.COMPRESSION_ERROR, error.message)
    }
  }

  #takeTrailers(stream: Http2Stream, { isLast }: HeaderBlock, fields: readonly string[] | undefined): void {
    if (stream.isRequestWhole) this.#streamError(stream, h2.STREAM_CLOSED)
    else if (!isLast || fields === undefined || !areTrailers(fields)) this.#streamError(stream, h2.PROTOCOL_ERROR)
    else this.#endRequest(stream)
  }

  #takeRequest({ stream: id, isLast }: HeaderBlock, fields: readonly string[] | undefined): void {
    if (this.#refusesNew) return this.#noteControl()
    this.lastId = id
    this.#rates.expectFlowControl()
    if (this.#sender.isUnread) throw new ConnectionError(h2.ENHANCE_YOUR_CALM, UNREAD)
    if (this.#streams.size >= this.#options.maxStreams) {
      this.#sendReset(id, h2.REFUSED_STREAM)
      return this.#noteControl()
    }
    const head = fields === undefined ? TOO_LARGE : requestHeadOf(fields)
    if (head === undefined) return this.#refuseStream(id, h2.PROTOCOL_ERROR)
    const stream = new Http2Stream(id, head, { carrier: this, window: this.#initialWindow })
    this.#streams.set(id, stream)
    if (isLast && !stream.takeEnd()) this.#streamError(stream, h2.PROTOCOL_ERROR)
    else if (fields === undefined) stream.whole(431, {}, undefined)
    else this.#options.onRequest(stream)
  }

  #takeData(head: FrameHead, content: Buffer): void {
    const { length } = content
    this.#receiveWindow -= length
    if (this.#receiveWindow < 0) throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'beyond the flow-control window')
    this.#owedBytes += length
    if (this.#owedBytes >= STEP_BYTES) {
      this.#sender.sendNumber(h2.WINDOW_UPDATE, 0, this.#owedBytes)
      this.#receiveWindow += this.#owedBytes
      this.#owedBytes = 0
    }
    const bytes = h2.strip(head, content)
    const isLast = (head.flags & h2.END_STREAM) !== 0
    if (!isLast) this.#rates.noteData(bytes.length)
    const stream = this.#streamOf(head)
    if (stream !== undefined) {
      const error = stream.isRequestWhole ? h2.STREAM_CLOSED : stream.take(bytes, length)
      if (error !== h2.NO_ERROR) this.#streamError(stream, error)
      else if (isLast) this.#endRequest(stream)
    } else if (this.#resets.has(head.stream)) this.#noteControl()
    else this.#refuseStream(head.stream, h2.STREAM_CLOSED)
  }

  #endRequest(stream: Http2Stream): void {
    if (!stream.takeEnd()) this.#streamError(stream, h2.PROTOCOL_ERROR)
  }

  /** Returns the stream of a frame. Undefined: the stream is closed. */
  #streamOf({ stream: id }: FrameHead): Http2Stream | undefined {
    const stream = this.#streams.get(id)
    if (stream !== undefined) return stream
    if (id % 2 === 0 || (id > this.lastId && !this.#refusesNew)) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, 'a frame on an idle stream')
    }
    return undefined
  }

  #takeReset(head: FrameHead, content: Buffer): void {
    checkSize(content, 4)
    this.#rates.noteFlowControl()
    const stream = this.#streamOf(head)
    // The client knows now that the stream is closed.
    this.#resets.delete(head.stream)
    if (stream === undefined) return
    const isPremature = !stream.headersSent && performance.now() - stream.openedAt < PREMATURE_MS
    this.#forget(stream, false)
    if (isPremature) this.#rates.noteReset()
  }

  #takeSettings({ flags, stream }: FrameHead, content: Buffer): void {
    checkStream(stream, true)
    if ((flags & h2.ACK) !== 0) {
      checkSize(content, 0)
      return this.#noteControl()
    }
    const { entries, initialWindow } = readSettings(content)
    this.#rates.noteSettings(entries)
    this.#checkReads()
    if (initialWindow !== undefined && initialWindow !== this.#initialWindow) this.#changeWindows(initialWindow)
    this.#sender.acknowledgeSettings()
    this.hasSettings = true
  }

  #changeWindows(initialWindow: number): void {
    const more = initialWindow - this.#initialWindow
    this.#initialWindow = initialWindow
    for (const stream of this.#streams.values()) {
      stream.window += more
      if (stream.window > h2.LARGEST_WINDOW_BYTES) throw new ConnectionError(h2.FLOW_CONTROL_ERROR, WINDOW_TOO_LARGE)
      this.#sender.makeReady(stream)
    }
  }

  /** The data that a window update allows is sent after all received frames were handled. */
  #takeWindowUpdate(head: FrameHead, content: Buffer): void {
    checkSize(content, 4)
    this.#rates.noteFlowControl()
    const bytes = content.readUInt32BE(0) & h2.LARGEST_WINDOW_BYTES
    if (head.stream === 0) {
      if (bytes === 0) throw new ConnectionError(h2.PROTOCOL_ERROR, 'WINDOW_UPDATE with an increment of 0')
      return this.#sender.openWindow(bytes)
    }
    const stream = this.#streamOf(head)
    if (stream === undefined) {
      if (bytes === 0) this.#refuseStream(head.stream, h2.PROTOCOL_ERROR)
      return
    }
    stream.window += bytes
    if (bytes === 0) this.#streamError(stream, h2.PROTOCOL_ERROR)
    else if (stream.window > h2.LARGEST_WINDOW_BYTES) this.#streamError(stream, h2.FLOW_CONTROL_ERROR)
    else this.#sender.makeReady(stream)
  }

  #takePing({ flags, stream }: FrameHead, content: Buffer): void {
    checkStream(stream, true)
    checkSize(content, 8)
    this.#noteControl()
    if ((flags & h2.ACK) === 0) this.#sender.answerPing(content)
    else this.#options.onPong()
  }

  /** GOAWAY, PRIORITY and extensions have no effect. */
  #takeOther({ type, stream }: FrameHead, content: Buffer): void {
    this.#noteControl()
    if (type === h2.GOAWAY) checkStream(stream, true)
    if (type !== h2.PRIORITY) return
    checkStream(stream, false)
    checkSize(content, h2.PRIORITY_BYTES)
    h2.checkDependency(stream, content, 0)
  }

  /** Counts a frame that requests nothing. */
  #noteControl(): void {
    this.#rates.noteControl()
    this.#checkReads()
  }

  #checkReads(): void {
    if (this.#sender.isUnread) throw new ConnectionError(h2.ENHANCE_YOUR_CALM, UNREAD)
  }

  /** Resets a stream because of a stream error (section 5.4.2). */
  #streamError(stream: Http2Stream, code: number): void {
    this.reset(stream, code)
    this.#rates.noteReset()
  }

  /** Answers a stream error of a stream that is closed or was never open. */
  #refuseStream(id: number, code: number): void {
    this.#sendReset(id, code)
    this.#rates.noteReset()
    this.#checkReads()
  }

  #sendReset(id: number, code: number): void {
    this.#noteReset(id)
    this.#sender.sendNumber(h2.RST_STREAM, id, code)
  }

  #noteReset(id: number): void {
    this.#resets.add(id)
    if (this.#resets.size > RESETS_KEPT) this.#resets.delete(this.#resets.values().next().value!)
  }
}

const UNREAD = 'the client does not read the answers'
const WINDOW_TOO_LARGE = 'a flow-control window beyond 2^31-1'

function checkSize({ length }: Buffer, size: number): void {
  if (length !== size) throw new ConnectionError(h2.FRAME_SIZE_ERROR, 'a frame of the wrong size')
}

function checkStream(stream: number, isNone: boolean): void {
  if ((stream === 0) !== isNone) throw new ConnectionError(h2.PROTOCOL_ERROR, 'a frame on the wrong stream')
}

/** Replaces the head of a request whose fields have more than `maxHeaderBytes`. */
const TOO_LARGE: RequestHead = Object.freeze({
  method: '',
  target: undefined,
  headers: {},
  rawHeaders: [],
  length: undefined,
})
