// Computes the times at which a cron schedule is due, in a time zone.
import { parseDuration } from '../../lib/duration.ts'

const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A schedule for the 29th of February is due within this many days. */
const MOST_DAYS = 8 * 366

interface Field {
  readonly values: ReadonlySet<number>
  readonly isAny: boolean
}

/** The first time after `afterMs` at which the schedule is due. Undefined: it never is. The schedule must be valid. */
export function nextTime(schedule: string, timeZone: string | undefined, afterMs: number): number | undefined {
  if (schedule.startsWith('@every ')) {
    const parsed = parseDuration(schedule.slice('@every '.length))
    if (!parsed.ok) return undefined
    const everyMs = Math.max(1000, Math.floor(Number(parsed.nanoseconds) / 1e9) * 1000)
    return Math.floor((afterMs + everyMs) / 1000) * 1000
  }
  const [minute, hour, day, month, weekday] = fieldsOf(WORDS[schedule] ?? schedule)
  if (minute === undefined || hour === undefined || day === undefined || month === undefined || weekday === undefined)
    return undefined
  const zone = zoneOf(timeZone)
  const from = zone.wall(afterMs)
  for (let atDay = Math.floor(from / DAY_MS), n = 0; n < MOST_DAYS; n++, atDay++) {
    const date = new Date(atDay * DAY_MS)
    if (!month.values.has(date.getUTCMonth() + 1)) continue
    const [isDay, isWeekday] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())]
    // If both are restricted, one match is enough.
    if (!(day.isAny || weekday.isAny ? isDay && isWeekday : isDay || isWeekday)) continue
    let first: number | undefined
    for (const atHour of sorted(hour)) {
      for (const atMinute of sorted(minute)) {
        const wall = atDay * DAY_MS + (atHour * 60 + atMinute) * MINUTE_MS
        if (wall <= from - DAY_MS / 12) continue
        const times = zone.times(wall)
        const [next] = times.filter((time) => time > afterMs)
        if (next === undefined) continue
        first = Math.min(first ?? next, next)
        // After the second of two times, a later local time can be earlier.
        if (times[0] === next) return first
      }
    }
    if (first !== undefined) return first
  }
  return undefined
}

const sorted = ({ values }: Field): readonly number[] => [...values].toSorted((a, b) => a - b)

function fieldsOf(text: string): readonly Field[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.trim().split(/\s+/)
  return [
    fieldOf(minute, 0, 59),
    fieldOf(hour, 0, 23),
    fieldOf(day, 1, 31),
    fieldOf(month, 1, 12, MONTHS),
    fieldOf(weekday, 0, 6, DAYS),
  ]
}

function fieldOf(text: string, least: number, most: number, names: readonly string[] = []): Field {
  const values = new Set<number>()
  let isAny = false
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toLowerCase())
    return named === -1 ? Number(word) : named + least
  }
  for (const part of text.split(',')) {
    const [span = '', step = '1'] = part.split('/')
    const [low = '', high] = span.split('-')
    const isAll = low === '*' || low === '?'
    if (isAll && step === '1') isAny = true
    const from = isAll ? least : numberOf(low)
    const to = isAll || (high === undefined && part.includes('/')) ? most : high === undefined ? from : numberOf(high)
    for (let value = from; value <= to; value += Math.max(1, Number(step))) values.add(value)
  }
  return { values, isAny }
}

/** Converts between times and local times. A local time is a number of milliseconds as if it were a time in UTC. */
interface Zone {
  readonly wall: (timeMs: number) => number
  /** In order. None: clocks skip that time. Two: clocks are set back, and show it twice. */
  readonly times: (wallMs: number) => readonly number[]
}

const UTC: Zone = { wall: (time) => time, times: (wall) => [wall] }

function zoneOf(name: string | undefined): Zone {
  if (name === undefined || name === 'UTC' || name === 'Etc/UTC') return UTC
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const wall = (time: number): number => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) + (time % 1000)
  }
  return {
    wall,
    times: (wanted) => {
      // No zone is a day ahead or behind, so these are the times before and after the clocks change, if they do.
      const guesses = new Set([wanted - DAY_MS, wanted + DAY_MS].map((at) => wanted - (wall(at) - at)))
      return [...guesses].filter((guess) => wall(guess) === wanted).toSorted((a, b) => a - b)
    },
  }
}
