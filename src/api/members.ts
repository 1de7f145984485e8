// Reads members of maps that have not been type-checked. A member that is absent, null or of another type reads as absent or as the empty
// value of the wanted type. The name of a reader says which of these it returns, and whether the items of a list keep their places.
//
// All inherited members except `__proto__` are functions. So texts, numbers, `true` and lists need no check for own members.
import { parseQuantity, type Quantity } from '../lib/quantity.ts'
import type { Value, ValueMap } from './value.ts'
import { isList, isMap, own } from './value.ts'

const NO_MEMBERS: ValueMap = {}
const NO_ITEMS: readonly never[] = []

export function textOrAbsent(map: ValueMap, name: string): string | undefined {
  const value = map[name]
  return typeof value === 'string' ? value : undefined
}

export function textOrEmpty(map: ValueMap, name: string): string {
  const value = map[name]
  return typeof value === 'string' ? value : ''
}

/** As a double: an integer beyond 2^53 is rounded. */
export function numberOrAbsent(map: ValueMap, name: string): number | undefined {
  const value = map[name]
  return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : undefined
}

/** As a double: an integer beyond 2^53 is rounded. */
export function numberOrZero(map: ValueMap, name: string): number {
  return numberOrAbsent(map, name) ?? 0
}

/** The exact number, even beyond 2^53. */
export function integerOrAbsent(map: ValueMap, name: string): number | bigint | undefined {
  const value = map[name]
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** The exact number, even beyond 2^53. */
export function integerOrZero(map: ValueMap, name: string): number | bigint {
  return integerOrAbsent(map, name) ?? 0
}

/** A text that is not a quantity also reads as absent. */
export function quantityOrAbsent(map: ValueMap, name: string): Quantity | undefined {
  const text = textOrAbsent(map, name)
  const parsed = text === undefined ? undefined : parseQuantity(text)
  return parsed?.ok === true ? parsed.quantity : undefined
}

/** Whether the member is `true` itself. */
export function isTrue(map: ValueMap, name: string): boolean {
  return map[name] === true
}

/** Whether the member exists and is not null. Its type does not matter. */
export function isGiven(map: ValueMap, name: string): boolean {
  const value = own(map, name)
  return value !== undefined && value !== null
}

export function mapOrAbsent(map: ValueMap, name: string): ValueMap | undefined {
  const value = name === '__proto__' ? own(map, name) : map[name]
  return isMap(value) ? value : undefined
}

export function mapOrEmpty(map: ValueMap, name: string): ValueMap {
  const value = name === '__proto__' ? own(map, name) : map[name]
  return isMap(value) ? value : NO_MEMBERS
}

/** The value if it is a map, otherwise an empty map. */
export function asMap(value: Value | undefined): ValueMap {
  return isMap(value) ? value : NO_MEMBERS
}

export function listOrEmpty(map: ValueMap, name: string): readonly Value[] {
  const value = map[name]
  return isList(value) ? value : NO_ITEMS
}

/** The maps of a list, each at its place. An item that is not a map reads as an empty map. */
export function mapsInPlace(map: ValueMap, name: string): readonly ValueMap[] {
  const list = listOrEmpty(map, name)
  return list.every(isMap) ? list : list.map(asMap)
}

/** The maps of a list. Other items are left out, so indexes differ from those of the list. */
export function mapsOnly(map: ValueMap, name: string): readonly ValueMap[] {
  const list = listOrEmpty(map, name)
  return list.every(isMap) ? list : list.filter(isMap)
}

/** The texts of a list, each at its place. An item that is not a text reads as an empty text. */
export function textsInPlace(map: ValueMap, name: string): readonly string[] {
  const list = listOrEmpty(map, name)
  return list.every(isText) ? list : list.map((item) => (isText(item) ? item : ''))
}

/** The texts of a list. Other items are left out, so indexes differ from those of the list. */
export function textsOnly(map: ValueMap, name: string): readonly string[] {
  const list = listOrEmpty(map, name)
  return list.every(isText) ? list : list.filter(isText)
}

function isText(value: Value): value is string {
  return typeof value === 'string'
}
