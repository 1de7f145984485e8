// Canonical JSON: the reference's order of fields, its rules of omission and its escapes. Two canonical objects are equal if and only if
// their bytes are equal. Stored bytes can be served unchanged.
import { escapeMarkup, markupSafeJson } from '../api/json-text.ts'
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import { HIGH, sortedKeys } from '../lib/text-order.ts'
import { isCanonical } from './json-canonical.ts'
import type { Field, KindSchema, ObjectShape, OpaqueShape, Shape } from '../schema/table.ts'
import { isAlwaysShown, isOmitted, zeroOfField } from '../schema/zero-value.ts'

/** The canonical bytes of an object. Unknown fields are left out. Objects of custom kinds keep all fields, sorted by name. */
export function encodeJson(object: ValueMap, kind: KindSchema): Buffer {
  return Buffer.from(canonicalJson(object, kind), 'utf8')
}

/** The canonical text of an object. */
export function canonicalJson(object: ValueMap, kind: KindSchema): string {
  return kind.custom === true ? sortedJson(object) : valueJson(object, kind.shape)
}

/** The canonical text of an object of a built-in kind, or of a part of one. */
export function valueJson(value: Value, shape: Shape): string {
  return canonicalText(value, shape, 0)
}

/**
 * Down to this depth, the encoder checks whether `JSON.stringify` can write a part, because most parts of a changed object are still
 * canonical. Deeper parts are not checked, because checks that fail cost time.
 */
const CHECKED_DEPTH = 3

function canonicalText(value: Value, shape: Shape, depth: number): string {
  if (depth < CHECKED_DEPTH && typeof value === 'object' && value !== null && isCanonical(value, shape)) {
    return plainJson(value)
  }
  return shapedJson(shape, value, depth + 1)
}

/** The text of a value with the members of all maps sorted, for custom kinds. */
export function sortedJson(value: Value): string {
  return sortedText(value, 0)
}

function sortedText(value: Value, depth: number): string {
  if (typeof value !== 'object' || value === null) return scalarJson(value)
  if (depth < CHECKED_DEPTH && isSorted(value)) return plainJson(value)
  if (isList(value)) return `[${value.map((item) => sortedText(item, depth + 1)).join(',')}]`
  let out = ''
  for (const key of sortedKeys(value))
    out += `${out === '' ? '' : ','}${stringJson(key)}:${sortedText(value[key] ?? null, depth + 1)}`
  return `{${out}}`
}

/** Whether `JSON.stringify` would write all members in order. False in doubt. */
function isSorted(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return !Object.is(value, -0)
  if (isList(value)) return value.every(isSorted)
  let before = ''
  for (const key of Object.keys(value)) {
    if (key < before || HIGH.test(key) || !isSorted(value[key] ?? null)) return false
    before = key
  }
  return true
}

/** The text of a value with its members in their present order. */
export function plainJson(value: Value): string {
  return typeof value === 'object' && value !== null ? markupSafeJson(value) : scalarJson(value)
}

function objectJson(object: ValueMap, shape: ObjectShape, depth: number): string {
  let out = ''
  if (shape.typeMeta) {
    if (typeof object['kind'] === 'string') out = `"kind":${stringJson(object['kind'])}`
    const version = object['apiVersion']
    if (typeof version === 'string') out += `${out === '' ? '' : ','}"apiVersion":${stringJson(version)}`
  }
  for (const field of shape.fields) {
    const { name } = field
    // No field has the name of a member that all JavaScript objects inherit.
    const value = object[name]
    if (value === undefined) {
      if (isAlwaysShown(field))
        out += `${out === '' ? '' : ','}"${name}":${fieldJson(field, zeroOfField(field), depth)}`
    } else if (!isOmitted(field, value)) out += `${out === '' ? '' : ','}"${name}":${fieldJson(field, value, depth)}`
  }
  if (shape.preserveUnknown) out = withUnknown(out, object, shape)
  return `{${out}}`
}

function withUnknown(known: string, object: ValueMap, shape: ObjectShape): string {
  let out = known
  for (const key of sortedKeys(object)) {
    if (shape.byName.has(key) || (shape.typeMeta && (key === 'kind' || key === 'apiVersion'))) continue
    out += `${out === '' ? '' : ','}${stringJson(key)}:${sortedJson(object[key] ?? null)}`
  }
  return out
}

function fieldJson(field: Field, value: Value, depth: number): string {
  if (value === null && !field.pointer && field.shape.kind === 'object') return objectJson({}, field.shape, depth)
  return canonicalText(value, field.shape, depth)
}

function shapedJson(shape: Shape, value: Value, depth: number): string {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? objectJson(value, shape, depth) : plainJson(value)
    case 'list':
      return isList(value) ? listJson(shape.item, value, depth) : plainJson(value)
    case 'map':
      return isMap(value) ? mapJson(shape.value, value, depth) : plainJson(value)
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return schemaOrJson(shape, value, depth)
    default:
      return plainJson(value)
  }
}

function listJson(item: Shape, list: readonly Value[], depth: number): string {
  let out = ''
  for (let i = 0; i < list.length; i++) out += (i === 0 ? '' : ',') + canonicalText(list[i] ?? null, item, depth)
  return `[${out}]`
}

function mapJson(shape: Shape, map: ValueMap, depth: number): string {
  let out = ''
  for (const key of sortedKeys(map)) {
    out += `${out === '' ? '' : ','}${stringJson(key)}:${canonicalText(map[key] ?? null, shape, depth)}`
  }
  return `{${out}}`
}

function schemaOrJson({ schema }: OpaqueShape, value: Value, depth: number): string {
  if (schema === undefined) return plainJson(value)
  if (isMap(value)) return objectJson(value, schema, depth)
  return isList(value) ? listJson(schema, value, depth) : plainJson(value)
}

function scalarJson(value: Exclude<Value, ValueMap | readonly Value[]>): string {
  if (typeof value === 'string') return stringJson(value)
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Matches characters that are escaped: quotes, backslashes, control characters, and markup as in the reference. */
const SPECIAL = /[^ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/

/** A string in quotes. Half a surrogate pair becomes U+FFFD. */
export function stringJson(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  return escapeMarkup(JSON.stringify(text.toWellFormed()))
}
