// Writes a gzip stream (RFC 1952) of parts that were compressed elsewhere. The stream is a single member. Go's reader returns the end of a
// member only when the next member has come: if each part were a member, every part would be read too late.
import { crc32 } from 'node:zlib'

/** Deflate, no flags, no time, the fastest level, an unknown system. */
const HEAD = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff] as const
/** A last block without content. */
const LAST = [0x03, 0x00] as const

export class GzipMember {
  #crc = 0
  #length = 0

  static begin(): Buffer {
    return Buffer.from(HEAD)
  }

  /** Call this with the uncompressed bytes of each sent part, in their order. */
  note(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.#crc = crc32(piece, this.#crc)
      this.#length += piece.length
    }
  }

  end(): Buffer {
    const sums = Buffer.alloc(8)
    sums.writeUInt32LE(this.#crc)
    sums.writeUInt32LE(this.#length % 2 ** 32, 4)
    return Buffer.concat([Buffer.from(LAST), sums])
  }
}
