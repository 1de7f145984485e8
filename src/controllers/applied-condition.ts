// A condition that a loop keeps in an object's status as one who applies it: it owns that condition and nothing beside it.
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import { metaOf, withMeta } from '../registry/object-meta.ts'

/** The condition with the type that is its key, without what is not to be said. */
export interface AppliedCondition {
  readonly type: string
  readonly [member: string]: string
}

/** The object with the condition in the place of the one of its type; to be written with `tracksFields`. */
export function withAppliedCondition(
  live: ApiObject,
  condition: AppliedCondition,
  { manager, now }: { readonly manager: string; readonly now: string },
): ApiObject {
  const status = own(live, 'status')
  const others = conditionsOf(live).filter(({ type }) => type !== condition.type)
  const key = `k:${JSON.stringify({ type: condition.type })}`
  const members = Object.keys(condition).sort()
  const owned = { '.': {}, ...Object.fromEntries(members.map((member) => [`f:${member}`, {}])) }
  const mine = {
    manager,
    operation: 'Apply',
    apiVersion: live.apiVersion,
    time: now,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { [key]: owned } } },
    subresource: 'status',
  }
  const claims = own(metaOf(live), 'managedFields')
  const theirs = isList(claims) ? claims.filter((claim) => isMap(claim) && own(claim, 'manager') !== manager) : []
  const conditions = [...others, condition]
  const told = { ...live, status: { ...(isMap(status) ? status : {}), conditions } }
  return withMeta(told, { managedFields: [mine, ...theirs] })
}

export function conditionsOf(object: ApiObject): readonly ValueMap[] {
  const status = own(object, 'status')
  const conditions = isMap(status) ? own(status, 'conditions') : undefined
  return isList(conditions) ? conditions.filter(isMap) : []
}
