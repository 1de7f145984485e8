// Collects small pieces before they are written over HTTP/1.1, since each write costs a chunk and a TLS record. The buffers are reused when
// their bytes are sent: new buffers would cost more than the rest of the work for a long list.

const GATHER_BYTES = 128 * 1024
const TINY_BYTES = 8

/** `done` is called when the bytes are no longer needed. False: wait before the next write. */
export type BufferedWrite = (piece: Buffer, done: () => void) => boolean

export class WriteBuffer {
  readonly #write: BufferedWrite
  readonly #free: Buffer[] = []
  #buffer: Buffer | undefined
  #used = 0

  constructor(write: BufferedWrite) {
    this.#write = write
  }

  add(piece: Buffer): boolean {
    if (this.#used + piece.length <= GATHER_BYTES) {
      this.#keep(piece)
      return true
    }
    const goesOn = this.flush()
    if (piece.length > GATHER_BYTES) return this.#write(piece, NOTHING)
    this.#keep(piece)
    return goesOn
  }

  flush(): boolean {
    const [buffer, used] = [this.#buffer, this.#used]
    if (buffer === undefined || used === 0) return true
    this.#buffer = undefined
    this.#used = 0
    return this.#write(buffer.subarray(0, used), () => this.#free.push(buffer))
  }

  #keep(piece: Buffer): void {
    this.#buffer ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(GATHER_BYTES)
    // For a few bytes, a call of `copy` costs more than a loop.
    if (piece.length < TINY_BYTES) for (let i = 0; i < piece.length; i++) this.#buffer[this.#used + i] = piece[i]!
    else piece.copy(this.#buffer, this.#used)
    this.#used += piece.length
  }
}

const NOTHING = (): void => {}
