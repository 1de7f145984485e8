// Reading members of decoded objects. A member that is absent, null or of another type reads as the zero value of the
// type asked for, so that validators never throw and never look at a value twice.
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'

const NO_ITEMS: readonly never[] = []
const NO_MEMBERS: ValueMap = {}

/** The text under a name; '' where there is none. */
export function textOf(map: ValueMap, name: string): string {
  const value = map[name]
  return typeof value === 'string' ? value : ''
}

/** The text under a name where the field tells absence from ''. */
export function textIn(map: ValueMap, name: string): string | undefined {
  const value = map[name]
  return typeof value === 'string' ? value : undefined
}

/** The integer under a name where the field tells absence from 0. */
export function numberIn(map: ValueMap, name: string): number | bigint | undefined {
  const value = map[name]
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** The integer under a name; 0 where there is none. */
export function numberOf(map: ValueMap, name: string): number | bigint {
  return numberIn(map, name) ?? 0
}

/** True only where the member is `true`. */
export function flagOf(map: ValueMap, name: string): boolean {
  return map[name] === true
}

/** Whether a pointer, list or map member is there. */
export function has(map: ValueMap, name: string): boolean {
  const value = map[name]
  return value !== undefined && value !== null
}

/** The object under a name where the field tells absence from an empty one. */
export function partIn(map: ValueMap, name: string): ValueMap | undefined {
  const value = map[name]
  return isMap(value) ? value : undefined
}

/** The object under a name; an empty one where there is none. */
export function partOf(map: ValueMap, name: string): ValueMap {
  const value = map[name]
  return isMap(value) ? value : NO_MEMBERS
}

export function listOf(map: ValueMap, name: string): readonly Value[] {
  const value = map[name]
  return isList(value) ? value : NO_ITEMS
}

/** The items of a list of objects; an item of another type reads as an empty object. */
export function partsOf(map: ValueMap, name: string): readonly ValueMap[] {
  const value = map[name]
  if (!isList(value)) return NO_ITEMS
  return value.every(isMap) ? value : value.map((item) => (isMap(item) ? item : NO_MEMBERS))
}

/** The items of a list of words; an item of another type reads as ''. */
export function textsOf(map: ValueMap, name: string): readonly string[] {
  const value = map[name]
  if (!isList(value)) return NO_ITEMS
  return value.every(isText) ? value : value.map((item) => (isText(item) ? item : ''))
}

/** The text under a key that a user chose. */
export function textUnder(map: ValueMap, key: string): string | undefined {
  const value = own(map, key)
  return isText(value) ? value : undefined
}

function isText(value: Value | undefined): value is string {
  return typeof value === 'string'
}
