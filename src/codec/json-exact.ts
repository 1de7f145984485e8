// Our own strict JSON reader, for what the platform's cannot say: which members repeat, how numbers are spelled, and what is
// wrong in the reference's words. Linear in its input; depth is bounded.
import { isUtf8 } from 'node:buffer'
import { ExactMap, ExactNumber, type ExactValue } from '../schema/exact-value.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'

/** Input that is not JSON; the message is the reference's. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

/** The reference stops at 10,000; every recursive walk over values has to fit into the stack at this depth. */
export const MAX_JSON_DEPTH = 1000

const MINUS = 0x2d

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
])

const CUT_OFF = 'unexpected end of JSON input'
/** Where a fault is inside of a token. */
const INSIDE = /^in |decimal point/

const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Reads one JSON document. Throws `JsonSyntaxError`. Bytes that are no characters become U+FFFD, each one. */
export function parseExactJson(bytes: Buffer): ExactValue {
  return new Reader((isUtf8(bytes) ? bytes : replaceInvalid(bytes)).toString('utf8')).document()
}

/** Keeps a place in the text; every step looks at what is there and moves on. */
class Reader {
  readonly #text: string
  /** Characters of a string that stand for themselves. */
  readonly #plain = /[ !#-[\]-\uffff]*/y
  readonly #digits = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): ExactValue {
    const value = this.#value()
    this.#next()
    if (this.#at < this.#text.length) this.#fail('after top-level value')
    return value
  }

  #value(): ExactValue {
    const code = this.#next()
    if (code === QUOTE) return this.#string()
    if (code === OPEN_MAP) return this.#nested(() => this.#map())
    if (code === OPEN_LIST) return this.#nested(() => this.#list())
    if (code === MINUS || isDigit(code)) return this.#number()
    for (const [word, value] of LITERALS) {
      if (code === word.charCodeAt(0)) return this.#literal(word, value)
    }
    return this.#fail('looking for beginning of value')
  }

  #nested(read: () => ExactValue): ExactValue {
    this.#depth += 1
    if (this.#depth > MAX_JSON_DEPTH) throw new JsonSyntaxError('exceeded max depth')
    this.#at += 1
    const value = read()
    this.#depth -= 1
    return value
  }

  #map(): ExactMap {
    const keys: string[] = []
    const values: ExactValue[] = []
    if (this.#next() === CLOSE_MAP) {
      this.#at += 1
      return new ExactMap(keys, values)
    }
    for (;;) {
      if (this.#next() !== QUOTE) this.#fail('looking for beginning of object key string')
      keys.push(this.#string())
      if (this.#next() !== COLON) this.#fail('after object key')
      this.#at += 1
      values.push(this.#value())
      const code = this.#next()
      if (code !== COMMA && code !== CLOSE_MAP) this.#fail('after object key:value pair')
      this.#at += 1
      if (code === CLOSE_MAP) return new ExactMap(keys, values)
    }
  }

  #list(): readonly ExactValue[] {
    const items: ExactValue[] = []
    if (this.#next() === CLOSE_LIST) {
      this.#at += 1
      return items
    }
    for (;;) {
      items.push(this.#value())
      const code = this.#next()
      if (code !== COMMA && code !== CLOSE_LIST) this.#fail('after array element')
      this.#at += 1
      if (code === CLOSE_LIST) return items
    }
  }

  #string(): string {
    this.#at += 1
    let out = ''
    for (;;) {
      const start = this.#at
      this.#plain.lastIndex = start
      this.#plain.test(this.#text)
      this.#at = this.#plain.lastIndex
      const part = this.#text.slice(start, this.#at)
      const code = this.#text.charCodeAt(this.#at)
      if (code === QUOTE) {
        this.#at += 1
        return out === '' ? part : out + part
      }
      if (Number.isNaN(code)) throw new JsonSyntaxError(CUT_OFF)
      if (code !== BACKSLASH) this.#fail('in string literal')
      out += part + this.#escape()
    }
  }

  #escape(): string {
    this.#at += 1
    const code = this.#here()
    if (code === 0x75) return this.#unicode()
    const char = ESCAPES.get(code)
    if (char === undefined) return this.#fail('in string escape code')
    this.#at += 1
    return char
  }

  /** A half of a surrogate pair that stands alone becomes U+FFFD. */
  #unicode(): string {
    const unit = this.#hexUnit()
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit)
    if (unit < 0xdc00 && this.#text.startsWith('\\u', this.#at)) {
      const before = this.#at
      this.#at += 1
      const low = this.#hexUnit()
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low)
      this.#at = before
    }
    return '\ufffd'
  }

  #hexUnit(): number {
    this.#at += 1
    let unit = 0
    for (let i = 0; i < 4; i++) {
      const digit = hexDigit(this.#here())
      if (digit < 0) this.#fail('in \\u hexadecimal character escape')
      unit = unit * 16 + digit
      this.#at += 1
    }
    return unit
  }

  #number(): ExactNumber {
    const start = this.#at
    this.#digits.lastIndex = start
    const found = this.#digits.test(this.#text)
    const end = found ? this.#digits.lastIndex : start
    this.#at = end
    const after = this.#text.charCodeAt(end)
    if (!found || after === 0x2e || (after | 0x20) === 0x65) this.#failInNumber(end)
    return new ExactNumber(this.#text.slice(start, end))
  }

  /** Behind the digits that make sense: a sign without a number, a point or an exponent without digits. */
  #failInNumber(end: number): never {
    const code = this.#text.charCodeAt(end)
    const exponent = (code | 0x20) === 0x65
    this.#at = end + 1
    if (exponent && /[-+]/.test(this.#text.charAt(this.#at))) this.#at += 1
    const point = code === 0x2e
    return this.#fail(
      point ? 'after decimal point in numeric literal' : `in ${exponent ? 'exponent of ' : ''}numeric literal`,
    )
  }

  #literal(word: string, value: boolean | null): boolean | null {
    for (let i = 0; i < word.length; i++) {
      if (this.#here() !== word.charCodeAt(i)) this.#fail(`in literal ${word} (expecting '${word.charAt(i)}')`)
      this.#at += 1
    }
    return value
  }

  #here(): number {
    return this.#text.charCodeAt(this.#at)
  }

  /** The code unit behind the blanks; NaN at the end. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1
      code = this.#text.charCodeAt(this.#at)
    }
    return code
  }

  #fail(context: string): never {
    const ended = this.#at >= this.#text.length
    if (ended && !INSIDE.test(context)) throw new JsonSyntaxError(CUT_OFF)
    // The reference looks at the end of the input as at a blank, which words and numbers cannot hold.
    const found = ended ? ' ' : String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    throw new JsonSyntaxError(`invalid character ${quoteByte(Buffer.from(found)[0] ?? 0)} ${context}`)
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function hexDigit(code: number): number {
  if (isDigit(code)) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** As Go quotes a character: a byte beyond ASCII shows as the Latin-1 letter of that number. */
