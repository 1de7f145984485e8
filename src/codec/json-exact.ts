// A strict JSON parser that keeps details which `JSON.parse` loses: repeated members, the spelling of numbers, and the reference's error
// messages. Time is linear, depth is bounded.
import { isUtf8 } from 'node:buffer'
import { quoted } from '../api/field-error.ts'
import { numberOf } from '../api/json-number.ts'
import { setOwn, type Value } from '../api/value.ts'
import { ExactMap, ExactNumber, type ExactValue } from '../schema/exact-value.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'

/** The input is not JSON. The message is the reference's. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

/** The reference allows 10,000 levels. Every recursive walk over values must fit into the stack at this depth. */
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
/** Matches the contexts of errors inside a token. */
const INSIDE = /^in |decimal point/

/** A document in its exact form and as plain values. */
export interface ExactDocument {
  readonly exact: ExactValue
  /** The last of repeated members counts. */
  readonly value: Value
}

/** Reads one JSON document. Throws `JsonSyntaxError`. Each invalid byte becomes U+FFFD. */
export function parseExactJson(bytes: Buffer): ExactDocument {
  return new ExactJsonReader(bytes).read()
}

/** A map or list that is not closed yet, in both forms. */
interface Open {
  /** The keys of a map. Undefined: this is a list. */
  readonly keys: string[] | undefined
  readonly values: ExactValue[]
  readonly members: Record<string, Value>
  readonly items: Value[]
  key: string
}

/** All lists share these members, and all maps these items. They stay empty. */
const NO_MEMBERS: Record<string, Value> = Object.freeze({})
const NO_ITEMS: Value[] = Object.freeze<Value[]>([]) as Value[]

/** Keeps the place in the text, and the maps and lists that are open there. */
class ExactJsonReader {
  readonly #text: string
  /** Characters of a string that stand for themselves. */
  readonly #plain = /[ !#-[\]-\uffff]*/y
  readonly #digits = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
  readonly #open: Open[] = []
  #at = 0
  #exact: ExactValue = null
  #value: Value = null
  /** The first number that no double can hold. Syntax errors are reported first. */
  #beyond: string | undefined

  constructor(bytes: Buffer) {
    this.#text = (isUtf8(bytes) ? bytes : replaceInvalid(bytes)).toString('utf8')
  }

  /** Throws `JsonSyntaxError`. */
  read(): ExactDocument {
    while (!this.#readValue() || !this.#deliver());
    this.#next()
    if (this.#at < this.#text.length) this.#fail('after top-level value')
    if (this.#beyond === undefined) return { exact: this.#exact, value: this.#value }
    throw new JsonSyntaxError(`json: cannot unmarshal number ${this.#beyond} into Go value of type float64`)
  }

  /** Reads a value. Returns false if the value is a map or list that is open now: its values must be read first. */
  #readValue(): boolean {
    const code = this.#next()
    switch (code) {
      case QUOTE:
        this.#exact = this.#value = this.#string()
        return true
      case OPEN_MAP:
        return this.#openMap()
      case OPEN_LIST:
        return this.#openList()
      case 0x74:
        return this.#literal('true', true)
      case 0x66:
        return this.#literal('false', false)
      case 0x6e:
        return this.#literal('null', null)
      default:
        if (code !== MINUS && !isDigit(code)) this.#fail('looking for beginning of value')
        this.#number()
        return true
    }
  }

  #openMap(): boolean {
    this.#enter()
    if (this.#next() === CLOSE_MAP) {
      this.#at += 1
      this.#exact = new ExactMap([], [])
      this.#value = {}
      return true
    }
    const open: Open = { keys: [], values: [], members: {}, items: NO_ITEMS, key: '' }
    this.#readKey(open)
    this.#open.push(open)
    return false
  }

  #openList(): boolean {
    this.#enter()
    if (this.#next() === CLOSE_LIST) {
      this.#at += 1
      this.#exact = this.#value = []
      return true
    }
    this.#open.push({ keys: undefined, values: [], members: NO_MEMBERS, items: [], key: '' })
    return false
  }

