// Whether the expressions of a policy make sense: each is compiled with what it may speak of, in the order of the policy.
import { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import type { PolicyScope, Wanted } from '../policy-expressions.ts'
import type { Type } from '../../cel/cel.ts'
import type { Check } from './check.ts'
import { checkExpression } from './expressions.ts'
import { has, partIn, partsOf, textOf } from './members.ts'

const SPEC = FieldPath.root('spec')

/** Those that are missing are complained of elsewhere. */
export function checkPolicyExpressions(spec: ValueMap, check: Check): void {
  const plain: PolicyScope = { hasParams: has(spec, 'paramKind'), hasAuthorizer: true }
  const variables = variableTypes(spec, plain, check)
  const hasVariables = partsOf(spec, 'variables').length > 0
  const scope: PolicyScope = hasVariables ? { ...plain, variables } : plain
  const compile = (text: string, at: FieldPath, wanted: Wanted, more: Partial<PolicyScope> = {}): void => {
    checkExpression(text, at, { scope: { ...scope, ...more }, wanted, check })
  }
  for (const [i, validation] of partsOf(spec, 'validations').entries()) {
    const at = SPEC.child('validations').index(i)
    compile(textOf(validation, 'expression'), at.child('expression'), 'bool')
    compile(textOf(validation, 'messageExpression'), at.child('messageExpression'), 'string', { hasAuthorizer: false })
  }
  for (const [i, annotation] of partsOf(spec, 'auditAnnotations').entries()) {
    const at = SPEC.child('auditAnnotations').index(i).child('valueExpression')
    compile(textOf(annotation, 'valueExpression'), at, 'stringOrNull')
  }
  for (const [i, mutation] of partsOf(spec, 'mutations').entries()) {
    const at = SPEC.child('mutations').index(i)
    for (const name of ['applyConfiguration', 'jsonPatch'] as const) {
      const text = textOf(partIn(mutation, name) ?? {}, 'expression')
      compile(text, at.child(name).child('expression'), name, { makesObjects: true })
    }
  }
}

/** Each variable may speak of those before it. */
function variableTypes(spec: ValueMap, scope: PolicyScope, check: Check): ReadonlyMap<string, Type> {
  const variables = new Map<string, Type>()
  const makesObjects = has(spec, 'mutations')
  for (const [i, variable] of partsOf(spec, 'variables').entries()) {
    const type = checkExpression(textOf(variable, 'expression'), SPEC.child('variables').index(i).child('expression'), {
      scope: { ...scope, variables, makesObjects },
      check,
    })
    if (type !== undefined) variables.set(textOf(variable, 'name'), type)
  }
  return variables
}
