// The members that objects of most kinds have, read and replaced. Objects are never changed in place.
import { mapOrEmpty, textOrEmpty } from './members.ts'
import type { ApiObject } from './object.ts'
import { own, type Value, type ValueMap } from './value.ts'

export function metaOf(object: ValueMap): ValueMap {
  return mapOrEmpty(object, 'metadata')
}

/** A text in the metadata; absence is empty. */
export function metaText(object: ValueMap, name: string): string {
  return textOrEmpty(metaOf(object), name)
}

export function labelsOf(object: ValueMap): ValueMap {
  return mapOrEmpty(metaOf(object), 'labels')
}

export function annotationsOf(object: ValueMap): ValueMap {
  return mapOrEmpty(metaOf(object), 'annotations')
}

export function specOf(object: ValueMap): ValueMap {
  return mapOrEmpty(object, 'spec')
}

export function statusOf(object: ValueMap): ValueMap {
  return mapOrEmpty(object, 'status')
}

/** Members to put in place of what is there; `undefined` takes one away. */
export type Members = Readonly<Record<string, Value | undefined>>

/** Members as another map has them, to be put in place of one's own. */
export function membersOf(map: ValueMap, ...names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, own(map, name)]))
}

export function withMembers(map: ValueMap, members: Members): ValueMap {
  const result: Record<string, Value> = { ...map }
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (value !== undefined) result[name] = value
    else if (Object.hasOwn(result, name)) delete result[name]
  }
  return result
}

export function withMeta(object: ApiObject, members: Members): ApiObject {
  return { ...object, metadata: withMembers(metaOf(object), members) }
}

export function withSpec(object: ApiObject, members: Members): ApiObject {
  return { ...object, spec: withMembers(specOf(object), members) }
}
