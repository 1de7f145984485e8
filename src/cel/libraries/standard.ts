// The standard functions: operators, sizes, texts and conversions.
import { formatFloat } from '../../lib/go-float.ts'
import { intOf, truncated, uintOf } from '../arithmetic.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { IN, INDEX, NEGATE, NOT, NOT_STRICTLY_FALSE, OPTIONAL_INDEX, OPTIONAL_SELECT } from '../operators.ts'
import { ADD, AND, CONDITIONAL, EQUALS, OR } from '../operators.ts'
import { characters } from '../runtime-cost.ts'
import { calendar, type CalendarParts, formatDuration, formatTimestamp } from '../time.ts'
import { parseDuration, parseTimestamp, timestampOf } from '../time.ts'
import { type CelList, type CelMap, type CelValue, Duration, Fault, noSuchOverload, Timestamp } from '../value.ts'
import { typeNameOf, TypeValue, Uint } from '../value.ts'

/** The plan evaluates these functions by itself. Only their signatures are here. */
const planned = (): CelValue => noSuchOverload()

const ORDERED: readonly string[] = ['bool', 'string', 'bytes', 'timestamp', 'duration']
const NUMBERS = { int64: 'int', uint64: 'uint', double: 'double' } as const

function comparison(symbol: string, name: string): FunctionDefinition {
  const same = ORDERED.map((type) => `${name}_${type}: (${type}, ${type}) bool`)
  const numeric = Object.entries(NUMBERS).flatMap(([left, a]) =>
    Object.entries(NUMBERS).map(
      ([right, b]) => `${name}_${left}${left === right ? '' : `_${right}`}: (${a}, ${b}) bool`,
    ),
  )
  return define(symbol, [...same, ...numeric], planned)
}

function arithmetic(symbol: string, name: string, more: readonly string[]): FunctionDefinition {
  const numeric = Object.entries(NUMBERS).map(([id, type]) => `${name}_${id}: (${type}, ${type}) ${type}`)
  return define(symbol, [...numeric, ...more], planned)
}

const OPERATORS: readonly FunctionDefinition[] = [
  define(AND, ['logical_and: (bool, bool) bool'], planned),
  define(OR, ['logical_or: (bool, bool) bool'], planned),
  define(NOT, ['logical_not: (bool) bool'], planned),
  define(CONDITIONAL, ['conditional: (bool, A, A) A'], planned),
  define(EQUALS, ['equals: (A, A) bool'], planned),
  define('_!=_', ['not_equals: (A, A) bool'], planned),
  comparison('_<_', 'less'),
  comparison('_<=_', 'less_equals'),
  comparison('_>_', 'greater'),
  comparison('_>=_', 'greater_equals'),
  arithmetic(ADD, 'add', [
    'add_string: (string, string) string',
    'add_bytes: (bytes, bytes) bytes',
    'add_list: (list(A), list(A)) list(A)',
    'add_timestamp_duration: (timestamp, duration) timestamp',
    'add_duration_timestamp: (duration, timestamp) timestamp',
    'add_duration_duration: (duration, duration) duration',
  ]),
  arithmetic('_-_', 'subtract', [
    'subtract_timestamp_timestamp: (timestamp, timestamp) duration',
    'subtract_timestamp_duration: (timestamp, duration) timestamp',
    'subtract_duration_duration: (duration, duration) duration',
  ]),
  arithmetic('_*_', 'multiply', []),
  arithmetic('_/_', 'divide', []),
  define('_%_', ['modulo_int64: (int, int) int', 'modulo_uint64: (uint, uint) uint'], planned),
  define(NEGATE, ['negate_int64: (int) int', 'negate_double: (double) double'], planned),
  define(
    INDEX,
    [
      'index_list: (list(A), int) A',
      'index_map: (map(A, B), A) B',
      'optional_list_index_int: (optional(list(A)), int) optional(A)',
      'optional_map_index_value: (optional(map(A, B)), A) optional(B)',
    ],
    planned,
  ),
  define(
    OPTIONAL_INDEX,
    [
      'list_optindex_optional_int: (list(A), int) optional(A)',
      'optional_list_optindex_optional_int: (optional(list(A)), int) optional(A)',
      'map_optindex_optional_value: (map(A, B), A) optional(B)',
      'optional_map_optindex_optional_value: (optional(map(A, B)), A) optional(B)',
    ],
    planned,
  ),
  define(OPTIONAL_SELECT, ['select_optional_field: (dyn, string) optional(A)'], planned),
  define(IN, ['in_list: (A, list(A)) bool', 'in_map: (A, map(A, B)) bool'], planned),
  define(NOT_STRICTLY_FALSE, ['not_strictly_false: (bool) bool'], planned),
]

