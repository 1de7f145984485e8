// The conditions of custom resource definitions.
import { listOrEmpty, mapOrEmpty } from '../api/members.ts'
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { conditionOf } from '../kinds/kinds.ts'

export interface Condition {
  readonly type: string
  readonly status: boolean
  readonly reason: string
  readonly message: string
}

/** Its time changes with its status alone. The object itself where it says so already. */
export function withCondition(object: ApiObject, { type, status, reason, message }: Condition, now: string): ApiObject {
  const before = conditionOf(object, type)
  const word = status ? 'True' : 'False'
  if (before?.['status'] === word && before['reason'] === reason && before['message'] === message) return object
  const time = before?.['status'] === word ? (before['lastTransitionTime'] ?? now) : now
  const condition: ValueMap = { type, status: word, lastTransitionTime: time, reason, message }
  const conditions = listOrEmpty(mapOrEmpty(object, 'status'), 'conditions')
  const next = conditions.some((one) => one === before)
    ? conditions.map((one) => (one === before ? condition : one))
    : [...conditions, condition]
  return { ...object, status: { ...mapOrEmpty(object, 'status'), conditions: next } }
}
