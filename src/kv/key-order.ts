// Keys are ordered by their bytes. JavaScript compares strings by UTF-16 code units, and the two orders differ for surrogates. Sort keys
// are strings that compare like the bytes of their keys. An ASCII key is its own sort key. The sort key of any other key has one character
// for each byte.
import type { KeyRange } from './transactional.ts'
import { compareStrings } from '../lib/text-order.ts'
import { keyToBytes } from './key-text.ts'

const OTHER_THAN_ASCII = /[\x80-\uffff]/

export function toSortKey(key: string): string {
  return OTHER_THAN_ASCII.test(key) ? keyToBytes(key).toString('latin1') : key
}

/** Compares keys by their bytes. */
export function compareKeys(a: string, b: string): number {
  return compareStrings(toSortKey(a), toSortKey(b))
}

/** Sorts after every key: no byte is so large. */
export const BEHIND_ALL = '\u0100'

/** Returns a function that tells whether a key is in the range. */
export function isInRange({ start, end }: KeyRange): (key: string) => boolean {
  const [from, to] = sortRange({ start, end })
  return (key) => {
    const sortKey = toSortKey(key)
    return sortKey >= from && sortKey < to
  }
}

export function sortRange({ start, end }: KeyRange): readonly [string, string] {
  return [toSortKey(start), end === undefined ? BEHIND_ALL : toSortKey(end)]
}
