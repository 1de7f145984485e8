// Durations in Go's text form (`1h30m0s`, `250ms`). Invariant: a duration is a whole number of nanoseconds in 64 bits.

export type ParsedDuration =
  | { readonly ok: true; readonly nanoseconds: bigint }
  | { readonly ok: false; readonly message: string }

const SECOND = 1_000_000_000n
const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  // The micro sign and the Greek letter look alike; both are read.
  ...['us', '\u00b5s', '\u03bcs'].map((unit) => [unit, 1_000n] as const),
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
])
const MAX = 2n ** 63n - 1n
/** Bounds the work. No useful duration has so many digits. */
const MAX_TEXT_LENGTH = 1024
/** More than any number of 64 bits has, with leading zeros. */
const MAX_DIGITS = 100

/** Reads a sum of numbers with units. The messages are those of Go's `time.ParseDuration`. */
export function parseDuration(text: string): ParsedDuration {
  const fail = (what: string): ParsedDuration => ({
    ok: false,
    message: `time: ${what} duration ${quoteForTime(text)}`,
  })
  const negative = text.startsWith('-')
  const body = negative || text.startsWith('+') ? text.slice(1) : text
  if (body === '0') return { ok: true, nanoseconds: 0n }
  if (body === '' || text.length > MAX_TEXT_LENGTH) return fail('invalid')
  let total = 0n
  const element = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y
  while (element.lastIndex < body.length) {
    const match = element.exec(body)
    const [, digits = '', fraction = '', unit = ''] = match ?? []
    if (digits === '' && fraction === '') return fail('invalid')
    if (unit === '') return fail('missing unit in')
    const size = NANOSECONDS.get(unit)
    if (size === undefined)
      return { ok: false, message: `time: unknown unit ${quoteForTime(unit)} in duration ${quoteForTime(text)}` }
    total += BigInt(digits === '' ? '0' : digits) * size
    if (fraction !== '') total += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length)
    if (total > MAX + (negative ? 1n : 0n)) return fail('invalid')
  }
  return { ok: true, nanoseconds: negative ? -total : total }
}

/** The words for units in the format `duration` of schemas. The last word of a unit may have any ending: `micro`, `microseconds`. */
const WORDS: readonly (readonly [words: readonly string[], size: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', '\u00b5s', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], SECOND],
  [['m', 'min'], 60n * SECOND],
  [['h', 'hr', 'hour'], 3600n * SECOND],
  [['d', 'day'], 24n * 3600n * SECOND],
  [['w', 'wk', 'week'], 7n * 24n * 3600n * SECOND],
]

/**
 * Reads the format `duration` of schemas: a duration in Go's form, or a text with numbers and words such as `3 weeks` or `1d2h`. As in the
 * reference, other parts of such a text are ignored. Returns nanoseconds. Undefined: the text is not a duration.
 */
export function parseDurationFormat(text: string): bigint | undefined {
  const parsed = parseDuration(text)
  if (parsed.ok) return parsed.nanoseconds
  let total: bigint | undefined
  // The word is optional in the pattern, so that a long number without a word is not tried from each of its digits.
  for (const [, digits = '', word] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-z\u00b5]+)?/g)) {
    if (word === undefined) continue
    if (digits.length > MAX_DIGITS || BigInt(digits) > MAX) return undefined
    const size = sizeOf(word.toLowerCase())
    if (size !== undefined) total = (total ?? 0n) + BigInt(digits) * size
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total)
}

function sizeOf(unit: string): bigint | undefined {
  return WORDS.find(([words]) => words.includes(unit) || unit.startsWith(words.at(-1)!))?.[1]
}

/** The canonical text: hours, minutes and seconds, or one smaller unit below a second. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${withFraction(size, 1_000n, 3)}\u00b5s`
  if (size < SECOND) return `${sign}${withFraction(size, 1_000_000n, 6)}ms`
  const minutes = size / (60n * SECOND)
  const seconds = `${withFraction(size % (60n * SECOND), SECOND, 9)}s`
  if (minutes === 0n) return sign + seconds
  const hours = minutes / 60n
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`
}

function withFraction(size: bigint, unit: bigint, digits: number): string {
  const rest = size % unit
  if (rest === 0n) return String(size / unit)
  return `${size / unit}.${String(rest).padStart(digits, '0').replace(/0+$/, '')}`
}

/** A text in double quotes as Go's time package prints it. Escapes quotes, backslashes, control characters and bytes beyond ASCII. */
export function quoteForTime(text: string): string {
  let out = '"'
  for (const byte of Buffer.from(text)) {
    const char = String.fromCharCode(byte)
    if (byte >= 0x80 || byte < 0x20) out += `\\x${byte.toString(16).padStart(2, '0')}`
    else out += char === '"' || char === '\\' ? `\\${char}` : char
  }
  return `${out}"`
}
