// Emits YAML byte for byte as the reference does: block style, keys in natural order, lists not indented, lines folded at 80
// columns, quotes only where needed.
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import { plainJson } from './json-encode.ts'
import { compareNaturally } from './yaml-key-order.ts'
import { needsQuotes } from './yaml-scalar.ts'
import {
  foldLines,
  stylesFor,
  type TextStyles,
  writeDoubleQuoted,
  writeLiteral,
  writeSingleQuoted,
} from './yaml-text.ts'

/** The YAML of a document, with a line break at its end. */
export function emitYaml(value: Value): string {
  const emitter = new Emitter()
  emitter.node(value, { indent: -1, inMap: false })
  return emitter.finish()
}

/** The context of a node: the indentation of its parent, and whether the parent is a map. */
interface Place {
  readonly indent: number
  readonly inMap: boolean
}

/** A key of more bytes, or of several lines, is written with a question mark. */
const MAX_SIMPLE_KEY_BYTES = 128

/**
 * Values that are nested deeper than this are written in one line as JSON, which is YAML too. No real object is so deep. Indentation would
 * make a document grow with the square of its depth.
 */
const DEEPEST_BLOCK = 128

class Emitter {
  #out = ''
  /** The position at which the current line began. */
  #lineStart = 0
  /** The last text written is a dash, a question mark or its colon, so the next node may begin on the same line. */
  #marked = false

  finish(): string {
    return this.#column === 0 && this.#out !== '' ? this.#out : `${this.#out}\n`
  }

  node(value: Value, place: Place): void {
    if (place.indent >= DEEPEST_BLOCK && typeof value === 'object') this.#token(plainJson(value))
    else if (isMap(value)) this.#map(value, place)
    else if (isList(value)) this.#list(value, place)
    else if (typeof value === 'string') this.#text(value, place, false)
    else this.#token(scalarText(value))
  }

  #map(map: ValueMap, { indent }: Place): void {
    const keys = Object.keys(map)
    if (keys.length === 0) return this.#token('{}')
    const own = indent < 0 ? 0 : indent + 2
    keys.sort(compareNaturally).forEach((key, i) => {
      this.#startLine(own, i === 0)
      const value = map[key] ?? null
      if (isSimpleKey(key)) {
        this.#text(key, { indent: own, inMap: true }, true)
        this.#out += ':'
        this.node(value, { indent: own, inMap: true })
        return
      }
      this.#mark('?')
      this.node(key, { indent: own, inMap: true })
      this.#startLine(own, false)
      this.#mark(':')
      this.node(value, { indent: own, inMap: false })
    })
  }

  #list(list: readonly Value[], { indent, inMap }: Place): void {
    if (list.length === 0) return this.#token('[]')
    const own = indent < 0 ? 0 : inMap ? indent : indent + 2
    list.forEach((item, i) => {
      this.#startLine(own, i === 0 && !inMap)
      this.#mark('-')
      this.node(item, { indent: own, inMap: false })
    })
  }

  #mark(mark: string): void {
    this.#out += mark
    this.#marked = true
  }

  /** The first entry of a collection in a list stands on the line of its dash. */
  #startLine(indent: number, first: boolean): void {
    const inline = first && this.#marked
    if (!inline && this.#column > 0) this.#breakLine()
    this.#out += ' '.repeat(Math.max(indent - this.#column, 0))
    this.#marked = false
  }

  get #column(): number {
    return this.#out.length - this.#lineStart
  }

  #breakLine(): void {
    this.#out += '\n'
    this.#lineStart = this.#out.length
  }

  #token(text: string): void {
    this.#out += this.#column === 0 ? text : ` ${text}`
    this.#marked = false
  }

  #text(text: string, place: Place, key: boolean): void {
    if (WORD.test(text) && (text.length > LONGEST_FLAG || !needsQuotes(text))) {
      this.#out += key || this.#column === 0 ? text : ` ${text}`
      this.#marked = false
      return
    }
    const allowed = stylesFor(text)
    const style = styleOf(text, allowed, key)
    const gap = key || this.#column === 0 ? '' : ' '
    const indent = ' '.repeat(Math.max(place.indent, 0) + 2)
    const line = { column: this.#column + gap.length, indent, folds: !key }
    const written = STYLES[style](text, line)
    this.#out += gap + written
    this.#marked = false
    const lastBreak = written.lastIndexOf('\n')
    if (lastBreak >= 0) this.#lineStart = this.#out.length - (written.length - lastBreak - 1)
  }
}

/** Most texts: words, names, paths. They have no spaces for folding. YAML reads only short ones as another type, such as `true`. */
const WORD = /^[A-Za-z/][A-Za-z0-9_/.@=+-]*$/

/** The length of the longest words that YAML reads as another type: `false`, `False`, `FALSE`. */
const LONGEST_FLAG = 5

function isSimpleKey(key: string): boolean {
  if (key.length <= MAX_SIMPLE_KEY_BYTES && WORD.test(key)) return true
  return Buffer.byteLength(key) <= MAX_SIMPLE_KEY_BYTES && !stylesFor(key).multiline
}

const STYLES = {
  plain: foldLines,
  single: writeSingleQuoted,
  double: writeDoubleQuoted,
  literal: writeLiteral,
} as const

function styleOf(text: string, allowed: TextStyles, key: boolean): keyof typeof STYLES {
  if (text.includes('\n')) return allowed.literal && !key ? 'literal' : 'double'
  if (key && allowed.multiline) return 'double'
  if (needsQuotes(text)) return 'double'
  if (allowed.plain) return 'plain'
  return allowed.single ? 'single' : 'double'
}

function scalarText(value: number | bigint | boolean | null): string {
  return typeof value === 'number' ? numberText(value) : String(value)
}

/**
 * Integers of 64 bits are written in full. Other numbers have as few digits as possible, and an exponent from a million on or below a
 * ten-thousandth.
 */
function numberText(value: number): string {
  if (Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63)) return String(BigInt(value))
  const [digits = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
