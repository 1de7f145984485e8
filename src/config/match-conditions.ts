// Which questions a deciding webhook is asked: expressions over the review, all of which have to be true.
import type { AccessReviewSpec } from '../auth/access-review.ts'
import type { Concern } from '../auth/webhook-authorizer.ts'
import { compile, DYN, type Json, mapOf, type Program, STRING } from '../cel/cel.ts'

export type CompiledCondition =
  | { readonly kind: 'condition'; readonly program: Program }
  | { readonly kind: 'problem'; readonly problem: string }

const VARIABLES = Object.freeze({ variables: new Map([['request', mapOf(STRING, DYN)]]) })

/** All conditions of one question together may cost so much. */
const COST_LIMIT = 2_500_000

export function compileCondition(expression: string): CompiledCondition {
  const compiled = compile(expression, VARIABLES)
  if (compiled.kind === 'refused') return { kind: 'problem', problem: `compilation failed: ${compiled.text}` }
  const { kind } = compiled.program.resultType
  if (kind !== 'bool' && kind !== 'dyn') return { kind: 'problem', problem: 'must evaluate to bool' }
  const fault = compiled.program.instantiationFault()
  if (fault !== undefined) return { kind: 'problem', problem: `program instantiation failed: ${fault}` }
  return { kind: 'condition', program: compiled.program }
}

/** Undefined where there are none: everything is asked. The expressions compile. */
export function concernsOf(expressions: readonly string[]): ((spec: AccessReviewSpec) => Concern) | undefined {
  const programs = expressions.flatMap((expression) => {
    const compiled = compileCondition(expression)
    return compiled.kind === 'condition' ? [compiled.program] : []
  })
  return programs.length === 0 ? undefined : (spec) => evaluate(programs, spec)
}

function evaluate(programs: readonly Program[], spec: AccessReviewSpec): Concern {
  const request = requestOf(spec)
  const problems: string[] = []
  let budget = COST_LIMIT
  for (const program of programs) {
    const evaluated = program.evaluate({ request }, budget)
    budget -= evaluated.cost
    if (evaluated.kind === 'value' && evaluated.value === false) return { kind: 'no' }
    if (evaluated.kind === 'error') problems.push(evaluated.message)
    else if (evaluated.kind === 'overBudget')
      problems.push('validation failed due to running out of cost budget, no further validation rules will be run')
    else if (evaluated.value !== true) problems.push('a match condition is not a boolean')
  }
  if (problems.length === 0) return { kind: 'yes' }
  return { kind: 'broken', problem: problems.join('; ') }
}

/** Every text is there, so that conditions need not ask whether it is. */
function requestOf(spec: AccessReviewSpec): Json {
  const { resourceAttributes: asked, nonResourceAttributes, ...user } = spec
  const attributes =
    asked === undefined ? {} : { resourceAttributes: { namespace: '', group: '', subresource: '', name: '', ...asked } }
  const path = nonResourceAttributes === undefined ? {} : { nonResourceAttributes }
  return { groups: [], extra: {}, uid: '', ...user, ...attributes, ...path } as unknown as Json
}
