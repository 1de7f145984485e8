// Numbers in JSON text: integers of 64 bits exactly, everything else as doubles.

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

/** Whether a number is spelled as an integer: the only spelling that integer fields take. */
export function isIntegerText(text: string): boolean {
  return /^-?[0-9]+$/.test(text)
}

/**
 * The number that a spelling stands for: an integer of 64 bits exactly, anything else as a double. Undefined where it is
 * beyond a double too.
 */
export function numberOf(text: string): number | bigint | undefined {
  const double = Number(text)
  if (!Number.isFinite(double)) return undefined
  if (Number.isSafeInteger(double)) return double === 0 && isIntegerText(text) ? 0 : double
  // A longer text has more than 64 bits, and must not be computed with.
  if (text.length > 20 || !isIntegerText(text)) return double
  const integer = BigInt(text)
  return integer >= MIN_INT64 && integer <= MAX_INT64 ? integer : double
}

/** A double as its own JSON text is read again: a large one without a fraction is written like an integer. */
export function readAgain(double: number): number | bigint {
  return Number.isSafeInteger(double) ? double : (numberOf(String(double)) ?? double)
}
