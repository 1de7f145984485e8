// Reading documents whose members may be absent or of another type than they should be: those read as empty ones.
import { jsonText } from './json-text.ts'
import type { ValueMap } from './value.ts'
import { isList, isMap, own } from './value.ts'

const NO_MEMBERS: ValueMap = Object.freeze({})

export function mapIn(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : NO_MEMBERS
}

/** What is in the list and is no map reads as an empty one, so that places in the list stay what they are. */
export function mapsIn(map: ValueMap, name: string): readonly ValueMap[] {
  const value = own(map, name)
  return isList(value) ? value.map((item) => (isMap(item) ? item : NO_MEMBERS)) : []
}

export function textsIn(map: ValueMap, name: string): readonly string[] {
  const value = own(map, name)
  return isList(value) ? value.map((item) => (typeof item === 'string' ? item : jsonText(item))) : []
}

export function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}
