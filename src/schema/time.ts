// RFC 3339 times: `Time` (whole seconds) and `MicroTime` (six digits), both in UTC. Equal times have equal canonical texts.

import { quoteForTime } from '../lib/duration.ts'

export type ParsedTime =
  /** `text` is canonical. Null is the zero moment, which JSON writes as `null`. */
  { readonly ok: true; readonly text: string | null } | { readonly ok: false; readonly message: string }

const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00'
const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00'

/** Reads an RFC 3339 time. Fractions of a second are dropped. */
export function parseTime(text: string): ParsedTime {
  // This is the form that the server writes and nearly all clients send.
  if (CANONICAL_TIME.test(text) && text.slice(8, 10) <= '28') return { ok: true, text: orZero(text) }
  const moment = readMoment(text, TIME_LAYOUT)
  if (typeof moment === 'string') return { ok: false, message: moment }
  return { ok: true, text: orZero(formatTime(moment.epochSeconds)) }
}

/** Reads a time with exactly six digits after the second. */
export function parseMicroTime(text: string): ParsedTime {
  const moment = readMoment(text, MICRO_TIME_LAYOUT)
  if (typeof moment === 'string') return { ok: false, message: moment }
  const formatted = `${formatTime(moment.epochSeconds).slice(0, -1)}.${moment.fraction.padEnd(6, '0')}Z`
  return { ok: true, text: formatted === '0001-01-01T00:00:00.000000Z' ? null : formatted }
}

/** The text of a moment in whole seconds since 1970: `2024-05-01T10:00:00Z`. */
export function formatTime(epochSeconds: number): string {
  const iso = new Date(epochSeconds * 1000).toISOString()
  return `${iso.slice(0, iso.lastIndexOf('.'))}Z`
}

/** Each part of a matching text is within its bounds. Days after the 28th need another check. */
const CANONICAL_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

function orZero(text: string): string | null {
  return text === '0001-01-01T00:00:00Z' ? null : text
}

interface Moment {
  readonly epochSeconds: number
  /** The digits of the fraction of a second, as in the text. */
  readonly fraction: string
}

/** The parts of the layout in order. Each has its name in messages, the text before it, its digits and its bounds. */
const PARTS = [
  { element: '2006', name: 'year', before: '', digits: /^[0-9]{4}/, min: 0, max: 9999 },
  { element: '01', name: 'month', before: '-', digits: /^[0-9]{2}/, min: 1, max: 12 },
  // The last day depends on the month. It is checked at the end.
  { element: '02', name: 'day', before: '-', digits: /^[0-9]{2}/, min: 0, max: 99 },
  { element: '15', name: 'hour', before: 'T', digits: /^[0-9]{1,2}/, min: 0, max: 23 },
  { element: '04', name: 'minute', before: ':', digits: /^[0-9]{2}/, min: 0, max: 59 },
  { element: '05', name: 'second', before: ':', digits: /^[0-9]{2}/, min: 0, max: 59 },
] as const

/** The moment, or the message of Go's time package. */
function readMoment(text: string, layout: string): Moment | string {
  const fault = (rest: string, element: string): string =>
    `parsing time ${quote(text)} as "${layout}": cannot parse ${quote(rest)} as "${element}"`
  const outOfRange = (what: string): string => `parsing time ${quote(text)}: ${what} out of range`
  const numbers: number[] = []
  let rest = text
  for (const part of PARTS) {
    if (!rest.startsWith(part.before)) return fault(rest, part.before)
    rest = rest.slice(part.before.length)
    const digits = part.digits.exec(rest)?.[0]
    if (digits === undefined) return fault(rest, part.element)
    if (Number(digits) < part.min || Number(digits) > part.max) return outOfRange(part.name)
    numbers.push(Number(digits))
    rest = rest.slice(digits.length)
  }
  const micro = layout === MICRO_TIME_LAYOUT
  const fraction = (micro ? /^[.,]([0-9]{6})/ : /^[.,]([0-9]+)/).exec(rest)?.[1] ?? ''
  if (micro && fraction === '') return fault(rest, '.000000')
  if (fraction !== '') rest = rest.slice(fraction.length + 1)
  const zone = readZone(rest)
  if (zone === undefined) return fault(rest, 'Z07:00')
  if (typeof zone === 'string') return outOfRange(zone)
  if (zone.length < rest.length) return `parsing time ${quote(text)}: extra text: ${quote(rest.slice(zone.length))}`
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers
  if (day < 1 || day > daysIn(year, month)) return outOfRange('day')
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second - zone.offsetSeconds)
  if (date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) return outOfRange('year')
  return { epochSeconds: date.getTime() / 1000, fraction }
}

interface Zone {
  readonly length: number
  readonly offsetSeconds: number
}

/** The zone, or the name of its part that is out of range. Undefined: the text does not begin with a zone. */
function readZone(text: string): Zone | string | undefined {
  if (text.startsWith('Z')) return { length: 1, offsetSeconds: 0 }
  const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(text)
  if (match === null) return undefined
  const [hours, minutes] = [Number(match[2]), Number(match[3])]
  if (hours > 24) return 'time zone offset hour'
  if (minutes > 60) return 'time zone offset minute'
  const offset = (hours * 60 + minutes) * 60
  return { length: 6, offsetSeconds: match[1] === '-' ? -offset : offset }
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Long texts are cut: messages are for people. */
function quote(text: string): string {
  return quoteForTime(text.length > 128 ? `${text.slice(0, 128)}...` : text)
}
