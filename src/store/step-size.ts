// How many keys to ask a kv for at a time: about a few megabytes, judged by the step before. Objects are of a kilobyte or of a
// megabyte, and neither many small answers nor one of a gigabyte is any good.
import type { KeyValue } from '../kv/kv.ts'

/** Values in another encoding take a tenth of a millisecond to read: yield after so many. */
export const OPENED_AT_ONCE = 200

const STEP_BYTES = 4 << 20
const FIRST_KEYS = 500
const MOST_KEYS = 2_000

/**
 * etcd counts all keys behind the first of every step: with steps of one size a load of ten times as much would take it a hundred times as
 * long. So there are about so many, each larger where there is more, up to four times what it is otherwise.
 */
const LOAD_STEPS = 64
const MOST_LARGER = 4

/** `previous`: what the step before this one brought; undefined: this is the first. */
export function stepKeys(previous: readonly KeyValue[] | undefined): number {
  return keysIn(STEP_BYTES, MOST_KEYS, previous)
}

/** The same for a load of everything; `total`: how many keys there are. */
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
