// The other end of a gRPC connection, frame by frame: it answers what a test makes it answer, right or wrong.
import { createServer } from 'node:net'
import { literal } from '../corpora/header-blocks.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { dataFrame, FrameConnection, headersFrame, settingsFrame } from '../rigs/http2-frames.ts'

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

export function dataFrames(stream: number, bytes: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < bytes.length; at += h2.DEFAULT_FRAME_BYTES) {
    frames.push(dataFrame(stream, bytes.subarray(at, at + h2.DEFAULT_FRAME_BYTES)))
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

export interface PeerOptions {
  readonly settings?: readonly (readonly [number, number])[]
  /** All that is ever sent, as soon as somebody connects. */
  readonly greeting?: Buffer
  /** Called when all of a request has come. */
  readonly onCall?: (stream: number, connection: FrameConnection) => void
}

export class GrpcPeer implements AsyncDisposable {
  readonly connections: FrameConnection[] = []
  readonly #server = createServer((socket) => {
    const { settings = [], greeting, onCall } = this.#options
    const connection = new FrameConnection(socket, {
      skips: Buffer.byteLength(h2.PREFACE),
      onFrame: ({ flags, stream, type }, peer) => {
        if (type === h2.DATA && (flags & h2.END_STREAM) !== 0) onCall?.(stream, peer)
      },
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
