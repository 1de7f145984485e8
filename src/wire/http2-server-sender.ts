// The sending half of an HTTP/2 session. It sends answers as fast as flow control allows and the client reads. Invariants: no stream sends
// more than its window and the connection's window allow. While the socket is full, streams take turns. A frame about one stream causes no
// work for the other streams.
import type { Writable } from 'node:stream'
import { FrameOutbox, type OutboxBuffers } from './frame-outbox.ts'
import { NO_TABLE } from './hpack.ts'
import * as h2 from './http2-frames.ts'
import { ConnectionError, numberContent } from './http2-frames.ts'
import type { Http2Stream } from './http2-server-stream.ts'

/** While this many bytes wait for the client, no DATA is added, only small frames of other types. */
const FULL_BYTES = 256 * 1024
/** A client that reads never leaves this many bytes waiting. */
const UNREAD_BYTES = FULL_BYTES + 1024 * 1024

const EMPTY = Buffer.alloc(0)
const PING_CONTENT = Buffer.from('draining')

export interface SenderOptions {
  readonly socket: Writable
  readonly buffers: OutboxBuffers
  /** Called when the whole answer of a stream was sent. */
  readonly onSent: (stream: Http2Stream) => void
  /** Called with the change of the bytes that wait for the client. */
  readonly onWaiting: (bytes: number) => void
  /** Called when a DATA frame was sent. */
  readonly onData: () => void
}

export class Http2Sender {
  readonly #outbox: FrameOutbox
  readonly #options: SenderOptions
  /** Streams that have data and an open window. They wait for the connection's window or for the socket. */
  readonly #ready = new Set<Http2Stream>()
  #window = h2.DEFAULT_WINDOW_BYTES
  /** The next field block begins with the notice that no dynamic table is used. */
  #tellsTable = true

  constructor(options: SenderOptions) {
    const { socket, buffers, onWaiting } = options
    this.#outbox = new FrameOutbox({ socket, buffers, onSent: () => this.resume(), onWaiting })
    this.#options = options
  }

  /** Whether the client leaves too many bytes unread. */
  get isUnread(): boolean {
    return this.#outbox.waitingBytes > UNREAD_BYTES
  }

  get waitingBytes(): number {
    return this.#outbox.waitingBytes
  }

  /** The bytes that the socket has taken. */
  get sentBytes(): number {
    return this.#outbox.sentBytes
  }

  /** Each character of `block` is a byte. */
  sendHead(stream: Http2Stream, block: string, isLast: boolean): void {
    let rest = this.#tellsTable ? NO_TABLE + block : block
    this.#tellsTable = false
    let [type, ends] = [h2.HEADERS, isLast ? h2.END_STREAM : 0]
    while (rest.length > h2.DEFAULT_FRAME_BYTES) {
      this.#outbox.addText({ type, flags: ends, stream: stream.id }, rest.slice(0, h2.DEFAULT_FRAME_BYTES))
      rest = rest.slice(h2.DEFAULT_FRAME_BYTES)
      ;[type, ends] = [h2.CONTINUATION, 0]
    }
    this.#outbox.addText({ type, flags: ends | h2.END_HEADERS, stream: stream.id }, rest)
    if (isLast) this.#options.onSent(stream)
  }

  /** Sends as much of a stream as flow control and the socket allow, and the rest when they allow more. */
  pump(stream: Http2Stream): void {
    let isFull = this.#isFull
    while (!isFull && this.#sendData(stream)) isFull = this.#isFull
    this.makeReady(stream)
  }

  /** Lets `resume` send the data of the stream if the window of the stream allows. */
  makeReady(stream: Http2Stream): void {
    if (stream.hasNext && (stream.window > 0 || stream.isLast(0))) this.#ready.add(stream)
    else this.#ready.delete(stream)
  }

  /** Call this after a window was opened or when the socket has room. Streams send one frame each by turns. */
  resume(): void {
    for (const stream of this.#ready) {
      if (this.#isFull) return
      if (this.#window <= 0 && !stream.isLast(0)) continue
      // The stream goes to the end of the queue unless this was its last frame.
      this.#ready.delete(stream)
      if (this.#sendData(stream)) this.makeReady(stream)
    }
  }

  /** Applies a WINDOW_UPDATE of the connection. Call `resume` afterwards. */
  openWindow(bytes: number): void {
    this.#window += bytes
    if (this.#window > h2.LARGEST_WINDOW_BYTES) {
      throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'a flow-control window beyond 2^31-1')
    }
  }

  /** Sends no more of the stream. */
  forget(stream: Http2Stream): void {
    this.#ready.delete(stream)
  }

  sendNumber(type: number, stream: number, value: number): void {
    this.#outbox.add({ type, flags: 0, stream, content: numberContent(value) })
  }

  sendSettings(content: Buffer): void {
    this.#outbox.add({ type: h2.SETTINGS, flags: 0, stream: 0, content })
  }

  /** Acknowledges settings. If they shrank the dynamic table, the next field block must say so. */
  acknowledgeSettings(): void {
    this.#tellsTable = true
    this.#outbox.add({ type: h2.SETTINGS, flags: h2.ACK, stream: 0, content: EMPTY })
  }

  answerPing(content: Buffer): void {
    this.#outbox.add({ type: h2.PING, flags: h2.ACK, stream: 0, content })
  }

  /** Sends a PING. Its answer shows that the client has read all frames before it. */
  sendPing(): void {
    this.#outbox.add({ type: h2.PING, flags: 0, stream: 0, content: PING_CONTENT })
  }

  /** `message`: the reason, for the log of the client. */
  sendGoAway(lastStream: number, code: number, message: string): void {
    const content = Buffer.concat([numberContent(lastStream), numberContent(code), Buffer.from(message)])
    this.#outbox.add({ type: h2.GOAWAY, flags: 0, stream: 0, content })
  }

  flush(): void {
    this.#outbox.flush()
  }

  /** Ends the socket after all bytes were sent. */
  end(): void {
    this.#outbox.end()
  }

  get #isFull(): boolean {
    return this.#outbox.waitingBytes >= FULL_BYTES
  }

  /** Sends one frame of a stream. False: there is no more data, or no window. */
  #sendData(stream: Http2Stream): boolean {
    // A window may be negative after SETTINGS have shrunk it.
    const window = Math.max(0, Math.min(this.#window, stream.window))
    const length = Math.min(stream.unsentBytes, window, h2.DEFAULT_FRAME_BYTES)
    const isLast = stream.isLast(length)
    if (length === 0 && !isLast) return false
    const trailers = isLast ? stream.trailers : undefined
    if (length > 0 || trailers === undefined) {
      this.#window -= length
      stream.window -= length
      this.#options.onData()
      const flags = isLast && trailers === undefined ? h2.END_STREAM : 0
      this.#outbox.addFrom(stream, { type: h2.DATA, flags, stream: stream.id, length })
    }
    if (trailers !== undefined) this.sendHead(stream, trailers, true)
    else if (isLast) this.#options.onSent(stream)
    else stream.wakeWriters()
    return !isLast
  }
}
