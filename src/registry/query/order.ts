// The order of objects by their fields. Quantities, versions, times and durations are compared by value. Objects without the field come
// last in both directions, and objects with equal values are in the order of a plain list.
import { type PathText, parsePaths, queryFault, valueAt } from '../../api/path-text.ts'
import type { ApiObject } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import { parseDuration } from '../../lib/duration.ts'
import { parseQuantity, scaledValue } from '../../lib/quantity.ts'
import type { ObjectShape, Shape } from '../../schema/table.ts'
import { scalarAt } from './fields.ts'

/** Undefined: the object does not have the field. */
export type SortValue = boolean | number | bigint | string | undefined

export interface OrderTerm {
  readonly path: PathText
  readonly isDescending: boolean
  readonly valueOf: (value: Value | undefined) => SortValue
}

export function parseOrder(text: string, kind: ObjectShape): readonly OrderTerm[] {
  return parsePaths('orderBy', text).map((path) => ({
    path,
    isDescending: isDescending(path),
    valueOf: comparableOf(path, scalarAt('orderBy', path, kind)),
  }))
}

export function isDescending({ word, column, text }: PathText): boolean {
  if (word === 'desc') return true
  if (word === '' || word === 'asc') return false
  throw queryFault('orderBy', column + text.length + 1, `expected asc or desc, not ${JSON.stringify(word)}`)
}

export function sortValuesOf(terms: readonly OrderTerm[], object: ApiObject): readonly SortValue[] {
  return terms.map(({ path, valueOf }) => valueOf(valueAt(object, path.steps)))
}

export function compareSortValues(
  terms: readonly Pick<OrderTerm, 'isDescending'>[],
  a: readonly SortValue[],
  b: readonly SortValue[],
): number {
  for (const [i, { isDescending }] of terms.entries()) {
    const [left, right] = [a[i], b[i]]
    if (left === undefined || right === undefined) {
      if (left !== right) return left === undefined ? 1 : -1
      continue
    }
    const order = compareValues(left, right)
    if (order !== 0) return isDescending ? -order : order
  }
  return 0
}

const RANKS: Readonly<Record<string, number>> = { boolean: 0, number: 1, bigint: 1, string: 2 }

export function compareValues(a: NonNullable<SortValue>, b: NonNullable<SortValue>): number {
  const ranks = (RANKS[typeof a] ?? 0) - (RANKS[typeof b] ?? 0)
  if (ranks !== 0) return ranks
  return a < b ? -1 : a > b ? 1 : 0
}

type Comparable = (value: Value | undefined) => SortValue

/**
 * Returns the function that makes the sort values of a field. The kind of the field decides, and its name tells whether it has versions.
 */
export function comparableOf({ steps }: PathText, shape: Shape): Comparable {
  switch (shape.kind) {
    case 'quantity':
    case 'intOrString':
      return (value) => (typeof value === 'string' ? (amountOf(value) ?? value) : nanosOf(value))
    case 'duration':
      return (value) => (typeof value === 'string' ? (durationOf(value) ?? value) : plain(value))
    case 'time':
    case 'microTime':
      return plain
    default:
      if (/version$/i.test(String(steps.at(-1)))) {
        return (value) => (typeof value === 'string' ? versionKey(value) : plain(value))
      }
      return (value) => (typeof value === 'string' ? (momentOf(value) ?? value) : plain(value))
  }
}

function plain(value: Value | undefined): SortValue {
  return typeof value === 'object' ? undefined : value
}

const NANO = -9

function amountOf(text: string): bigint | undefined {
  const parsed = parseQuantity(text)
  return parsed.ok ? scaledValue(parsed.quantity, NANO) : undefined
}

function nanosOf(value: Value | undefined): SortValue {
  return typeof value === 'number' || typeof value === 'bigint' ? (amountOf(String(value)) ?? value) : plain(value)
}

function durationOf(text: string): bigint | undefined {
  const parsed = parseDuration(text)
  return parsed.ok ? parsed.nanoseconds : undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/

/** Reads a time in nanoseconds. Times of custom resources are texts with any offset. */
function momentOf(text: string): bigint | undefined {
  if (text.length < 20 || text.length > 35) return undefined
  const [, day, time, fraction = '', zone = 'Z'] = MOMENT.exec(text) ?? []
  const milliseconds = day === undefined ? NaN : Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

const LETTERS = '\x01'
const END = '\x02'
const OTHER = '\x03'
const DIGITS = '\x04'
/** Longer texts are not versions. They are compared by this many characters, and then as texts. */
const LONGEST_VERSION = 128

/**
 * A text that sorts like the version: numbers by value, and pre-releases (`1.0.0-rc.1`, `v1beta1`) before their release. A leading v is
 * ignored.
 */
export function versionKey(version: string): string {
  let key = ''
  const cut = version.slice(0, LONGEST_VERSION).replace(/^v(?=\d)/, '')
  for (const [part] of cut.matchAll(/\d+|[A-Za-z-]|[^\dA-Za-z-]/g)) {
    const digits = /^\d/.test(part) ? part.replace(/^0+(?=\d)/, '') : undefined
    if (digits !== undefined) key += `${DIGITS}${String.fromCharCode(0x20 + digits.length)}${digits}`
    else key += `${/[A-Za-z-]/.test(part) ? LETTERS : OTHER}${part}`
  }
  return `${key}${END}${version}`
}
