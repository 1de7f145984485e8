// Validates numbers: type, format, multiples and bounds. Bounds are doubles. An integer is compared with the bound truncated to
// an integer of 64 bits.
import { formatFloat } from '../../lib/go-float.ts'
import type { Node } from './node.ts'

export interface NumberFault {
  readonly text: string
  /** The wrong number. Undefined: the fault has no field, as for a number that does not fit its type. */
  readonly shown: string | undefined
}

const MAX_INT32 = 2n ** 31n
const MAX_INT64 = 2n ** 63n
const MAX_FLOAT32 = 3.4028234663852886e38

export function numberFaults(node: Node, value: number | bigint, name: string): readonly NumberFault[] {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = node.limits
  const faults: NumberFault[] = []
  const fits = (number: number | bigint, what: string): boolean => {
    const isFitting = isInRange(node, number)
    if (!isFitting)
      faults.push({ text: `${what} value must be of type ${typeText(node)} in ${name}`, shown: undefined })
    return isFitting
  }
  const report = (number: number | bigint, text: string): void => {
    faults.push({ text: `${name} in body should be ${text}`, shown: shown(number) })
  }
  const pairOf = (bound: number, isFitting: boolean): Pair =>
    isFitting && isInteger(value) ? [BigInt(value), toInt64(bound)] : [Number(value), bound]

  fits(value, 'Checked')
  if (multipleOf !== undefined) {
    const [number, factor] = pairOf(multipleOf, fits(multipleOf, 'MultipleOf'))
    if (factor <= 0) {
      faults.push({
        text: `factor MultipleOf declared for ${name} must be positive: ${shown(factor)}`,
        shown: shown(factor),
      })
    } else if (!isMultiple(number, factor)) report(number, `a multiple of ${shown(factor)}`)
  }
  if (minimum !== undefined) {
    const [number, least] = pairOf(minimum, fits(minimum, 'Minimum boundary'))
    if (exclusiveMinimum ? number <= least : number < least) {
      report(number, `greater than ${exclusiveMinimum ? '' : 'or equal to '}${shown(least)}`)
    }
  }
  if (maximum !== undefined) {
    const [number, most] = pairOf(maximum, fits(maximum, 'Maximum boundary'))
    if (exclusiveMaximum ? number >= most : number > most) {
      report(number, `less than ${exclusiveMaximum ? '' : 'or equal to '}${shown(most)}`)
    }
  }
  return faults
}

/** A value and a bound, either both as integers or both as doubles, to compare them. */
type Pair = readonly [bigint, bigint] | readonly [number, number]

function shown(bound: number | bigint): string {
  return typeof bound === 'bigint' ? String(bound) : formatFloat(bound)
}

function typeText({ type, limits: { format } }: Node): string {
  return `${type} ${format === '' ? '(default format)' : `with format ${format}`}`
}

/** Whether the client wrote an integer. Integers beyond 2^53 are read as bigints, so a larger double was not written as an integer. */
function isInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0))
}

/** Truncates towards zero. A bound beyond 64 bits becomes the smallest integer, as on the reference's processor. */
function toInt64(bound: number): bigint {
  const integer = BigInt(Math.trunc(bound))
  return integer >= -MAX_INT64 && integer < MAX_INT64 ? integer : -MAX_INT64
}

function isInRange({ type, limits: { format } }: Node, value: number | bigint): boolean {
  if (type !== 'integer') return type !== 'number' || format !== 'float' || Math.abs(Number(value)) <= MAX_FLOAT32
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  const [integer, bound] = [BigInt(value), format === 'int32' ? MAX_INT32 : MAX_INT64]
  return integer >= -bound && integer < bound
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === 'bigint' && typeof factor === 'bigint') return value % factor === 0n
  const quotient = Number(factor) < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor)
  return isNearInteger(quotient)
}

const MAX_JSON_INTEGER = 2 ** 53 - 1
const EPSILON = 1e-9

/** Whether a double counts as an integer in the reference: a positive double may be slightly larger than an integer. */
export function isNearInteger(double: number): boolean {
  if (!(Math.abs(double) <= MAX_JSON_INTEGER)) return false
  if (Number.isInteger(double)) return true
  const whole = Math.trunc(double)
  return whole > 0 && (double - whole) / (double + whole) < EPSILON
}