function size([value]: [string | Uint8Array | CelList | CelMap]): CelValue {
  if (typeof value === 'string') return BigInt(characters(value))
  return BigInt(value instanceof Uint8Array ? value.length : value.size)
}

const SIZE_SIGNATURES: readonly string[] = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => {
  const id = type.replace(/\(.*/, '')
  return [`size_${id}: (${type}) int`, `${id}_size: ${type}.() int`]
})

type Texts = [string, string]

function matches([text, pattern]: Texts, meter: Meter): CelValue {
  const compiled = meter.pattern(pattern)
  if (compiled instanceof Fault) return compiled
  meter.work(compiled.steps(text.length))
  // `test` would be faster, but its automaton may keep 8 MB.
  return compiled.re2.matcher(text).find()
}

const TEXTS: readonly FunctionDefinition[] = [
  define('size', SIZE_SIGNATURES, size),
  define('contains', ['contains_string: string.(string) bool'], ([a, b]: Texts) => a.includes(b)),
  define('startsWith', ['starts_with_string: string.(string) bool'], ([a, b]: Texts) => a.startsWith(b)),
  define('endsWith', ['ends_with_string: string.(string) bool'], ([a, b]: Texts) => a.endsWith(b)),
  define('matches', ['matches: (string, string) bool', 'matches_string: string.(string) bool'], matches),
]

function conversionFault(value: CelValue, to: string): Fault {
  return new Fault(`type conversion error from '${typeNameOf(value)}' to '${to}'`)
}

/** A conversion function with one signature for each type in `from`, such as `int_to_string: (int) string`. */
function conversion(name: string, from: string, convert: (value: never) => CelValue): FunctionDefinition {
  const signatures = from.split(' ').map((type) => `${type}_to_${name}: (${type}) ${name}`)
  return define(name, signatures, ([value]: [never]) => convert(value))
}

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function toBool(value: boolean | string): CelValue {
  if (typeof value === 'boolean') return value
  if (TRUE_TEXTS.has(value)) return true
  return FALSE_TEXTS.has(value) ? false : conversionFault(value, 'bool')
}

const overflow = new Fault('integer overflow')
const uintOverflow = new Fault('unsigned integer overflow')
const MAX_DOUBLE_INT = 2 ** 63

function toInt(value: bigint | Uint | number | Timestamp | Duration | string): CelValue {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return intOf(value.value)
  if (typeof value === 'number') {
    if (!(value > -MAX_DOUBLE_INT && value < MAX_DOUBLE_INT)) return overflow
    return truncated(value) ?? overflow
  }
  if (value instanceof Timestamp) {
    const seconds = value.nanos / 1_000_000_000n
    return seconds * 1_000_000_000n > value.nanos ? seconds - 1n : seconds
  }
  if (value instanceof Duration) return value.nanos
  if (!/^[+-]?[0-9]{1,19}$/.test(value)) return conversionFault(value, 'int')
  const converted = intOf(BigInt(value.replace(/^\+/, '')))
  return converted instanceof Fault ? conversionFault(value, 'int') : converted
}

function toUint(value: Uint | bigint | number | string): CelValue {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return uintOf(value)
  if (typeof value === 'number') {
    if (!(value >= 0 && value < 2 ** 64)) return uintOverflow
    return uintOf(truncated(value) ?? -1n)
  }
  const converted = /^[0-9]{1,20}$/.test(value) ? uintOf(BigInt(value)) : conversionFault(value, 'uint')
  return converted instanceof Fault ? conversionFault(value, 'uint') : converted
}

const DOUBLE_TEXT = /^[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)$/
const SPECIAL_DOUBLE = /^([+-]?)(?:inf|infinity)$/i

