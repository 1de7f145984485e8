// The server's side of an HTTP/2 connection (RFC 9113): many requests at a time over one socket. The code is our own because Node's takes
// as much processor time as all other work for a small request. This file has the connection from its preface to its end. The effect of
// frames on streams is in `http2-server-streams.ts`.
//
// Invariants: every stream is closed exactly once, at the latest with the socket. Unread answers, unprocessed frames and incomplete
// requests of a client are bounded in bytes and in time. A client that exceeds a bound loses streams or the connection.
import type { Socket } from 'node:net'
import type { OutboxBuffers } from './frame-outbox.ts'
import * as h2 from './http2-frames.ts'
import { FrameSplitter } from './frame-splitter.ts'
import { ConnectionError, type FrameHead, HTTP2_FRAMES } from './http2-frames.ts'
import { type ConnectionLimits, type EndReason, PROGRESS_BYTES } from './connection-limits.ts'
import type { HttpDate } from './http-date.ts'
import { Http2Sender } from './http2-server-sender.ts'
import type { Http2Stream } from './http2-server-stream.ts'
import { Http2Streams } from './http2-server-streams.ts'
import type { ReadSocket } from '../lib/runtime/read-socket.ts'
import { Standstill } from './standstill.ts'
import type { RequestTurns } from './request-turns.ts'
import type { Holding, UnfinishedMemory } from './unfinished-memory.ts'

export interface SessionOptions {
  readonly maxStreams: number
  /** SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly maxHeaderBytes: number
  readonly limits: ConnectionLimits
  readonly memory: UnfinishedMemory
  readonly turns: RequestTurns
  readonly buffers: OutboxBuffers
  readonly date: HttpDate
  readonly readSocket: ReadSocket
  readonly onRequest: (stream: Http2Stream, session: Http2Session) => void
  /** Called for a fault of this server. Only the connection ends. */
  readonly onFault: (error: unknown) => void
  /** Called when the server ends the connection. */
  readonly onEnd: (reason: EndReason) => void
}

/** The time for our last frames to reach the client, and the bytes that are read meanwhile from a client that continues to send. */
const LINGER_MS = 1000
const LINGER_BYTES = 1024 * 1024

const EMPTY = Buffer.alloc(0)
const PREFACE = Buffer.from(h2.PREFACE, 'latin1')

