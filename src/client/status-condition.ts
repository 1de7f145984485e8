// Conditions of a status.

/** A condition, as the status of most kinds has it. */
export interface StatusCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | undefined
}

/**
 * Returns the conditions with `condition`: it replaces the condition of the same type, or comes at the end. `lastTransitionTime` stays
 * unless the status of the condition changes. Then it becomes `now` (in milliseconds).
 */
export function setCondition<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  condition: Omit<C, 'lastTransitionTime'>,
  now: number = Date.now(),
): C[] {
  const all = conditions ?? []
  const before = all.find(({ type }) => type === condition.type)
  const isSame = before?.lastTransitionTime !== undefined && before.status === condition.status
  const lastTransitionTime = isSame ? before.lastTransitionTime : new Date(now).toISOString()
  const set = { ...condition, lastTransitionTime } as unknown as C
  return before === undefined ? [...all, set] : all.map((one) => (one === before ? set : one))
}
