// A buffer that grows as bytes, numbers in network order and texts are appended to it.

const INITIAL_SIZE = 4096
/** Up to here a loop in JavaScript beats the call into native code. */
const SHORT_TEXT = 32

export class ByteWriter {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_SIZE)
  #length = 0

  /** What was written. The writer is not used after this. */
  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length))
  }

  byte(value: number): void {
    const at = this.#reserve(1)
    this.#buffer[at] = value
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#buffer.set(bytes, at)
  }

  /** `length` is the number of bytes that the text has. */
  utf8(text: string, length: number): void {
    const at = this.#reserve(length)
    if (length !== text.length || length > SHORT_TEXT) this.#buffer.write(text, at, 'utf8')
    else for (let i = 0; i < length; i++) this.#buffer[at + i] = text.charCodeAt(i)
  }

  /** A byte and a text behind it; false, and nothing written, where the text is not ASCII. */
  shortAscii(head: number, text: string): boolean {
    const at = this.#reserve(text.length + 1)
    const buffer = this.#buffer
    buffer[at] = head
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) {
        this.#length = at
        return false
      }
      buffer[at + 1 + i] = code
    }
    return true
  }

  uint16(value: number): void {
    const at = this.#reserve(2)
    this.#buffer.writeUInt16BE(value, at)
  }

  uint32(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeUInt32BE(value, at)
  }

  uint64(value: bigint): void {
    const at = this.#reserve(8)
    this.#buffer.writeBigUInt64BE(value, at)
  }

  float32(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeFloatBE(value, at)
  }

  float64(value: number): void {
    const at = this.#reserve(8)
    this.#buffer.writeDoubleBE(value, at)
  }

  #reserve(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#length, this.#buffer.length * 2))
      this.#buffer.copy(grown, 0, 0, at)
      this.#buffer = grown
    }
    return at
  }
}
