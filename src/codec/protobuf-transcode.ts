// Stored JSON to protobuf without making objects: texts are copied from one buffer to the other, embedded JSON as it is. The bytes
// are those that parsing and encoding give; where the JSON is not of the form that we store, it says so and the caller does that.
import type { Field, MapShape, ObjectShape, Shape, WireField, WireMember } from '../schema/table.ts'
import { END, KEY_END, KEY_START, NEXT, scanJsonTokens, START, TOKEN, TYPE, WIDTH } from './json-tape.ts'
import { ENTRY_VALUES, mapValueType, ProtobufEncoder, type Place } from './protobuf-encode.ts'
import { momentOf, secondsOfBytes, ZERO_SECONDS } from './protobuf-time.ts'

/** Something that the way through objects has to do, or to refuse. */
class Unfit extends Error {}

/** The slot of a field that is not there. The root is nobody's field, so its place is free for this. */
const ABSENT = 0
/** What is kept from one object to the next is no longer than this, in numbers; an object of a megabyte is rare. */
const MAX_KEPT = 1 << 16
const NOTHING = Buffer.alloc(0)

/** Does one object after another; what it needs for that it keeps. */
export class ProtobufTranscoder {
  #tokens: Int32Array = new Int32Array(WIDTH * 512)
  #bytes: Buffer = NOTHING
  #encoder: ProtobufEncoder = new ProtobufEncoder(0)
  /** A stack: for every object that is being written a slot for each field, for every list the places of its items. */
  #slots = new Int32Array(512)
  #top = 0

