// Values that are either a 32-bit integer or a string: ports by number or name, counts or percentages.
import type { Value } from '../api/value.ts'

export type IntOrString = number | string

const MIN_INT32 = -(2 ** 31)
const MAX_INT32 = 2 ** 31 - 1

function isInt32(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= MIN_INT32 && value <= MAX_INT32
}

export function isIntOrString(value: Value | undefined): value is IntOrString {
  return typeof value === 'string' || isInt32(value)
}

/** The share that a value such as `25%` or `3` stands for, in the unit of `total`; undefined where it is neither. */
export function scaledIntOrPercent(value: IntOrString, total: number, roundUp: boolean): number | undefined {
  if (typeof value === 'number') return value
  const percent = percentOf(value)
  if (percent === undefined) return undefined
  const share = (percent * total) / 100
  return roundUp ? Math.ceil(share) : Math.floor(share)
}

/** The number before the sign of `25%`; undefined where the text is not of that form. */
export function percentOf(text: string): number | undefined {
  const match = /^([+-]?[0-9]+)%$/.exec(text)
  if (match === null) return undefined
  const percent = Number(match[1])
  return isInt32(percent) ? percent : undefined
}
