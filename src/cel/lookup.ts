// Selects fields and indexes values, with and without optionals.
import { CelList, CelMap, type CelValue, Fault, noSuchKey, NONE, Optional, Uint } from './value.ts'

export function selected(value: CelValue, field: string): CelValue {
  if (value instanceof CelMap) {
    const found = value.get(field)
    return found === undefined ? noSuchKey(field) : found
  }
  if (value instanceof Fault) return value
  return value instanceof Optional ? indexed(value, field, false) : noSuchKey(field)
}

/** `has(value.field)` */
export function tested(value: CelValue, field: string): CelValue {
  if (value instanceof CelMap) return value.has(field)
  if (value instanceof Fault) return value
  if (value instanceof Optional) return value.value !== undefined && tested(value.value, field)
  return false
}

/** `value[key]`, or `value[?key]` and `value.?key`. */
export function indexed(value: CelValue, key: CelValue, optional: boolean): CelValue {
  if (value instanceof Fault) return value
  if (key instanceof Fault) return key
  if (value instanceof Optional) return insideOptional(value, key, optional)
  // `object.?spec` is asked of the null that `object` is where something is deleted.
  if (!(value instanceof CelList) && !(value instanceof CelMap)) return optional ? NONE : noSuchKey(key)
  const found = value instanceof CelList ? item(value, key) : value.get(key)
  if (found instanceof Fault) return found
  if (optional) return found === undefined ? NONE : new Optional(found)
  return found === undefined ? missing(value, key) : found
}

/** Only the optional forms find nothing in a value without members. */
function insideOptional({ value }: Optional, key: CelValue, optional: boolean): CelValue {
  if (value === undefined) return NONE
  const hasMembers = value instanceof CelList || value instanceof CelMap || value instanceof Optional
  return optional || hasMembers ? indexed(value, key, true) : noSuchKey(key)
}

function missing(value: CelValue, key: CelValue): Fault {
  return value instanceof CelList ? new Fault(`index out of bounds: ${positionOf(key)}`) : noSuchKey(key)
}

/** Undefined: the list has no such item. */
function item(list: CelList, key: CelValue): CelValue | undefined {
  const position = positionOf(key)
  if (position === undefined) return new Fault(`unsupported index type '${typeof key}' in list`)
  return position >= 0 && position < list.size ? list.at(position) : undefined
}

function positionOf(key: CelValue): number | undefined {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof Uint) return Number(key.value)
  return typeof key === 'number' && Number.isInteger(key) ? key : undefined
}
