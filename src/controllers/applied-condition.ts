// A condition that a controller sets as if by server-side apply: it owns that condition and nothing else.
import { mapOrEmpty, mapsOnly } from '../api/members.ts'
import { metaOf, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'

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
  const theirs = mapsOnly(metaOf(live), 'managedFields').filter((entry) => own(entry, 'manager') !== manager)
  const conditions = [...others, condition]
  const told = { ...live, status: { ...mapOrEmpty(live, 'status'), conditions } }
  return withMeta(told, { managedFields: [mine, ...theirs] })
}

export function conditionsOf(object: ApiObject): readonly ValueMap[] {
  return mapsOnly(mapOrEmpty(object, 'status'), 'conditions')
}
