// The conditions of a definition: what the server has found out about it.
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
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
  const list = own(partOf(object, 'status'), 'conditions')
  const conditions = isList(list) ? list : []
  const next = conditions.some((one) => one === before)
    ? conditions.map((one) => (one === before ? condition : one))
    : [...conditions, condition]
  return { ...object, status: { ...partOf(object, 'status'), conditions: next } }
}

/** The map under a name; empty where there is none. */
export function partOf(map: ValueMap, name: string): ValueMap {
  const value = own(map, name)
  return isMap(value) ? value : {}
}
