// Resolves plain scalars like the reference's YAML 1.1 reader: `yes` is a flag, `0755` is octal, dates and `1:30` are texts. The writer
// uses the same rules to find the texts that need quotes.

/** The value of a plain scalar. */
export type PlainScalar = string | number | bigint | boolean | null

const FLAGS: ReadonlyMap<string, boolean> = new Map<string, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
])

/** The length of the longest null or flag. */
const MAX_WORD_LENGTH = 5

const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL'])

const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, Number.NEGATIVE_INFINITY] as const),
])

const INTEGER = /^([-+]?)(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
/** Integers outside of these bounds are floats. */
const MAX_UINT64 = 2n ** 64n - 1n
const MIN_INT64 = -(2n ** 63n)
/** A double holds numbers of this many digits exactly, in any base. */
const MAX_EXACT_LENGTH = 15
/** The length of the longest integer of 64 bits: in base 2, with a sign and a prefix. */
const MAX_INTEGER_LENGTH = 67

export function resolvePlain(text: string): PlainScalar {
  if (text.length <= MAX_WORD_LENGTH) {
    if (NULLS.has(text)) return null
    const flag = FLAGS.get(text)
    if (flag !== undefined) return flag
  }
  const first = text.charCodeAt(0)
  const numeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e
  if (!numeric) return text
  return resolveNumber(text) ?? text
}

/** The number of a text. Undefined: the text is not a number. */
export function resolveNumber(text: string): number | bigint | undefined {
  const special = SPECIAL_NUMBERS.get(text)
  if (special !== undefined) return special
  // Underscores between digits are ignored, except after a leading point.
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '')
  const integer = digits.length > MAX_INTEGER_LENGTH ? undefined : integerOf(digits)
  if (integer !== undefined) return integer
  if (!FLOAT.test(digits)) return undefined
  const float = Number(digits)
  // A number that no float can hold is a text.
  return Number.isFinite(float) ? float : undefined
}

function integerOf(digits: string): number | bigint | undefined {
  const [, sign, magnitude] = INTEGER.exec(digits) ?? []
  if (magnitude === undefined) return undefined
  const spelled = magnitude.replace(/^0(?=[0-7])/, '0o')
  if (spelled.length <= MAX_EXACT_LENGTH) return sign === '-' ? 0 - Number(spelled) : Number(spelled)
  const size = BigInt(spelled)
  const value = sign === '-' ? -size : size
  if (value > MAX_UINT64 || value < MIN_INT64) return Number(value)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Whether a text without quotes would be read as another type, by this reader or by a reader that knows dates. */
export function needsQuotes(text: string): boolean {
  return typeof resolvePlain(text) !== 'string' || isSexagesimal(text) || isTimestamp(text)
}

/** Whether the text is a number with base 60 for older readers, such as `1:30`. */
function isSexagesimal(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text)
}

const TIMESTAMP =
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2}))|(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?))?$/

function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text)
  if (match === null) return false
  const [month, day, hour, minute, second] = [
    match[1],
    match[2],
    match[3] ?? match[6],
    match[4] ?? match[7],
    match[5] ?? match[8],
  ]
  const date = new Date(Date.UTC(Number(text.slice(0, 4)), Number(month) - 1, Number(day)))
  const real = Number(day) > 0 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return real && Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60
}
