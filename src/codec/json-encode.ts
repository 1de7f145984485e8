// Canonical JSON: the reference's order of fields, its rules of omission, its way to escape. Two canonical objects are equal
// if and only if their bytes are, and stored bytes can be served as they are.
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import type { Field, KindSchema, ObjectShape, OpaqueShape, Shape } from '../schema/table.ts'
import { isAlwaysShown, isOmitted, zeroOfField } from '../schema/zero-value.ts'

/** The canonical bytes of an object. What its kind does not know is left out; custom kinds are written as they are. */
export function encodeJson(object: ValueMap, kind: KindSchema): Buffer {
  return Buffer.from(canonicalJson(object, kind), 'utf8')
}

/** The same as text. */
export function canonicalJson(object: ValueMap, kind: KindSchema): string {
  return kind.custom === true ? sortedJson(object) : typedJson(object, kind.shape)
}

/** The canonical text of an object of a built-in shape. */
export function typedJson(object: ValueMap, shape: ObjectShape): string {
  return objectJson(object, shape)
}

/** The text of any value with the members of all its maps sorted: how custom kinds are written. */
export function sortedJson(value: Value): string {
  if (!isMap(value)) return isList(value) ? `[${value.map(sortedJson).join(',')}]` : scalarJson(value)
  let out = ''
  for (const key of sortedKeys(value))
    out += `${out === '' ? '' : ','}${stringJson(key)}:${sortedJson(value[key] ?? null)}`
  return `{${out}}`
}

/** The text of any value with its members in the order in which they are. */
export function plainJson(value: Value): string {
  if (!isMap(value)) return isList(value) ? `[${value.map(plainJson).join(',')}]` : scalarJson(value)
  let out = ''
  for (const key of Object.keys(value))
    out += `${out === '' ? '' : ','}${stringJson(key)}:${plainJson(value[key] ?? null)}`
  return `{${out}}`
}

function objectJson(object: ValueMap, shape: ObjectShape): string {
  let out = ''
  if (shape.typeMeta) {
    if (typeof object['kind'] === 'string') out = `"kind":${stringJson(object['kind'])}`
    const version = object['apiVersion']
    if (typeof version === 'string') out += `${out === '' ? '' : ','}"apiVersion":${stringJson(version)}`
  }
  for (const field of shape.fields) {
    const { name } = field
    // No kind has a field by the name of a member that all objects inherit.
    const value = object[name]
    if (value === undefined) {
      if (isAlwaysShown(field)) out += `${out === '' ? '' : ','}"${name}":${fieldJson(field, zeroOfField(field))}`
    } else if (!isOmitted(field, value)) out += `${out === '' ? '' : ','}"${name}":${fieldJson(field, value)}`
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

function fieldJson(field: Field, value: Value): string {
  if (value === null && !field.pointer && field.shape.kind === 'object') return objectJson({}, field.shape)
  return shapedJson(field.shape, value)
}

function shapedJson(shape: Shape, value: Value): string {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? objectJson(value, shape) : plainJson(value)
    case 'list':
      return isList(value) ? listJson(shape.item, value) : plainJson(value)
    case 'map':
      return isMap(value) ? mapJson(shape.value, value) : plainJson(value)
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return schemaOrJson(shape, value)
    default:
      return plainJson(value)
  }
}

function listJson(item: Shape, list: readonly Value[]): string {
  let out = ''
  for (let i = 0; i < list.length; i++) out += (i === 0 ? '' : ',') + shapedJson(item, list[i] ?? null)
  return `[${out}]`
}

function mapJson(shape: Shape, map: ValueMap): string {
  let out = ''
  for (const key of sortedKeys(map)) {
    out += `${out === '' ? '' : ','}${stringJson(key)}:${shapedJson(shape, map[key] ?? null)}`
  }
  return `{${out}}`
}

function schemaOrJson({ schema }: OpaqueShape, value: Value): string {
  if (schema === undefined) return plainJson(value)
  if (isMap(value)) return objectJson(value, schema)
  if (isList(value))
    return `[${value.map((item) => (isMap(item) ? objectJson(item, schema) : plainJson(item))).join(',')}]`
  return plainJson(value)
}

/** Keys in the order of their UTF-8 bytes. */
function sortedKeys(map: ValueMap): readonly string[] {
  const keys = Object.keys(map)
  if (keys.length < 2) return keys
  // UTF-16 has the same order but for the characters at its end.
  return keys.some((key) => HIGH.test(key))
    ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : keys.sort()
}

const HIGH = /[\ud800-\uffff]/

function scalarJson(value: Exclude<Value, ValueMap | readonly Value[]>): string {
  if (typeof value === 'string') return stringJson(value)
  return Object.is(value, -0) ? '-0' : String(value)
}

/** What has to be escaped, as the complement of what has not: quotes, backslashes, controls, and markup as in the reference. */
const SPECIAL = /[^ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/
const MARKUP_ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** A string in quotes. Half a surrogate pair becomes U+FFFD. */
export function stringJson(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]/g, (char) => MARKUP_ESCAPES[char] ?? char)
}
