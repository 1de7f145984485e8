// Reads fields of objects of any kind by their paths. An absent field is empty.
import type { ObjectName } from './kind.ts'

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => (isFields(value) ? value[key] : undefined), object)
}

export function fieldsAt(object: unknown, path: string): Fields {
  const found = fieldAt(object, path)
  return isFields(found) ? found : {}
}

/** The items of a list that are objects. */
export function itemsAt(object: unknown, path: string): readonly Fields[] {
  const found = fieldAt(object, path)
  return Array.isArray(found) ? found.filter(isFields) : []
}

/** The field as a text. Commas separate the items of a list. */
export function textAt(object: unknown, path: string): string {
  const found = fieldAt(object, path)
  if (Array.isArray(found)) return found.map(textOf).join(', ')
  return textOf(found)
}

export function nameOf(object: unknown): ObjectName {
  return { namespace: textAt(object, 'metadata.namespace'), name: textAt(object, 'metadata.name') }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
