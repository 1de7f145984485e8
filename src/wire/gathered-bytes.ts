// Gathers pieces of bytes in one buffer, whose size doubles when it is full. Pieces that are kept one by one would leave gaps in memory
// that the process does not give back to the system. Invariant: the memory is a small multiple of the received bytes.

const FIRST_BUFFER_BYTES = 4096
/** The first piece is kept without a copy if the memory behind it is at most this many times as large as the piece. */
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

  /** Returns all bytes as one buffer and forgets them. */
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
