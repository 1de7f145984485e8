// Index sets of jobs: `1,3-5,7`, ascending and below the number of completions.

export interface Interval {
  readonly first: number
  readonly last: number
}

export type ParsedIndexes =
  | { readonly ok: true; readonly total: number; readonly intervals: readonly Interval[] }
  | { readonly ok: false; readonly message: string }

export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === '') return { ok: true, total: 0, intervals: [] }
  const intervals: Interval[] = []
  let total = 0
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions)
    if (typeof interval === 'string') return { ok: false, message: interval }
    const before = intervals.at(-1)
    if (before !== undefined && before.last >= interval.first) {
      return { ok: false, message: `non-increasing order, previous: ${before.last}, current: ${interval.first}` }
    }
    total += interval.last - interval.first + 1
    intervals.push(interval)
  }
  return { ok: true, total, intervals }
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-')
  if (limits.length > 2)
    return `the fragment "${text}" violates the requirement that an index interval can have at most two parts separated by '-'`
  const [low = '', high = low] = limits
  const first = parseIndex(low, completions)
  if (typeof first === 'string') return first
  if (limits.length === 1) return { first, last: first }
  const last = parseIndex(high, completions)
  if (typeof last === 'string') return last
  return first >= last ? `non-increasing order, previous: ${first}, current: ${last}` : { first, last }
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^[0-9]{1,9}$/.test(text)) return `cannot convert string to integer for index: "${text}"`
  return Number(text) < completions ? Number(text) : `too large index: "${text}"`
}

/** Whether two sets have an index in common. Both sets must ascend. */
export function overlap(a: readonly Interval[], b: readonly Interval[]): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    if (left === undefined || right === undefined) return false
    if (left.first <= right.last && right.first <= left.last) return true
    if (left.last < right.last) i++
    else j++
  }
  return false
}
