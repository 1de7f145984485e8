// The server's side of a gRPC call on a stream of our HTTP/2: messages in both directions, and a status at the end. Invariants: a call ends
// once. A writer waits for `writable` before it makes the next message.
import { CancelledError } from '../lib/errors.ts'
import { LightSignal } from '../lib/light-signal.ts'
import { GrpcMessages, type MessagesListener, PREFIX_BYTES } from './grpc-messages.ts'
import type { Http2Stream } from './http2-server-stream.ts'

export const GRPC_OK = 0
const GRPC_RESOURCE_EXHAUSTED = 8
const GRPC_UNIMPLEMENTED = 12
const GRPC_INTERNAL = 13

export interface ServerCallListener {
  onMessage(message: Buffer): void
  /** The client has sent its last message. */
  onClientEnd(): void
}

const ANSWER_HEADERS = Object.freeze({ 'content-type': 'application/grpc' })

export class GrpcServerCall implements MessagesListener {
  readonly #stream: Http2Stream
  readonly #messages: GrpcMessages
  readonly #maxBytes: number
  readonly #over = new LightSignal()
  #listener: ServerCallListener | undefined
  #ended = false
  #whenWritable: (() => void)[] = []

  constructor(stream: Http2Stream, maxMessageBytes: number) {
    this.#stream = stream
    this.#maxBytes = maxMessageBytes
    this.#messages = new GrpcMessages(this, maxMessageBytes)
    stream.on('drain', this.#wake)
    stream.whenClosed(() => {
      this.#ended = true
      this.#messages.end()
      this.#over.fire(new CancelledError('the call is over'))
      this.#wake()
    })
  }

  /** Fires when no answer can be sent any more. */
  get signal(): AbortSignal {
    return this.#over
  }

  listen(listener: ServerCallListener): void {
    this.#listener = listener
    this.#stream.listen({
      onData: (bytes) => {
        if (!this.#ended) this.#messages.push(bytes)
      },
      onEnd: () => {
        if (this.#messages.isCutOff) this.end(GRPC_INTERNAL, 'the request was cut off')
        else if (!this.#ended) listener.onClientEnd()
      },
      onError: () => undefined,
    })
  }

  get connection(): object {
    return this.#stream.connection
  }

  /** Sends a message, which must begin with `PREFIX_BYTES` free bytes. */
  send(message: Buffer): void {
    writePrefix(message, message.length - PREFIX_BYTES)
    this.sendPart(message)
  }

  /** Sends the prefix of a message of this many bytes. The parts of the message follow. */
  sendPrefix(bytes: number): void {
    const prefix = Buffer.alloc(PREFIX_BYTES)
    writePrefix(prefix, bytes)
    this.sendPart(prefix)
  }

  sendPart(part: Buffer): void {
    if (this.#ended) return
    if (!this.#stream.headersSent) this.#stream.begin(200, ANSWER_HEADERS)
    this.#stream.write(part)
  }

  /** Resolves when the client has read most of the sent bytes, or is gone. */
  async writable(): Promise<void> {
    if (!this.#stream.needsDrain || this.#ended) return
    await new Promise<void>((resolve) => this.#whenWritable.push(resolve))
  }

  end(status: number, message = ''): void {
    if (this.#ended) return
    this.#ended = true
    this.#messages.end()
    const trailers = {
      'grpc-status': status,
      ...(message === '' ? {} : { 'grpc-message': encodeMessage(message) }),
    }
    if (this.#stream.headersSent) this.#stream.endWith(trailers)
    else this.#stream.whole(200, { ...ANSWER_HEADERS, ...trailers }, undefined)
  }

  onMessage(message: Buffer): void {
    this.#listener?.onMessage(message)
  }

  onCompressed(): void {
    this.end(GRPC_UNIMPLEMENTED, 'grpc: compressed messages are not supported')
  }

  onTooLong(bytes: number): void {
    this.end(GRPC_RESOURCE_EXHAUSTED, `grpc: received message larger than max (${bytes} vs. ${this.#maxBytes})`)
  }

  readonly #wake = (): void => {
    for (const resolve of this.#whenWritable.splice(0)) resolve()
  }
}

function writePrefix(target: Buffer, bytes: number): void {
  target[0] = 0
  target.writeUInt32BE(bytes, 1)
}

/** Escapes characters other than printable ASCII as in a URL, as gRPC requires. */
function encodeMessage(text: string): string {
  let encoded = ''
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}
