// The rules of kinds that are only posted and never stored, like reviews.
import type { ValueMap } from '../../api/value.ts'
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'

export function question<T = ValueMap>(create: CreateRule<T>): KindRules<T> {
  return { create, update: () => undefined, isQuestion: true }
}
