// Reads values of objects by path, for cells. An absent value, or one of another type, reads as the type's zero value, as in the
// reference.
import { labelSelectorOf } from '../../api/selector-text.ts'
import { formatLabelSelector } from '../../api/selector.ts'
import { isList, isMap, own } from '../../api/value.ts'
import type { Value, ValueMap } from '../../api/value.ts'

export function at(value: Value | undefined, ...path: readonly string[]): Value | undefined {
  let found = value
  for (const name of path) found = isMap(found) ? own(found, name) : undefined
  return found === null ? undefined : found
}

export function textAt(value: Value | undefined, ...path: readonly string[]): string {
  return scalarText(at(value, ...path))
}

/** Numbers are text too: quantities and int-or-strings may be either in JSON. */
function scalarText(value: Value | undefined): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}

export function numberAt(value: Value | undefined, ...path: readonly string[]): number | bigint {
  const found = at(value, ...path)
  return typeof found === 'number' || typeof found === 'bigint' ? found : 0
}

export function listAt(value: Value | undefined, ...path: readonly string[]): readonly Value[] {
  const found = at(value, ...path)
  return isList(found) ? found : []
}

export function mapAt(value: Value | undefined, ...path: readonly string[]): ValueMap {
  const found = at(value, ...path)
  return isMap(found) ? found : {}
}

/** The first condition of a type. */
export function conditionAt(object: ValueMap, type: string, ...path: readonly string[]): ValueMap | undefined {
  const found = listAt(object, ...path).find((condition) => textAt(condition, 'type') === type)
  return isMap(found) ? found : undefined
}

/** Whether the first condition of a type is true. */
export function conditionHolds(object: ValueMap, type: string, ...path: readonly string[]): boolean {
  return textAt(conditionAt(object, type, ...path), 'status') === 'True'
}

export function orNone(text: string): string {
  return text === '' ? '<none>' : text
}

export function orUnset(text: string): string {
  return text === '' ? '<unset>' : text
}

/** `a=b,c=d`, sorted by key. */
export function labelText(labels: ValueMap): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${scalarText(own(labels, key))}`)
  return orNone(pairs.join(','))
}

/** A selector in its object form as text. */
export function selectorText(selector: Value | undefined): string {
  if (selector === undefined) return '<none>'
  const parsed = labelSelectorOf(selector)
  return parsed === undefined ? '<error>' : orNone(formatLabelSelector(parsed))
}

/** The first few, and how many there are beyond them. */
export function firstOf(all: readonly string[], most: number, separator = ','): string {
  const shown = all.slice(0, most).join(separator)
  return all.length > most ? `${shown} + ${all.length - most} more...` : shown
}
