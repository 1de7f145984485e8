// Reads numbers in texts: integers of 64 bits exactly, and all other numbers as doubles.

/** A base-10 integer of 64 bits with an optional sign, as in queries and labels. Undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 64) return undefined
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return isInt64(number) ? number : undefined
}

function isInt64(number: bigint): boolean {
  return BigInt.asIntN(64, number) === number
}

/** Whether a number is written as an integer. Integer fields accept no other form. */
export function isIntegerText(text: string): boolean {
  return /^-?[0-9]+$/.test(text)
}

/**
 * The value of a number's text: an integer of 64 bits exactly, any other number as a double. Undefined: the number is too large for a
 * double.
 */
export function numberOf(text: string): number | bigint | undefined {
  const double = Number(text)
  if (!Number.isFinite(double)) return undefined
  if (Number.isSafeInteger(double)) return double === 0 && isIntegerText(text) ? 0 : double
  // A longer text has more than 64 bits, and is not parsed.
  if (text.length > 20 || !isIntegerText(text)) return double
  const integer = BigInt(text)
  return isInt64(integer) ? integer : double
}

/** The value that the JSON text of a double has when it is read again. A large double without a fraction is written like an integer. */
export function readAgain(double: number): number | bigint {
  return Number.isSafeInteger(double) ? double : (numberOf(String(double)) ?? double)
}
