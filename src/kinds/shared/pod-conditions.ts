// Conditions in a status, as the server itself sets them.
import type { Pod, PodCondition } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

type Present = Pick<PodCondition, 'type' | 'status'> & { readonly lastTransitionTime?: string | null }

interface WithConditions<C> {
  readonly conditions?: readonly C[]
}

/** The status with the condition. The transition time changes only with the condition's status. */
export function withCondition<C extends Present, S extends WithConditions<C>>(
  status: S & WithConditions<C>,
  condition: Condition,
  now: string,
): S {
  const { conditions = [] } = status
  const index = conditions.findIndex(({ type }) => type === condition.type)
  const before = conditions[index]
  const kept = before?.status === condition.status ? before.lastTransitionTime : undefined
  const next = { ...before, ...condition, lastTransitionTime: kept ?? now } as unknown as C
  if (before === undefined) return { ...status, conditions: [...conditions, next] }
  return equalValues(before, next) ? status : { ...status, conditions: conditions.with(index, next) }
}

export function withPodCondition(pod: Pod, condition: Condition, now: string): Pod {
  return { ...pod, status: withCondition(pod.status, condition, now) }
}

export function conditionOf<C extends Present>(
  { conditions = [] }: { readonly conditions?: readonly C[] | undefined },
  type: string,
): C | undefined {
  return conditions.find((condition) => condition.type === type)
}
