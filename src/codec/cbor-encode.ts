// Encodes CBOR as the reference does: strings and keys are byte strings, binary fields are tagged as base64, keys are sorted by
// their encoded bytes, numbers take the shortest exact form. Deterministic: equal objects give equal bytes.
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import { compareTexts } from '../lib/text-order.ts'
import { InvariantError } from '../lib/errors.ts'
import type { KindSchema, ObjectShape, OpaqueShape, Shape } from '../schema/table.ts'

const INITIAL_SIZE = 4096
/** Up to this length a loop in JavaScript is faster than the call into native code. */
const SHORT_TEXT = 32

/** The beginning of every document: the tag for "this is CBOR". */
const SELF_DESCRIBED: Readonly<Uint8Array> & Uint8Array = Buffer.of(0xd9, 0xd9, 0xf7)

const UNSIGNED = 0
const NEGATIVE = 1
const BYTES = 2
const LIST = 4
const MAP = 5
const TAG = 6
/** The tag of bytes that are base64 in JSON. */
const BASE64_TAG = 22

/** Encodes a canonical object of a kind, after the tag for CBOR. */
export function encodeCbor(object: ValueMap, kind: KindSchema): Buffer {
  const writer = new CborWriter()
  writer.bytes(SELF_DESCRIBED)
  if (kind.custom === true) writer.value(object)
  else writer.shaped(object, kind.shape)
  return writer.finish()
}

/** Encodes a value without a schema, after the tag for CBOR. */
export function encodeCborValue(value: Value): Buffer {
  const writer = new CborWriter()
  writer.bytes(SELF_DESCRIBED)
  writer.value(value)
  return writer.finish()
}

/** The beginning of a document whose parts are encoded one by one. */
export const CBOR_HEAD = Buffer.from(SELF_DESCRIBED)

/** Encodes a part of an object, by its shape if the shape is known. */
export function encodeCborPart(value: Value, shape: Shape | undefined): Buffer {
  const writer = new CborWriter()
  if (shape === undefined) writer.value(value)
  else writer.shaped(value, shape)
  return writer.finish()
}

/** The frame of a list, which begins with the tag for CBOR. The encoded items go between the two buffers. */
export function encodeCborListFrame(rest: ValueMap, key: string, count: number): readonly [Buffer, Buffer] {
  const [head, tail] = [new CborWriter(), new CborWriter()]
  const keys = sortedKeys({ ...rest, [key]: null })
  head.bytes(SELF_DESCRIBED)
  head.head(MAP, keys.length)
  let writer = head
  for (const each of keys) {
    writer.string(each)
    if (each !== key) {
      writer.value(rest[each] ?? null)
      continue
    }
    writer.head(LIST, count)
    writer = tail
  }
  return [head.finish(), tail.finish()]
}

/** An event of a watch: one item of a sequence. `object` is already encoded. Both begin with the tag for CBOR. */
export function encodeCborEvent(type: string, object: Uint8Array): Buffer {
  const writer = new CborWriter()
  writer.bytes(SELF_DESCRIBED)
  writer.head(MAP, 2)
  writer.string('type')
  writer.string(type)
  writer.string('object')
  writer.bytes(object)
  return writer.finish()
}

