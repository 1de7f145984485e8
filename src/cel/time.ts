// Timestamps and durations, to the nanosecond, within the years 1 to 9999.
import { parseDuration as parseGoDuration, parseDurationFormat } from '../lib/duration.ts'
import { Duration, Fault, Timestamp } from './value.ts'

const SECOND = 1_000_000_000n
const MIN_TIMESTAMP = -62_135_596_800n * SECOND
const MAX_TIMESTAMP = 253_402_300_800n * SECOND - 1n
const MAX_INT = 2n ** 63n - 1n

/** Reads a duration in Go's form, such as `1h30m`. */
export function parseDuration(text: string): Duration | Fault {
  const parsed = parseGoDuration(text)
  return parsed.ok ? new Duration(parsed.nanoseconds) : new Fault(parsed.message)
}

/** Reads the format `duration` of schemas. */
export function readDuration(text: string): Duration | Fault {
  const nanoseconds = parseDurationFormat(text)
  return nanoseconds === undefined
    ? new Fault(`Invalid duration ${text}: unable to parse ${text} as duration`)
    : new Duration(nanoseconds)
}

export function durationOf(nanos: bigint): Duration | Fault {
  return nanos > MAX_INT || nanos < -MAX_INT - 1n ? new Fault('duration overflow') : new Duration(nanos)
}

export function timestampOf(nanos: bigint, offsetSeconds = 0): Timestamp | Fault {
  const isBeyond = nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP
  return isBeyond ? new Fault('timestamp overflow') : new Timestamp(nanos, offsetSeconds)
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})$/
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

export function parseTimestamp(text: string): Timestamp | Fault {
  const parts = RFC3339.exec(text)
  const fault = new Fault(`parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`)
  if (parts === null) return fault
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts
  const days = daysOf(Number(year), Number(month), Number(day))
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return fault
  const offset = zoneSeconds(zone)
  if (offset === undefined) return fault
  const seconds = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset
  return timestampOf(BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0') || '0'), offset)
}

/** Reads the `date` format of schemas. Any other text is read as a timestamp. */
export function parseDate(text: string): Timestamp | Fault {
  const parts = DATE.exec(text)
  const days = parts === null ? undefined : daysOf(Number(parts[1]), Number(parts[2]), Number(parts[3]))
  if (days === undefined) return parseTimestamp(text)
  return timestampOf(BigInt(days) * 86_400n * SECOND)
}

function daysOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1) return undefined
  return Math.floor(date.getTime() / 86_400_000)
}

function zoneSeconds(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = zone.slice(1).split(':').map(Number)
  if (hours === undefined || minutes === undefined || hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

export function formatTimestamp({ nanos, offsetSeconds }: Timestamp): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND
  const date = new Date(Number((nanos - fraction) / 1_000_000n) + offsetSeconds * 1000)
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  return `${year}${date.toISOString().slice(-20, -5)}${digits}${zoneText(offsetSeconds)}`
}

function zoneText(seconds: number): string {
  if (seconds === 0) return 'Z'
  const minutes = Math.abs(seconds) / 60
  const [hours, rest] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${seconds < 0 ? '-' : '+'}${hours}:${rest}`
}

/** In seconds: `5400s`, `0.25s`. */
export function formatDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos
  const fraction = size % SECOND
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${digits}s`
}

export interface CalendarParts {
  readonly year: number
  /** From 0. */
  readonly month: number
  /** From 1. */
  readonly day: number
  /** From 0. */
  readonly dayOfYear: number
  /** Sunday is 0. */
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** The parts of a date and time. `zone`: the name of a time zone, or an offset. Undefined: UTC. */
export function calendar({ nanos }: Timestamp, zone: string | undefined): CalendarParts | Fault {
  const milliseconds = Number((nanos - (((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n)
  const shift = zone === undefined ? 0 : zoneShift(zone, milliseconds)
  if (shift === undefined) return new Fault(`unknown time zone ${zone}`)
  const date = new Date(milliseconds + shift * 1000)
  const newYear = new Date(0)
  newYear.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() - newYear.getTime()) / 86_400_000),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  }
}

function zoneShift(zone: string, milliseconds: number): number | undefined {
  const offset = /^[+-]?\d{1,2}:\d{2}$/.test(zone) ? zoneSeconds(/^[+-]/.test(zone) ? zone : `+${zone}`) : undefined
  if (offset !== undefined) return offset
  if (zone === 'UTC' || zone === '') return 0
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(
      new Date(milliseconds),
    )
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
    const found = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(name)
    if (found === null) return 0
    const seconds = Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0)
    return found[1] === '-' ? -seconds : seconds
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
