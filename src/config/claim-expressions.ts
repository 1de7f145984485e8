// Expressions over the claims of a token or over a user, compiled for the rules of issuers.
import type { Evaluated, Expression } from '../auth/jwt-issuer.ts'
import { compile, DYN, mapOf, STRING, toJson, type Type } from '../cel/cel.ts'
import type { ValueMap } from '../api/value.ts'

export type CompiledExpression =
  | { readonly kind: 'expression'; readonly evaluate: Expression }
  | { readonly kind: 'problem'; readonly problem: string }

/** What an evaluation may cost: far more than any rule that people write. */
const COST_LIMIT = 10_000_000

export type ExpressionResult = 'bool' | 'string' | 'strings'

/** `subject` is what the expression calls what it is about: `claims` or `user`. */
export function compileExpression(
  text: string,
  subject: 'claims' | 'user',
  result: ExpressionResult,
): CompiledExpression {
  const compiled = compile(text, { variables: new Map([[subject, mapOf(STRING, DYN)]]) })
  if (compiled.kind === 'refused') return { kind: 'problem', problem: `compilation failed: ${compiled.text}` }
  const { program } = compiled
  if (!fits(program.resultType, result)) {
    return {
      kind: 'problem',
      problem: `must evaluate to a ${result === 'strings' ? 'string or a list of strings' : result}`,
    }
  }
  const fault = program.instantiationFault()
  if (fault !== undefined) return { kind: 'problem', problem: `program instantiation failed: ${fault}` }
  const evaluate = (value: ValueMap): Evaluated => {
    const evaluated = program.evaluate({ [subject]: value }, COST_LIMIT)
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

function fits({ kind }: Type, result: ExpressionResult): boolean {
  if (kind === 'dyn') return true
  return result === 'strings' ? ['string', 'list', 'null'].includes(kind) : kind === result
}
