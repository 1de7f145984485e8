// Quantities (`500m`, `1Gi`, `2e3`): exact decimal amounts that print in a canonical form and keep the family of their suffix. Invariants:
// no amount is finer than a nano, and texts are bounded, so that no amount is costly to handle.

export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent'

/** The amount `unscaled × 10^scale`. */
export interface Quantity {
  readonly unscaled: bigint
  readonly scale: number
  readonly format: QuantityFormat
  /** The reference holds this amount as a decimal of any length, and never treats it as an integer. */
  readonly isLong?: true
  /** The text of the amount, if it counts as canonical. The reference keeps this text, even `1.500` and `+5`. */
  readonly text?: string
}

export type ParsedQuantity =
  | { readonly ok: true; readonly quantity: Quantity }
  | { readonly ok: false; readonly message: string }

export type QuantityOrder = -1 | 0 | 1

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const NUMBER_WRONG = 'unable to parse numeric part of quantity'
const SUFFIX_WRONG = "unable to parse quantity's suffix"

/** Far beyond any real amount, and still cheap to compute with. */
const MAX_TEXT_LENGTH = 512
const MAX_EXPONENT = 512

const NANO = -9
const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)
/** Up to this many digits, the reference computes in 64 bits. It keeps the text of such amounts only. */
const INT64_DIGITS = 18

const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map(
  ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, i) => [suffix, NANO + 3 * i]),
)
const DECIMAL_SUFFIXES: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_EXPONENTS].map(([s, exponent]) => [exponent, s]),
)
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const BINARY_EXPONENTS: ReadonlyMap<string, number> = new Map(BINARY_SUFFIXES.slice(1).map((s, i) => [s, 10 * (i + 1)]))

const ZERO: Quantity = { unscaled: 0n, scale: 0, format: 'decimalSI', text: '0' }

/**
 * Like the reference, more lenient than the expression in the message: a missing number is zero. Each character fits one group only, so
 * that matching cannot backtrack.
 */
const PARTS = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/

export function parseQuantity(text: string): ParsedQuantity {
  if (text === '0') return { ok: true, quantity: ZERO }
  if (text === '' || text.length > MAX_TEXT_LENGTH) return { ok: false, message: FORMAT_WRONG }
  const plain = plainQuantity(text)
  if (plain !== undefined) return { ok: true, quantity: plain }
  const parts = PARTS.exec(text)
  if (parts === null) return { ok: false, message: FORMAT_WRONG }
  const [, sign, digits = '', fraction = '', suffixText = ''] = parts
  const suffix = parseSuffix(suffixText)
  if (suffix === undefined) return { ok: false, message: SUFFIX_WRONG }
  if (suffix.exponent > MAX_EXPONENT) return { ok: false, message: NUMBER_WRONG }
  const whole = digits.replace(/^0+/, '') || '0'
  return { ok: true, quantity: read({ text, negative: sign === '-', whole, fraction, suffix }) }
}

/** A JavaScript number holds this many digits exactly. */
const PLAIN_DIGITS = 14

/** The usual form of amounts: a few digits and a suffix. One write of a pod parses its amounts twenty times. */
function plainQuantity(text: string): Quantity | undefined {
  let amount = 0
  let digits = 0
  for (; digits < text.length; digits++) {
    const digit = text.charCodeAt(digits) - 0x30
    if (digit < 0 || digit > 9) break
    amount = amount * 10 + digit
  }
  if (digits === 0 || digits > PLAIN_DIGITS || text.startsWith('0')) return undefined
  const suffix = text.slice(digits)
  const scale = DECIMAL_EXPONENTS.get(suffix)
  if (scale !== undefined) {
    const quantity = { unscaled: BigInt(amount), scale, format: 'decimalSI' } as const
    return amount % 1000 === 0 ? quantity : { ...quantity, text }
  }
  const exponent = BINARY_EXPONENTS.get(suffix)
  if (exponent === undefined || !fitsShifted(digits, exponent)) return undefined
  const quantity = { unscaled: BigInt(amount) << BigInt(exponent), scale: 0, format: 'binarySI' } as const
  return amount % 8 === 0 ? quantity : { ...quantity, text }
}

