// Compares values by their texts, as the reference does for scalars: 1 is not equal to 1.0 (W-184).
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { ExactMap, ExactNumber, type SourceValue } from '../schema/exact-value.ts'

/** The member of a map, which may be an `ExactMap`. The last of repeated members counts. */
export function spelledMember(map: SourceValue, name: string): SourceValue | undefined {
  if (map instanceof ExactMap) return map.values[map.keys.lastIndexOf(name)]
  return isSpelledMap(map) ? own(map, name) : undefined
}

/** The number of members or items. Undefined: the value is a scalar. */
export function spelledSize(spelled: SourceValue): number | undefined {
  return Array.isArray(spelled) ? spelled.length : membersOf(spelled)?.size
}

/** Whether two values have the same text: maps are compared by members, lists in order, numbers by their digits. */
export function isSpelledAs(value: Value, spelled: SourceValue): boolean {
  if (spelled instanceof ExactNumber) {
    return (typeof value === 'number' || typeof value === 'bigint') && String(value) === spelled.text
  }
  if (isList(value)) {
    const items = Array.isArray(spelled) ? (spelled as readonly SourceValue[]) : undefined
    return items?.length === value.length && value.every((item, i) => isSpelledAs(item, items[i]!))
  }
  if (isMap(value)) {
    const members = membersOf(spelled)
    const names = Object.keys(value)
    return (
      members?.size === names.length &&
      names.every((name) => {
        const member = members.get(name)
        return member !== undefined && isSpelledAs(value[name]!, member)
      })
    )
  }
  return equalValues(value, spelled as Value)
}

/** The members by name. The last of repeated members counts. Undefined: the value is not a map. */
function membersOf(map: SourceValue): ReadonlyMap<string, SourceValue> | undefined {
  if (map instanceof ExactMap) return new Map(map.keys.map((key, i) => [key, map.values[i]!]))
  return isSpelledMap(map) ? new Map(Object.entries(map)) : undefined
}

function isSpelledMap(value: SourceValue): value is ValueMap {
  return !(value instanceof ExactNumber) && isMap(value as Value)
}
