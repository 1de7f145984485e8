// Decodes CBOR to JSON values. Strings may be text or byte strings. Binary data becomes base64. Duplicate keys, trailing data
// and values that JSON does not have (NaN, bignums, keys that are not strings) are refused. Depth is bounded, time is linear.
import { isUtf8 } from 'node:buffer'
import { quoted } from '../api/field-error.ts'
import { type Value, setOwn } from '../api/value.ts'
import { MAX_JSON_DEPTH } from './json-exact.ts'
import { tooManyValues } from './value-limit.ts'

/** Input that is not CBOR, or not a value of this API. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** Decodes the only value in the bytes. Throws `CborError`. */
export function parseCbor(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): Value {
  const reader = new Reader(bytes, maxValues)
  const value = reader.value(0)
  if (!reader.ended) throw new CborError(`cbor: ${reader.rest} bytes of extraneous data starting at index ${reader.at}`)
  return value
}

/** Decodes all items of a sequence. Throws `CborError`. */
export function parseCborSequence(bytes: Buffer): readonly Value[] {
  const reader = new Reader(bytes, Number.POSITIVE_INFINITY)
  const items: Value[] = []
  while (!reader.ended) items.push(reader.value(0))
  return items
}

/** The major types of strings and keys. Bytes may have a tag. */
const BYTES = 2
const TEXT = 3

