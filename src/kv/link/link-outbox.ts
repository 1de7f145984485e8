// Frames on their way to the other end. The frames of one turn of the event loop are one write. If the last write was less than a
// millisecond ago, a frame that can wait is sent with the next frame that cannot wait, or after a millisecond. A write is a system call and
// wakes the other end, which costs more than all other work for a small frame. Invariants: a frame is in one buffer. Frames arrive in
// order.
import type { Socket } from 'node:net'
import { FieldWriter, HEAD_BYTES } from './frames.ts'

const BUFFER_BYTES = 64 * 1024
const EMPTY = Buffer.alloc(0)
const WAIT_MS = 1

export class LinkOutbox {
  readonly #socket: Socket
  readonly #beforeSend: () => void
  #free: Buffer | undefined
  readonly #writer: FieldWriter = new FieldWriter(EMPTY, 0)
  #isDue = false
  #lateFlush: NodeJS.Timeout | undefined
  #sentAt = 0

  /** `beforeSend` is called before each write to the socket. */
  constructor(socket: Socket, beforeSend: () => void = () => {}) {
    this.#socket = socket
    this.#beforeSend = beforeSend
  }

  /** `room`: the most bytes of the content. */
  add(type: number, call: number, room: number, write: (writer: FieldWriter) => void, canWait = false): void {
    const writer = this.#writer
    if (writer.at + HEAD_BYTES + room > writer.buffer.length) this.#renew(HEAD_BYTES + room)
    const { buffer, at: start } = writer
    writer.at = start + HEAD_BYTES
    write(writer)
    buffer.writeUInt32LE(writer.at - start - 4, start)
    buffer[start + 4] = type
    buffer.writeUInt32LE(call, start + 5)
    if (!canWait) this.#flushSoon()
    else if (performance.now() - this.#sentAt >= WAIT_MS) this.#flushSoon()
    else if (!this.#isDue) this.#lateFlush ??= setTimeout(this.#flush, WAIT_MS)
  }

  /** Ends the socket after all frames were sent. */
  end(): void {
    this.#flush()
    this.#socket.end()
  }

  #flushSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#isDue = false
    this.#send()
  }

  #renew(bytes: number): void {
    this.#send()
    if (bytes > BUFFER_BYTES) {
      this.#writer.buffer = Buffer.allocUnsafeSlow(bytes)
      return
    }
    this.#writer.buffer = this.#free ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
    this.#free = undefined
  }

  /** Hands the written bytes to the socket. */
  #send(): void {
    const { buffer, at } = this.#writer
    clearTimeout(this.#lateFlush)
    this.#lateFlush = undefined
    if (at === 0) return
    this.#sentAt = performance.now()
    this.#writer.buffer = EMPTY
    this.#writer.at = 0
    this.#beforeSend()
    if (!this.#socket.writable) return
    this.#socket.write(buffer.subarray(0, at), () => {
      if (buffer.length === BUFFER_BYTES) this.#free = buffer
    })
  }
}
