// Converts RFC 3339 times to the seconds and nanoseconds of protobuf, and back. This code computes with the digits: an object has a dozen
// times, and `Date` would cost more than all other fields.
import { ProtobufError } from '../wire/protobuf-error.ts'

/** The reference's zero moment, the beginning of year 1. JSON has `null` for it. */
const ZERO_SECONDS = -62_135_596_800
const LAST_SECOND_OF_9999 = 253_402_300_799
const SECONDS_A_DAY = 86_400

interface Moment {
  readonly seconds: number
  readonly nanos: number
}

/** The moment of an RFC 3339 text. Undefined: the zero moment. Throws if the text is not a time. */
export function momentOf(text: string): Moment | undefined {
  const seconds = isCanonical(text) ? secondsOfCanonical(text) : Math.floor(Date.parse(text) / 1000)
  if (Number.isNaN(seconds)) throw new ProtobufError(`${JSON.stringify(text)} is not a time`)
  const nanos = text.length === 20 ? 0 : nanosOf(text)
  return seconds === ZERO_SECONDS && nanos === 0 ? undefined : { seconds, nanos }
}

/** The text `2024-05-01T10:00:00Z`. Null: the zero moment. Throws for moments outside of the years 0 to 9999, which have no text. */
export function formatMoment(seconds: number): string | null {
  if (seconds === ZERO_SECONDS) return null
  return `${formatSeconds(seconds)}Z`
}

/** The text with six digits of a second. Null: the zero moment. */
export function formatMicroMoment(seconds: number, nanos: number): string | null {
  const micros = Math.floor(nanos / 1000)
  if (seconds === ZERO_SECONDS && micros === 0) return null
  const carried = Math.floor(micros / 1_000_000)
  return `${formatSeconds(seconds + carried)}.${String(micros - carried * 1_000_000).padStart(6, '0')}Z`
}

function formatSeconds(seconds: number): string {
  if (seconds < -62_167_219_200 || seconds > LAST_SECOND_OF_9999) throw new ProtobufError('time is out of range')
  const days = Math.floor(seconds / SECONDS_A_DAY)
  const rest = seconds - days * SECONDS_A_DAY
  const hour = Math.floor(rest / 3600)
  const minute = Math.floor((rest % 3600) / 60)
  return `${formatDate(days)}T${two(hour)}:${two(minute)}:${two(rest % 60)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`
}

/** The date of the proleptic Gregorian calendar, from days since 1970. Years begin in March here, so that a leap day is their last day. */
function formatDate(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${year < 1000 ? String(year).padStart(4, '0') : year}-${two(month)}-${two(day)}`
}

function daysOf(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** `YYYY-MM-DDTHH:MM:SSZ`, or with six digits of a second: the forms that the server itself writes. */
function isCanonical(text: string): boolean {
  return (text.length === 20 || (text.length === 27 && text[19] === '.')) && text.endsWith('Z') && text[10] === 'T'
}

function secondsOfCanonical(text: string): number {
  const days = daysOf(number(text, 0) * 100 + number(text, 2), number(text, 5), number(text, 8))
  return days * SECONDS_A_DAY + number(text, 11) * 3600 + number(text, 14) * 60 + number(text, 17)
}

/** The number of the two digits at a place. NaN: there are no two digits. */
function number(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Whole microseconds of the fraction, in nanoseconds. */
function nanosOf(text: string): number {
  const fraction = /\.([0-9]{1,6})/.exec(text)?.[1]
  return fraction === undefined ? 0 : Number(fraction.padEnd(6, '0')) * 1000
}
