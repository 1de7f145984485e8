// Reads and replaces the members that objects of most kinds have. Objects are never changed in place.
import type { ObjectMeta } from './gen/kinds.ts'
import { mapOrEmpty, textOrEmpty } from './members.ts'
import type { ApiObject } from './object.ts'
import { isMap, type MapOf, own, type Value, type ValueMap } from './value.ts'

/** The metadata has the same type in all kinds. Every object that was decoded or read from the store fits this type. */
export function metaOf(object: ValueMap): ObjectMeta {
  return mapOrEmpty(object, 'metadata')
}

/** A text of the metadata. Empty if it is absent. */
export function metaText(object: ValueMap, name: string): string {
  return textOrEmpty(metaOf(object), name)
}

export function labelsOf(object: ValueMap): MapOf<string> {
  return metaOf(object).labels ?? {}
}

export function annotationsOf(object: ValueMap): MapOf<string> {
  return metaOf(object).annotations ?? {}
}

export function specOf(object: ValueMap): ValueMap {
  return mapOrEmpty(object, 'spec')
}

export function statusOf(object: ValueMap): ValueMap {
  return mapOrEmpty(object, 'status')
}

/** New values for members. `undefined` removes a member. */
export type Members<T = ValueMap> = { readonly [K in keyof T]?: T[K] | undefined }

/** The named members of a map, which `withMembers` can copy to another map. */
export function membersOf<T extends ValueMap, N extends keyof T & string>(
  map: T,
  ...names: readonly N[]
): { readonly [K in N]: T[K] | undefined } {
  return Object.fromEntries(names.map((name) => [name, own<ValueMap>(map, name)])) as Pick<T, N>
}

export function withMembers<T extends ValueMap>(map: T, members: Members<T>): T {
  const result: Record<string, Value> = { ...map }
  const wanted: Readonly<Record<string, Value | undefined>> = members
  for (const name of Object.keys(wanted)) {
    const value = wanted[name]
    if (value !== undefined) result[name] = value
    else if (Object.hasOwn(result, name)) delete result[name]
  }
  return result as T
}

export function withMeta<T extends ApiObject>(object: T, members: Members<T['metadata']>): T {
  return { ...object, metadata: withMembers(metaOf(object), members) }
}

export function withSpec<T extends ApiObject>(object: T, members: Members<T['spec']>): T {
  return { ...object, spec: withMembers(specOf(object), members as Members) }
}

/** The object without its managedFields. */
export function withoutManagedFields<T extends ValueMap>(object: T): T {
  const metadata = own(object, 'metadata')
  if (!isMap(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}