  /**
   * Writes the message of an object in front of what the encoder has. False where the JSON does not fit; then the encoder holds
   * pieces and is of no more use.
   */
  write(encoder: ProtobufEncoder, shape: ObjectShape, json: Buffer): boolean {
    const tokens = scanJsonTokens(json, this.#tokens)
    if (tokens === undefined) return false
    this.#tokens = tokens
    this.#bytes = json
    this.#encoder = encoder
    this.#top = 0
    try {
      this.#object(shape, 0)
      return true
    } catch (error) {
      if (error instanceof Unfit) return false
      throw error
    } finally {
      this.#bytes = NOTHING
      if (tokens.length > MAX_KEPT) this.#tokens = new Int32Array(WIDTH * 512)
    }
  }

  #object(shape: ObjectShape, token: number): void {
    if (shape.wire === undefined || this.#tokens[token + TYPE] !== TOKEN.map) throw new Unfit()
    const base = this.#top
    this.#reserve(shape.fields.length)
    const slots = this.#slots
    for (let i = base; i < this.#top; i++) slots[i] = ABSENT
    this.#findFields(shape, token, base)
    this.#fields(shape.wire, base)
    this.#top = base
  }

  #reserve(count: number): void {
    this.#top += count
    if (this.#top <= this.#slots.length) return
    const longer = new Int32Array(this.#top * 2)
    longer.set(this.#slots)
    this.#slots = longer
  }

  /** Puts the values of members into the slots of their fields. Members come in the order of the table: guess the next one. */
  #findFields(shape: ObjectShape, token: number, base: number): void {
    const tokens = this.#tokens
    const slots = this.#slots
    const { fields } = shape
    const end = tokens[token + NEXT] as number
    let guess = 0
    for (let value = token + WIDTH; value < end; value = tokens[value + NEXT] as number) {
      let found = guess
      while (found < fields.length && !this.#isKey(value, (fields[found] as Field).name)) found++
      if (found === fields.length) found = this.#search(shape, value)
      if (found < 0) continue
      if (tokens[value + TYPE] !== TOKEN.null) slots[base + found] = value
      guess = found + 1
    }
  }

  /** The place of a member that is not where it should be; -1 for what the table does not know. */
  #search(shape: ObjectShape, value: number): number {
    if ((this.#tokens[value + KEY_END] as number) < 0) throw new Unfit()
    return shape.fields.findIndex(({ name }) => this.#isKey(value, name))
  }

  #isKey(value: number, name: string): boolean {
    const start = this.#tokens[value + KEY_START] as number
    const { length } = name
    if ((this.#tokens[value + KEY_END] as number) - start !== length) return false
    const bytes = this.#bytes
    for (let i = 0; i < length; i++) if (bytes[start + i] !== name.charCodeAt(i)) return false
    return true
  }

  #fields(wire: readonly WireField[], base: number): void {
    const encoder = this.#encoder
    for (let i = wire.length - 1; i >= 0; i--) {
      const member = wire[i] as WireField
      if (member.type === 'inline') {
        const end = encoder.length
        this.#fields(member.fields, base + member.offset)
        encoder.close(member.number, end)
        continue
      }
      const token = this.#slots[base + member.index] as number
      if (token !== ABSENT) this.#member(member, token)
      else if (!member.field.pointer) encoder.zeroField(member, member.field.shape)
    }
  }

  #member(member: WireMember, token: number): void {
    const { shape } = member.field
    if (shape.kind === 'map') return this.#map(member, shape, token)
    if (shape.kind !== 'list' || member.type === 'stringList') return this.#single(member, shape, token)
    if (this.#tokens[token + TYPE] !== TOKEN.list) throw new Unfit()
    const base = this.#pushChildren(token)
    for (let i = this.#top - 1; i >= base; i--) this.#item(member, shape.item, this.#slots[i] as number)
    this.#top = base
  }

  #item(place: Place, shape: Shape, token: number): void {
    if (this.#tokens[token + TYPE] === TOKEN.null) this.#encoder.zeroField(place, shape)
    else this.#single(place, shape, token)
  }

  /** Puts the places of what is in a list or a map on the stack, since they are written from last to first. */
  #pushChildren(token: number): number {
    const tokens = this.#tokens
    const base = this.#top
    const end = tokens[token + NEXT] as number
    for (let at = token + WIDTH; at < end; at = tokens[at + NEXT] as number) {
      this.#reserve(1)
      this.#slots[this.#top - 1] = at
    }
    return base
  }

  #map({ number }: Place, shape: MapShape, token: number): void {
    const encoder = this.#encoder
    const tokens = this.#tokens
    if (tokens[token + TYPE] !== TOKEN.map) throw new Unfit()
    const place = ENTRY_VALUES[mapValueType(shape)]
    const base = this.#pushChildren(token)
    for (let i = this.#top - 1; i >= base; i--) {
      const value = this.#slots[i] as number
      // Maps are stored sorted; one that is not, or that hides its order behind escapes, is not worth a second way.
      if ((tokens[value + KEY_END] as number) < 0) throw new Unfit()
      if (i > base && !this.#isBefore(this.#slots[i - 1] as number, value)) throw new Unfit()
      const end = encoder.length
      this.#item(place, shape.value, value)
      const before = encoder.length
      encoder.copy(this.#bytes, tokens[value + KEY_START] as number, tokens[value + KEY_END] as number)
      encoder.close(1, before)
      encoder.close(number, end)
    }
    this.#top = base
  }

  /** Whether the key of one member comes before that of another, by their bytes. */
  #isBefore(left: number, right: number): boolean {
    const bytes = this.#bytes
    const tokens = this.#tokens
    let a = tokens[left + KEY_START] as number
    let b = tokens[right + KEY_START] as number
    const endOfA = tokens[left + KEY_END] as number
    const endOfB = tokens[right + KEY_END] as number
    while (a < endOfA && b < endOfB && bytes[a] === bytes[b]) {
      a++
      b++
    }
    if (a >= endOfA || b >= endOfB) return a >= endOfA && b < endOfB
    return (bytes[a] as number) < (bytes[b] as number)
  }

  #single(place: Place, shape: Shape, token: number): void {
    const encoder = this.#encoder
    const type = this.#tokens[token + TYPE]
    switch (place.type) {
      case 'string':
        return this.#text(place.number, token)
      case 'message': {
        const end = encoder.length
        if (shape.kind === 'object') this.#object(shape, token)
        else this.#form(shape, token)
        return encoder.close(place.number, end)
      }
      case 'int32':
      case 'int64':
        return encoder.numberField(place.number, this.#integer(token))
      case 'bool':
        if (type !== TOKEN.true && type !== TOKEN.false) throw new Unfit()
        return encoder.numberField(place.number, type === TOKEN.true ? 1 : 0)
      case 'bytes': {
        if (type !== TOKEN.text) throw new Unfit()
        const end = encoder.length
        encoder.base64(this.#latin1(token))
        return encoder.close(place.number, end)
      }
      case 'stringList': {
        if (type !== TOKEN.list) throw new Unfit()
        const end = encoder.length
        const base = this.#pushChildren(token)
        for (let i = this.#top - 1; i >= base; i--) this.#text(1, this.#slots[i] as number)
        this.#top = base
        return encoder.close(place.number, end)
      }
      default:
        throw new Unfit()
    }
  }

  /** A text with its tag; one with escapes is read first. */
  #text(number: number, token: number): void {
    const encoder = this.#encoder
    const tokens = this.#tokens
    const start = tokens[token + START] as number
    const end = tokens[token + END] as number
    if (tokens[token + TYPE] === TOKEN.text) {
      const before = encoder.length
      encoder.copy(this.#bytes, start, end)
      return encoder.close(number, before)
    }
    if (tokens[token + TYPE] !== TOKEN.escapedText) throw new Unfit()
    encoder.textField(number, String(JSON.parse(this.#bytes.toString('utf8', start - 1, end + 1))))
  }

  #latin1(token: number): string {
    return this.#bytes.toString('latin1', this.#tokens[token + START], this.#tokens[token + END])
  }

  /** Up to fifteen digits; more of them may not fit into a number. */
  #integer(token: number): number {
    const bytes = this.#bytes
    const start = this.#tokens[token + START] as number
    const end = this.#tokens[token + END] as number
    if (this.#tokens[token + TYPE] !== TOKEN.number || end - start > 15) throw new Unfit()
    const isNegative = bytes[start] === 0x2d
    let value = 0
    for (let at = isNegative ? start + 1 : start; at < end; at++) {
      const digit = (bytes[at] as number) - 0x30
      if (digit < 0 || digit > 9) throw new Unfit()
      value = value * 10 + digit
    }
    return isNegative ? -value : value
  }

  /** The body of a message that has a JSON form of its own. */
  #form(shape: Shape, token: number): void {
    const encoder = this.#encoder
    const tokens = this.#tokens
    const type = tokens[token + TYPE]
    switch (shape.kind) {
      case 'rawExtension':
      case 'fieldsV1': {
        if (type !== TOKEN.map) throw new Unfit()
        const end = encoder.length
        encoder.copy(this.#bytes, tokens[token + START] as number, tokens[token + END] as number)
        return encoder.close(1, end)
      }
      case 'time':
      case 'microTime':
        return this.#moment(shape.kind, token)
      case 'quantity':
        return this.#text(1, token)
      case 'intOrString': {
        const isNumber = type === TOKEN.number
        if (isNumber) encoder.textField(3, '')
        else this.#text(3, token)
        encoder.numberField(2, isNumber ? this.#integer(token) : 0)
        return encoder.numberField(1, isNumber ? 0 : 1)
      }
      default:
        throw new Unfit()
    }
  }

  #moment(kind: 'time' | 'microTime', token: number): void {
    const start = this.#tokens[token + START] as number
    const isShort = (this.#tokens[token + END] as number) - start === 20
    if (this.#tokens[token + TYPE] !== TOKEN.text) throw new Unfit()
    if (kind === 'time' && isShort) {
      const seconds = secondsOfBytes(this.#bytes, start)
      if (Number.isNaN(seconds)) throw new Unfit()
      if (seconds === ZERO_SECONDS) return
      this.#encoder.numberField(2, 0)
      return this.#encoder.numberField(1, seconds)
    }
    const moment = momentOf(this.#latin1(token))
    if (moment === undefined) return
    this.#encoder.numberField(2, kind === 'time' ? 0 : moment.nanos)
    this.#encoder.numberField(1, moment.seconds)
  }
}
