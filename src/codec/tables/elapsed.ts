// The texts of ages in tables, in at most two units (R-355).

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** The text of a duration in milliseconds. A time less than two seconds in the future counts as now, because clocks differ. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (milliseconds < 2 * MINUTE) return `${seconds}s`
  if (milliseconds < 10 * MINUTE) return twoUnits(milliseconds, [MINUTE, 'm'], [SECOND, 's'])
  if (milliseconds < 3 * HOUR) return `${Math.trunc(milliseconds / MINUTE)}m`
  if (milliseconds < 8 * HOUR) return twoUnits(milliseconds, [HOUR, 'h'], [MINUTE, 'm'])
  if (milliseconds < 2 * DAY) return `${Math.trunc(milliseconds / HOUR)}h`
  if (milliseconds < 8 * DAY) return twoUnits(milliseconds, [DAY, 'd'], [HOUR, 'h'])
  if (milliseconds < 2 * YEAR) return `${Math.trunc(milliseconds / DAY)}d`
  if (milliseconds < 8 * YEAR) return twoUnits(milliseconds, [YEAR, 'y'], [DAY, 'd'])
  return `${Math.trunc(milliseconds / YEAR)}y`
}

type Unit = readonly [milliseconds: number, letter: string]

function twoUnits(milliseconds: number, [large, largeLetter]: Unit, [small, smallLetter]: Unit): string {
  const rest = Math.trunc((milliseconds % large) / small)
  return `${Math.trunc(milliseconds / large)}${largeLetter}${rest === 0 ? '' : `${rest}${smallLetter}`}`
}

/** The moment to which ages are counted: milliseconds since the epoch, or placeholders that are filled in later. */
export type Now = number | AgePlaceholders

/** Placeholders for ages, which are filled in later. The rest of a row does not change. */
export class AgePlaceholders {
  /** The start times of the ages, in milliseconds since the epoch, in the order of the placeholders. */
  readonly since: number[] = []

  add(since: number): string {
    this.since.push(since)
    return AGE_PLACEHOLDER
  }
}

/** The placeholder of an age, and its form in JSON. */
const AGE_PLACEHOLDER = '\u0001'
export const AGE_PLACEHOLDER_JSON = '\\u0001'

export function ageSince(since: number, now: Now): string {
  return typeof now === 'number' ? humanDuration(now - since) : now.add(since)
}

/** The age of a timestamp in an object. */
export function ageOf(timestamp: string, now: Now): string {
  return timestamp === '' ? '<unknown>' : ageSince(Date.parse(timestamp), now)
}

/** The age of a text that may not be a timestamp. */
export function ageOfText(text: string, now: Now): string {
  const time = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? '<invalid>' : ageSince(time, now)
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
