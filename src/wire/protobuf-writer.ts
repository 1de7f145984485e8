// A buffer that is written from its end to its start, so that the length of a message is known when it is written before the message. The
// buffer doubles when it is full, and is copied only then.
import { Buffer } from 'node:buffer'
import { putVarint, varintSize } from './varint.ts'

/** The wire type of values with a length. */
const DELIMITED = 2
const INITIAL_SIZE = 4096
/** Up to this length a loop in JavaScript is faster than the call into native code. */
const SHORT_TEXT = 48

export class ProtobufWriter {
  #buffer: Buffer
  /** The start of the written part. */
  #start: number

  constructor(sizeHint: number = INITIAL_SIZE) {
    this.#buffer = Buffer.allocUnsafe(sizeHint)
    this.#start = sizeHint
  }

  /** The number of written bytes. The difference of two calls is the length of the bytes between them. */
  get length(): number {
    return this.#buffer.length - this.#start
  }

  /** Returns the written bytes. Do not use the writer after this. */
  finish(): Buffer {
    const written = this.#buffer.subarray(this.#start)
    // Caches keep results, so at most a quarter of their memory may be waste.
    return this.#start > this.#buffer.length >>> 2 ? Buffer.from(written) : written
  }

  /** Returns a view of the written bytes with this many free bytes before them, for the caller. Do not use the writer after this. */
  finishBehind(room: number): Buffer {
    if (this.#start < room) this.#grow(room)
    return this.#buffer.subarray(this.#start - room)
  }

  byte(value: number): void {
    if (this.#start === 0) this.#grow(1)
    this.#buffer[--this.#start] = value
  }

  /** Writes an integer from 0 to 2^53. */
  varint(value: number): void {
    if (value < 0x80) return this.byte(value)
    const size = varintSize(value)
    if (this.#start < size) this.#grow(size)
    this.#start -= size
    putVarint(this.#buffer, this.#start, value)
  }

  /** Writes any signed 64-bit integer. */
  signed(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) return this.varint(value)
    let rest = BigInt.asUintN(64, BigInt(value))
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    if (this.#start < bytes.length) this.#grow(bytes.length)
    this.#start -= bytes.length
    this.#buffer.set(bytes, this.#start)
  }

  /** Writes the tag and the length of a field whose content was written since `length` was `end`. */
  close(field: number, end: number): void {
    this.varint(this.length - end)
    this.varint((field << 3) | DELIMITED)
  }

  double(value: number): void {
    if (this.#start < 8) this.#grow(8)
    this.#start -= 8
    this.#buffer.writeDoubleLE(value, this.#start)
  }

  bytes(value: Uint8Array): void {
    if (this.#start < value.length) this.#grow(value.length)
    this.#start -= value.length
    this.#buffer.set(value, this.#start)
  }

  /** Writes the bytes that a base64 text stands for. */
  base64(text: string): void {
    this.bytes(Buffer.from(text, 'base64'))
  }

  /** Writes a text in UTF-8, without its length. */
  text(value: string): void {
    const { length } = value
    if (length > SHORT_TEXT) return this.#longText(value)
    if (this.#start < length) this.#grow(length)
    const buffer = this.#buffer
    let at = this.#start
    for (let i = length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i)
      if (code >= 0x80) return this.#longText(value)
      buffer[--at] = code
    }
    this.#start = at
  }

  #longText(value: string): void {
    const size = Buffer.byteLength(value)
    if (this.#start < size) this.#grow(size)
    this.#start -= size
    this.#buffer.write(value, this.#start, size, 'utf8')
  }

  #grow(needed: number): void {
    const old = this.#buffer
    const size = Math.max(old.length * 2, old.length + needed)
    const buffer = Buffer.allocUnsafe(size)
    const start = size - old.length + this.#start
    buffer.set(old.subarray(this.#start), start)
    this.#buffer = buffer
    this.#start = start
  }
}
