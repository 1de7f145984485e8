// Conditions of type `metav1.Condition`.
import type { FieldPath } from '../../api/field-path.ts'
import type { Condition } from '../../api/gen/kinds.ts'
import type { Check } from '../../schema/validation/check.ts'
import { conditionReason, longerThan } from '../../schema/validation/formats.ts'

const TYPE = 'meta_v1.Condition'
const MAX_REASON = 1024
const REQUIRED = { type: 'is required', status: '' } as const

export function checkConditions(conditions: readonly Condition[], list: FieldPath, check: Check): void {
  const seen = new Set<string>()
  const { requiresConditionParts } = check.form
  for (const [i, condition] of conditions.entries()) {
    const at = list.index(i)
    check.unique(seen, condition.type, requiresConditionParts ? at : at.child('type'))
    for (const name of ['type', 'status'] as const) {
      if (requiresConditionParts && condition[name] === '') check.required(at.child(name), REQUIRED[name])
      else check.fields(condition, at, TYPE, name)
    }
    check.fields(condition, at, TYPE, 'observedGeneration', 'lastTransitionTime', 'reason')
    const { reason } = condition
    if (reason !== '') check.format(at.child('reason'), reason, conditionReason(reason))
    if (longerThan(reason, MAX_REASON)) check.tooLong(at.child('reason'), MAX_REASON)
    check.fields(condition, at, TYPE, 'message')
  }
}
