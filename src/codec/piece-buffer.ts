// Collects bytes in chunks of about 64 KiB, so that a slow client takes little memory, and one write to the socket has many objects. Long
// buffers are passed on without a copy.

const PIECE_BYTES = 64 * 1024
/** From this length on, a piece of its own costs less than copying the bytes. */
const LONG_BYTES = 16 * 1024

export class PieceBuffer {
  #piece: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES)
  #used = 0
  #full: Buffer[] = []

  /** Adds bytes, which must not change afterwards. */
  add(bytes: Buffer): void {
    const { length } = bytes
    if (length >= LONG_BYTES) {
      this.#flush()
      this.#full.push(bytes)
      return
    }
    if (this.#used + length > PIECE_BYTES) this.#flush()
    bytes.copy(this.#piece, this.#used)
    this.#used += length
  }

  /** Adds bytes that may change afterwards. */
  addCopy(bytes: Buffer): void {
    this.add(bytes.length >= LONG_BYTES ? Buffer.from(bytes) : bytes)
  }

  /** The full pieces. The caller owns them. */
  take(): readonly Buffer[] {
    if (this.#full.length === 0) return NONE
    const full = this.#full
    this.#full = []
    return full
  }

  /** The rest of the pieces. The last piece may be short. */
  finish(): readonly Buffer[] {
    this.#flush()
    return this.take()
  }

  #flush(): void {
    if (this.#used === 0) return
    this.#full.push(this.#piece.subarray(0, this.#used))
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    this.#used = 0
  }
}

const NONE: readonly Buffer[] = []
