// Reading and replacing members of objects that are never changed in place.
import type { ApiObject } from '../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { metaOf, withMeta } from '../../registry/object-meta.ts'
import { textOf } from '../../schema/validation/members.ts'

const NO_MEMBERS: ValueMap = Object.freeze({})
const NO_ITEMS: readonly never[] = Object.freeze([])

/** The map under a name; empty where there is none. */
export function mapIn(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : NO_MEMBERS
}

/** The maps in the list under a name. */
export function mapsIn(map: ValueMap, name: string): readonly ValueMap[] {
  const value = own(map, name)
  if (!isList(value)) return NO_ITEMS
  return value.every(isMap) ? value : value.filter(isMap)
}

/** The texts in the list under a name. */
export function textsIn(map: ValueMap, name: string): readonly string[] {
  const value = own(map, name)
  return isList(value) ? value.filter((item) => typeof item === 'string') : NO_ITEMS
}

/** The map with members replaced; `undefined` takes one away. */
export function withMembers(map: ValueMap, members: Readonly<Record<string, Value | undefined>>): ValueMap {
  const result: Record<string, Value> = { ...map }
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete result[name]
    else result[name] = value
  }
  return result
}

export function withSpec(object: ApiObject, members: Readonly<Record<string, Value | undefined>>): ApiObject {
  return { ...object, spec: withMembers(mapIn(object, 'spec'), members) }
}

export function annotationOf(object: ValueMap, name: string): string {
  return textOf(mapIn(metaOf(object), 'annotations'), name)
}

export function withAnnotation(object: ApiObject, name: string, value: string): ApiObject {
  return withMeta(object, {
    annotations: { ...mapIn(metaOf(object), 'annotations'), [name]: value },
  })
}
