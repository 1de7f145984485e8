// Prints values as in the reference's messages: in the form of Go's `%v`, with the keys of maps sorted.
import { formatNumber } from '../lib/go-float.ts'
import type { Value } from './value.ts'
import { isList, isMap } from './value.ts'

export function formatGoValue(value: Value): string {
  if (value === null) return '<nil>'
  if (isList(value)) return `[${value.map(formatGoValue).join(' ')}]`
  if (isMap(value)) {
    const members = Object.keys(value).toSorted()
    return `map[${members.map((key) => `${key}:${formatGoValue(value[key]!)}`).join(' ')}]`
  }
  return typeof value === 'number' ? formatNumber(value) : String(value)
}

/** Go's name for the type of a JSON value that has no declared type. */
export function goType(value: Value): string {
  if (value === null) return '<nil>'
  if (isList(value)) return '[]interface {}'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64'
    case 'bigint':
      return 'int64'
    default:
      return 'map[string]interface {}'
  }
}
