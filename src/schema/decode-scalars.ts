// Decodes scalars to their canonical form, with the reference's error messages.
import type { Value } from '../api/value.ts'
import { formatDuration, parseDuration } from '../lib/duration.ts'
import { isIntegerText, numberOf, readAgain } from '../api/json-number.ts'
import { ExactNumber, type SourceValue } from './exact-value.ts'
import { formatQuantity, parseQuantity } from '../lib/quantity.ts'
import type { ScalarKind } from './table.ts'
import { parseMicroTime, parseTime } from './time.ts'

/** The reason why a value is not a valid scalar. */
export type ScalarFault =
  /** The value has another JSON type, or is a number out of bounds. `found` names it in messages. `wanted` is the reference's type. */
  | { readonly kind: 'type'; readonly found: string; readonly wanted: string }
  /** The type is right, but the text is wrong. The message is complete. */
  | { readonly kind: 'text'; readonly message: string }

/** An error that carries a fault. */
export class ScalarFaultError extends Error {
  readonly fault: ScalarFault

  constructor(fault: ScalarFault) {
    super()
    this.fault = fault
  }
}

/** The name of the type of a JSON value in messages. */
export function typeOf(source: SourceValue): string {
  switch (typeof source) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
    case 'bigint':
      return 'number'
    default:
      return source === null
        ? 'null'
        : Array.isArray(source)
          ? 'array'
          : source instanceof ExactNumber
            ? 'number'
            : 'object'
  }
}

/** The canonical form of a scalar that is not null. Throws `ScalarFaultError`. */
export function decodeScalar(kind: ScalarKind, source: SourceValue): Value {
  switch (kind) {
    case 'string':
      return typeof source === 'string' ? source : wrongType(source, 'string')
    case 'boolean':
      return typeof source === 'boolean' ? source : wrongType(source, 'bool')
    case 'int32':
      return integer(source, 'int32')
    case 'int64':
      return integer(source, 'int64')
    case 'number':
      return double(source)
    case 'bytes':
      return bytes(source)
    case 'time':
      return moment(source, parseTime)
    case 'microTime':
      return moment(source, parseMicroTime)
    case 'duration':
      return duration(source)
    case 'quantity':
      return quantity(source)
    case 'intOrString':
      return typeof source === 'string' ? source : integer(source, 'int32')
  }
}

function wrongType(source: SourceValue, wanted: string): never {
  throw new ScalarFaultError({ kind: 'type', found: typeOf(source), wanted })
}

function wrongText(message: string): never {
  throw new ScalarFaultError({ kind: 'text', message })
}

/** A number in its original spelling. */
function spelling(source: number | bigint | ExactNumber): string {
  return source instanceof ExactNumber ? source.text : String(source)
}

function isNumber(source: SourceValue): source is number | bigint | ExactNumber {
  return typeof source === 'number' || typeof source === 'bigint' || source instanceof ExactNumber
}

const MAX_INT32 = 2 ** 31 - 1
const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

function integer(source: SourceValue, wanted: 'int32' | 'int64'): number | bigint {
  if (!isNumber(source)) return wrongType(source, wanted)
  const value =
    source instanceof ExactNumber ? (isIntegerText(source.text) ? numberOf(source.text) : undefined) : source
  if (typeof value === 'number' && Number.isSafeInteger(value) && (wanted === 'int64' || fitsInt32(value))) return value
  if (typeof value === 'bigint' && wanted === 'int64' && value >= MIN_INT64 && value <= MAX_INT64) {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  throw new ScalarFaultError({ kind: 'type', found: `number ${spelling(source)}`, wanted })
}

function fitsInt32(value: number): boolean {
  return value <= MAX_INT32 && value >= -MAX_INT32 - 1
}

function double(source: SourceValue): number | bigint {
  if (!isNumber(source)) return wrongType(source, 'float64')
  return readAgain(Number(source instanceof ExactNumber ? source.text : source))
}

function moment(source: SourceValue, parse: typeof parseTime): string | null {
  if (typeof source !== 'string') return wrongType(source, 'string')
  const parsed = parse(source)
  return parsed.ok ? parsed.text : wrongText(parsed.message)
}

function duration(source: SourceValue): string {
  if (typeof source !== 'string') return wrongType(source, 'string')
  const parsed = parseDuration(source)
  return parsed.ok ? formatDuration(parsed.nanoseconds) : wrongText(parsed.message)
}

function quantity(source: SourceValue): string {
  // A value that is neither a text nor a number gets the message of a text that is not a quantity.
  const text = typeof source === 'string' ? source.trim() : isNumber(source) ? spelling(source) : 'x'
  const parsed = parseQuantity(text)
  return parsed.ok ? formatQuantity(parsed.quantity) : wrongText(parsed.message)
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytes(source: SourceValue): string {
  if (typeof source !== 'string') return Array.isArray(source) ? octets(source) : wrongType(source, '[]uint8')
  if (source.length % 4 === 0 && BASE64.test(source)) {
    // Bits after the last byte are dropped.
    return source.endsWith('=') ? Buffer.from(source, 'base64').toString('base64') : source
  }
  const text = source.replace(/[\r\n]/g, '')
  const fault = base64Fault(text)
  return fault < 0 ? Buffer.from(text, 'base64').toString('base64') : wrongText(illegalBase64(source, fault))
}

function octets(list: readonly SourceValue[]): string {
  return Buffer.from(
    list.map((item) => {
      const octet = item === null ? 0 : isNumber(item) ? Number(spelling(item)) : wrongType(item, 'uint8')
      if (Number.isInteger(octet) && octet >= 0 && octet <= 255) return octet
      throw new ScalarFaultError({ kind: 'type', found: `number ${String(octet)}`, wanted: 'uint8' })
    }),
  ).toString('base64')
}

/** The place of the first fault. -1: there is no fault. An incomplete group of four is a fault at its beginning. */
function base64Fault(text: string): number {
  const plain = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0
  const group = plain - (plain % 4)
  const rest = text.slice(plain)
  if (rest === '') return plain % 4 === 0 ? -1 : group
  const padding = plain % 4 === 2 ? '==' : plain % 4 === 3 ? '=' : ''
  if (padding === '' || !rest.startsWith('=')) return plain
  if (rest === padding) return -1
  if (!rest.startsWith(padding)) return rest.length === 1 ? text.length : plain + 1
  return plain + padding.length
}

/** Decoding skips line breaks, but the message counts them like any other byte. */
function illegalBase64(source: string, fault: number): string {
  let seen = 0
  let at = 0
  while (at < source.length && (seen < fault || source[at] === '\n' || source[at] === '\r')) {
    if (source[at] !== '\n' && source[at] !== '\r') seen += 1
    at += 1
  }
  return `illegal base64 data at input byte ${at}`
}