/** Whether a number of this many digits, shifted by `exponent` bits, fits 64 bits for the reference. Ten bits are about three digits. */
function fitsShifted(digits: number, exponent: number): boolean {
  return 14 - digits - Math.trunc((exponent * 3) / 10) >= 0
}

interface Suffix {
  readonly format: QuantityFormat
  readonly exponent: number
}

function parseSuffix(text: string): Suffix | undefined {
  const decimal = DECIMAL_EXPONENTS.get(text)
  if (decimal !== undefined) return { format: 'decimalSI', exponent: decimal }
  const binary = BINARY_EXPONENTS.get(text)
  if (binary !== undefined) return { format: 'binarySI', exponent: binary }
  if (!/^[eE][-+]?[0-9]+$/.test(text)) return undefined
  return { format: 'decimalExponent', exponent: Number(text.slice(1)) }
}

interface NumberParts {
  readonly text: string
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly suffix: Suffix
}

function read(parts: NumberParts): Quantity {
  const { text, whole, fraction, suffix } = parts
  const digits = whole + fraction
  const magnitude = BigInt(digits)
  const short = shortAmount(parts, digits, magnitude)
  const signed = (amount: bigint): bigint => (parts.negative ? -amount : amount)
  if (short !== undefined) {
    const quantity = { unscaled: signed(short.unscaled), scale: short.scale, format: suffix.format }
    return short.canonical ? { ...quantity, text } : quantity
  }
  const binary = suffix.format === 'binarySI'
  const amount = binary ? magnitude << BigInt(suffix.exponent) : magnitude
  const rounded = roundAwayFromZero(amount, (binary ? 0 : suffix.exponent) - fraction.length)
  if (!binary) return { unscaled: signed(rounded.unscaled), scale: rounded.scale, format: suffix.format, isLong: true }
  const one = 10n ** BigInt(-rounded.scale)
  const capped = rounded.unscaled > MAX_INT64 * one ? MAX_INT64 * one : rounded.unscaled
  const format = capped > 0n && capped < one ? 'decimalSI' : 'binarySI'
  return { unscaled: signed(capped), scale: rounded.scale, format, isLong: true }
}

