// The order of texts by the bytes of their UTF-8, which is the order of their code points. JavaScript compares the halves of surrogate pairs,
// and so differs beyond the basic plane.

/** The two orders can differ only for texts with such code units. */
export const HIGH: RegExp = /[\ud800-\uffff]/

/** Compares by UTF-16 code units, as `<` and `sort` do. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compares by code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left === right) continue
    const [leftHigh, rightHigh] = [left >= 0xd800 && left < 0xe000, right >= 0xd800 && right < 0xe000]
    if (leftHigh !== rightHigh) return leftHigh ? 1 : -1
    return left - right
  }
  return a.length - b.length
}

/** The keys of a record, ordered by code points. */
export function sortedKeys(record: object): readonly string[] {
  const keys = Object.keys(record)
  if (keys.length < 2) return keys
  return keys.some((key) => HIGH.test(key)) ? keys.sort(compareTexts) : keys.sort()
}
