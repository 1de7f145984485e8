// Reads values of objects by path, for cells. If a value is absent or has another type, the result is the zero value of the wanted type, as
// in the reference.
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

/** The text of a string or number: quantities and int-or-strings can be either in JSON. */
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

/** The text of a selector in its object form. */
export function selectorText(selector: Value | undefined): string {
  if (selector === undefined) return '<none>'
  const parsed = labelSelectorOf(selector)
  return parsed === undefined ? '<error>' : orNone(formatLabelSelector(parsed))
}

/** The first texts, and the number of further texts. */
export function firstOf(all: readonly string[], most: number, separator = ','): string {
  const shown = all.slice(0, most).join(separator)
  return all.length > most ? `${shown} + ${all.length - most} more...` : shown
}
