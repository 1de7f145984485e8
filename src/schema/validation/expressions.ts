// Whether one expression makes sense where it stands.
import type { FieldPath } from '../../api/field-path.ts'
import type { Type } from '../../cel/cel.ts'
import { compilePolicyExpression, type PolicyScope, type Wanted } from '../policy-expressions.ts'
import type { Check } from './check.ts'

export interface ExpressionUse {
  readonly scope: PolicyScope
  /** What it has to give; anything where absent. */
  readonly wanted?: Wanted
  readonly check: Check
}

/** The type of what it gives; undefined where it is missing or was complained of. */
export function checkExpression(
  text: string,
  at: FieldPath,
  { scope, wanted, check }: ExpressionUse,
): Type | undefined {
  if (text.trim() === '') return undefined
  const compiled = compilePolicyExpression(text, scope, wanted)
  if (compiled.kind === 'program') return compiled.program.resultType
  check.invalid(at, text, compiled.problem)
  return undefined
}
