// An object with the members that output never leaves out written down: an unset required string is "", an unset list
// null, an unset struct {}. Ownership is computed on this form, because it is what clients see. What is complete already, as
// everything is that was decoded, is handed back itself: parts that two objects share then stay shared.
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, setOwn } from '../api/value.ts'
import type { ObjectShape, Shape } from '../schema/table.ts'
import { shownFields, zeroOfField } from '../schema/zero-value.ts'

export function completed(shape: ObjectShape, object: ValueMap): ValueMap {
  let result: Record<string, Value> | undefined
  for (const key of Object.keys(object)) {
    const field = shape.byName.get(key)
    const value = object[key]!
    if (field === undefined || typeof value !== 'object') continue
    const whole = completedValue(field.shape, value)
    if (whole === value) continue
    result ??= { ...object }
    setOwn(result, key, whole)
  }
  for (const field of shownFields(shape)) {
    if (Object.hasOwn(object, field.name)) continue
    result ??= { ...object }
    result[field.name] = zeroOfField(field)
  }
  return result ?? object
}

function completedValue(shape: Shape, value: Value): Value {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? completed(shape, value) : value
    case 'list':
      return isList(value) && hasStructs(shape.item) ? completedItems(shape.item, value) : value
    case 'map':
      return isMap(value) && hasStructs(shape.value) ? completedMembers(shape.value, value) : value
    default:
      return value
  }
}

function completedItems(item: Shape, list: readonly Value[]): readonly Value[] {
  let result: Value[] | undefined
  for (let i = 0; i < list.length; i++) {
    const value = list[i]!
    const whole = completedValue(item, value)
    if (whole === value) continue
    result ??= [...list]
    result[i] = whole
  }
  return result ?? list
}

function completedMembers(shape: Shape, map: ValueMap): ValueMap {
  let result: Record<string, Value> | undefined
  for (const key of Object.keys(map)) {
    const whole = completedValue(shape, map[key]!)
    if (whole === map[key]) continue
    result ??= { ...map }
    setOwn(result, key, whole)
  }
  return result ?? map
}

function hasStructs(shape: Shape): boolean {
  return shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'map'
}
