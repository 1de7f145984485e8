// How many keys to ask a kv for at a time: about a few megabytes, judged by the step before. Objects are of a kilobyte or of a
// megabyte, and neither many small answers nor one of a gigabyte is any good.
import type { KeyValue } from '../kv/kv.ts'

/** Values in another encoding take a tenth of a millisecond to read: yield after so many. */
export const OPENED_AT_ONCE = 200

const STEP_BYTES = 4 << 20
const FIRST_KEYS = 500
const MOST_KEYS = 2_000

/** `previous`: what the step before this one brought; undefined: this is the first. */
export function stepKeys(previous: readonly KeyValue[] | undefined): number {
  if (previous === undefined || previous.length === 0) return FIRST_KEYS
  let bytes = 0
  for (const { value } of previous) bytes += value.length
  const fitting = Math.floor((STEP_BYTES * previous.length) / Math.max(1, bytes))
  return Math.max(1, Math.min(fitting, MOST_KEYS))
}
