// The sending half of an HTTP/2 session: answers go out as fast as the client has said that it takes them, and as it reads them.
// Invariants: no stream sends more than its window and the connection's; while the socket is full, streams take turns.
import type { Writable } from 'node:stream'
import { Outbox, type OutboxBuffers } from '../lib/frame-outbox.ts'
import { NO_TABLE } from '../lib/hpack.ts'
import * as h2 from '../lib/http2-frames.ts'
import { numberContent, WireError } from '../lib/http2-frames.ts'
import type { Http2Stream } from './http2-stream.ts'

/** While so much waits for the client to read, nothing is added but what is small and due. */
const FULL_BYTES = 256 * 1024
/** So much is never waiting for a client that reads. */
const UNREAD_BYTES = FULL_BYTES + 1024 * 1024

const EMPTY = Buffer.alloc(0)

export class Http2Sender {
  readonly #outbox: Outbox
  readonly #onSent: (stream: Http2Stream) => void
  /** Those with something to send that there is no room for. */
  readonly #blocked = new Set<Http2Stream>()
  #room = h2.DEFAULT_WINDOW_BYTES
  /** The next block of headers begins with the word that no table is used. */
  #tellsTable = true

  /** `onSent`: all of a stream's answer is on its way. */
  constructor(socket: Writable, buffers: OutboxBuffers, onSent: (stream: Http2Stream) => void) {
    this.#outbox = new Outbox({ socket, buffers, onSent: () => this.resume() })
    this.#onSent = onSent
  }

  /** Whether the client sends and does not read. */
  get isUnread(): boolean {
    return this.#outbox.waitingBytes > UNREAD_BYTES
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
    if (isLast) this.#onSent(stream)
  }

  /** Sends as much of a stream as there is room for, and the rest when there is more. */
  pump(stream: Http2Stream): void {
    let isFull = this.#isFull
    while (!isFull && this.#sendData(stream)) isFull = this.#isFull
    if (stream.hasNext) this.#blocked.add(stream)
    else this.#blocked.delete(stream)
  }

  /** There may be room again: each stream gets a frame in turn. */
  resume(): void {
    if (this.#blocked.size === 0) return
    const waiting: Http2Stream[] = []
    for (const stream of this.#blocked) {
      if (this.#isFull) break
      this.#blocked.delete(stream)
      if (this.#sendData(stream)) this.#blocked.add(stream)
      else if (stream.hasNext) waiting.push(stream)
    }
    for (const stream of waiting) this.#blocked.add(stream)
  }

  /** The client takes so much more of all streams together. */
  addRoom(bytes: number): void {
    this.#room += bytes
    if (this.#room > h2.LARGEST_WINDOW_BYTES) throw new WireError(h2.FLOW_CONTROL_ERROR, 'too much room')
    this.resume()
  }

  /** Nothing more is sent of it. */
  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream)
  }

  sendNumber(type: number, stream: number, value: number): void {
    this.#outbox.add({ type, flags: 0, stream, content: numberContent(value) })
  }

  sendSettings(content: Buffer): void {
    this.#outbox.add({ type: h2.SETTINGS, flags: 0, stream: 0, content })
  }

  /** Where the client's settings shrank the table, it waits for the word that this is known. */
  acknowledgeSettings(): void {
    this.#tellsTable = true
    this.#outbox.add({ type: h2.SETTINGS, flags: h2.ACK, stream: 0, content: EMPTY })
  }

  answerPing(content: Buffer): void {
    this.#outbox.add({ type: h2.PING, flags: h2.ACK, stream: 0, content })
  }

  sendGoAway(lastStream: number, code: number): void {
    const content = Buffer.concat([numberContent(lastStream), numberContent(code)])
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

  /** One frame of what a stream has; false where there is nothing more, or no room for it. */
  #sendData(stream: Http2Stream): boolean {
    const length = Math.min(stream.outgoingBytes, this.#room, stream.room, h2.DEFAULT_FRAME_BYTES)
    const isLast = stream.isLast(length)
    if (length <= 0 && !isLast) return false
    this.#room -= length
    stream.room -= length
    this.#outbox.addFrom(stream, { type: h2.DATA, flags: isLast ? h2.END_STREAM : 0, stream: stream.id, length })
    if (isLast) this.#onSent(stream)
    else stream.wakeWriters()
    return !isLast
  }
}
