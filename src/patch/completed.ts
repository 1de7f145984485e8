// An object with the members that output never leaves out written down: an unset required string is "", an unset list
// null, an unset struct {}. Ownership is computed on this form, because it is what clients see.
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, setOwn } from '../api/value.ts'
import type { ObjectShape, Shape } from '../schema/table.ts'
import { isAlwaysShown, zeroOfField } from '../schema/zero-value.ts'

export function completed(shape: ObjectShape, object: ValueMap): ValueMap {
  const result: Record<string, Value> = {}
  for (const key of Object.keys(object)) {
    const field = shape.byName.get(key)
    setOwn(result, key, field === undefined ? object[key]! : completedValue(field.shape, object[key]!))
  }
  for (const field of shape.fields) {
    if (Object.hasOwn(object, field.name)) continue
    if (isAlwaysShown(field)) result[field.name] = zeroOfField(field)
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
