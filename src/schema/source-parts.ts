// Helpers of decoding: the forms of source values, and small rules of canonical objects.
import { type Value, type ValueMap, setOwn } from '../api/value.ts'
import { type ExactMap, ExactNumber, type SourceValue } from './exact-value.ts'
import type { Field, ObjectShape } from './table.ts'

/** Limits the total length of the texts of problems. Keys can be long, and each problem below a key has the key in its path. */
export const MAX_CHARACTERS: number = 1024 * 1024

export type SourceMap = ExactMap | ValueMap

/** Returns null for an empty list or map that JSON always shows. Such a value does not survive storage: it is read as unset. */
export function nullIfEmpty(field: Field, value: Value): Value {
  if (field.omit !== 'never' || typeof value !== 'object') return value
  const { kind } = field.shape
  if ((kind !== 'list' && kind !== 'map') || field.pointer || value === null) return value
  return (kind === 'list' ? (value as readonly Value[]) : Object.keys(value)).length === 0 ? null : value
}

/** Whether a canonical object has the identical value at the same place. Then the value is canonical. */
export function isSamePart(source: SourceValue, known: Value | undefined): source is Value {
  return source === known
}

/** A new map with the first members of another map. */
export function firstMembers(source: ValueMap, keys: readonly string[], count: number): Record<string, Value> {
  const out: Record<string, Value> = {}
  for (let i = 0; i < count; i++) {
    const key = keys[i] ?? ''
    setOwn(out, key, source[key] ?? null)
  }
  return out
}

export function isTypeMeta(shape: ObjectShape, key: string): boolean {
  return shape.typeMeta && (key === 'kind' || key === 'apiVersion')
}

/** Whether all values are texts, as in most maps of texts. Decoding does not change such a map. */
export function areTexts(map: ValueMap, keys: readonly string[]): boolean {
  for (let i = 0; i < keys.length; i++) if (typeof map[keys[i]!] !== 'string') return false
  return true
}

export function isEmptySource(source: SourceMap): boolean {
  for (const _key in source) return false
  return true
}

export function isSourceMap(source: SourceValue): source is SourceMap {
  return typeof source === 'object' && source !== null && !Array.isArray(source) && !(source instanceof ExactNumber)
}
