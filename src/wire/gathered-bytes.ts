// Bytes that come in pieces, kept until all are there, in one buffer that doubles: pieces that are kept one by one leave holes
// between them when they go, which the system does not get back. Invariant: what is kept is a small multiple of what came.

const FIRST_BUFFER_BYTES = 4096
/** The first piece is kept as it is, without a copy, where it keeps at most so many times itself. */
const MOST_WASTE = 4

export class GatheredBytes {
  length = 0
  /** The first piece, while it is the only one. */
  #only: Buffer | undefined
  #buffer: Buffer = EMPTY

  add(piece: Buffer): void {
    if (piece.length === 0) return
    if (this.length === 0 && piece.length * MOST_WASTE >= piece.buffer.byteLength) this.#only = piece
    else this.#append(piece)
    this.length += piece.length
  }

  /** All of it, as one; there is nothing left then. */
  take(): Buffer {
    const bytes = this.#only ?? this.#buffer.subarray(0, this.length)
    this.length = 0
    this.#only = undefined
    this.#buffer = EMPTY
    return bytes
  }

  #append(piece: Buffer): void {
    const needed = this.length + piece.length
    if (needed > this.#buffer.length) {
      const before = this.#only ?? this.#buffer
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER_BYTES, needed, this.#buffer.length * 2))
      before.copy(this.#buffer, 0, 0, this.length)
      this.#only = undefined
    }
    piece.copy(this.#buffer, this.length)
  }
}

const EMPTY = Buffer.alloc(0)
