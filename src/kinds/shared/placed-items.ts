// The items of a list, each with its place, for rules that check each item.
import type { FieldPath } from '../../api/field-path.ts'
import { mapsInPlace, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'

/** `at` is the place of the map that has the list. */
export function placedMaps(map: ValueMap, name: string, at: FieldPath): readonly (readonly [ValueMap, FieldPath])[] {
  const list = at.child(name)
  return mapsInPlace(map, name).map((item, i) => [item, list.index(i)])
}

/** `at` is the place of the map that has the list. */
export function placedTexts(map: ValueMap, name: string, at: FieldPath): readonly (readonly [string, FieldPath])[] {
  const list = at.child(name)
  return textsInPlace(map, name).map((item, i) => [item, list.index(i)])
}
