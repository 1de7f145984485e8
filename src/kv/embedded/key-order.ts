// Keys are ordered by their UTF-8 bytes, JavaScript compares strings by UTF-16 code units, and the two differ only above
// U+FFFF. A sort key is the key with its code units renumbered so that plain comparison of sort keys is the byte order.

/** Only these code units are renumbered; a key without any is its own sort key. */
const RENUMBERED = /[\uD800-\uFFFF]/

/** Surrogates (all of them stand for characters above U+FFFF) change places with U+E000 to U+FFFF. */
function renumber(unit: string): string {
  const code = unit.charCodeAt(0)
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
}

export function toSortKey(key: string): string {
  return RENUMBERED.test(key) ? key.replace(/[\uD800-\uFFFF]/g, renumber) : key
}
