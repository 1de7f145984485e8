// String functions. Positions and lengths count code points, not JavaScript's code units.
import { GO_ESCAPES } from '../../lib/go-escapes.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { formatTexts } from '../format-text.ts'
import { characters } from '../runtime-cost.ts'
import { ArrayList, type CelList, type CelValue, Fault, noSuchOverload } from '../value.ts'

/** The limit of a result. It is longer than any answer of the API may be. */
const MAX_RESULT = 2 ** 24

/** The offset, in code units, of the character at a position. The length of the text is a position too. */
function unitAt(text: string, position: number): number {
  let unit = 0
  for (let i = 0; i < position; i++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1
  return unit
}

const outOfRange = (position: bigint): Fault => new Fault(`index out of range: ${position}`)

function charAt([text, position]: [string, bigint]): CelValue {
  const length = BigInt(characters(text))
  if (position < 0n || position > length) return outOfRange(position)
  const code = position === length ? undefined : text.codePointAt(unitAt(text, Number(position)))
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The number of characters that a search compares in a step. The worst texts and words need their product. */
const COMPARED_IN_A_STEP = 256

const search = (text: string, wanted: string, meter: Meter): void =>
  meter.work((text.length * wanted.length) / COMPARED_IN_A_STEP)

function indexOf([text, wanted, from = 0n]: [string, string, bigint?], meter: Meter): CelValue {
  search(text, wanted, meter)
  if (from < 0n || from > characters(text)) return outOfRange(from)
  return positionAt(text, text.indexOf(wanted, unitAt(text, Number(from))))
}

function lastIndexOf([text, wanted, offset]: [string, string, bigint?], meter: Meter): CelValue {
  search(text, wanted, meter)
  const length = BigInt(characters(text))
  const from = offset ?? length
  if (from < 0n || from > length) return outOfRange(from)
  return positionAt(text, text.lastIndexOf(wanted, unitAt(text, Number(from))))
}

const positionAt = (text: string, unit: number): bigint => (unit < 0 ? -1n : BigInt(characters(text.slice(0, unit))))

function substring([text, start, end]: [string, bigint, bigint?]): CelValue {
  const length = BigInt(characters(text))
  const until = end ?? length
  if (start < 0n || start > length) return outOfRange(start)
  if (until < 0n || until > length) return outOfRange(until)
  if (start > until) return new Fault(`invalid substring range. start: ${start}, end: ${until}`)
  return text.slice(unitAt(text, Number(start)), unitAt(text, Number(until)))
}

function replace([text, old, by, limit]: [string, string, string, bigint?], meter: Meter): CelValue {
  const count = limit === undefined || limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  search(text, old, meter)
  const parts = old === '' ? Array.from(text) : text.split(old)
  const places = Math.min(count, old === '' ? parts.length + 1 : parts.length - 1)
  const length = text.length + places * by.length
  meter.work(length > MAX_RESULT ? Number.POSITIVE_INFINITY : parts.length + length / COMPARED_IN_A_STEP)
  if (old !== '') return joinParts(parts, { old, by, count: places })
  return parts.map((part, i) => (i < places ? by + part : part)).join('') + (places > parts.length ? by : '')
}

function joinParts(parts: readonly string[], { old, by, count }: { old: string; by: string; count: number }): string {
  let out = parts[0] ?? ''
  for (let i = 1; i < parts.length; i++) out += (i <= count ? by : old) + (parts[i] ?? '')
  return out
}

function split([text, separator, limit]: [string, string, bigint?], meter: Meter): CelValue {
  search(text, separator, meter)
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  const count = limit === undefined || limit < 0n ? parts.length : Number(limit)
  if (count >= parts.length) return new ArrayList(parts)
  if (count === 0) return new ArrayList([])
  return new ArrayList([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)])
}

function join([list, separator = '']: [CelList, string?], meter: Meter): CelValue {
  const parts: string[] = []
  let length = 0
  for (const item of list) {
    meter.work(1)
    if (typeof item !== 'string') return noSuchOverload()
    length += item.length + separator.length
    if (length > MAX_RESULT) meter.work(Number.POSITIVE_INFINITY)
    parts.push(item)
  }
  return parts.join(separator)
}

/** Unicode's white space, as the reference has it. */
const SPACE = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`
const LEADING = new RegExp(`^${SPACE}+`)

function trim([text]: [string]): string {
  const start = LEADING.exec(text)?.[0].length ?? 0
  let end = text.length
  while (end > start && new RegExp(SPACE).test(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}

function quote([text]: [string]): string {
  const escaped = text
    .toWellFormed()
    .replace(new RegExp(String.raw`[\x07\b\f\n\r\t\v\\"]`, 'g'), (found) => GO_ESCAPES[found] ?? found)
  return `"${escaped}"`
}

const lower = ([text]: [string]): string => text.replace(/[A-Z]+/g, (found) => found.toLowerCase())
const upper = ([text]: [string]): string => text.replace(/[a-z]+/g, (found) => found.toUpperCase())

export const STRINGS: readonly FunctionDefinition[] = [
  define('charAt', ['string_char_at_int: string.(int) string'], charAt),
  define(
    'indexOf',
    ['string_index_of_string: string.(string) int', 'string_index_of_string_int: string.(string, int) int'],
    indexOf,
  ),
  define(
    'lastIndexOf',
    ['string_last_index_of_string: string.(string) int', 'string_last_index_of_string_int: string.(string, int) int'],
    lastIndexOf,
  ),
  define('lowerAscii', ['string_lower_ascii: string.() string'], lower),
  define('upperAscii', ['string_upper_ascii: string.() string'], upper),
  define(
    'replace',
    [
      'string_replace_string_string: string.(string, string) string',
      'string_replace_string_string_int: string.(string, string, int) string',
    ],
    replace,
  ),
  define(
    'split',
    ['string_split_string: string.(string) list(string)', 'string_split_string_int: string.(string, int) list(string)'],
    split,
  ),
  define(
    'substring',
    ['string_substring_int: string.(int) string', 'string_substring_int_int: string.(int, int) string'],
    substring,
  ),
  define('trim', ['string_trim: string.() string'], trim),
  define('join', ['list_join: list(string).() string', 'list_join_string: list(string).(string) string'], join),
  define('strings.quote', ['strings_quote: (string) string'], quote),
  define('format', ['string_format: string.(list(dyn)) string'], ([template, list]: [string, CelList], meter) =>
    formatTexts(template, list, meter),
  ),
]
