// Equality as the reference compares specs: unset, null and empty are the same (W-144).
import { equalValues, isList, isMap, own, type Value } from '../../api/value.ts'

export function semanticallyEqual(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b)
  if (isMap(a) && isMap(b)) {
    return (
      Object.keys(a).every((key) => semanticallyEqual(a[key], own(b, key))) &&
      Object.keys(b).every((key) => Object.hasOwn(a, key) || isNothing(b[key]))
    )
  }
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => semanticallyEqual(item, b[index]))
  }
  return equalValues(a, b)
}

function isNothing(value: Value | undefined): boolean {
  if (value === undefined || value === null) return true
  return isList(value) ? value.length === 0 : false
}
