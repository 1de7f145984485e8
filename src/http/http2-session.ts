// One HTTP/2 connection, as a server sees it (RFC 9113): many requests at a time over one socket. Node's own costs as much
// processor time as everything else about a small request.
//
// Invariants: every stream is closed exactly once, at the latest with the socket; what a client sends without reading, or to no
// end, is bounded, and costs it the connection.
import type { Socket } from 'node:net'
import type { OutboxBuffers } from '../lib/frame-outbox.ts'
import { type HeaderBlock, HeaderBlocks } from '../lib/header-blocks.ts'
import { HeaderDecoder } from '../lib/hpack.ts'
import * as h2 from '../lib/http2-frames.ts'
import { type FrameHead, FrameSplitter, settingsContent, WireError } from '../lib/http2-frames.ts'
import type { HttpDate } from './http-date.ts'
import { Http2Sender } from './http2-sender.ts'
import { Http2Stream, type StreamCarrier, STREAM_WINDOW_BYTES } from './http2-stream.ts'
import { IdleFrames } from './idle-frames.ts'
import { readInPlace } from './read-in-place.ts'
import { areTrailers, type RequestHead, requestHeadOf } from './request-head.ts'

export interface SessionOptions {
  readonly maxStreams: number
  readonly maxHeaderBytes: number
  readonly buffers: OutboxBuffers
  readonly date: HttpDate
  readonly onRequest: (stream: Http2Stream, session: Http2Session) => void
  /** Something of ours broke; the connection ends, and nothing else. */
  readonly onFault: (error: unknown) => void
}

/** For the bodies of all streams together. Room is given back as they come: each stream has a limit of its own. */
const WINDOW_BYTES = 1024 * 1024
const STEP_BYTES = WINDOW_BYTES / 2

/** How long a client may take for its first words. */
const GREETING_MS = 10_000
/** How long the last ones may take to reach it. */
const FAREWELL_MS = 1000

/** Whoever still sends when the answer is whole is told to stop, a little later: some clients would not look at the answer. */
const HANG_UP_MS = 20

/** Of the streams that we reset, the last so many: the client may not have heard of it yet. */
const RESETS_KEPT = 200

const HEADER_TABLE_BYTES = 4096
const LARGEST_FRAME_BYTES = 2 ** 24 - 1
const EMPTY = Buffer.alloc(0)
const PREFACE = Buffer.from(h2.PREFACE, 'latin1')

export class Http2Session implements StreamCarrier {
  readonly socket: Socket
  readonly #options: SessionOptions
  readonly #sender: Http2Sender
  readonly #splitter = new FrameSplitter()
  readonly #headerBlocks: HeaderBlocks
  readonly #headerDecoder: HeaderDecoder
  readonly #idleFrames = new IdleFrames()
  readonly #streams = new Map<number, Http2Stream>()
  readonly #resets = new Set<number>()
  /** What has come of the first words; undefined when they are over. */
  #preface: Buffer | undefined = EMPTY
  #isGreeted = false
  #isLeaving = false
  #isOver = false
  #lastId = 0
  /** What the client takes of a new stream. */
  #streamRoom = h2.DEFAULT_WINDOW_BYTES
  /** What the client may still send, and what it has not been given room for again. */
  #room = WINDOW_BYTES
  #owedBytes = 0

