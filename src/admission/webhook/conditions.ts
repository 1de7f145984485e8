// Match conditions: a webhook is called only if all of them are true (W-486).
import { textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Bindings, Program } from '../../cel/cel.ts'
import { compilePolicyExpression, type PolicyScope } from '../../schema/policy-expressions.ts'
import type { Steps } from '../request-authorizer.ts'

export type ConditionResult =
  | { readonly kind: 'match' }
  | { readonly kind: 'noMatch' }
  | { readonly kind: 'error'; readonly message: string }

export interface Conditions {
  /** The reason why the first invalid condition can never be evaluated. Undefined: all conditions are valid. */
  readonly problem: string | undefined
  /** The bindings are `object`, `oldObject`, `request` and `authorizer`. */
  evaluate(bindings: Bindings): Steps<ConditionResult>
}

/** The cost limits of all conditions of a webhook, and of each condition. */
const BUDGET = 2_500_000
const CALL_BUDGET = 1_000_000

const SCOPE: PolicyScope = Object.freeze({ hasParams: false, hasAuthorizer: true })

type Condition = { readonly expression: string; readonly program: Program | string }

/** If a condition is false, the webhook does not match. Otherwise the failure policy applies to errors. */
export function readConditions(conditions: readonly ValueMap[], failsOpen: boolean): Conditions {
  const compiled = conditions.map((condition): Condition => {
    const expression = textOrEmpty(condition, 'expression')
    const result = compilePolicyExpression(expression, SCOPE, 'bool')
    return { expression, program: result.kind === 'program' ? result.program : `compilation error: ${result.problem}` }
  })
  const [problem] = compiled.flatMap(({ expression, program }) =>
    typeof program === 'string' ? [`expression '${expression}': ${program}`] : [],
  )
  return {
    problem,
    *evaluate(bindings) {
      const errors: string[] = []
      let left = BUDGET
      for (const { expression, program } of compiled) {
        const outcome = typeof program === 'string' ? program : run(program, bindings, Math.min(left, CALL_BUDGET))
        // The cost of a failed condition is not known, so the highest possible cost counts.
        yield typeof outcome === 'string' ? CALL_BUDGET : outcome.cost
        if (typeof outcome === 'string') {
          errors.push(`expression '${expression}' resulted in error: ${outcome}`)
          continue
        }
        left -= outcome.cost
        if (!outcome.holds) return { kind: 'noMatch' }
      }
      if (errors.length === 0) return { kind: 'match' }
      if (failsOpen) return { kind: 'noMatch' }
      return { kind: 'error', message: errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]` }
    },
  }
}

function run(
  program: Program,
  bindings: Bindings,
  limit: number,
): { readonly holds: boolean; readonly cost: number } | string {
  const result = program.evaluate(bindings, limit)
  switch (result.kind) {
    case 'value':
      return typeof result.value === 'boolean'
        ? { holds: result.value, cost: result.cost }
        : 'cel expression evaluated to non-boolean'
    case 'error':
      return result.message
    case 'overBudget':
      return 'operation cancelled: actual cost limit exceeded'
  }
}
