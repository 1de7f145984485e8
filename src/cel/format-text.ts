// `'%s is %.2f'.format([…])`: each clause takes the next value of the list.
import type { Meter } from './function.ts'
import { formatDuration, formatTimestamp } from './time.ts'
import { CelList, CelMap, type CelValue, Duration, Fault, Timestamp, typeNameOf, TypeValue, Uint } from './value.ts'

const DEFAULT_PRECISION = 6
const MAX_PRECISION = 100

/** Thrown and caught here: a clause that cannot be filled in ends the whole. */
class FormatFault {
  readonly fault: Fault

  constructor(message: string) {
    this.fault = new Fault(message)
  }
}

export function formatTexts(template: string, list: CelList, meter: Meter): CelValue {
  let next = 0
  try {
    return template.replace(/%(?:\.(\d+))?(.?)/gsu, (_whole: string, precision: string | undefined, verb: string) => {
      if (verb === '%' && precision === undefined) return '%'
      if (verb === '') throw new FormatFault('could not parse formatting clause: unexpected end of string')
      if (next >= list.size) throw new FormatFault(`could not parse formatting clause: index ${next} out of range`)
      meter.work(1)
      return clause({ verb, precision }, list.at(next++), meter)
    })
  } catch (error) {
    if (error instanceof FormatFault) return error.fault
    throw error
  }
}

interface Clause {
  readonly verb: string
  readonly precision: string | undefined
}

function clause({ verb, precision }: Clause, value: CelValue, meter: Meter): string {
  const digits = precision === undefined ? DEFAULT_PRECISION : Number(precision)
  if (digits > MAX_PRECISION) throw new FormatFault('could not parse formatting clause: precision is too large')
  switch (verb) {
    case 's':
      return shown(value, meter)
    case 'd':
      return integer(value) ?? doubleText(value, (double) => plainDouble(double), 'decimal')
    case 'f':
      return doubleText(value, (double) => fixed(double, digits), 'fixed-point')
    case 'e':
      return doubleText(value, (double) => scientific(double, digits), 'scientific')
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return inBase(value, 2, 'only integers and bools can be formatted as binary')
    case 'o':
      return inBase(value, 8, 'octal clause can only be used on integers')
    case 'x':
      return hex(value)
    case 'X':
      return hex(value).toUpperCase()
    default:
      throw new FormatFault(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
}

function integer(value: CelValue): string | undefined {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Uint ? String(value.value) : undefined
}

function special(double: number): string | undefined {
  if (Number.isNaN(double)) return 'NaN'
  return Number.isFinite(double) ? undefined : double > 0 ? 'Infinity' : '-Infinity'
}

function doubleText(value: CelValue, format: (double: number) => string, name: string): string {
  const double = value instanceof Uint ? Number(value.value) : typeof value === 'bigint' ? Number(value) : value
  if (typeof double !== 'number') {
    throw new FormatFault(
      `error during formatting: ${name} clause can only be used on integers and doubles, was given ${typeNameOf(value)}`,
    )
  }
  return special(double) ?? format(double)
}

/** As few digits as tell the number, never with an exponent. */
function plainDouble(double: number): string {
  if (Object.is(double, -0)) return '-0'
  const text = String(double)
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (parts === null) return text
  const [, sign = '', first = '', rest = '', exponent = '0'] = parts
  const digits = first + rest
  const point = Number(exponent) + 1
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}

/** Rounded half to even on the exact value, as Go does; toFixed rounds the exact value too, ties upward. */
function fixed(double: number, digits: number): string {
  if (Math.abs(double) >= 1e21) return `${BigInt(double)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`
  const text = double.toFixed(digits)
  const scaled = double * 10 ** digits
  const tie = Math.abs(scaled % 1) === 0.5 && scaled / 10 ** digits === double
  const rounded =
    tie && Math.floor(Math.abs(scaled)) % 2 === 0 ? (Math.trunc(scaled) / 10 ** digits).toFixed(digits) : text
  return double < 0 && !rounded.startsWith('-') ? `-${rounded}` : rounded
}

function scientific(double: number, digits: number): string {
  const [mantissa = '', exponent = '0'] = double.toExponential(digits).split('e')
  const size = String(Math.abs(Number(exponent))).padStart(2, '0')
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${size}`
}

function inBase(value: CelValue, base: number, wrong: string): string {
  if (typeof value === 'bigint') return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw new FormatFault(`error during formatting: ${wrong}, was given ${typeNameOf(value)}`)
}

function hex(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return inBase(value, 16, 'only integers, byte buffers, and strings can be formatted as hex')
}

function shown(value: CelValue, meter: Meter): string {
  meter.work(1)
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return special(value) ?? plainDouble(value)
    default:
      return shownObject(value, meter)
  }
}

function shownObject(value: Exclude<CelValue, string | boolean | bigint | number>, meter: Meter): string {
  if (value === null) return 'null'
  if (value instanceof CelList) return `[${[...value].map((item) => shown(item, meter)).join(', ')}]`
  if (value instanceof CelMap) return shownMap(value, meter)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  throw new FormatFault(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  )
}

function shownMap(map: CelMap, meter: Meter): string {
  const entries = [...map.keys()].map((key): [string, string] => [
    shown(key, meter),
    shown(map.get(key) ?? null, meter),
  ])
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}: ${value}`).join(', ')}}`
}
