// Chooses the number of keys in the next read of the storage: a few megabytes, by the sizes in the previous step. An object may have a
// kilobyte or a megabyte. Many small answers are bad, and so is an answer of a gigabyte.
import type { KeyValue } from '../kv/kv.ts'

/** Values in another encoding take a tenth of a millisecond to read: other work gets a turn after this many values. */
export const OPENED_AT_ONCE = 200

const STEP_BYTES = 4 << 20
const FIRST_KEYS = 500
const MOST_KEYS = 2_000

/**
 * In every step, etcd counts all keys after the first. With steps of a fixed size, a load of ten times as many keys would take a hundred
 * times as long. So the number of steps is about constant: steps grow with the load, up to four times their usual size.
 */
const LOAD_STEPS = 64
const MOST_LARGER = 4

/** `previous`: the result of the previous step. Undefined: this is the first step. */
export function stepKeys(previous: readonly KeyValue[] | undefined): number {
  return keysIn(STEP_BYTES, MOST_KEYS, previous)
}

/** Like `stepKeys`, for a load of everything. `total`: the number of keys. */
export function loadKeys(previous: readonly KeyValue[], total: number): number {
  const most = Math.max(MOST_KEYS, Math.ceil(total / LOAD_STEPS))
  return keysIn(STEP_BYTES * Math.min(MOST_LARGER, most / MOST_KEYS), most, previous)
}

function keysIn(stepBytes: number, most: number, previous: readonly KeyValue[] | undefined): number {
  if (previous === undefined || previous.length === 0) return FIRST_KEYS
  let bytes = 0
  for (const { value } of previous) bytes += value.length
  const fitting = Math.floor((stepBytes * previous.length) / Math.max(1, bytes))
  return Math.max(1, Math.min(fitting, most))
}
