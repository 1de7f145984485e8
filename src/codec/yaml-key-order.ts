// The order in which the reference's YAML has keys: letters after everything else, runs of digits by their number.

const LETTER = /\p{L}/u
const DIGIT = /\p{Nd}/u

/** Negative where `a` goes first. */
export function compareNaturally(a: string, b: string): number {
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1
  const [first, second] = [a.charCodeAt(same), b.charCodeAt(same)]
  if (isAsciiLetter(first) && isAsciiLetter(second)) return first - second
  return compareCharacters(a, b)
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

function compareCharacters(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  const shared = Math.min(left.length, right.length)
  for (let i = 0; i < shared; i++) {
    const [x = '', y = ''] = [left[i], right[i]]
    if (x === y) continue
    const [xLetter, yLetter] = [LETTER.test(x), LETTER.test(y)]
    if (xLetter && yLetter) return codePoint(x) - codePoint(y)
    if (xLetter || yLetter) return yLetter ? -1 : 1
    return compareNumbers(left, right, i)
  }
  return left.length - right.length
}

function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  // A zero that follows other digits is part of a number, not its beginning.
  const inside = (left[at] === '0' || right[at] === '0') && followsNumber(left, at)
  const [x, y] = [numberAt(left, at, inside), numberAt(right, at, inside)]
  if (x.value !== y.value) return x.value < y.value ? -1 : 1
  if (x.end !== y.end) return x.end - y.end
  return codePoint(left[at] ?? '') - codePoint(right[at] ?? '')
}

function followsNumber(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(text[i] ?? ''); i--) if (text[i] !== '0') return true
  return false
}

function numberAt(
  text: readonly string[],
  at: number,
  inside: boolean,
): { readonly value: bigint; readonly end: number } {
  let end = at
  while (end < text.length && DIGIT.test(text[end] ?? '')) end += 1
  let value = inside ? 1n : 0n
  // Numbers of more digits than any key has are told apart by their length.
  for (let i = at; i < Math.min(end, at + 400); i++) value = value * 10n + BigInt(codePoint(text[i] ?? '0') - 0x30)
  return { value, end }
}

function codePoint(text: string): number {
  return text.codePointAt(0) ?? 0
}
