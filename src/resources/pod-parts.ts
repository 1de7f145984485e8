// Reading the parts of a pod: a member that is absent or of another type reads as an empty one.
import type { FieldPath } from '../api/field-path.ts'
import type { ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'

const NOTHING: ValueMap = Object.freeze({})

export function partIn(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : NOTHING
}

export function partsIn(map: ValueMap, name: string): readonly ValueMap[] {
  const value = own(map, name)
  return isList(value) ? value.map((item) => (isMap(item) ? item : NOTHING)) : []
}

export function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

export function numberIn(map: ValueMap, name: string): number {
  const value = own(map, name)
  return typeof value === 'number' ? value : 0
}

export interface PlacedContainer {
  readonly container: ValueMap
  readonly at: FieldPath
}

/** All containers of a pod, those that run first in front. */
export function containersIn(spec: ValueMap, at: FieldPath): readonly PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    partsIn(spec, list).map((container, i) => ({ container, at: at.child(list).index(i) })),
  )
}

/** A warning about the field at a place. */
export function warningAt(at: FieldPath, text: string): string {
  return `${at.toString()}: ${text}`
}