export class Http2Session {
  readonly socket: Socket
  readonly #options: SessionOptions
  readonly #holding: Holding
  readonly #sender: Http2Sender
  readonly #streams: Http2Streams
  readonly #splitter = new FrameSplitter(HTTP2_FRAMES)
  readonly #resumeReading: () => void
  readonly #waits = {
    preface: new Standstill(),
    idle: new Standstill(),
    frame: new Standstill(),
    block: new Standstill(),
    client: new Standstill(),
  }
  /** The received part of the preface. Undefined: it is complete. */
  #preface: Buffer | undefined = EMPTY
  #frames = 0
  #isPaused = false
  /** The number of the turn of the event loop in which no more requests may begin. */
  #spentTurn = -1
  #isDraining = false
  #isLeaving = false
  #isOver = false
  /** The number of incomplete bytes that was last reported. */
  #heldInput = 0
  #readAfterEnd = 0

  constructor(socket: Socket, options: SessionOptions) {
    this.socket = socket
    this.#options = options
    this.#holding = options.memory.open(() => this.#shed())
    const hold = (bytes: number): void => this.#holding.change(bytes)
    this.#sender = new Http2Sender({
      socket,
      buffers: options.buffers,
      onSent: (stream) => this.#streams.finish(stream),
      onData: () => this.#streams.noteData(),
      onWaiting: hold,
    })
    this.#streams = new Http2Streams(this.#sender, {
      ...options,
      hold,
      onRequest: (stream) => {
        options.onRequest(stream, this)
        if (!options.turns.noteRequest()) this.#spentTurn = options.turns.number
      },
      onNone: () => {
        if (this.#isLeaving) this.#end()
      },
      leave: () => this.leave(),
      onPong: () => {
        if (this.#isDraining) this.leave()
      },
    })
    socket.on('error', NOTHING)
    socket.once('close', () => {
      this.#isOver = true
      this.#streams.closeAll()
      this.#holding.close()
    })
    this.#resumeReading = options.readSocket(socket, (chunk) => this.#read(chunk))
  }

  /** The time without a stream. 0 for a connection that is ending. */
  idleMilliseconds(nowMs: number): number {
    const { size, lastId } = this.#streams
    if (this.#isLeaving || this.#isOver) return 0
    return this.#waits.idle.millisecondsAt(size === 0 ? lastId : undefined, nowMs)
  }

  /** Ends the connection if a limit is exceeded. Call this regularly. */
  checkLimits(nowMs: number): void {
    const { prefaceMs, idleMs, unfinishedMs, stalledMs } = this.#options.limits
    const { preface, frame, block, client } = this.#waits
    const { hasSettings, headerBlocks } = this.#streams
    const { waitingBytes, sentBytes } = this.#sender
    // All times are measured, even if a limit is exceeded already, so that each measurement sees the progress.
    const unsettledMs = preface.millisecondsAt(hasSettings ? undefined : 0, nowMs)
    const idleForMs = this.idleMilliseconds(nowMs)
    const frameMs = frame.millisecondsAt(this.#splitter.heldBytes === 0 ? undefined : this.#frames, nowMs)
    const blockMs = block.millisecondsAt(headerBlocks.isOpen ? headerBlocks.count : undefined, nowMs)
    const taken = waitingBytes === 0 ? undefined : Math.floor(sentBytes / PROGRESS_BYTES)
    const untakenMs = client.millisecondsAt(taken, nowMs)
    if (untakenMs >= stalledMs) this.#break('stalled')
    else if (unsettledMs >= prefaceMs) this.#break('preface')
    else if (Math.max(frameMs, blockMs) >= unfinishedMs) {
      this.#refuse('unfinished', h2.ENHANCE_YOUR_CALM, 'the rest of a frame or field block did not come in time')
    } else if (idleForMs >= idleMs) this.closeIdle('idle')
  }

  /** Ends a connection without streams. */
  closeIdle(reason: EndReason): void {
    this.#options.onEnd(reason)
    this.leave()
  }

  /**
   * Asks the client to open another connection, and answers all requests that the client sends meanwhile. The first GOAWAY names no last
   * stream. The second GOAWAY names it, after the answer to a PING (section 6.8).
   */
  drain(): void {
    if (this.#isDraining || this.#isLeaving || this.#isOver) return
    this.#isDraining = true
    this.#sender.sendGoAway(h2.LARGEST_STREAM, h2.NO_ERROR, '')
    this.#sender.sendPing()
  }

  /** Takes no more requests, and ends the connection after the open requests. */
  leave(): void {
    if (this.#isLeaving || this.#isOver) return
    this.#isLeaving = true
    this.#streams.refuseNew()
    this.#sender.sendGoAway(this.#streams.lastId, h2.NO_ERROR, '')
    if (this.#streams.size === 0) this.#end()
  }

  /** A connection error: ends the connection and all open requests. */
  #refuse(reason: EndReason, code: number, message: string): void {
    if (this.#isOver) return
    this.#options.onEnd(reason)
    this.#sender.sendGoAway(this.#streams.lastId, code, message)
    this.#streams.closeAll()
    this.#end()
  }

  /** Ends the connection without a message: the client is gone. */
  #break(reason: EndReason): void {
    if (!this.#isOver) this.#options.onEnd(reason)
    this.socket.destroy()
  }

  /**
   * Ends the connection. A socket that is closed with unread bytes drops our last frames. So the client's bytes are read for a while
   * longer.
   */
  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#sender.end()
    setTimeout(() => this.socket.destroy(), LINGER_MS).unref()
  }

  /** Ends the stream that holds most memory. If no stream holds memory, it ends the connection. */
  #shed(): void {
    if (!this.#streams.resetLargest()) this.#break('memory')
  }

  /** Takes bytes of the client. False: read no more for now. */
  #read(chunk: Buffer): boolean {
    if (this.#isOver) return this.#drop(chunk)
    return this.#takeFrames(() => {
      const frames = this.#preface === undefined ? chunk : this.#readPreface(this.#preface, chunk)
      if (frames.length === 0) return
      if (this.#isPaused || this.#hasHadItsTurn) this.#splitter.keep(frames)
      else this.#splitter.push(frames, this.#take)
    })
  }

  /**
   * Drops bytes that come after the end. False: read no more. The full socket then keeps the client from sending more, and the client can
   * still read our last frames.
   */
  #drop({ length }: Buffer): boolean {
    this.#readAfterEnd += length
    return this.#readAfterEnd < LINGER_BYTES
  }

  readonly #goOn = (): void => {
    this.#isPaused = false
    if (this.#isOver) return
    if (this.#takeFrames(() => this.#splitter.resume(this.#take))) this.#resumeReading()
  }

  /** Returns whether more may be read now. Otherwise reading continues in the next turn of the event loop. */
  #takeFrames(take: () => void): boolean {
    try {
      take()
      // After all window updates were applied, each stream sends everything that they allow. A frame for each update would amplify small
      // input.
      this.#sender.resume()
    } catch (error) {
      this.#fail(error)
    }
    if (this.#isOver) return true
    const held = this.#splitter.heldBytes + this.#streams.headerBlocks.heldBytes
    if (held !== this.#heldInput) this.#holding.change(held - this.#heldInput)
    this.#heldInput = held
    if (!this.#splitter.hasLeft) return true
    if (!this.#isPaused) setImmediate(this.#goOn)
    this.#isPaused = true
    return false
  }

  #fail(error: unknown): void {
    if (error instanceof ConnectionError) {
      const { code, message } = error
      return this.#refuse(code === h2.ENHANCE_YOUR_CALM ? 'flood' : 'protocol', code, message)
    }
    this.#options.onFault(error)
    this.#refuse('fault', h2.INTERNAL_ERROR, '')
  }

  /** Returns the bytes after the preface. */
  #readPreface(before: Buffer, chunk: Buffer): Buffer {
    const bytes = Buffer.concat([before, chunk])
    const length = Math.min(bytes.length, PREFACE.length)
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, 'no connection preface')
    }
    this.#preface = length < PREFACE.length ? bytes : undefined
    return bytes.subarray(length)
  }

  readonly #take = (head: FrameHead, content: Buffer): boolean => {
    this.#frames++
    this.#streams.take(head, content)
    return !this.#isOver && !this.#hasHadItsTurn
  }

  get #hasHadItsTurn(): boolean {
    return this.#spentTurn === this.#options.turns.number
  }
}

const NOTHING = (): void => {}