  constructor(socket: Socket, options: SessionOptions) {
    const { maxStreams, maxHeaderBytes } = options
    this.socket = socket
    this.#options = options
    this.#sender = new Http2Sender(socket, options.buffers, (stream) => this.#finish(stream))
    this.#headerBlocks = new HeaderBlocks(maxHeaderBytes)
    this.#headerDecoder = new HeaderDecoder({ tableBytes: HEADER_TABLE_BYTES, listBytes: maxHeaderBytes })
    socket.on('error', NOTHING)
    socket.once('close', () => this.#closeAll())
    socket.setTimeout(GREETING_MS, () => socket.destroy())
    const settings: readonly (readonly [number, number])[] = [
      [h2.MAX_CONCURRENT_STREAMS, maxStreams],
      [h2.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
      [h2.MAX_HEADER_LIST_SIZE, maxHeaderBytes],
    ]
    this.#sender.sendSettings(settingsContent(settings))
    this.#sender.sendNumber(h2.WINDOW_UPDATE, 0, WINDOW_BYTES - h2.DEFAULT_WINDOW_BYTES)
    readInPlace(socket, (chunk) => this.#read(chunk))
  }

  get date(): string {
    return this.#options.date.text
  }

  /** Takes no more requests, and ends when those under way are over. */
  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#sender.sendGoAway(this.#lastId, h2.NO_ERROR)
    if (this.#streams.size === 0) this.#end()
  }

  /** Ends with whatever is under way. */
  refuse(code: number): void {
    if (this.#isOver) return
    this.#sender.sendGoAway(this.#lastId, code)
    this.#closeAll()
    this.#end()
  }

  /** For streams. */
  sendHead(stream: Http2Stream, block: string, isLast: boolean): void {
    this.#sender.sendHead(stream, block, isLast)
  }

  /** For streams. */
  flush(): void {
    this.#sender.flush()
  }

  /** For streams. */
  pump(stream: Http2Stream): void {
    this.#sender.pump(stream)
  }

  /** For streams. */
  giveRoom(stream: Http2Stream, bytes: number): void {
    if (this.#streams.has(stream.id)) this.#sender.sendNumber(h2.WINDOW_UPDATE, stream.id, bytes)
  }

  /** For streams. */
  reset(stream: Http2Stream, code: number): void {
    this.#sendReset(stream.id, code)
    this.#forget(stream, false)
  }

  /** The answer is all sent, whether or not all of the request has come. */
  #finish(stream: Http2Stream): void {
    const { id, isRequestWhole } = stream
    if (!isRequestWhole) {
      this.#noteReset(id)
      setTimeout(() => this.#sender.sendNumber(h2.RST_STREAM, id, h2.NO_ERROR), HANG_UP_MS).unref()
    }
    this.#forget(stream, true)
  }

  #forget(stream: Http2Stream, wasSent: boolean): void {
    this.#streams.delete(stream.id)
    this.#sender.forget(stream)
    stream.close(wasSent)
    if (this.#isLeaving && this.#streams.size === 0) this.#end()
  }

  #closeAll(): void {
    for (const stream of this.#streams.values()) this.#forget(stream, false)
  }

  /** A socket that is closed before all was read from it takes the last words with it: so what comes is read for a while. */
  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#sender.end()
    setTimeout(() => this.socket.destroy(), FAREWELL_MS).unref()
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return
    try {
      const frames = this.#preface === undefined ? chunk : this.#readPreface(this.#preface, chunk)
      if (frames.length > 0) this.#splitter.push(frames, this.#take)
    } catch (error) {
      const isClients = error instanceof WireError
      if (!isClients) this.#options.onFault(error)
      this.refuse(isClients ? error.code : h2.INTERNAL_ERROR)
    }
  }

  /** Gives what comes behind it. */
  #readPreface(before: Buffer, chunk: Buffer): Buffer {
    const bytes = Buffer.concat([before, chunk])
    const length = Math.min(bytes.length, PREFACE.length)
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) throw new WireError(h2.PROTOCOL_ERROR, 'no HTTP/2')
    this.#preface = length < PREFACE.length ? bytes : undefined
    return bytes.subarray(length)
  }

  readonly #take = (head: FrameHead, content: Buffer): boolean => {
    if (!this.#isGreeted && (head.type !== h2.SETTINGS || (head.flags & h2.ACK) !== 0)) {
      throw new WireError(h2.PROTOCOL_ERROR, 'settings were to come first')
    }
    this.#headerBlocks.check(head)
    this.#takeFrame(head, content)
    return !this.#isOver
  }

  #takeFrame(head: FrameHead, content: Buffer): void {
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
        return this.#takeRoom(head, content)
      case h2.PUSH_PROMISE:
        throw new WireError(h2.PROTOCOL_ERROR, 'a client has nothing to push')
      default:
        return this.#takeOther(head, content)
    }
  }

  #takeHeaders(head: FrameHead, content: Buffer): void {
    if (head.stream % 2 === 0) throw new WireError(h2.PROTOCOL_ERROR, 'a number that no request can have')
    const block = this.#headerBlocks.take(head, content)
    if (block === undefined) return
    const fields = this.#decode(block)
    const open = this.#streams.get(block.stream)
    if (open !== undefined) this.#takeTrailers(open, block, fields)
    else if (block.stream > this.#lastId) this.#takeRequest(block, fields)
    else if (!this.#resets.has(block.stream)) throw new WireError(h2.STREAM_CLOSED, 'headers of what is over')
  }

  #decode({ bytes }: HeaderBlock): readonly string[] | undefined {
    try {
      return this.#headerDecoder.decode(bytes)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new WireError(h2.COMPRESSION_ERROR, error.message)
    }
  }

  #takeTrailers(stream: Http2Stream, { isLast }: HeaderBlock, fields: readonly string[] | undefined): void {
    if (stream.isRequestWhole) this.reset(stream, h2.STREAM_CLOSED)
    else if (!isLast || fields === undefined || !areTrailers(fields)) this.reset(stream, h2.PROTOCOL_ERROR)
    else this.#endRequest(stream)
  }

  #takeRequest({ stream: id, isLast }: HeaderBlock, fields: readonly string[] | undefined): void {
    // What comes behind our farewell is the next connection's.
    if (this.#isLeaving) return
    this.#lastId = id
    if (this.#sender.isUnread) throw new WireError(h2.ENHANCE_YOUR_CALM, 'it does not read')
    if (this.#streams.size >= this.#options.maxStreams) return this.#refuseStream(id, h2.REFUSED_STREAM)
    const head = fields === undefined ? UNREAD_HEAD : requestHeadOf(fields)
    if (head === undefined) return this.#refuseStream(id, h2.PROTOCOL_ERROR)
    const stream = new Http2Stream(id, head, { carrier: this, room: this.#streamRoom })
    this.#streams.set(id, stream)
    if (isLast && !stream.takeEnd()) this.reset(stream, h2.PROTOCOL_ERROR)
    else if (fields === undefined) stream.whole(431, {}, undefined)
    else this.#options.onRequest(stream, this)
  }

  #refuseStream(id: number, code: number): void {
    this.#noteIdle()
    this.#sendReset(id, code)
  }

  #takeData(head: FrameHead, content: Buffer): void {
    const { length } = content
    this.#room -= length
    if (this.#room < 0) throw new WireError(h2.FLOW_CONTROL_ERROR, 'more than there was room for')
    this.#owedBytes += length
    if (this.#owedBytes >= STEP_BYTES) {
      this.#sender.sendNumber(h2.WINDOW_UPDATE, 0, this.#owedBytes)
      this.#room += this.#owedBytes
      this.#owedBytes = 0
    }
    const bytes = h2.strip(head, content)
    const isLast = (head.flags & h2.END_STREAM) !== 0
    if (bytes.length === 0 && !isLast) this.#noteIdle()
    const stream = this.#streamOf(head)
    if (stream !== undefined) {
      const error = stream.isRequestWhole ? h2.STREAM_CLOSED : stream.take(bytes, length)
      if (error !== h2.NO_ERROR) this.reset(stream, error)
      else if (isLast) this.#endRequest(stream)
    } else if (!this.#resets.has(head.stream)) this.#refuseStream(head.stream, h2.STREAM_CLOSED)
  }

  #endRequest(stream: Http2Stream): void {
    if (!stream.takeEnd()) this.reset(stream, h2.PROTOCOL_ERROR)
  }

  /** The stream that a frame is for; undefined where it is over. */
  #streamOf({ stream: id }: FrameHead): Http2Stream | undefined {
    const stream = this.#streams.get(id)
    if (stream !== undefined) return stream
    if (id % 2 === 0 || (id > this.#lastId && !this.#isLeaving)) {
      throw new WireError(h2.PROTOCOL_ERROR, 'a frame of no stream')
    }
    return undefined
  }

  #takeReset(head: FrameHead, content: Buffer): void {
    checkSize(content, 4)
    const stream = this.#streamOf(head)
    if (stream !== undefined) this.#forget(stream, false)
  }

  #takeSettings({ flags, stream }: FrameHead, content: Buffer): void {
    const isAck = (flags & h2.ACK) !== 0
    checkStream(stream, true)
    checkSize(content, isAck ? 0 : content.length - (content.length % 6))
    if (isAck) return
    this.#noteIdle()
    for (let at = 0; at < content.length; at += 6) {
      this.#takeSetting(content.readUInt16BE(at), content.readUInt32BE(at + 2))
    }
    this.#sender.acknowledgeSettings()
    if (this.#isGreeted) return
    this.#isGreeted = true
    this.socket.setTimeout(0)
  }

  #takeSetting(setting: number, value: number): void {
    const isWrong =
      (setting === h2.ENABLE_PUSH && value > 1) ||
      (setting === h2.MAX_FRAME_SIZE && (value < h2.DEFAULT_FRAME_BYTES || value > LARGEST_FRAME_BYTES))
    if (isWrong) throw new WireError(h2.PROTOCOL_ERROR, 'a setting that is none')
    if (setting !== h2.INITIAL_WINDOW_SIZE) return
    const more = value - this.#streamRoom
    this.#streamRoom = value
    const isTooMuch = (room: number): boolean => room > h2.LARGEST_WINDOW_BYTES
    for (const stream of this.#streams.values()) stream.room += more
    if (isTooMuch(value) || [...this.#streams.values()].some(({ room }) => isTooMuch(room))) {
      throw new WireError(h2.FLOW_CONTROL_ERROR, 'too much room')
    }
    this.#sender.resume()
  }

  #takeRoom(head: FrameHead, content: Buffer): void {
    checkSize(content, 4)
    const bytes = content.readUInt32BE(0) & h2.LARGEST_WINDOW_BYTES
    if (head.stream === 0) {
      if (bytes === 0) throw new WireError(h2.PROTOCOL_ERROR, 'no room')
      return this.#sender.addRoom(bytes)
    }
    const stream = this.#streamOf(head)
    if (stream === undefined) return
    stream.room += bytes
    if (bytes === 0) this.reset(stream, h2.PROTOCOL_ERROR)
    else if (stream.room > h2.LARGEST_WINDOW_BYTES) this.reset(stream, h2.FLOW_CONTROL_ERROR)
    else if (stream.hasNext) this.#sender.pump(stream)
  }

  #takePing({ flags, stream }: FrameHead, content: Buffer): void {
    checkStream(stream, true)
    checkSize(content, 8)
    this.#noteIdle()
    if ((flags & h2.ACK) === 0) this.#sender.answerPing(content)
  }

  /** What a client says that leaves, how urgent it finds things, and what we do not know, is of no consequence. */
  #takeOther({ type, stream }: FrameHead, content: Buffer): void {
    this.#noteIdle()
    if (type === h2.GOAWAY || type === h2.PRIORITY) checkStream(stream, type === h2.GOAWAY)
    if (type === h2.PRIORITY) checkSize(content, 5)
  }

  /** This frame asked for nothing. */
  #noteIdle(): void {
    this.#idleFrames.note()
    if (this.#sender.isUnread) throw new WireError(h2.ENHANCE_YOUR_CALM, 'it does not read')
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

function checkSize({ length }: Buffer, size: number): void {
  if (length !== size) throw new WireError(h2.FRAME_SIZE_ERROR, 'a frame of the wrong size')
}

function checkStream(stream: number, isNone: boolean): void {
  if ((stream === 0) !== isNone) throw new WireError(h2.PROTOCOL_ERROR, 'a frame on the wrong stream')
}

/** Of a request whose headers are too many to be kept. */
const UNREAD_HEAD: RequestHead = Object.freeze({
  method: '',
  target: undefined,
  headers: {},
  rawHeaders: [],
  length: undefined,
})

const NOTHING = (): void => {}
