// Sums, differences, products and conversions of numbers and times. A result that does not fit into 64 bits is a fault. It is never
// rounded.
import type { Meter } from './function.ts'
import { joinLists } from './list-rules.ts'
import { durationOf, timestampOf } from './time.ts'
import { CelList, type CelValue, Duration, Fault, noSuchOverload, Timestamp, Uint } from './value.ts'

const MAX_INT = 2n ** 63n - 1n
const MIN_INT = -(2n ** 63n)
const MAX_UINT = 2n ** 64n - 1n

const intFault = new Fault('integer overflow')
const uintFault = new Fault('unsigned integer overflow')

export function intOf(value: bigint): CelValue {
  return value > MAX_INT || value < MIN_INT ? intFault : value
}

export function uintOf(value: bigint): CelValue {
  return value < 0n || value > MAX_UINT ? uintFault : new Uint(value)
}

export function add(a: CelValue, b: CelValue, meter: Meter): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return intOf(a + b)
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (a instanceof CelList && b instanceof CelList) return joinLists(a, b, meter)
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value + b.value)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b])
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos + b.nanos, a.offsetSeconds)
  if (a instanceof Duration && b instanceof Timestamp) return timestampOf(a.nanos + b.nanos, b.offsetSeconds)
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos)
  return noSuchOverload()
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return intOf(a - b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value - b.value)
  if (a instanceof Timestamp && b instanceof Timestamp) return durationOf(a.nanos - b.nanos)
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos - b.nanos, a.offsetSeconds)
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos)
  return noSuchOverload()
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return intOf(a * b)
  if (typeof a === 'number' && typeof b === 'number') return a * b
  return a instanceof Uint && b instanceof Uint ? uintOf(a.value * b.value) : noSuchOverload()
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') return a / b
  if (typeof a === 'bigint' && typeof b === 'bigint') return b === 0n ? new Fault('division by zero') : intOf(a / b)
  if (!(a instanceof Uint) || !(b instanceof Uint)) return noSuchOverload()
  return b.value === 0n ? new Fault('division by zero') : new Uint(a.value / b.value)
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (b === 0n) return new Fault('modulus by zero')
    // The quotient of the least integer and -1 overflows, and the reference does not divide.
    return b === -1n && a === MIN_INT ? intFault : intOf(a % b)
  }
  if (!(a instanceof Uint) || !(b instanceof Uint)) return noSuchOverload()
  return b.value === 0n ? new Fault('modulus by zero') : new Uint(a.value % b.value)
}

export function negate(a: CelValue): CelValue {
  if (typeof a === 'bigint') return intOf(-a)
  return typeof a === 'number' ? -a : noSuchOverload()
}

/** A double as an integer, rounded toward zero. Undefined: the double is not finite. */
export function truncated(value: number): bigint | undefined {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
}
