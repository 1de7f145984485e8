// CEL expressions in configuration files. The rules of issuers read the claims of a token or a user. The match conditions of authorization
// webhooks read an access review.
import type { ValueMap } from '../api/value.ts'
import type { AccessReviewSpec } from '../auth/access-review.ts'
import type { Evaluated, Expression } from '../auth/jwt-issuer.ts'
import type { ConditionMatch } from '../auth/webhook-authorizer.ts'
import { compile, DYN, type Json, mapOf, type Program, STRING, toJson } from '../cel/cel.ts'

type Compiled =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'problem'; readonly problem: string }

export type ExpressionResult = 'bool' | 'string' | 'strings'

const RESULTS: Readonly<Record<ExpressionResult, { readonly kinds: readonly string[]; readonly name: string }>> = {
  bool: { kinds: ['bool'], name: 'bool' },
  string: { kinds: ['string'], name: 'a string' },
  strings: { kinds: ['string', 'list', 'null'], name: 'a string or a list of strings' },
}

/** `variable`: the name of the subject in the expression. */
function compileOver(variable: string, text: string, result: ExpressionResult): Compiled {
  const compiled = compile(text, { variables: new Map([[variable, mapOf(STRING, DYN)]]), hasIncludes: true })
  if (compiled.kind === 'refused') return { kind: 'problem', problem: `compilation failed: ${compiled.text}` }
  const { program } = compiled
  const { kinds, name } = RESULTS[result]
  if (![...kinds, 'dyn'].includes(program.resultType.kind)) {
    return { kind: 'problem', problem: `must evaluate to ${name}` }
  }
  const fault = program.instantiationFault()
  if (fault !== undefined) return { kind: 'problem', problem: `program instantiation failed: ${fault}` }
  return { kind: 'program', program }
}

/** The cost limit of an evaluation over claims, which is far above the cost of real rules. */
const CLAIM_COST_LIMIT = 10_000_000

export type ClaimExpression =
  | { readonly kind: 'expression'; readonly evaluate: Expression }
  | { readonly kind: 'problem'; readonly problem: string }

export function compileClaimExpression(
  text: string,
  subject: 'claims' | 'user',
  result: ExpressionResult,
): ClaimExpression {
  const compiled = compileOver(subject, text, result)
  if (compiled.kind === 'problem') return compiled
  const evaluate = (value: ValueMap): Evaluated => {
    const evaluated = compiled.program.evaluate({ [subject]: value }, CLAIM_COST_LIMIT)
    switch (evaluated.kind) {
      case 'value': {
        const json = toJson(evaluated.value)
        return json === undefined
          ? { kind: 'problem', problem: 'the result cannot be converted to JSON' }
          : { kind: 'value', value: json }
      }
      case 'error':
        return { kind: 'problem', problem: evaluated.message }
      case 'overBudget':
        return { kind: 'problem', problem: 'the expression exceeds the cost limit' }
    }
  }
  return { kind: 'expression', evaluate }
}

/** The cost limit of all conditions of one review. */
const CONDITION_COST_LIMIT = 2_500_000

export function compileCondition(expression: string): Compiled {
  return compileOver('request', expression, 'bool')
}

/** Undefined: there are no conditions, and every review is sent. The caller has checked that the expressions compile. */
export function matchConditionsOf(
  expressions: readonly string[],
): ((spec: AccessReviewSpec) => ConditionMatch) | undefined {
  const programs = expressions.flatMap((expression) => {
    const compiled = compileCondition(expression)
    return compiled.kind === 'program' ? [compiled.program] : []
  })
  return programs.length === 0 ? undefined : (spec) => evaluate(programs, spec)
}

function evaluate(programs: readonly Program[], spec: AccessReviewSpec): ConditionMatch {
  const request = requestOf(spec)
  const problems: string[] = []
  let budget = CONDITION_COST_LIMIT
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

/** The variable `request` of conditions. Every text member is present, so that conditions need not check for it. */
function requestOf(spec: AccessReviewSpec): Json {
  const { resourceAttributes: asked, nonResourceAttributes, ...user } = spec
  const attributes =
    asked === undefined ? {} : { resourceAttributes: { namespace: '', group: '', subresource: '', name: '', ...asked } }
  const path = nonResourceAttributes === undefined ? {} : { nonResourceAttributes }
  return { groups: [], extra: {}, uid: '', ...user, ...attributes, ...path } as unknown as Json
}
