// Collects frames for a socket. The frames of one turn of the event loop are one write, because each write is a system call that costs as
// much as the rest of the work for a small frame. Buffers are used again after their bytes were sent. Invariant: the socket has one write
// at a time, because TLS would copy the bytes of several writes.
import type { Writable } from 'node:stream'
import {
  DEFAULT_FRAME_BYTES,
  type Frame,
  type FrameHead,
  HEAD_BYTES,
  type SizedHead,
  writeHead,
} from './http2-frames.ts'

const BUFFER_BYTES = 8 * (HEAD_BYTES + DEFAULT_FRAME_BYTES)
/** The smallest size is for a watch event, which may go to a thousand connections in one turn. */
const SIZES = [4 * 1024, 32 * 1024, BUFFER_BYTES] as const
/** The largest number of free bytes that are kept for each size. */
const MOST_FREE_BYTES = 4 * 1024 * 1024

/** The free buffers, which several outboxes share: few of them have much to send at a time. */
export class OutboxBuffers {
  readonly #free = SIZES.map((): Buffer[] => [])

  /** The smallest buffer for this number of bytes. */
  take(bytes: number): Buffer {
    const at = SIZES.findIndex((size) => size >= bytes)
    return this.#free[at]!.pop() ?? Buffer.allocUnsafeSlow(SIZES[at]!)
  }

  giveBack(buffer: Buffer): void {
    const free = this.#free[SIZES.findIndex((size) => size === buffer.length)]!
    if (free.length * buffer.length < MOST_FREE_BYTES) free.push(buffer)
  }
}

/** The source of a frame's content. */
export interface FrameSource {
  moveTo(target: Buffer, at: number, bytes: number): void
}

interface Filled {
  readonly buffer: Buffer
  readonly used: number
}

export interface OutboxOptions {
  readonly socket: Writable
  readonly buffers: OutboxBuffers
  /** Called after a write. */
  readonly onSent?: () => void
  /** Called with the change of the waiting bytes. */
  readonly onWaiting?: (bytes: number) => void
}

export class FrameOutbox {
  /** The bytes that were not sent yet. */
  waitingBytes = 0
  /** The bytes that were sent. */
  sentBytes = 0
  readonly #options: OutboxOptions
  readonly #filled: Filled[] = []
  #buffer: Buffer | undefined
  #used = 0
  #isDue = false
  #isWriting = false
  #isEnding = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  add({ type, flags, stream, content }: Frame): void {
    const { length } = content
    const buffer = this.#roomFor(length)
    const at = writeHead(buffer, this.#used, { type, flags, stream, length })
    content.copy(buffer, at)
    this.#used = at + length
  }

  addFrom(source: FrameSource, head: SizedHead): void {
    const buffer = this.#roomFor(head.length)
    const at = writeHead(buffer, this.#used, head)
    source.moveTo(buffer, at, head.length)
    this.#used = at + head.length
  }

  /** Adds a frame. Each character of `text` is a byte. */
  addText({ type, flags, stream }: FrameHead, text: string): void {
    const { length } = text
    const buffer = this.#roomFor(length)
    const at = writeHead(buffer, this.#used, { type, flags, stream, length })
    buffer.write(text, at, 'latin1')
    this.#used = at + length
  }

  /** Sends the waiting bytes, unless a write is under way. */
  flush(): void {
    if (this.#isWriting) return
    if (this.#filled.length === 0) this.#fill()
    const next = this.#filled.shift()
    const { socket } = this.#options
    if (next === undefined) {
      if (this.#isEnding) socket.end()
    } else if (socket.writable) {
      this.#isWriting = true
      socket.write(next.buffer.subarray(0, next.used), () => this.#written(next))
    }
  }

  /** Ends the socket after all bytes were sent. */
  end(): void {
    this.#isEnding = true
    this.flush()
  }

  #written({ buffer, used }: Filled): void {
    this.#isWriting = false
    this.waitingBytes -= used
    this.sentBytes += used
    this.#options.onWaiting?.(-used)
    this.#options.buffers.giveBack(buffer)
    this.#options.onSent?.()
    this.flush()
  }

  #fill(): void {
    if (this.#buffer !== undefined) this.#filled.push({ buffer: this.#buffer, used: this.#used })
    this.#buffer = undefined
    this.#used = 0
  }

  #roomFor(length: number): Buffer {
    const bytes = HEAD_BYTES + length
    const buffer = this.#bufferFor(bytes)
    this.waitingBytes += bytes
    this.#options.onWaiting?.(bytes)
    if (!this.#isDue && !this.#isWriting) {
      this.#isDue = true
      setImmediate(this.#flushLater)
    }
    return buffer
  }

  /**
   * Returns a buffer with room for the bytes. A buffer grows with its content. The buffer after a full one has the largest size at once.
   */
  #bufferFor(bytes: number): Buffer {
    const { buffers } = this.#options
    const current = this.#buffer
    const needed = this.#used + bytes
    if (current !== undefined && needed <= current.length) return current
    if (needed > BUFFER_BYTES) {
      this.#fill()
      return (this.#buffer = buffers.take(BUFFER_BYTES))
    }
    const larger = buffers.take(needed)
    if (current !== undefined) {
      current.copy(larger, 0, 0, this.#used)
      buffers.giveBack(current)
    }
    return (this.#buffer = larger)
  }

  readonly #flushLater = (): void => {
    this.#isDue = false
    this.flush()
  }
}
