// Numbers as Go formats them, for messages that are the reference's.

/** Go prints a double with an exponent from this power of ten on. */
const FIRST_EXPONENT = 6

/** The text of a double by Go's `%v`: the fewest digits, and an exponent if the number is large or very small. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < FIRST_EXPONENT) return String(value)
  const digits = String(Math.abs(exponent)).padStart(2, '0')
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
}

/** Formats a number whose type is unknown: a safe integer without an exponent, and other numbers as a double. */
export function formatNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : formatFloat(value)
}
