// The completed form of an object: it has all members that output never leaves out. An unset required string is "", an unset list null, an
// unset struct {}. Ownership is computed on this form, because clients see it. An object that is already complete is returned itself, so
// that parts that two objects share stay shared. Every decoded object is complete.
import { isList, isMap, setOwn, type Value, type ValueMap } from '../api/value.ts'
import { hasMembers } from '../schema/member-order.ts'
import type { ObjectShape, Shape } from '../schema/table.ts'
import { shownFields, zeroOfField } from '../schema/zero-value.ts'

/** The completed form of `object`. `other` is the object that the result is compared with: their shared parts need not be completed. */
export function withZeroValues(shape: ObjectShape, object: ValueMap, other?: Value): ValueMap {
  const others = isMap(other) ? other : undefined
  let result: Record<string, Value> | undefined
  for (const key of Object.keys(object)) {
    const value = object[key]!
    if (typeof value !== 'object' || value === others?.[key]) continue
    const field = shape.byName.get(key)
    if (field === undefined) continue
    const whole = completedValue(field.shape, value, others?.[key])
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

function completedValue(shape: Shape, value: Value, other: Value | undefined): Value {
  if (value === other) return value
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? withZeroValues(shape, value, other) : value
    case 'list':
      return isList(value) && hasMembers(shape.item) ? completedItems(shape.item, value, other) : value
    case 'map':
      return isMap(value) && hasMembers(shape.value) ? completedMembers(shape.value, value, other) : value
    default:
      return value
  }
}

function completedItems(item: Shape, list: readonly Value[], other: Value | undefined): readonly Value[] {
  const others = isList(other) ? other : undefined
  let result: Value[] | undefined
  for (let i = 0; i < list.length; i++) {
    const value = list[i]!
    const whole = completedValue(item, value, others?.[i])
    if (whole === value) continue
    result ??= [...list]
    result[i] = whole
  }
  return result ?? list
}

function completedMembers(shape: Shape, map: ValueMap, other: Value | undefined): ValueMap {
  const others = isMap(other) ? other : undefined
  let result: Record<string, Value> | undefined
  for (const key of Object.keys(map)) {
    const whole = completedValue(shape, map[key]!, others?.[key])
    if (whole === map[key]) continue
    result ??= { ...map }
    setOwn(result, key, whole)
  }
  return result ?? map
}
