// The conditions in a pod's status, as the server itself sets them.
import { statusOf } from '../../api/object-members.ts'
import { mapsOnly } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, own, type ValueMap } from '../../api/value.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export function conditionsOf(status: ValueMap): readonly ValueMap[] {
  return mapsOnly(status, 'conditions')
}

export function conditionOf(object: ValueMap, type: string): ValueMap | undefined {
  return conditionsOf(statusOf(object)).find((condition) => own(condition, 'type') === type)
}

/** The status with the condition; the transition time stays where its status does. */
export function withCondition(status: ValueMap, condition: Condition, now: string): ValueMap {
  const conditions = conditionsOf(status)
  const index = conditions.findIndex((present) => own(present, 'type') === condition.type)
  const before = conditions[index]
  const kept = before !== undefined && own(before, 'status') === condition.status
  const lastTransitionTime = (kept ? own(before, 'lastTransitionTime') : undefined) ?? now
  const next: ValueMap = { ...before, ...condition, lastTransitionTime }
  if (before === undefined) return { ...status, conditions: [...conditions, next] }
  return equalValues(before, next) ? status : { ...status, conditions: conditions.with(index, next) }
}

export function withPodCondition(pod: ApiObject, condition: Condition, now: string): ApiObject {
  return { ...pod, status: withCondition(statusOf(pod), condition, now) }
}