class Reader {
  readonly #bytes: Buffer
  #at = 0
  /** The number of values that may still follow. */
  #valuesLeft: number

  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes
    this.#valuesLeft = maxValues
  }

  get at(): number {
    return this.#at
  }

  get rest(): number {
    return this.#bytes.length - this.#at
  }

  get ended(): boolean {
    return this.rest === 0
  }

  value(depth: number): Value {
    if (depth > MAX_JSON_DEPTH) throw new CborError('cbor: exceeded max nested level')
    if (--this.#valuesLeft < 0) throw tooManyValues()
    const initial = this.#byte()
    const info = initial & 0x1f
    switch (initial >> 5) {
      case 0:
        return this.#integer(this.#argument(info), false)
      case 1:
        return this.#integer(this.#argument(info), true)
      case BYTES:
      case TEXT:
        return this.#string(initial >> 5, info)
      case 4:
        return this.#list(info, depth)
      case 5:
        return this.#map(info, depth)
      case 6:
        return this.#tagged(Number(this.#argument(info)), depth)
      default:
        return this.#simple(info)
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new CborError('cbor: unexpected EOF')
    this.#at += 1
    return byte
  }

  #take(size: number): Buffer {
    if (size > this.rest) throw new CborError('cbor: unexpected EOF')
    const taken = this.#bytes.subarray(this.#at, this.#at + size)
    this.#at += size
    return taken
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info
    switch (info) {
      case 24:
        return this.#byte()
      case 25:
        return this.#take(2).readUInt16BE(0)
      case 26:
        return this.#take(4).readUInt32BE(0)
      case 27: {
        const value = this.#take(8).readBigUInt64BE(0)
        return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
      }
      default:
        throw new CborError(`cbor: invalid additional information ${info}`)
    }
  }

  /** The number of items or bytes. Undefined: they end at a break. */
  #length(info: number): number | undefined {
    if (info === 31) return undefined
    const length = this.#argument(info)
    // Every item has at least one byte. So a length beyond the rest of the input is wrong, and must not allocate memory.
    if (typeof length === 'bigint' || length > this.rest) throw new CborError('cbor: unexpected EOF')
    return length
  }

  #integer(argument: number | bigint, negative: boolean): number | bigint {
    if (typeof argument === 'number') return negative ? -1 - argument : argument
    const value = negative ? -1n - argument : argument
    if (value > MAX_INT64 || value < MIN_INT64) throw new CborError(`cbor: ${value} overflows Go's int64`)
    return value
  }

  #string(major: number, info: number): string {
    const length = this.#length(info)
    if (length === undefined) return textOf(this.#chunks(major), major)
    const start = this.#at
    this.#at += length
    const text = this.#bytes.toString('utf8', start, this.#at)
    // The replacement character stands for invalid bytes, unless the sender has written it.
    return text.includes('\ufffd') ? textOf(this.#bytes.subarray(start, this.#at), major) : text
  }

  #octets(major: number, info: number): Buffer {
    const length = this.#length(info)
    return length === undefined ? this.#chunks(major) : this.#take(length)
  }

  #chunks(major: number): Buffer {
    const chunks: Buffer[] = []
    while (!this.#takeBreak()) {
      const initial = this.#byte()
      const size = this.#length(initial & 0x1f)
      if (initial >> 5 !== major || size === undefined)
        throw new CborError('cbor: wrong element type in indefinite-length string')
      chunks.push(this.#take(size))
    }
    return Buffer.concat(chunks)
  }

  /** Skips a break. Returns false if there is no break. */
  #takeBreak(): boolean {
    if (this.#bytes[this.#at] !== 0xff) return false
    this.#at += 1
    return true
  }

  #list(info: number, depth: number): readonly Value[] {
    const length = this.#length(info)
    const items: Value[] = []
    while (length === undefined ? !this.#takeBreak() : items.length < length) items.push(this.value(depth + 1))
    return items
  }

  #map(info: number, depth: number): Value {
    const length = this.#length(info)
    const map: Record<string, Value> = {}
    for (let i = 0; length === undefined ? !this.#takeBreak() : i < length; i++) {
      const key = this.#key(depth + 1)
      if (Object.hasOwn(map, key))
        throw new CborError(`cbor: found duplicate map key ${quoted(key)} at map element index ${i}`)
      setOwn(map, key, this.value(depth + 1))
    }
    return map
  }

  #key(depth: number): string {
    const major = (this.#bytes[this.#at] ?? 0) >> 5
    if (major !== BYTES && major !== TEXT) throw new CborError('cbor: map keys must be strings')
    // A key does not count as a value.
    this.#valuesLeft += 1
    return this.value(depth) as string
  }

  #tagged(tag: number, depth: number): Value {
    switch (tag) {
      case 0:
      case 1:
        return momentOf(this.value(depth + 1), tag)
      case 2:
      case 3:
        throw new CborError('cbor: bignum is not allowed')
      case 21:
      case 22:
      case 23:
        return this.#expectedText(tag, depth)
      default:
        return this.value(depth + 1)
    }
  }

  /** A value with a tag that tells how JSON encodes bytes. Bytes become a text in this encoding. */
  #expectedText(tag: number, depth: number): Value {
    const initial = this.#bytes[this.#at] ?? 0
    if (initial >> 5 !== BYTES) return this.value(depth + 1)
    this.#at += 1
    const octets = this.#octets(BYTES, initial & 0x1f)
    return octets.toString(tag === 21 ? 'base64url' : tag === 22 ? 'base64' : 'hex')
  }

  #simple(info: number): Value {
    switch (info) {
      case 20:
        return false
      case 21:
        return true
      case 22:
        return null
      case 25:
        return finite(halfToNumber(this.#take(2).readUInt16BE(0)))
      case 26:
        return finite(this.#take(4).readFloatBE(0))
      case 27:
        return finite(this.#take(8).readDoubleBE(0))
      case 31:
        throw new CborError('cbor: unexpected "break" code')
      default:
        throw new CborError('cbor: simple values other than true, false and null are not allowed')
    }
  }
}

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/** The text of a string. Only text strings must be valid UTF-8. */
function textOf(bytes: Buffer, major: number): string {
  if (major === TEXT && !isUtf8(bytes)) throw new CborError('cbor: invalid UTF-8 string')
  return bytes.toString('utf8')
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new CborError('cbor: NaN and infinity are not allowed')
  return value
}

function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 0x1f
  const digits = bits & 0x3ff
  const magnitude =
    exponent === 0
      ? digits * 2 ** -24
      : exponent === 31
        ? Number.POSITIVE_INFINITY
        : (1 + digits / 1024) * 2 ** (exponent - 15)
  return bits & 0x8000 ? -magnitude : magnitude
}

/** A tagged time, in RFC 3339. Tag 0 is for texts, tag 1 for seconds since 1970. */
function momentOf(content: Value, tag: number): string {
  if (tag === 0 && typeof content === 'string') return content
  if (tag === 1 && typeof content === 'number') {
    const date = new Date(content * 1000)
    if (!Number.isNaN(date.getTime())) return date.toISOString().replace(/\.?0*Z$/, 'Z')
  }
  throw new CborError(`cbor: invalid content of tag ${tag}`)
}
