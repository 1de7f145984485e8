// Numbers in label selectors and in the values that they are compared with.

/** A base-10 integer of 64 bits with an optional sign; undefined for anything else. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 64) return undefined
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}
