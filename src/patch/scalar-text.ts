// How a value is written, where that counts: the reference compares the texts of scalars, so that 1 is not 1.0 (W-184).
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { ExactMap, ExactNumber, type SourceValue } from '../schema/exact-value.ts'

/** A member of a map in either form; of members that repeat the last counts. */
export function spelledMember(map: SourceValue, name: string): SourceValue | undefined {
  if (map instanceof ExactMap) return map.values[map.keys.lastIndexOf(name)]
  return isSpelledMap(map) ? own(map, name) : undefined
}

/** How many members or items it has; undefined where it can have none. */
export function spelledSize(spelled: SourceValue): number | undefined {
  return Array.isArray(spelled) ? spelled.length : membersOf(spelled)?.size
}

/** Whether a value would be written like that: maps by their members, lists in order, numbers by their digits. */
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

/** Of members that repeat the last. */
function membersOf(map: SourceValue): ReadonlyMap<string, SourceValue> | undefined {
  if (map instanceof ExactMap) return new Map(map.keys.map((key, i) => [key, map.values[i]!]))
  return isSpelledMap(map) ? new Map(Object.entries(map)) : undefined
}

function isSpelledMap(value: SourceValue): value is ValueMap {
  return !(value instanceof ExactNumber) && isMap(value as Value)
}
