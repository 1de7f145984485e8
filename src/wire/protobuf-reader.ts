// Reads the parts of a protobuf message from a buffer, in place. Every read is bounded by the end of its message. A value that does not fit
// throws a `ProtobufError` and is never read as another value.
import { isUtf8 } from 'node:buffer'
import { ProtobufError, unexpectedEnd } from './protobuf-error.ts'

/** No real object nests as deeply: only schemas nest. The limit exists because code that walks messages recursively has a limited stack. */
const MAX_DEPTH = 1000
/** The factor for the bits of an eleventh byte. A number has at most ten bytes. */
const PAST_TEN_BYTES = 2 ** 70
/** Up to this length a loop in JavaScript is faster than the call into native code. */
const SHORT_TEXT = 12

export class ProtobufReader {
  readonly #buffer: Buffer
  #at: number
  /** The end of the current message. */
  #end: number
  #depth = 0

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#at = 0
    this.#end = bytes.length
  }

  get hasMore(): boolean {
    return this.#at < this.#end
  }

  /** Enters the next message. Returns the end of the outer message, for `leave`. */
  enter(): number {
    if (++this.#depth > MAX_DEPTH) throw new ProtobufError('message exceeds the maximum depth')
    const end = this.#length()
    const outer = this.#end
    this.#end = end
    return outer
  }

  leave(outer: number): void {
    this.#depth--
    this.#end = outer
  }

  /** Reads the next message. `read` must continue until `nextTag` returns 0. */
  message<T>(read: (reader: ProtobufReader) => T): T {
    const outer = this.enter()
    const message = read(this)
    this.leave(outer)
    return message
  }

  /** Reads a tag: the number of a field, shifted by three, and its wire type. */
  tag(): number {
    const tag = this.uint()
    if (tag > 0xffffffff || tag >>> 3 === 0) throw new ProtobufError(`proto: illegal tag ${Math.floor(tag / 8)}`)
    return tag
  }

  /** Reads the next tag of the message. 0: the message is over. */
  nextTag(): number {
    if (this.#at >= this.#end) return 0
    const first = this.#buffer[this.#at] as number
    if (first >= 0x80 || first < 8) return this.tag()
    this.#at++
    return first
  }

  /** Reads an unsigned integer. Beyond 2^53 the result is the nearest double. */
  uint(): number {
    const buffer = this.#buffer
    const end = this.#end
    let at = this.#at
    let result = 0
    // Bit operations are enough for the first four bytes. Most numbers are not longer.
    for (let shift = 0; shift < 28 && at < end; shift += 7) {
      const byte = buffer[at++] as number
      result |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        this.#at = at
        return result
      }
    }
    return this.#longUint(result, at)
  }

  /** The rest of a number of more than four bytes. */
  #longUint(low: number, from: number): number {
    let result = low
    let scale = 2 ** 28
    for (let at = from; at < this.#end && scale < PAST_TEN_BYTES; scale *= 0x80) {
      const byte = this.#buffer[at++] as number
      result += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#at = at
        return result
      }
    }
    throw scale === PAST_TEN_BYTES ? new ProtobufError('proto: integer overflow') : unexpectedEnd()
  }

  /** Reads an unsigned integer. Throws if it is above 2^53 - 1. */
  safeUint(): number {
    const value = this.uint()
    if (value > Number.MAX_SAFE_INTEGER)
      throw new ProtobufError('a 64-bit integer that a JavaScript number cannot hold')
    return value
  }

  /** Reads a signed 64-bit integer. The result is a bigint if a double cannot hold it exactly. */
  int64(): number | bigint {
    const from = this.#at
    const value = this.uint()
    return Number.isSafeInteger(value) ? value : this.#long(from)
  }

  /** Reads a signed 32-bit integer. Higher bits are dropped, as in the reference. */
  int32(): number {
    const value = this.int64()
    return typeof value === 'number' && value === (value | 0) ? value : Number(BigInt.asIntN(32, BigInt(value)))
  }

  bool(): boolean {
    return this.uint() !== 0
  }

  double(): number {
    if (this.#end - this.#at < 8) throw unexpectedEnd()
    this.#at += 8
    return this.#buffer.readDoubleLE(this.#at - 8)
  }

  /** Reads a text. Throws if it is not UTF-8. */
  text(): string {
    const end = this.#length()
    const from = this.#at
    this.#at = end
    const short = end - from > SHORT_TEXT ? undefined : shortText(this.#buffer, from, end)
    if (short !== undefined) return short
    const text = this.#buffer.toString('utf8', from, end)
    // The replacement character marks invalid bytes, unless the sender wrote it.
    if (text.includes('\ufffd') && !isUtf8(this.#buffer.subarray(from, end))) {
      throw new ProtobufError('proto: string field contains invalid UTF-8')
    }
    return text
  }

  /** Reads a text. Bytes that are not UTF-8 are replaced, or read by `otherwise`. */
  looseText(otherwise?: (bytes: Buffer) => string): string {
    const end = this.#length()
    const from = this.#at
    this.#at = end
    const short = end - from > SHORT_TEXT ? undefined : shortText(this.#buffer, from, end)
    const text = short ?? this.#buffer.toString('utf8', from, end)
    // The replacement character marks invalid bytes, unless the sender wrote it.
    if (otherwise === undefined || !text.includes('\ufffd')) return text
    return otherwise(this.#buffer.subarray(from, end))
  }

  base64(): string {
    const end = this.#length()
    const from = this.#at
    this.#at = end
    return this.#buffer.toString('base64', from, end)
  }

  /** A view of the next bytes. */
  bytes(): Buffer {
    const end = this.#length()
    const from = this.#at
    this.#at = end
    return this.#buffer.subarray(from, end)
  }

  /** Skips the value of an unknown field. */
  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.uint()
        return
      case 1:
        return this.#pass(8)
      case 2:
        this.#at = this.#length()
        return
      case 3:
        return this.#skipGroup()
      case 5:
        return this.#pass(4)
      default:
        throw new ProtobufError(
          (tag & 7) === 4 ? 'proto: unexpected end of group' : `proto: illegal wireType ${tag & 7}`,
        )
    }
  }

  /** Skips a group. Groups are obsolete and may nest, so they are counted. */
  #skipGroup(): void {
    for (let depth = 1; depth > 0; ) {
      const tag = this.tag()
      if ((tag & 7) === 3) depth++
      else if ((tag & 7) === 4) depth--
      else this.skip(tag)
    }
  }

  #pass(size: number): void {
    if (this.#end - this.#at < size) throw unexpectedEnd()
    this.#at += size
  }

  /** Reads the length of the next value. Returns the end of the value. */
  #length(): number {
    const size = this.uint()
    if (size > this.#end - this.#at) {
      throw size >= 2 ** 63 ? new ProtobufError('proto: negative length found during unmarshaling') : unexpectedEnd()
    }
    return this.#at + size
  }

  /** The number of 64 bits, from its two halves. */
  #long(from: number): number | bigint {
    let [low, high] = [0, 0]
    for (let at = from, shift = 0; at < this.#at; at++, shift += 7) {
      const bits = (this.#buffer[at] as number) & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 25) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32)
    }
    const value = high * 2 ** 32 + (low >>> 0)
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) + BigInt(low >>> 0)
  }
}

/** Returns a text of ASCII characters. Undefined: it has other characters. */
function shortText(buffer: Buffer, from: number, end: number): string | undefined {
  let text = ''
  let at = from
  for (; at + 4 <= end; at += 4) {
    const a = buffer[at] as number
    const b = buffer[at + 1] as number
    const c = buffer[at + 2] as number
    const d = buffer[at + 3] as number
    if ((a | b | c | d) >= 0x80) return undefined
    text += String.fromCharCode(a, b, c, d)
  }
  for (; at < end; at++) {
    const code = buffer[at] as number
    if (code >= 0x80) return undefined
    text += String.fromCharCode(code)
  }
  return text
}