/** The amount, if the reference holds it in 64 bits. `canonical`: the reference prints the amount as it was written. */
function shortAmount(
  { whole, fraction, suffix }: NumberParts,
  digits: string,
  magnitude: bigint,
): { readonly unscaled: bigint; readonly scale: number; readonly canonical: boolean } | undefined {
  if (suffix.format === 'binarySI') {
    if (fraction !== '' || !fitsShifted(whole.length, suffix.exponent)) return undefined
    const unscaled = magnitude << BigInt(suffix.exponent)
    return { unscaled, scale: 0, canonical: (magnitude & 7n) !== 0n }
  }
  const scale = suffix.exponent - fraction.length
  if (digits.length > INT64_DIGITS || scale < NANO) return undefined
  return { unscaled: magnitude, scale, canonical: scale % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0' }
}

/** The amount with a scale from nano to zero. A part that is smaller than a nano counts as a whole nano. */
function roundAwayFromZero(magnitude: bigint, scale: number): { readonly unscaled: bigint; readonly scale: number } {
  if (scale >= NANO)
    return scale > 0 ? { unscaled: magnitude * 10n ** BigInt(scale), scale: 0 } : { unscaled: magnitude, scale }
  if (magnitude === 0n) return { unscaled: 0n, scale: 0 }
  // A text has at most MAX_TEXT_LENGTH digits, so this amount is smaller than one nano.
  if (NANO - scale > 2 * MAX_TEXT_LENGTH) return { unscaled: 1n, scale: NANO }
  const divisor = 10n ** BigInt(NANO - scale)
  const quotient = magnitude / divisor
  return { unscaled: magnitude % divisor === 0n ? quotient : quotient + 1n, scale: NANO }
}

/** The canonical text: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.unscaled === 0n) return '0'
  if (quantity.format === 'binarySI') {
    const whole = wholeAmount(quantity)
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return formatBinary(whole)
  }
  return formatDecimal(quantity)
}

function wholeAmount({ unscaled, scale }: Quantity): bigint | undefined {
  if (scale >= 0) return unscaled * 10n ** BigInt(scale)
  const one = 10n ** BigInt(-scale)
  return unscaled % one === 0n ? unscaled / one : undefined
}

function formatBinary(whole: bigint): string {
  let amount = whole
  let power = 0
  while (power < BINARY_SUFFIXES.length - 1 && (amount & 1023n) === 0n) {
    amount >>= 10n
    power += 1
  }
  return `${amount}${BINARY_SUFFIXES[power] ?? ''}`
}

function formatDecimal({ unscaled, scale, format }: Quantity): string {
  const digits = String(unscaled)
  const significant = digits.replace(/0+$/, '')
  const trailing = digits.length - significant.length + scale
  const exponent = Math.floor(trailing / 3) * 3
  const number = significant + '0'.repeat(trailing - exponent)
  const suffix = format === 'decimalExponent' ? undefined : DECIMAL_SUFFIXES.get(exponent)
  if (suffix !== undefined) return number + suffix
  return exponent === 0 ? number : `${number}e${exponent}`
}

export function quantityOf(amount: bigint | number, format: QuantityFormat): Quantity {
  return { unscaled: BigInt(amount), scale: 0, format }
}

export function milliQuantityOf(thousandths: bigint | number, format: QuantityFormat): Quantity {
  return { unscaled: BigInt(thousandths), scale: -3, format }
}

export function compareQuantities(a: Quantity, b: Quantity): QuantityOrder {
  const [left, right] = align(a, b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** The sum, in the format of `a`, or of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return sum(a, b, b.unscaled)
}

/** The difference, in the format of `a`, or of `b` if `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return sum(a, b, -b.unscaled)
}

/** Zero does not change the other quantity and its scale. */
function sum(a: Quantity, b: Quantity, added: bigint): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format
  const long = a.isLong === true || b.isLong === true ? { isLong: true as const } : {}
  if (added === 0n) return { unscaled: a.unscaled, scale: a.scale, format, ...long }
  if (a.unscaled === 0n) return { unscaled: added, scale: b.scale, format, ...long }
  const [left, right, scale] = align(a, { ...b, unscaled: added })
  return { unscaled: left + right, scale, format, ...long }
}

export function signOfQuantity({ unscaled }: Quantity): QuantityOrder {
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0
}

function align(a: Quantity, b: Quantity): readonly [bigint, bigint, number] {
  const scale = Math.min(a.scale, b.scale)
  return [a.unscaled * 10n ** BigInt(a.scale - scale), b.unscaled * 10n ** BigInt(b.scale - scale), scale]
}

/** The amount counted in `10^scale`, rounded away from zero: scale 0 for whole units, -3 for thousandths. */
export function scaledValue(quantity: Quantity, scale: number): bigint {
  if (quantity.scale >= scale) return quantity.unscaled * 10n ** BigInt(quantity.scale - scale)
  const divisor = 10n ** BigInt(scale - quantity.scale)
  const quotient = quantity.unscaled / divisor
  const remainder = quantity.unscaled % divisor
  return remainder === 0n ? quotient : remainder > 0n ? quotient + 1n : quotient - 1n
}

/** The amount as an integer of 64 bits. Undefined for all other amounts and, as in the reference, for `1.0` and `1000m`. */
export function asInt64(quantity: Quantity): bigint | undefined {
  const whole = quantity.isLong === true || quantity.scale < 0 ? undefined : wholeAmount(quantity)
  return whole === undefined || whole > MAX_INT64 || whole < MIN_INT64 ? undefined : whole
}

export function quantityToNumber(quantity: Quantity): number {
  return Number(`${quantity.unscaled}e${quantity.scale}`)
}
