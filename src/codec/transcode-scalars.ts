// Transcodes scalars of stored JSON to protobuf: texts, numbers, times, quantities, int-or-strings, raw JSON. A scalar that is not
// canonical is left to the encoder.
import { jsonText } from '../api/json-text.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'
import { MessageBytes } from './message-bytes.ts'
import { momentOf } from './protobuf-time.ts'
import { parseStoredJson } from './stored-json.ts'

const SLASH = 0x2f
const UPPER_Z = 0x5a
const LOWER_F = 0x66
export const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75

/** Tags of the fields in messages whose JSON form is a scalar. */
const FIRST_NUMBER = 1 << 3
export const FIRST_TEXT = (1 << 3) | 2
const SECOND_NUMBER = 2 << 3
const THIRD_TEXT = (3 << 3) | 2

/** The lengths of `YYYY-MM-DDTHH:MM:SSZ` and of the date in it. */
const MOMENT_LENGTH = 20
const DATE_LENGTH = 10

/** The transcoder does not support the bytes. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected'
}

export const UNEXPECTED: Unexpected = new Unexpected()

/** Methods take the position in the JSON at which a value begins, and return the position after its end. */
export class ScalarTranscoder {
  protected json: Buffer = Buffer.alloc(0)
  protected readonly out = new MessageBytes()
  /** The last date, and the second at which it begins. The times in an object are usually on the same day. */
  readonly #date = new Uint8Array(DATE_LENGTH)
  #dateSeconds = 0

  /** Writes a text with its tag. */
  protected text(tag: number, start: number): number {
    const json = this.json
    const { length } = json
    if (json[start] !== QUOTE) throw UNEXPECTED
    let i = start + 1
    while (i < length && json[i] !== QUOTE && json[i] !== BACKSLASH) i++
    if (json[i] !== QUOTE) return this.#escapedText(tag, start, i)
    this.out.text(tag, json, start + 1, i)
    return i + 1
  }

  #escapedText(tag: number, start: number, escape: number): number {
    const json = this.json
    let end = escape
    while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1
    if (end >= json.length) throw UNEXPECTED
    const text = Buffer.from(JSON.parse(json.toString('utf8', start, end + 1)) as string)
    this.out.text(tag, text, 0, text.length)
    return end + 1
  }

  /** Writes an integer. Negative and long integers, which are rare, and fractions are left to the encoder. */
  protected integer(start: number): number {
    const json = this.json
    let value = 0
    let i = start
    for (; i < json.length; i++) {
      const digit = (json[i] as number) - 0x30
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    if (i === start || i - start > 15) throw UNEXPECTED
    this.out.varint(value)
    return i
  }

  protected flag(tag: number, at: number): number {
    const byte = this.json[at]
    if (byte !== LOWER_T && byte !== LOWER_F) throw UNEXPECTED
    this.out.varint(tag)
    this.out.varint(byte === LOWER_T ? 1 : 0)
    return at + (byte === LOWER_T ? 4 : 5)
  }

  /** Writes a time. It supports only the form that the server itself writes, and only times from 1970 on. */
  protected moment(tag: number, start: number): number {
    const json = this.json
    const end = start + 1 + MOMENT_LENGTH
    if (json[start] !== QUOTE || json[end] !== QUOTE || json[end - 1] !== UPPER_Z) throw UNEXPECTED
    const seconds = this.#secondsAt(start + 1)
    if (!(seconds >= 0)) throw UNEXPECTED
    const content = this.out.open(tag, 1)
    this.out.varint(FIRST_NUMBER)
    this.out.varint(seconds)
    this.out.varint(SECOND_NUMBER)
    this.out.varint(0)
    this.out.close(content, 1)
    return end + 1
  }

  #secondsAt(start: number): number {
    const json = this.json
    for (let i = 0; i < DATE_LENGTH; i++) {
      if (json[start + i] === this.#date[i]) continue
      const text = json.toString('latin1', start, start + DATE_LENGTH)
      this.#dateSeconds = momentOf(`${text}T00:00:00Z`)?.seconds ?? Number.NaN
      for (let k = 0; k < DATE_LENGTH; k++) this.#date[k] = json[start + k] as number
      break
    }
    const clock = start + DATE_LENGTH + 1
    return this.#dateSeconds + this.#digits(clock) * 3600 + this.#digits(clock + 3) * 60 + this.#digits(clock + 6)
  }

  /** The number of the two digits at a position. NaN: there are no two digits. */
  #digits(at: number): number {
    const tens = (this.json[at] as number) - 0x30
    const ones = (this.json[at + 1] as number) - 0x30
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
  }

  protected quantity(tag: number, at: number): number {
    const content = this.out.open(tag, 1)
    const end = this.text(FIRST_TEXT, at)
    this.out.close(content, 1)
    return end
  }

  protected intOrString(tag: number, at: number): number {
    const out = this.out
    const isText = this.json[at] === QUOTE
    const content = out.open(tag, 1)
    out.varint(FIRST_NUMBER)
    out.varint(isText ? 1 : 0)
    out.varint(SECOND_NUMBER)
    let end = at
    if (isText) {
      out.varint(0)
      end = this.text(THIRD_TEXT, at)
    } else {
      end = this.integer(at)
      out.varint(THIRD_TEXT)
      out.varint(0)
    }
    out.close(content, 1)
    return end
  }

  /** Writes JSON inside of protobuf. It stays as it is stored, unless it has escapes that `JSON.stringify` would not write. */
  protected raw(tag: number, start: number): number {
    const json = this.json
    if (json[start] === LOWER_N) throw UNEXPECTED
    const [end, unusual] = this.#skip(start)
    const text = unusual ? Buffer.from(jsonText(parseStoredJson(json.subarray(start, end)))) : undefined
    const content = this.out.open(tag, 1)
    if (text === undefined) this.out.text(FIRST_TEXT, json, start, end)
    else this.out.text(FIRST_TEXT, text, 0, text.length)
    this.out.close(content, 1)
    return end
  }

  protected skipMember(start: number): number {
    const [at] = this.#skip(start)
    if (this.json[at] !== COLON) throw UNEXPECTED
    return this.#skip(at + 1)[0]
  }

  /** The position after a value, and whether the value has escapes that `JSON.stringify` would not write. */
  #skip(start: number): readonly [end: number, unusual: boolean] {
    const json = this.json
    let unusual = false
    let depth = 0
    for (let i = start; i < json.length; i++) {
      const byte = json[i]
      if (byte === QUOTE) {
        for (i++; i < json.length && json[i] !== QUOTE; i++) {
          if (json[i] === BACKSLASH) {
            i++
            unusual ||= json[i] === LOWER_U || json[i] === SLASH
          }
        }
      } else if (byte === OPEN_MAP || byte === OPEN_LIST) depth++
      else if (depth === 0 && (byte === COMMA || byte === COLON)) return [i, unusual]
      else if (byte === CLOSE_MAP || byte === CLOSE_LIST) {
        if (depth === 0) return [i, unusual]
        depth--
      }
    }
    throw UNEXPECTED
  }
}
