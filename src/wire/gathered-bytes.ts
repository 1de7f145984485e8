// Bytes that come in pieces, kept until all are there. Small pieces are copied together: a view of one byte keeps all of what was
// read with it, and an object for each costs more than the bytes. Invariant: what is kept is a small multiple of what came.

/** What is smaller is copied. */
const PIECE_BYTES = 4096
const LARGEST_BUFFER_BYTES = 64 * 1024
/** A piece that is kept as it is may keep so many times itself. */
const MOST_WASTE = 4

export class GatheredBytes {
  length = 0
  readonly #pieces: Buffer[] = []
  /** Where small pieces go. */
  #buffer: Buffer = EMPTY
  #used = 0

  add(piece: Buffer): void {
    const { length } = piece
    if (length === 0) return
    this.length += length
    // The first is often all that comes.
    const isWorthIt = length >= PIECE_BYTES || this.length === length
    if (isWorthIt && length * MOST_WASTE >= piece.buffer.byteLength) {
      this.#closeBuffer()
      this.#pieces.push(piece)
    } else this.#copy(piece)
  }

  /** All of it, as one; there is nothing left then. */
  take(): Buffer {
    this.#closeBuffer()
    const pieces = this.#pieces.splice(0)
    const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.length)
    this.length = 0
    return bytes
  }

  #copy(piece: Buffer): void {
    if (this.#used + piece.length > this.#buffer.length) {
      this.#closeBuffer()
      const size = Math.min(LARGEST_BUFFER_BYTES, Math.max(PIECE_BYTES, this.length))
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, piece.length))
    }
    this.#used += piece.copy(this.#buffer, this.#used)
  }

  #closeBuffer(): void {
    if (this.#used > 0) this.#pieces.push(this.#buffer.subarray(0, this.#used))
    this.#buffer = EMPTY
    this.#used = 0
  }
}

const EMPTY = Buffer.alloc(0)
