// The reference's natural order of YAML keys: letters come after all other characters, and runs of digits are ordered by their number. Keys
// are compared from their first difference on.

const LETTER = /\p{L}/u
const DIGIT = /\p{Nd}/u

/** Negative if `a` goes first. */
export function compareNaturally(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  // The comparison must not begin between the halves of a surrogate pair.
  if (at > 0 && isSecondHalf(a, b, at)) at -= 1
  const [x, y] = [a.codePointAt(at), b.codePointAt(at)]
  if (x === undefined || y === undefined) return a.length - b.length
  const [xLetter, yLetter] = [isLetter(x), isLetter(y)]
  if (xLetter && yLetter) return x - y
  if (xLetter || yLetter) return yLetter ? -1 : 1
  return compareNumbers(a, b, at)
}

function isSecondHalf(a: string, b: string, at: number): boolean {
  const isLow = (code: number): boolean => (code & 0xfc00) === 0xdc00
  return (a.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (isLow(a.charCodeAt(at)) || isLow(b.charCodeAt(at)))
}

function isLetter(point: number): boolean {
  if (point < 0x80) return (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a)
  return LETTER.test(String.fromCodePoint(point))
}

function isDigit(point: number): boolean {
  return point < 0x80 ? point >= 0x30 && point <= 0x39 : DIGIT.test(String.fromCodePoint(point))
}

function compareNumbers(a: string, b: string, at: number): number {
  // A zero that follows other digits is part of a number, not its beginning.
  const inside = (a[at] === '0' || b[at] === '0') && followsNumber(a, at)
  const [aEnd, bEnd] = [endOfDigits(a, at), endOfDigits(b, at)]
  if (aEnd >= 0 && bEnd >= 0) return comparePlain({ a, b, at, aEnd, bEnd, inside })
  const [x, y] = [numberAt(a, at, inside), numberAt(b, at, inside)]
  const order = compareValues(x, y)
  if (order !== 0) return order
  if (x.digits.length !== y.digits.length) return x.digits.length - y.digits.length
  return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0)
}

/** The position after the digits. -1: there may be digits of other scripts, or too many digits. */
function endOfDigits(text: string, at: number): number {
  let end = at
  let code = text.charCodeAt(end)
  while (code >= 0x30 && code <= 0x39) code = text.charCodeAt(++end)
  return code >= 0x80 || end - at > MAX_DIGITS ? -1 : end
}

interface Runs {
  readonly a: string
  readonly b: string
  readonly at: number
  readonly aEnd: number
  readonly bEnd: number
  readonly inside: boolean
}

function comparePlain({ a, b, at, aEnd, bEnd, inside }: Runs): number {
  let [i, j] = [at, at]
  if (!inside) {
    while (i < aEnd && a.charCodeAt(i) === 0x30) i += 1
    while (j < bEnd && b.charCodeAt(j) === 0x30) j += 1
  }
  if (aEnd - i !== bEnd - j) return aEnd - i - (bEnd - j)
  for (; i < aEnd; i++, j++) if (a.charCodeAt(i) !== b.charCodeAt(j)) return a.charCodeAt(i) - b.charCodeAt(j)
  return aEnd !== bEnd ? aEnd - bEnd : a.charCodeAt(at) - b.charCodeAt(at)
}

function followsNumber(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const isLow = (text.charCodeAt(i) & 0xfc00) === 0xdc00
    if (isLow && i > 0) i -= 1
    const point = text.codePointAt(i) ?? 0
    if (!isDigit(point)) return false
    if (point !== 0x30) return true
  }
  return false
}

/** Only this number of digits is compared. If they are equal, longer numbers are compared by their length. */
const MAX_DIGITS = 400

interface Run {
  /** The value of each digit. Digits of other scripts count for more than nine, as in the reference. */
  readonly digits: readonly number[]
  /** True: the digits are inside of a number. They count as if the digit 1 were before them. */
  readonly inside: boolean
}

function numberAt(text: string, at: number, inside: boolean): Run {
  const digits: number[] = []
  for (let i = at; i < text.length; ) {
    const point = text.codePointAt(i) ?? 0
    if (!isDigit(point)) break
    digits.push(point - 0x30)
    i += point > 0xffff ? 2 : 1
  }
  return { digits, inside }
}

function compareValues(x: Run, y: Run): number {
  if (isPlain(x) && isPlain(y)) {
    const [left, right] = [significant(x), significant(y)]
    if (left.length !== right.length) return left.length - right.length
    for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return left[i]! - right[i]!
    return 0
  }
  const [left, right] = [valueOf(x), valueOf(y)]
  return left < right ? -1 : left > right ? 1 : 0
}

function isPlain({ digits }: Run): boolean {
  return digits.every((digit) => digit <= 9)
}

function significant({ digits, inside }: Run): readonly number[] {
  const counted = digits.slice(0, MAX_DIGITS)
  if (inside) return [1, ...counted]
  const first = counted.findIndex((digit) => digit !== 0)
  return first < 0 ? [] : counted.slice(first)
}

function valueOf({ digits, inside }: Run): bigint {
  return digits.slice(0, MAX_DIGITS).reduce((value, digit) => value * 10n + BigInt(digit), inside ? 1n : 0n)
}
