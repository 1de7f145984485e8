// The client's side of an HTTP/2 connection (RFC 9113): many streams at a time over one socket. The code is our own because calls to etcd
// are small and frequent, and Node's streams cost three times as much processor time as the rest of a call.
//
// Invariants: a listener gets the end of its stream exactly once, unless we have reset the stream. The peer has not processed an
// `untouched` stream. The frames of one turn of the event loop are one write. The window of the connection is opened again as soon as bytes
// come, so that a stream without a reader delays only itself.
import type { Duplex } from 'node:stream'
import { TurnoverMap } from '../lib/turnover-map.ts'
import * as h2 from './http2-frames.ts'
import { type FrameHead, numberContent, settingsContent, ConnectionError } from './http2-frames.ts'
import { FrameOutbox, OutboxBuffers } from './frame-outbox.ts'
import { FrameSplitter } from './frame-splitter.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { HEADERS_BYTES, HeaderReader } from './http2-client-headers.ts'
import {
  type Broken,
  STEP_BYTES,
  Stream,
  type StreamCarrier,
  type StreamListener,
  WINDOW_BYTES as STREAM_WINDOW_BYTES,
} from './http2-client-stream.ts'

/** `draining`: open streams continue, and no stream begins. */
export type ConnectionState = 'opening' | 'open' | 'draining' | 'closed'

const WINDOW_BYTES = 16 << 20

const QUIET_MS = 10_000
const PING_LIMIT_MS = 5_000
/** etcd closes the connection of a client that pings more often than every 5 s, or without an open call. */
const PING_EVERY_MS = 6_000
const OPEN_LIMIT_MS = 5_000
const PONG_AFTER_MS = 10

/** The highest number of a stream. Beyond it another connection is needed. */
const LAST_STREAM = 2 ** 31 - 1

