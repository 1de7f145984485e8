// The rules of kinds that are only posted and never stored, like reviews.
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'

export function question(create: CreateRule): KindRules {
  return { create, update: () => undefined, isQuestion: true }
}
