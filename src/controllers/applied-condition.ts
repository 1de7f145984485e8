// Sets a condition as server-side apply would: the controller owns that condition and nothing else.
import { metaOf, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'

/** The condition. `type` is its key. Absent members are not applied. */
export interface AppliedCondition {
  readonly type: string
  readonly [member: string]: string
}

interface WithConditions extends ApiObject {
  readonly status: { readonly conditions?: readonly { readonly type?: string }[] }
}

/** The object with the condition, which replaces another condition of its type. Write the object with `tracksFields`. */
export function withAppliedCondition<T extends WithConditions>(
  live: T,
  condition: AppliedCondition,
  { manager, now }: { readonly manager: string; readonly now: string },
): T {
  const others = (live.status.conditions ?? []).filter(({ type }) => type !== condition.type)
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
  const theirs = (metaOf(live).managedFields ?? []).filter((entry) => entry.manager !== manager)
  const conditions = [...others, condition]
  const told = { ...live, status: { ...live.status, conditions } }
  return withMeta(told, { managedFields: [mine, ...theirs] })
}
