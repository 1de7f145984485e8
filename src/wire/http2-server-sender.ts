// The sending half of an HTTP/2 session: answers go out as fast as flow control allows, and as the client reads them.
// Invariants: no stream sends more than its window and the connection's; while the socket is full, streams take turns; what a
// client says of one stream costs nothing for the others.
import type { Writable } from 'node:stream'
import { Outbox, type OutboxBuffers } from './frame-outbox.ts'
import { NO_TABLE } from './hpack.ts'
import * as h2 from './http2-frames.ts'
import { ConnectionError, numberContent } from './http2-frames.ts'
import type { Http2Stream } from './http2-server-stream.ts'

/** While so much waits for the client to read, nothing is added but what is small and due. */
const FULL_BYTES = 256 * 1024
/** So much is never waiting for a client that reads. */
const UNREAD_BYTES = FULL_BYTES + 1024 * 1024

const EMPTY = Buffer.alloc(0)
const PING_CONTENT = Buffer.from('draining')

export interface SenderOptions {
  readonly socket: Writable
  readonly buffers: OutboxBuffers
  /** All of a stream's answer is on its way. */
  readonly onSent: (stream: Http2Stream) => void
  /** So much more waits for the client to read, or less. */
  readonly onWaiting: (bytes: number) => void
  /** A DATA frame is on its way. */
  readonly onData: () => void
}

export class Http2Sender {
  readonly #outbox: Outbox
  readonly #options: SenderOptions
  /** Those with something to send whose own window is open: they wait for the connection's, or for the socket. */
  readonly #ready = new Set<Http2Stream>()
  #window = h2.DEFAULT_WINDOW_BYTES
  /** The next field block begins with the word that no dynamic table is used. */
  #tellsTable = true

  constructor(options: SenderOptions) {
    const { socket, buffers, onWaiting } = options
    this.#outbox = new Outbox({ socket, buffers, onSent: () => this.resume(), onWaiting })
    this.#options = options
  }

  /** Whether the client sends and does not read. */
  get isUnread(): boolean {
    return this.#outbox.waitingBytes > UNREAD_BYTES
  }

  get waitingBytes(): number {
    return this.#outbox.waitingBytes
  }

  /** What the socket has taken. */
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

  /** What it has to send goes out with `resume`, if its window allows any. */
  makeReady(stream: Http2Stream): void {
    if (stream.hasNext && (stream.window > 0 || stream.isLast(0))) this.#ready.add(stream)
    else this.#ready.delete(stream)
  }

  /** A window may have been opened, or the socket has room: each stream gets a frame in turn. */
  resume(): void {
    for (const stream of this.#ready) {
      if (this.#isFull) return
      if (this.#window <= 0 && !stream.isLast(0)) continue
      // Behind all the others, where it is not the last of it.
      this.#ready.delete(stream)
      if (this.#sendData(stream)) this.makeReady(stream)
    }
  }

  /** WINDOW_UPDATE for the connection. Something may go out then: see `resume`. */
  openWindow(bytes: number): void {
    this.#window += bytes
    if (this.#window > h2.LARGEST_WINDOW_BYTES) {
      throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'a flow-control window beyond 2^31-1')
    }
  }

  /** Nothing more is sent of it. */
  forget(stream: Http2Stream): void {
    this.#ready.delete(stream)
  }

  sendNumber(type: number, stream: number, value: number): void {
    this.#outbox.add({ type, flags: 0, stream, content: numberContent(value) })
  }

  sendSettings(content: Buffer): void {
    this.#outbox.add({ type: h2.SETTINGS, flags: 0, stream: 0, content })
  }

  /** Where the client's settings shrank the dynamic table, it waits for the word that this is known. */
  acknowledgeSettings(): void {
    this.#tellsTable = true
    this.#outbox.add({ type: h2.SETTINGS, flags: h2.ACK, stream: 0, content: EMPTY })
  }

  answerPing(content: Buffer): void {
    this.#outbox.add({ type: h2.PING, flags: h2.ACK, stream: 0, content })
  }

  /** Whose answer tells that all before it was read. */
  sendPing(): void {
    this.#outbox.add({ type: h2.PING, flags: 0, stream: 0, content: PING_CONTENT })
  }

  /** `message`: the reason, for the log of the other end. */
  sendGoAway(lastStream: number, code: number, message: string): void {
    const content = Buffer.concat([numberContent(lastStream), numberContent(code), Buffer.from(message)])
    this.#outbox.add({ type: h2.GOAWAY, flags: 0, stream: 0, content })
  }

  flush(): void {
    this.#outbox.flush()
  }

  /** Ends the socket when all has gone out. */
  end(): void {
    this.#outbox.end()
  }

  get #isFull(): boolean {
    return this.#outbox.waitingBytes >= FULL_BYTES
  }

  /** One frame of what a stream has; false where there is nothing more, or no window for it. */
  #sendData(stream: Http2Stream): boolean {
    // A window that was made smaller by SETTINGS may be less than nothing.
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