function quoteByte(byte: number): string {
  const known = QUOTED.get(byte)
  if (known !== undefined) return known
  if (byte < 0x20 || (byte >= 0x7f && byte < 0xa0)) {
    const hex = byte.toString(16)
    return byte < 0x80 ? `'\\x${hex.padStart(2, '0')}'` : `'\\u${hex.padStart(4, '0')}'`
  }
  if (byte === 0xa0 || byte === 0xad) return `'\\u00${byte.toString(16)}'`
  return `'${String.fromCharCode(byte)}'`
}

const QUOTED: ReadonlyMap<number, string> = new Map([
  [0x07, "'\\a'"],
  [0x08, "'\\b'"],
  [0x09, "'\\t'"],
  [0x0a, "'\\n'"],
  [0x0b, "'\\v'"],
  [0x0c, "'\\f'"],
  [0x0d, "'\\r'"],
  [0x27, "'\\''"],
  [0x5c, "'\\\\'"],
])

/** Each byte that is not part of a character becomes U+FFFD, as in the reference. */
function replaceInvalid(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let start = 0
  for (let i = 0; i < bytes.length; ) {
    const size = characterSize(bytes, i)
    if (size > 0) {
      i += size
      continue
    }
    parts.push(bytes.subarray(start, i), REPLACEMENT)
    i += 1
    start = i
  }
  parts.push(bytes.subarray(start))
  return Buffer.concat(parts)
}

const REPLACEMENT: Readonly<Buffer> & Buffer = Buffer.from('\ufffd')

/** How many bytes the character at `at` has; 0: none begins here. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  return at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)) ? size : 0
}
