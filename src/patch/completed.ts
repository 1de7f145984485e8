// An object with the members that output never leaves out written down: an unset required string is "", an unset list
// null, an unset struct {}. Ownership is computed on this form, because it is what clients see.
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, setOwn } from '../api/value.ts'
import type { Field, ObjectShape, Shape } from '../schema/table.ts'

export function completed(shape: ObjectShape, object: ValueMap): ValueMap {
  const result: Record<string, Value> = {}
  for (const key of Object.keys(object)) {
    const field = shape.byName.get(key)
    setOwn(result, key, field === undefined ? object[key]! : completedValue(field.shape, object[key]!))
  }
  for (const field of shape.fields) {
    if (Object.hasOwn(object, field.name)) continue
    const unset = unsetValue(field)
    if (unset !== undefined) result[field.name] = unset
  }
  return result
}

function completedValue(shape: Shape, value: Value): Value {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? completed(shape, value) : value
    case 'list':
      return isList(value) && hasStructs(shape.item) ? value.map((item) => completedValue(shape.item, item)) : value
    case 'map': {
      if (!isMap(value) || !hasStructs(shape.value)) return value
      const result: Record<string, Value> = {}
      for (const key of Object.keys(value)) setOwn(result, key, completedValue(shape.value, value[key]!))
      return result
    }
    default:
      return value
  }
}

function hasStructs(shape: Shape): boolean {
  return shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'map'
}

/** What output prints for a field that is not set; undefined where it leaves the field out. */
function unsetValue(field: Field): Value | undefined {
  if (field.pointer) return field.omit === 'never' ? null : undefined
  const { shape } = field
  if (shape.kind === 'object') return field.omit === 'zero' ? undefined : completed(shape, {})
  if (field.omit !== 'never') return undefined
  switch (shape.kind) {
    case 'string':
    case 'duration':
      return ''
    case 'int32':
    case 'int64':
    case 'number':
    case 'intOrString':
      return 0
    case 'boolean':
      return false
    case 'quantity':
      return '0'
    default:
      return null
  }
}
