// Frames on their way to a socket: those of one turn of the event loop are one write, because each write is a system call that
// costs as much as all the rest of a small frame. Buffers are used again once their bytes are on the way.
import type { Writable } from 'node:stream'
import { DEFAULT_FRAME_BYTES, type Frame, type FrameHead, HEAD_BYTES, writeHead } from './http2-frames.ts'

const BUFFER_BYTES = 4 * (HEAD_BYTES + DEFAULT_FRAME_BYTES)
const MOST_FREE_BUFFERS = 64

/** The buffers of several outboxes: few of them have something to send at a time. */
export class OutboxBuffers {
  readonly #free: Buffer[] = []

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  giveBack(buffer: Buffer): void {
    if (this.#free.length < MOST_FREE_BUFFERS) this.#free.push(buffer)
  }
}

export class Outbox {
  readonly #socket: Writable
  readonly #buffers: OutboxBuffers
  #buffer: Buffer | undefined
  #used = 0
  #isDue = false

  constructor(socket: Writable, buffers: OutboxBuffers) {
    this.#socket = socket
    this.#buffers = buffers
  }

  add({ type, flags, stream, content }: Frame): void {
    const { length } = content
    const buffer = this.#roomFor(length)
    this.#used = writeHead(buffer, this.#used, { type, flags, stream, length })
    content.copy(buffer, this.#used)
    this.#used += length
  }

  /** Each character is a byte. */
  addText({ type, flags, stream }: FrameHead, text: string): void {
    const { length } = text
    const buffer = this.#roomFor(length)
    this.#used = writeHead(buffer, this.#used, { type, flags, stream, length })
    this.#used += buffer.write(text, this.#used, 'latin1')
  }

  flush(): void {
    const buffer = this.#buffer
    if (buffer === undefined) return
    const bytes = buffer.subarray(0, this.#used)
    this.#buffer = undefined
    this.#used = 0
    if (this.#socket.writable) this.#socket.write(bytes, () => this.#buffers.giveBack(buffer))
  }

  #roomFor(length: number): Buffer {
    if (this.#used + HEAD_BYTES + length > BUFFER_BYTES) this.flush()
    this.#buffer ??= this.#buffers.take()
    if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#flushLater)
    }
    return this.#buffer
  }

  readonly #flushLater = (): void => {
    this.#isDue = false
    this.flush()
  }
}
