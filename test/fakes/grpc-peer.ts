// The other end of a gRPC connection, frame by frame: it answers what a test makes it answer, right or wrong.
import { createServer, type Socket } from 'node:net'
import * as h2 from '../../src/kv/etcd/frames.ts'
import {
  type Frame,
  type FrameHead,
  FrameSplitter,
  numberContent,
  settingsContent,
  writeFrame,
} from '../../src/kv/etcd/frames.ts'
import { literal } from '../../src/kv/etcd/hpack.ts'

const GRPC_PREFIX_BYTES = 5
const STATUS_200 = Buffer.of(0x88)

export const answerHeaders = Buffer.concat([STATUS_200, literal('content-type', 'application/grpc')])

export function trailers(status: number, message?: string): Buffer {
  const code = literal('grpc-status', String(status))
  return message === undefined ? code : Buffer.concat([code, literal('grpc-message', message)])
}

/** A message as gRPC frames it. */
export function framed(message: Buffer, flag = 0): Buffer {
  const prefix = Buffer.alloc(GRPC_PREFIX_BYTES)
  prefix[0] = flag
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

export function frame(head: FrameHead, ...pieces: readonly Buffer[]): Buffer {
  const content = Buffer.concat(pieces)
  const bytes = Buffer.alloc(h2.HEAD_BYTES + content.length)
  writeFrame(bytes, 0, { ...head, content })
  return bytes
}

export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  return frame({ type: h2.SETTINGS, flags: 0, stream: 0 }, settingsContent(settings))
}

/** A reset, or more room. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  return frame({ type, flags: 0, stream }, numberContent(value))
}

export function headersFrame(stream: number, block: Buffer, isLast: boolean): Buffer {
  return frame({ type: h2.HEADERS, flags: h2.END_HEADERS | (isLast ? h2.END_STREAM : 0), stream }, block)
}

export function dataFrames(stream: number, bytes: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < bytes.length; at += h2.DEFAULT_FRAME_BYTES) {
    frames.push(frame({ type: h2.DATA, flags: 0, stream }, bytes.subarray(at, at + h2.DEFAULT_FRAME_BYTES)))
  }
  return Buffer.concat(frames)
}

/** A whole answer with one message. */
export function answer(stream: number, message: Buffer): Buffer {
  return Buffer.concat([
    headersFrame(stream, answerHeaders, false),
    dataFrames(stream, framed(message)),
    headersFrame(stream, trailers(0), true),
  ])
}

/** One connection that was made to the peer. */
export class PeerConnection {
  readonly socket: Socket
  readonly seen: Frame[] = []
  readonly #waiting = new Set<() => void>()

  constructor(socket: Socket, onFrame: (seen: Frame, connection: PeerConnection) => void) {
    this.socket = socket
    const splitter = new FrameSplitter()
    let preface = Buffer.byteLength(h2.PREFACE)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length)
      preface -= skipped
      splitter.push(chunk.subarray(skipped), (head, content) => {
        const seen = { ...head, content }
        this.seen.push(seen)
        onFrame(seen, this)
        for (const look of this.#waiting) look()
        return true
      })
    })
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames))
  }

  reset(stream: number, code: number): void {
    this.send(numberFrame(h2.RST_STREAM, stream, code))
  }

  goAway(lastStream: number): void {
    const content = Buffer.alloc(8)
    content.writeUInt32BE(lastStream)
    this.send(frame({ type: h2.GOAWAY, flags: 0, stream: 0 }, content))
  }

  /** The frame that a test waits for, when it has come. */
  frame(wanted: (seen: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.seen.find(wanted)
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }
}

export interface PeerOptions {
  readonly settings?: readonly (readonly [number, number])[]
  /** All that is ever sent, as soon as somebody connects. */
  readonly greeting?: Buffer
  /** Called when all of a request has come. */
  readonly onCall?: (stream: number, connection: PeerConnection) => void
}

export class GrpcPeer implements AsyncDisposable {
  readonly connections: PeerConnection[] = []
  readonly #server = createServer((socket) => {
    const { settings = [], greeting, onCall } = this.#options
    const connection = new PeerConnection(socket, ({ flags, stream, type }, peer) => {
      if (type === h2.DATA && (flags & h2.END_STREAM) !== 0) onCall?.(stream, peer)
    })
    this.connections.push(connection)
    if (greeting === undefined) connection.send(settingsFrame(settings))
    else socket.end(greeting)
  })
  readonly #options: PeerOptions

  private constructor(options: PeerOptions) {
    this.#options = options
  }

  static async start(options: PeerOptions): Promise<GrpcPeer> {
    const peer = new GrpcPeer(options)
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve))
    return peer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
