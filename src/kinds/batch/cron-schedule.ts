// Validates cron schedules: five fields, or a descriptor such as `@daily`.
import { parseDuration } from '../../lib/duration.ts'
import { firstFound } from '../../lib/first-found.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
]

const WORDS: readonly string[] = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/** The fault of a schedule. Undefined: the schedule is valid. */
export function scheduleFault(text: string): string | undefined {
  if (text === '') return 'empty spec string'
  const schedule = withoutZone(text)
  if (schedule === undefined) return `provided bad location ${text}: unknown time zone`
  if (schedule.startsWith('@')) return wordFault(schedule)
  const fields = schedule.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  return firstFound(FIELDS.entries(), ([i, bounds]) => fieldFault(fields[i] ?? '', bounds))
}

/** The schedule without a time zone prefix. Undefined: there is only a prefix. */
function withoutZone(text: string): string | undefined {
  if (!text.startsWith('TZ=') && !text.startsWith('CRON_TZ=')) return text
  const space = text.indexOf(' ')
  return space < 0 ? undefined : text.slice(space).trim()
}

function wordFault(word: string): string | undefined {
  if (WORDS.includes(word)) return undefined
  if (!word.startsWith('@every ')) return `unrecognized descriptor: ${word}`
  const parsed = parseDuration(word.slice('@every '.length))
  return parsed.ok ? undefined : `failed to parse duration ${word}: ${parsed.message}`
}

function fieldFault(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',')) {
    if (range === '') continue
    const fault = rangeFault(range, bounds)
    if (fault !== undefined) return fault
  }
  return undefined
}

function rangeFault(range: string, bounds: Bounds): string | undefined {
  const [span = '', ...steps] = range.split('/')
  const ends = span.split('-')
  const [low = '', high] = ends
  const isAll = low === '*' || low === '?'
  const start = isAll ? bounds.min : numberOf(low, bounds)
  if (typeof start === 'string') return start
  if (!isAll && ends.length > 2) return `too many hyphens: ${range}`
  if (steps.length > 1) return `too many slashes: ${range}`
  const step = steps.length === 0 ? 1 : numberOf(steps[0] ?? '', {})
  const last =
    isAll || (high === undefined && steps.length > 0) ? bounds.max : high === undefined ? start : numberOf(high, bounds)
  if (typeof last === 'string') return last
  if (typeof step === 'string') return step
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`
  if (last > bounds.max) return `end of range (${last}) above maximum (${bounds.max}): ${range}`
  if (start > last) return `beginning of range (${start}) beyond end of range (${last}): ${range}`
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined
}

/** The number, or its fault. */
function numberOf(text: string, { names, min = 0 }: Partial<Bounds>): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + min
  if (/^-[0-9]{1,18}$/.test(text)) return `negative number (${Number(text)}) not allowed: ${text}`
  if (/^\+?[0-9]{1,18}$/.test(text)) return Number(text)
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}
