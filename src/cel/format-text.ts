// `'%s is %.2f'.format([…])`: each clause takes the next value of the list. Numbers with a fraction have the form of American English, as
// in the API's version of this library.
import { formatFloat } from '../lib/go-float.ts'
import { type Clause, partsOf, type Verb, WRONG_VALUES } from './format-template.ts'
import { type Meter, workOfReading } from './function.ts'
import { formatDuration, formatTimestamp } from './time.ts'
import { CelList, CelMap, type CelValue, Duration, Fault, Timestamp, typeNameOf, TypeValue, Uint } from './value.ts'

const DEFAULT_PRECISION = 6
const MAX_PRECISION = 100

/** Thrown and caught here: a clause that cannot be filled in ends the call. */
class FormatFault {
  readonly fault: Fault

  constructor(message: string) {
    this.fault = new Fault(message)
  }
}

export function formatTexts(template: string, list: CelList, meter: Meter): CelValue {
  let next = 0
  let out = ''
  try {
    for (const part of partsOf(template)) {
      if (part.kind === 'text') {
        out += part.text
        continue
      }
      if (next >= list.size) throw new FormatFault(`index ${next} out of range`)
      if (part.kind === 'fault') throw new FormatFault(part.message)
      meter.work(1)
      const value = list.at(next++)
      workOfReading(value, meter)
      out += filledIn(part.clause, value, meter)
    }
    return out
  } catch (error) {
    if (error instanceof FormatFault) return error.fault
    throw error
  }
}

function filledIn({ verb, precision = DEFAULT_PRECISION }: Clause, value: CelValue, meter: Meter): string {
  if (precision > MAX_PRECISION) throw new FormatFault('could not parse formatting clause: precision is too large')
  switch (verb) {
    case 's':
      return shown(value, meter)
    case 'd':
      return inBase(value, 10, verb)
    case 'f':
      return fixed(doubleOf(value, verb), precision)
    case 'e':
      return scientific(doubleOf(value, verb))
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : inBase(value, 2, verb)
    case 'o':
      return inBase(value, 8, verb)
    case 'x':
      return hex(value, verb, meter)
    case 'X':
      return hex(value, verb, meter).toUpperCase()
  }
}

function wrong(verb: Verb, value: CelValue): FormatFault {
  return new FormatFault(`error during formatting: ${WRONG_VALUES[verb]}, was given ${typeNameOf(value)}`)
}

const NAMED_DOUBLES: ReadonlyMap<CelValue, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
])

function doubleOf(value: CelValue, verb: 'f' | 'e'): number {
  const double = typeof value === 'number' ? value : NAMED_DOUBLES.get(value)
  if (double === undefined) throw wrong(verb, value)
  return double
}

function special(double: number): string | undefined {
  if (Number.isNaN(double)) return 'NaN'
  return Number.isFinite(double) ? undefined : double > 0 ? '∞' : '-∞'
}

function fixed(double: number, digits: number): string {
  return special(double) ?? plainFixed(double, digits).replace(/^-?[0-9]+/, (whole) => grouped(whole))
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',')
}

/** Rounds the exact value, and ties to even, as Go does. `toFixed` also rounds the exact value, but rounds ties upward. */
function plainFixed(double: number, digits: number): string {
  if (Math.abs(double) >= 1e21) return `${BigInt(double)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`
  const text = double.toFixed(digits)
  const scaled = double * 10 ** digits
  const tie = Math.abs(scaled % 1) === 0.5 && scaled / 10 ** digits === double
  const rounded =
    tie && Math.floor(Math.abs(scaled)) % 2 === 0 ? (Math.trunc(scaled) / 10 ** digits).toFixed(digits) : text
  return double < 0 && !rounded.startsWith('-') ? `-${rounded}` : rounded
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** The reference uses the precision as the width here. Only NaN and the infinities are shorter than the default width. */
function scientific(double: number): string {
  const named = special(double)
  if (named !== undefined) return named.padStart(DEFAULT_PRECISION)
  const [mantissa = '', exponent = '0'] = double.toExponential(DEFAULT_PRECISION).split('e')
  const size = String(Math.abs(Number(exponent))).padStart(2, '0')
  const power =
    (exponent.startsWith('-') ? '⁻' : '') + size.replace(/[0-9]/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)))
  return `${mantissa}×10${power}`
}

function inBase(value: CelValue, base: number, verb: Verb): string {
  if (typeof value === 'bigint') return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw wrong(verb, value)
}

function hex(value: CelValue, verb: Verb, meter: Meter): string {
  // Each byte becomes two characters, which takes several times as long as to read it.
  for (let i = 0; i < 4; i++) workOfReading(value, meter)
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : inBase(value, 16, verb)
}

/** The result of the function `string`. For lists and maps, the text of an expression that makes them. */
function shown(value: CelValue, meter: Meter): string {
  meter.work(1)
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return formatFloat(value)
    default:
      return shownObject(value, meter)
  }
}

function shownObject(value: Exclude<CelValue, string | boolean | bigint | number>, meter: Meter): string {
  if (value === null) return 'null'
  if (value instanceof CelList) return `[${[...value].map((item) => literal(item, meter)).join(', ')}]`
  if (value instanceof CelMap) return shownMap(value, meter)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  throw wrong('s', value)
}

function shownMap(map: CelMap, meter: Meter): string {
  const entries = [...map.keys()].map((key): [string, string] => [
    literal(key, meter),
    literal(map.get(key) ?? null, meter),
  ])
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** The text of a value in a list or a map, in the form of an expression. */
function literal(value: CelValue, meter: Meter): string {
  workOfReading(value, meter)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    return Number.isFinite(value) ? plainFixed(value, DEFAULT_PRECISION) : JSON.stringify(formatFloat(value))
  }
  if (value instanceof Uint8Array) return `b${JSON.stringify(shown(value, meter))}`
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`
  return shown(value, meter)
}
