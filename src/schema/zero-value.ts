// Zero values, and the omission of fields. The reference's kinds are structs, so their fields always have a value. Its JSON omits some
// fields when their value is zero. Decoding and encoding share this code.
import { type Value, isList, isMap, type ValueMap } from '../api/value.ts'
import type { Field, ObjectShape, Shape } from './table.ts'

/** Types that are structs in the reference. Go's JSON never counts a struct as empty, but it can be zero. */
const RECORDS: ReadonlySet<Shape['kind']> = new Set<Shape['kind']>([
  'object',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'any',
  'rawExtension',
  'fieldsV1',
  'schemaOrArray',
  'schemaOrBool',
  'schemaOrStringArray',
])

/** Whether JSON shows the field even if it was never set. */
export function isAlwaysShown(field: Field): boolean {
  if (field.omit === 'never') return true
  return field.omit === 'empty' && !field.pointer && RECORDS.has(field.shape.kind)
}

/** The value that JSON shows for a field that was never set, if JSON shows the field. */
export function zeroOfField(field: Field): Value {
  return field.pointer ? null : zeroOf(field.shape)
}

export function zeroOf(shape: Shape): Value {
  switch (shape.kind) {
    case 'string':
      return ''
    case 'int32':
    case 'int64':
    case 'number':
    case 'intOrString':
      return 0
    case 'boolean':
      return false
    case 'duration':
      return '0s'
    case 'quantity':
      return '0'
    case 'object':
      return zeroObject(shape)
    default:
      return null
  }
}

function zeroObject(shape: ObjectShape): ValueMap {
  const zero: Record<string, Value> = {}
  for (const field of shownFields(shape)) zero[field.name] = zeroOfField(field)
  return zero
}

/** The fields that JSON shows even if they were never set. */
export function shownFields(shape: ObjectShape): readonly Field[] {
  return shape.shown ?? shape.fields.filter(isAlwaysShown)
}

/** Whether JSON leaves the field out if it has this canonical value. */
export function isOmitted(field: Field, value: Value): boolean {
  const { omit } = field
  if (omit === 'never') return false
  if (omit === 'absent') return value === null
  if (value === null) return field.pointer || omit === 'zero' || !RECORDS.has(field.shape.kind)
  if (field.pointer) return false
  if (omit === 'zero') return RECORDS.has(field.shape.kind) ? isZero(field.shape, value) : isEmpty(value)
  if (typeof value !== 'object')
    return (value === '' || value === 0 || value === false) && !RECORDS.has(field.shape.kind)
  return field.shape.kind !== 'object' && isEmpty(value) && !RECORDS.has(field.shape.kind)
}

function isEmpty(value: Value): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false
  if (value === null) return true
  if (isList(value)) return value.length === 0
  for (const _key in value) return false
  return true
}

function isZero(shape: Shape, value: Value): boolean {
  if (shape.kind !== 'object') return value === zeroOf(shape)
  if (!isMap(value)) return value === null
  for (const name of Object.keys(value)) {
    const field = shape.byName.get(name)
    const member = value[name] ?? null
    if (field === undefined || field.pointer) {
      if (member !== null) return false
    } else if (RECORDS.has(field.shape.kind) ? !isZero(field.shape, member) : !isEmpty(member)) return false
  }
  return true
}