  #enter(): void {
    if (this.#open.length >= MAX_JSON_DEPTH) throw new JsonSyntaxError('exceeded max depth')
    this.#at += 1
  }

  #readKey(open: Open): void {
    if (this.#next() !== QUOTE) this.#fail('looking for beginning of object key string')
    open.key = this.#string()
    if (this.#next() !== COLON) this.#fail('after object key')
    this.#at += 1
  }

  /** Adds the value to its container, and closes containers. True: the document is complete. */
  #deliver(): boolean {
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      open.values.push(this.#exact)
      if (open.keys === undefined) open.items.push(this.#value)
      else {
        open.keys.push(open.key)
        setOwn(open.members, open.key, this.#value)
      }
      const code = this.#next()
      if (code === COMMA) {
        this.#at += 1
        if (open.keys !== undefined) this.#readKey(open)
        return false
      }
      if (code !== (open.keys === undefined ? CLOSE_LIST : CLOSE_MAP)) {
        this.#fail(open.keys === undefined ? 'after array element' : 'after object key:value pair')
      }
      this.#at += 1
      this.#open.pop()
      this.#exact = open.keys === undefined ? open.values : new ExactMap(open.keys, open.values)
      this.#value = open.keys === undefined ? open.items : open.members
    }
    return true
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

  /** A single half of a surrogate pair becomes U+FFFD. */
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

  #number(): void {
    const start = this.#at
    this.#digits.lastIndex = start
    const found = this.#digits.test(this.#text)
    const end = found ? this.#digits.lastIndex : start
    this.#at = end
    const after = this.#text.charCodeAt(end)
    if (!found || after === 0x2e || (after | 0x20) === 0x65) this.#failInNumber(end)
    const text = this.#text.slice(start, end)
    this.#exact = new ExactNumber(text)
    const number = numberOf(text)
    if (number === undefined) this.#beyond ??= text
    this.#value = number ?? null
  }

  /** Reports a sign without a number, or a point or an exponent without digits. */
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

  #literal(word: string, value: boolean | null): true {
    for (let i = 0; i < word.length; i++) {
      if (this.#here() !== word.charCodeAt(i)) this.#fail(`in literal ${word} (expecting '${word.charAt(i)}')`)
      this.#at += 1
    }
    this.#exact = this.#value = value
    return true
  }

  #here(): number {
    return this.#text.charCodeAt(this.#at)
  }

  /** Skips blanks. Returns the next code unit, or NaN at the end. */
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
    // The reference treats the end of the input as a blank, which words and numbers cannot contain.
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

/** Quotes a character as Go does: a byte beyond ASCII appears as the Latin-1 letter of that number. */
function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte)
  return char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${quoted(char).slice(1, -1)}'`
}

/** Each byte that is not part of a character becomes U+FFFD, as in the reference. */
function replaceInvalid(bytes: Buffer): Buffer {
  let invalid = 0
  for (let i = 0; i < bytes.length; i += characterSize(bytes, i) || 1) if (characterSize(bytes, i) === 0) invalid += 1
  const out = Buffer.allocUnsafe(bytes.length + invalid * (REPLACEMENT.length - 1))
  let end = 0
  for (let i = 0; i < bytes.length; ) {
    const size = characterSize(bytes, i)
    if (size === 0) {
      for (let k = 0; k < REPLACEMENT.length; k++) out[end++] = REPLACEMENT[k]!
      i += 1
    } else for (const next = i + size; i < next; i++) out[end++] = bytes[i]!
  }
  return out
}

const REPLACEMENT: Readonly<Buffer> & Buffer = Buffer.from('\ufffd')

/** The number of bytes of the character at `at`. 0: no character begins here. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const second = bytes[at + 1]
  // Outside of these bounds are overlong forms, halves of pairs, and values beyond the last character.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second === undefined || second < least || second > most) return 0
  if (first < 0xe0) return 2
  if (!isContinuation(bytes[at + 2])) return 0
  if (first < 0xf0) return 3
  return isContinuation(bytes[at + 3]) ? 4 : 0
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