/** Writes to a buffer that grows. */
class CborWriter {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_SIZE)
  #length = 0

  /** The written bytes. Do not use the writer after this. */
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

  /** `length` is the number of bytes of the text. */
  utf8(text: string, length: number): void {
    const at = this.#reserve(length)
    if (length !== text.length || length > SHORT_TEXT) this.#buffer.write(text, at, 'utf8')
    else for (let i = 0; i < length; i++) this.#buffer[at + i] = text.charCodeAt(i)
  }

  /** Writes a byte and a text. False: the text is not ASCII, and nothing was written. */
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

  value(value: Value): void {
    if (typeof value === 'string') this.string(value)
    else if (typeof value === 'number') this.number(value)
    else if (typeof value === 'bigint') this.integer(value)
    else if (value === null) this.byte(0xf6)
    else if (typeof value === 'boolean') this.byte(value ? 0xf5 : 0xf4)
    else if (isList(value)) {
      this.head(LIST, value.length)
      for (const item of value) this.value(item)
    } else this.map(value, undefined)
  }

  shaped(value: Value, shape: Shape): void {
    switch (shape.kind) {
      case 'object':
        return isMap(value) ? this.object(value, shape) : this.value(value)
      case 'list':
        return isList(value) ? this.list(value, shape.item) : this.value(value)
      case 'map':
        return isMap(value) ? this.map(value, shape.value) : this.value(value)
      case 'bytes':
        return typeof value === 'string' ? this.base64(value) : this.value(value)
      case 'number':
        return typeof value === 'number' ? this.double(value) : this.value(value)
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.schemaOr(value, shape)
      default:
        this.value(value)
    }
  }

  object(object: ValueMap, shape: ObjectShape): void {
    const keys = sortedKeys(object)
    this.head(MAP, keys.length)
    for (const key of keys) {
      this.string(key)
      const field = shape.byName.get(key)
      if (field === undefined) this.value(object[key] ?? null)
      else this.shaped(object[key] ?? null, field.shape)
    }
  }

  list(list: readonly Value[], item: Shape): void {
    this.head(LIST, list.length)
    for (const value of list) this.shaped(value, item)
  }

  map(map: ValueMap, shape: Shape | undefined): void {
    const keys = sortedKeys(map)
    this.head(MAP, keys.length)
    for (const key of keys) {
      this.string(key)
      if (shape === undefined) this.value(map[key] ?? null)
      else this.shaped(map[key] ?? null, shape)
    }
  }

  schemaOr(value: Value, { schema }: OpaqueShape): void {
    if (schema !== undefined && isMap(value)) this.object(value, schema)
    else if (schema !== undefined && isList(value) && value.every(isMap)) this.list(value, schema)
    else this.value(value)
  }

  base64(text: string): void {
    const bytes = Buffer.from(text, 'base64')
    this.head(TAG, BASE64_TAG)
    this.head(BYTES, bytes.length)
    this.bytes(bytes)
  }

  string(text: string): void {
    if (text.length < 24 && this.shortAscii((BYTES << 5) | text.length, text)) return
    const length = Buffer.byteLength(text)
    this.head(BYTES, length)
    this.utf8(text, length)
  }

  number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.integer(value)
    else this.double(value)
  }

  integer(value: number | bigint): void {
    if (value < 0) this.head(NEGATIVE, typeof value === 'bigint' ? -1n - value : -1 - value)
    else this.head(UNSIGNED, value)
  }

  /** Writes the number in the shortest of the three widths that represents it exactly. */
  double(value: number): void {
    if (!Number.isFinite(value)) throw new InvariantError('a number that JSON cannot represent')
    const half = halfOf(value)
    if (half !== undefined) this.#number(0xf9, 2, (buffer, at) => buffer.writeUInt16BE(half, at))
    else if (Math.fround(value) === value) this.#number(0xfa, 4, (buffer, at) => buffer.writeFloatBE(value, at))
    else this.#number(0xfb, 8, (buffer, at) => buffer.writeDoubleBE(value, at))
  }

  head(major: number, argument: number | bigint): void {
    const type = major << 5
    const number = Number(argument)
    if (argument < 24) this.byte(type | number)
    else if (argument < 0x100) {
      this.byte(type | 24)
      this.byte(number)
    } else if (argument < 0x1_0000) this.#number(type | 25, 2, (buffer, at) => buffer.writeUInt16BE(number, at))
    else if (argument < 0x1_0000_0000) this.#number(type | 26, 4, (buffer, at) => buffer.writeUInt32BE(number, at))
    else this.#number(type | 27, 8, (buffer, at) => buffer.writeBigUInt64BE(BigInt(argument), at))
  }

  /** Writes a byte, and a number of `size` bytes. */
  #number(head: number, size: number, write: (buffer: Buffer, at: number) => void): void {
    const at = this.#reserve(size + 1)
    this.#buffer[at] = head
    write(this.#buffer, at + 1)
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

/** Shorter keys go first, because a key's length is encoded before its bytes. */
function sortedKeys(map: ValueMap): readonly string[] {
  const keys = Object.keys(map)
  if (keys.length < 2) return keys
  if (keys.every((key) => ASCII.test(key))) return keys.sort(compareAscii)
  return keys
    .map((key) => ({ key, length: Buffer.byteLength(key) }))
    .sort((a, b) => a.length - b.length || compareTexts(a.key, b.key))
    .map(({ key }) => key)
}

const ASCII = /^[ -~]*$/

function compareAscii(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}

/** The number as a half-precision float, if that is exact. */
function halfOf(value: number): number | undefined {
  const magnitude = Math.abs(value)
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  if (magnitude === 0) return sign
  if (magnitude > 65504) return undefined
  // Below 2^-14 the exponent is fixed, and the digits count in units of 2^-24.
  if (magnitude < 2 ** -14) {
    const units = magnitude * 2 ** 24
    return Number.isInteger(units) ? sign | units : undefined
  }
  const exponent = Math.floor(Math.log2(magnitude))
  const digits = (magnitude / 2 ** exponent - 1) * 1024
  return Number.isInteger(digits) && digits >= 0 && digits < 1024 ? sign | ((exponent + 15) << 10) | digits : undefined
}