const SETTINGS = settingsContent([
  [h2.HEADER_TABLE_SIZE, 0],
  [h2.ENABLE_PUSH, 0],
  [h2.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
])
const EMPTY = Buffer.alloc(0)
const PING_CONTENT = Buffer.alloc(8)

export class Connection implements StreamCarrier {
  readonly #socket: Duplex
  readonly #onChange: () => void
  readonly #outbox: FrameOutbox
  readonly #splitter = new FrameSplitter(h2.HTTP2_FRAMES)
  readonly #headerBlocks = new HeaderBlocks(HEADERS_BYTES)
  readonly #headerReader = new HeaderReader()
  readonly #streams = new TurnoverMap<number, Stream>()
  /** The streams beyond the peer's MAX_CONCURRENT_STREAMS, in the order of their arrival. */
  readonly #waiting = new Set<Stream>()
  /** The streams that have data to send while a flow-control window is closed. */
  readonly #blocked = new Set<Stream>()
  #state: ConnectionState = 'opening'
  #reason = ''
  #nextId = 1
  /** The windows of the peer: for the connection, and for a new stream. */
  #window = h2.DEFAULT_WINDOW_BYTES
  #streamWindow = h2.DEFAULT_WINDOW_BYTES
  #streamsAtATime = Infinity
  /** Received bytes that no WINDOW_UPDATE has acknowledged yet. */
  #owed = 0
  #heardAt = performance.now()
  #isPinged = false
  #pingedAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  /** `dial` makes a socket, which may still be connecting. `onChange` is called when `state` has changed. */
  constructor(dial: (onRead: (chunk: Buffer) => void) => Duplex, onChange: () => void) {
    const socket = dial((chunk) => this.#read(chunk))
    this.#socket = socket
    this.#onChange = onChange
    this.#outbox = new FrameOutbox({ socket, buffers: new OutboxBuffers() })
    socket.on('error', (error) => this.#close(error.message))
    socket.on('close', () => this.#close('it was closed'))
    socket.write(h2.PREFACE)
    this.#outbox.add({ type: h2.SETTINGS, flags: 0, stream: 0, content: SETTINGS })
    this.#sendNumber(h2.WINDOW_UPDATE, 0, WINDOW_BYTES - h2.DEFAULT_WINDOW_BYTES)
    this.#timer = setTimeout(() => this.#close(`no answer within ${OPEN_LIMIT_MS} ms`), OPEN_LIMIT_MS)
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** Begins a stream, or queues it if the peer takes no more streams for now. */
  open(headers: Buffer, listener: StreamListener): Stream {
    const stream = new Stream(headers, listener, this)
    if (this.#state === 'closed' || this.#state === 'draining') {
      queueMicrotask(() => stream.break({ message: this.#lost(), untouched: true }))
    } else if (this.#state === 'open' && this.#streams.size < this.#streamsAtATime) this.#begin(stream)
    else this.#waiting.add(stream)
    return stream
  }

  close(): void {
    this.#close('it was closed by us')
  }

  /** Pings a peer that has been quiet for this time. Closes the connection if the peer stays quiet for the same time again. */
  check(quietMs: number): void {
    const now = performance.now()
    if (this.#state !== 'open' || this.#isPinged || now - this.#heardAt < quietMs) return
    if (this.#streams.size > 0 && now - this.#pingedAt >= PING_EVERY_MS) this.#ping(quietMs)
  }

  /** Sends as much as the windows allow, and the rest when they open. */
  pump(stream: Stream): void {
    if (stream.id === 0) return
    const { unsent } = stream
    while (unsent.length > 0) {
      const first = unsent[0]!
      const size = Math.min(first.length, this.#window, stream.window, h2.DEFAULT_FRAME_BYTES)
      if (size <= 0) {
        this.#blocked.add(stream)
        return
      }
      if (size === first.length) unsent.shift()
      else unsent[0] = first.subarray(size)
      this.#window -= size
      stream.window -= size
      const flags = unsent.length === 0 && stream.isWhole ? h2.END_STREAM : 0
      const content = size === first.length ? first : first.subarray(0, size)
      this.#outbox.add({ type: h2.DATA, flags, stream: stream.id, content })
    }
    this.#blocked.delete(stream)
  }

  /** Lets the peer send this many more bytes on this stream. */
  openWindow(stream: Stream, bytes: number): void {
    if (this.#streams.has(stream.id)) this.#sendNumber(h2.WINDOW_UPDATE, stream.id, bytes)
  }

  /** Resets a stream that has no listener any more. */
  reset(stream: Stream): void {
    if (this.#streams.has(stream.id)) this.#sendNumber(h2.RST_STREAM, stream.id, h2.CANCEL)
    this.#forget(stream)
  }

  #begin(stream: Stream): void {
    stream.id = this.#nextId
    stream.window = this.#streamWindow
    this.#nextId += 2
    this.#streams.set(stream.id, stream)
    this.#outbox.add({ type: h2.HEADERS, flags: h2.END_HEADERS, stream: stream.id, content: stream.headers })
    this.pump(stream)
    this.#timer ??= this.#lookAgainIn(QUIET_MS)
    if (this.#nextId > LAST_STREAM) this.#drain('all of its stream numbers are used')
  }

  #forget(stream: Stream): void {
    this.#waiting.delete(stream)
    this.#blocked.delete(stream)
    if (!this.#streams.delete(stream.id)) return
    if (this.#state === 'draining') {
      if (this.#streams.size === 0) this.#close(this.#reason)
      return
    }
    this.#beginWaiting()
  }

  #beginWaiting(): void {
    for (const next of this.#waiting) {
      if (this.#state !== 'open' || this.#streams.size >= this.#streamsAtATime) return
      this.#waiting.delete(next)
      this.#begin(next)
    }
  }

  #break(stream: Stream, cause: Broken): void {
    this.#forget(stream)
    stream.break(cause)
  }

  #sendNumber(type: number, stream: number, value: number): void {
    this.#outbox.add({ type, flags: 0, stream, content: numberContent(value) })
  }

  #read(chunk: Buffer): void {
    this.#heardAt = performance.now()
    this.#isPinged = false
    try {
      this.#splitter.push(chunk, (head, content) => {
        this.#take(head, content)
        return this.#state !== 'closed'
      })
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      const content = Buffer.alloc(8)
      content.writeUInt32BE(error.code, 4)
      this.#outbox.add({ type: h2.GOAWAY, flags: 0, stream: 0, content })
      this.#outbox.flush()
      this.#close(error.message)
    }
  }

  #take(head: FrameHead, content: Buffer): void {
    if (this.#state === 'opening' && (head.type !== h2.SETTINGS || (head.flags & h2.ACK) !== 0)) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, 'it does not speak HTTP/2')
    }
    this.#headerBlocks.check(head)
    switch (head.type) {
      case h2.DATA:
        return this.#takeData(head, content)
      case h2.HEADERS:
      case h2.CONTINUATION:
        return this.#takeHeaders(head, content)
      case h2.RST_STREAM:
        return this.#takeReset(head, numberOf(content))
      case h2.SETTINGS:
        return this.#takeSettings(head, content)
      case h2.PING:
        return this.#takePing(head, content)
      case h2.GOAWAY:
        return this.#takeGoAway(content)
      case h2.WINDOW_UPDATE:
        return this.#takeWindowUpdate(head, numberOf(content) & h2.LARGEST_WINDOW_BYTES)
      case h2.PUSH_PROMISE:
        throw new ConnectionError(h2.PROTOCOL_ERROR, 'the server has sent PUSH_PROMISE')
      default:
    }
  }

  #takeData(head: FrameHead, content: Buffer): void {
    this.#owed += content.length
    if (this.#owed >= STEP_BYTES) {
      this.#sendNumber(h2.WINDOW_UPDATE, 0, this.#owed)
      this.#owed = 0
    }
    const stream = this.#streams.get(head.stream)
    if (stream === undefined) return
    const isLast = (head.flags & h2.END_STREAM) !== 0
    if (isLast) this.#forget(stream)
    stream.take(h2.strip(head, content), content.length, isLast)
  }

  #takeHeaders(head: FrameHead, content: Buffer): void {
    const block = this.#headerBlocks.take(head, content)
    if (block === undefined) return
    const { isLast } = block
    const fields = this.#decode(block.bytes)
    const receiver = this.#streams.get(block.stream)
    if (receiver === undefined) return
    if (isLast) this.#forget(receiver)
    receiver.listener.onHeaders(fields, isLast)
  }

  #decode(block: Buffer): ReadonlyMap<string, string> {
    try {
      return this.#headerReader.read(block)
    } catch (error) {
      throw new ConnectionError(h2.COMPRESSION_ERROR, (error as Error).message)
    }
  }

  #takeReset({ stream }: FrameHead, code: number): void {
    const receiver = this.#streams.get(stream)
    if (receiver === undefined) return
    this.#break(receiver, {
      code,
      message: `the call was reset by etcd (${code})`,
      untouched: code === h2.REFUSED_STREAM,
    })
  }

  #takeSettings({ flags }: FrameHead, content: Buffer): void {
    if ((flags & h2.ACK) !== 0) return
    for (let at = 0; at + 6 <= content.length; at += 6) {
      this.#takeSetting(content.readUInt16BE(at), content.readUInt32BE(at + 2))
    }
    // The acknowledgement is sent before frames that use the new settings: until then, the peer applies its old ones.
    this.#outbox.add({ type: h2.SETTINGS, flags: h2.ACK, stream: 0, content: EMPTY })
    this.#unblock()
    if (this.#state !== 'opening') return this.#beginWaiting()
    this.#state = 'open'
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#onChange()
    this.#beginWaiting()
  }

  #takeSetting(setting: number, value: number): void {
    if (setting === h2.MAX_CONCURRENT_STREAMS) this.#streamsAtATime = value
    if (setting !== h2.INITIAL_WINDOW_SIZE) return
    if (value > h2.LARGEST_WINDOW_BYTES)
      throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'the flow-control window is too large')
    for (const stream of this.#streams.values()) stream.window += value - this.#streamWindow
    this.#streamWindow = value
  }

  #takeWindowUpdate({ stream }: FrameHead, bytes: number): void {
    if (stream === 0) {
      this.#window += bytes
      if (this.#window > h2.LARGEST_WINDOW_BYTES)
        throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'the flow-control window is too large')
      this.#unblock()
      return
    }
    const receiver = this.#streams.get(stream)
    if (receiver === undefined) return
    receiver.window += bytes
    this.pump(receiver)
  }

  #unblock(): void {
    for (const stream of this.#blocked) this.pump(stream)
  }

  /** etcd measures the round-trip time with a new ping after each answer. So an answer need not be sent at once. */
  #takePing({ flags }: FrameHead, content: Buffer): void {
    if ((flags & h2.ACK) !== 0) return
    const answer = { type: h2.PING, flags: h2.ACK, stream: 0, content: Buffer.from(content) }
    setTimeout(() => this.#outbox.add(answer), PONG_AFTER_MS)
  }

  #takeGoAway(content: Buffer): void {
    const last = numberOf(content) & LAST_STREAM
    const words = content.toString('latin1', 8)
    this.#drain(words === '' ? 'etcd sent GOAWAY' : `etcd sent GOAWAY: ${words}`)
    for (const stream of this.#streams.values()) {
      if (stream.id > last) this.#break(stream, { message: this.#lost(), untouched: true })
    }
  }

  #drain(reason: string): void {
    if (this.#state === 'closed') return
    this.#state = 'draining'
    this.#reason = reason
    for (const stream of this.#waiting) this.#break(stream, { message: this.#lost(), untouched: true })
    this.#onChange()
    if (this.#streams.size === 0) this.#close(reason)
  }

  #close(reason: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#reason = reason
    clearTimeout(this.#timer)
    const [waiting, begun] = [[...this.#waiting], [...this.#streams.values()]]
    this.#waiting.clear()
    this.#blocked.clear()
    this.#streams.clear()
    this.#socket.destroy()
    this.#onChange()
    for (const stream of waiting) stream.break({ message: this.#lost(), untouched: true })
    for (const stream of begun) stream.break({ message: this.#lost(), untouched: false })
  }

  #lost(): string {
    return `the connection was lost: ${this.#reason}`
  }

  /** After this time, pings a peer that has been quiet, or closes the connection if the last ping has no answer. */
  #lookAgainIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      const quietMs = performance.now() - this.#heardAt
      if (this.#isPinged) {
        // If this process was held up, the answer may wait in the socket. Node reads the socket first.
        setImmediate(() => {
          if (this.#isPinged) this.#close(`no response within ${Math.round(quietMs)} ms`)
          else this.#timer ??= this.#lookAgainIn(QUIET_MS)
        })
      } else if (this.#streams.size === 0) return
      else if (quietMs < QUIET_MS) this.#timer = this.#lookAgainIn(QUIET_MS - quietMs)
      else this.#ping(PING_LIMIT_MS)
    }, ms).unref()
  }

  #ping(limitMs: number): void {
    this.#isPinged = true
    this.#pingedAt = performance.now()
    this.#outbox.add({ type: h2.PING, flags: 0, stream: 0, content: PING_CONTENT })
    clearTimeout(this.#timer)
    this.#timer = this.#lookAgainIn(limitMs)
  }
}

function numberOf(content: Buffer): number {
  if (content.length < 4) throw new ConnectionError(h2.FRAME_SIZE_ERROR, 'a frame that is too short')
  return content.readUInt32BE(0)
}
