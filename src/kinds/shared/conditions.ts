// Conditions in the form that all newer kinds share.
import type { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { conditionReason, longerThan, qualifiedName } from '../../schema/validation/formats.ts'
import { has, numberOf, textOf } from '../../schema/validation/members.ts'

const STATUSES: readonly string[] = ['False', 'True', 'Unknown']
const MAX_REASON = 1024
const MAX_MESSAGE = 32 * 1024

export function checkConditions(conditions: readonly ValueMap[], list: FieldPath, check: Check): void {
  const seen = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const type = textOf(condition, 'type')
    if (seen.has(type)) check.duplicate(list.index(i).child('type'), type)
    seen.add(type)
    checkCondition(condition, list.index(i), check)
  }
}

function checkCondition(condition: ValueMap, at: FieldPath, check: Check): void {
  const type = textOf(condition, 'type')
  check.format(at.child('type'), type, qualifiedName(type))
  check.oneOf(at.child('status'), textOf(condition, 'status'), STATUSES)
  const generation = numberOf(condition, 'observedGeneration')
  if (generation < 0) check.invalid(at.child('observedGeneration'), generation, 'must be greater than or equal to zero')
  if (!has(condition, 'lastTransitionTime')) check.required(at.child('lastTransitionTime'))
  const reason = textOf(condition, 'reason')
  if (reason === '') check.required(at.child('reason'))
  else {
    check.format(at.child('reason'), reason, conditionReason(reason))
    if (longerThan(reason, MAX_REASON)) check.tooLong(at.child('reason'), MAX_REASON)
  }
  if (longerThan(textOf(condition, 'message'), MAX_MESSAGE)) check.tooLong(at.child('message'), MAX_MESSAGE)
}
