// Reading and replacing members of the objects that plugins are shown. A member that is absent or of another type reads as
// an empty one; objects are never changed in place.
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'

const NO_MEMBERS: ValueMap = Object.freeze({})
const NO_ITEMS: readonly never[] = Object.freeze([])

export function mapIn(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : NO_MEMBERS
}

/** The map under a name, where absence and an empty one differ. */
export function partIn(map: ValueMap, name: string): ValueMap | undefined {
  const value = own(map, name)
  return isMap(value) ? value : undefined
}

export function mapsIn(map: ValueMap, name: string): readonly ValueMap[] {
  const value = own(map, name)
  if (!isList(value)) return NO_ITEMS
  return value.every(isMap) ? value : value.filter(isMap)
}

export function textsIn(map: ValueMap, name: string): readonly string[] {
  const value = own(map, name)
  return isList(value) ? value.filter((item) => typeof item === 'string') : NO_ITEMS
}

export function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

export function numberIn(map: ValueMap, name: string): number | undefined {
  const value = own(map, name)
  return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : undefined
}

export function specOf(object: ValueMap): ValueMap {
  return mapIn(object, 'spec')
}

export function metaText(object: ValueMap, name: string): string {
  return textIn(mapIn(object, 'metadata'), name)
}

export function labelsOf(object: ValueMap): ValueMap {
  return mapIn(mapIn(object, 'metadata'), 'labels')
}

export function annotationsOf(object: ValueMap): ValueMap {
  return mapIn(mapIn(object, 'metadata'), 'annotations')
}

export function withSpec(object: ApiObject, members: Readonly<Record<string, Value>>): ApiObject {
  return { ...object, spec: { ...specOf(object), ...members } }
}

export function withMetadata(object: ApiObject, members: Readonly<Record<string, Value>>): ApiObject {
  return { ...object, metadata: { ...mapIn(object, 'metadata'), ...members } }
}

/** The lists of containers that a pod can have, in the order that the reference walks them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const