function toDouble(value: number | bigint | Uint | string): CelValue {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (DOUBLE_TEXT.test(value)) {
    const double = Number(value)
    return Number.isFinite(double) ? double : conversionFault(value, 'double')
  }
  const special = SPECIAL_DOUBLE.exec(value)
  if (special !== null) return special[1] === '-' ? -Infinity : Infinity
  return /^nan$/i.test(value) ? Number.NaN : conversionFault(value, 'double')
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function toText(value: string | boolean | bigint | number | Uint | Timestamp | Duration | Uint8Array): CelValue {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return formatFloat(value)
    default:
      if (value instanceof Uint) return String(value.value)
      if (value instanceof Timestamp) return formatTimestamp(value)
      return value instanceof Duration ? formatDuration(value) : decoded(value)
  }
}

function decoded(bytes: Uint8Array): CelValue {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return new Fault('invalid UTF-8 in bytes, cannot convert to string')
    throw error
  }
}

function toBytes(value: Uint8Array | string): CelValue {
  return typeof value === 'string' ? Buffer.from(value) : value
}

function toTimestamp(value: Timestamp | bigint | string): CelValue {
  if (value instanceof Timestamp) return value
  if (typeof value === 'bigint') return timestampOf(value * 1_000_000_000n)
  return parsed(value, parseTimestamp(value), 'google.protobuf.Timestamp')
}

function toDuration(value: Duration | string): CelValue {
  if (value instanceof Duration) return value
  return parsed(value, parseDuration(value), 'google.protobuf.Duration')
}

/** Overflow keeps its message. Every other fault becomes a conversion error. */
function parsed(text: string, made: Timestamp | Duration | Fault, to: string): CelValue {
  if (!(made instanceof Fault) || made.message.endsWith('overflow')) return made
  return conversionFault(text, to)
}

const CONVERSIONS: readonly FunctionDefinition[] = [
  conversion('bool', 'bool string', toBool),
  conversion('bytes', 'bytes string', toBytes),
  conversion('double', 'double int uint string', toDouble),
  // Level 1.36 of the reference also takes a number of nanoseconds.
  conversion('duration', 'duration string', toDuration),
  conversion('int', 'int double duration string timestamp uint', toInt),
  conversion('string', 'string bool bytes double duration int timestamp uint', toText),
  conversion('timestamp', 'timestamp int string', toTimestamp),
  conversion('uint', 'uint double int string', toUint),
  define('dyn', ['to_dyn: (A) dyn'], ([value]: [CelValue]) => value),
  define('type', ['type: (A) type(A)'], ([value]: [CelValue]) => new TypeValue(typeNameOf(value))),
]

type Part = (calendar: CalendarParts) => number

/** A function that returns a part of a timestamp, in UTC or in a time zone. */
function calendarPart(name: string, id: string, part: Part): FunctionDefinition {
  const signatures = [`timestamp_to_${id}: timestamp.() int`, `timestamp_to_${id}_with_tz: timestamp.(string) int`]
  return define(name, signatures, ([moment, zone]: [Timestamp, string?]) => {
    const parts = calendar(moment, zone)
    return parts instanceof Fault ? parts : BigInt(part(parts))
  })
}

/** A function that converts a duration to whole units. */
function inWhole(name: string, id: string, nanosAUnit: bigint): FunctionDefinition {
  return define(name, [`duration_to_${id}: duration.() int`], ([span]: [Duration]) => span.nanos / nanosAUnit)
}

const TIMES: readonly FunctionDefinition[] = [
  calendarPart('getFullYear', 'year', (c) => c.year),
  calendarPart('getMonth', 'month', (c) => c.month),
  calendarPart('getDayOfYear', 'day_of_year', (c) => c.dayOfYear),
  calendarPart('getDayOfMonth', 'day_of_month', (c) => c.day - 1),
  calendarPart('getDate', 'day_of_month_1_based', (c) => c.day),
  calendarPart('getDayOfWeek', 'day_of_week', (c) => c.weekday),
  calendarPart('getHours', 'hours', (c) => c.hour),
  inWhole('getHours', 'hours', 3_600_000_000_000n),
  calendarPart('getMinutes', 'minutes', (c) => c.minute),
  inWhole('getMinutes', 'minutes', 60_000_000_000n),
  calendarPart('getSeconds', 'seconds', (c) => c.second),
  inWhole('getSeconds', 'seconds', 1_000_000_000n),
  calendarPart('getMilliseconds', 'milliseconds', (c) => c.millisecond),
  inWhole('getMilliseconds', 'milliseconds', 1_000_000n),
]

export const STANDARD: readonly FunctionDefinition[] = [...OPERATORS, ...TEXTS, ...CONVERSIONS, ...TIMES]
