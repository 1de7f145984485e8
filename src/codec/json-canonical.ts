// Tells whether an object is canonical: its members are in order, with none to omit and none to add. `JSON.stringify` can write a canonical
// object, four times as fast as our own encoder.
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import { HIGH } from '../lib/text-order.ts'
import type { Field, ObjectShape, OpaqueShape, Shape } from '../schema/table.ts'
import { isOmitted, shownFields } from '../schema/zero-value.ts'

/** Visits every value once, except values that the schema does not describe. */
export function isCanonical(value: Value, shape: Shape): boolean {
  if (typeof value !== 'object' || value === null) return true
  switch (shape.kind) {
    case 'object':
      return isMap(value) && isCanonicalObject(value, shape)
    case 'list':
      return isList(value) && isCanonicalList(value, shape.item)
    case 'map':
      return isMap(value) && isCanonicalMap(value, shape.value)
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return isCanonicalSchemaOr(value, shape)
    default:
      return true
  }
}

function isCanonicalObject(object: ValueMap, shape: ObjectShape): boolean {
  if (shape.preserveUnknown) return false
  const keys = Object.keys(object)
  const { fields } = shape
  const shown = shownFields(shape)
  let at = 0
  if (shape.typeMeta) {
    if (keys[at] === 'kind') at += 1
    if (keys[at] === 'apiVersion') at += 1
  }
  let nextShown = 0
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as Field
    const isShown = shown[nextShown] === field
    if (isShown) nextShown += 1
    if (keys[at] !== field.name) {
      if (isShown) return false
      continue
    }
    at += 1
    const value = object[field.name] ?? null
    if (isOmitted(field, value)) return false
    if (value === null && field.shape.kind === 'object' && !field.pointer) return false
    if (typeof value === 'object' && !isCanonical(value, field.shape)) return false
  }
  return at === keys.length
}

function isCanonicalList(list: readonly Value[], item: Shape): boolean {
  for (const value of list) if (!isCanonical(value, item)) return false
  return true
}

function isCanonicalMap(map: ValueMap, shape: Shape): boolean {
  let last = ''
  for (const key of Object.keys(map)) {
    if (key < last || HIGH.test(key) || !isCanonical(map[key] ?? null, shape)) return false
    last = key
  }
  return true
}

function isCanonicalSchemaOr(value: Value, { schema }: OpaqueShape): boolean {
  if (schema === undefined) return true
  if (isMap(value)) return isCanonicalObject(value, schema)
  return !isList(value) || isCanonicalList(value, schema)
}
