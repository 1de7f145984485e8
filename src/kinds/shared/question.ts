// Kinds that are sent and answered, and never stored.
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'

export function question(create: CreateRule): KindRules {
  return { create, update: () => undefined, isQuestion: true }
}
