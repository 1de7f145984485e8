// Frames on their way to a socket: those of one turn of the event loop are one write, because each write is a system call that
// costs as much as all the rest of a small frame. Buffers are used again once their bytes are on the way.
import type { Writable } from 'node:stream'
import { DEFAULT_FRAME_BYTES, type Frame, HEAD_BYTES, writeFrame } from './frames.ts'

const BUFFER_BYTES = 4 * (HEAD_BYTES + DEFAULT_FRAME_BYTES)

export class Outbox {
  readonly #socket: Writable
  readonly #free: Buffer[] = []
  #buffer: Buffer | undefined
  #used = 0
  #isDue = false

  constructor(socket: Writable) {
    this.#socket = socket
  }

  add(frame: Frame): void {
    this.#put(frame)
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.flush()
    })
  }

  flush(): void {
    const buffer = this.#buffer
    if (buffer === undefined) return
    const bytes = buffer.subarray(0, this.#used)
    this.#buffer = undefined
    this.#used = 0
    if (this.#socket.writable) this.#socket.write(bytes, () => this.#free.push(buffer))
  }

  #put(frame: Frame): void {
    const size = HEAD_BYTES + frame.content.length
    if (this.#used + size > BUFFER_BYTES) this.flush()
    this.#buffer ??= size > BUFFER_BYTES ? Buffer.allocUnsafeSlow(size) : (this.#free.pop() ?? newBuffer())
    this.#used = writeFrame(this.#buffer, this.#used, frame)
  }
}

function newBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(BUFFER_BYTES)
}
