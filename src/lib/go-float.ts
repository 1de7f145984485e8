// Numbers as Go formats them, for messages that are the reference's.

/** From this power of ten on a double is printed with an exponent. */
const FIRST_EXPONENT = 6

/** The text of a double by Go's `%v`: the fewest digits, and an exponent if it is large or very small. */
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

/** A number that was read without a type: an integer of 64 bits if it can be one, and a double otherwise. */
export function formatNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : formatFloat(value)
}
