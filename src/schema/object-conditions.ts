// Conditions on objects of a kind (`object.spec.replicas > 3`), type-checked against the schema of the kind.
import { type Bindings, compile, type Evaluation, type Limits, type Program, typeName } from '../cel/cel.ts'
import { typeOfObject } from './policy-type-check.ts'
import type { KindSchema } from './table.ts'

export type { Bindings, Evaluation }

export type CompiledCondition =
  | { readonly kind: 'program'; readonly program: Program }
  | {
      readonly kind: 'refused'
      readonly issues: readonly { readonly message: string; readonly line: number; readonly column: number }[]
    }

/** All users send conditions. Without a pause, the server takes no longer than 50 ms to compile one, or to evaluate it on an object. */
const LIMITS: Limits = { parts: 6000, patterns: 1500, stepsPerUnit: 2 }

export function compileCondition(expression: string, kind: KindSchema): CompiledCondition {
  const compiled = compile(expression, {
    variables: new Map([['object', typeOfObject(kind.shape)]]),
    limits: LIMITS,
  })
  if (compiled.kind === 'refused') return compiled
  const { program } = compiled
  const type = program.resultType
  const problem =
    type.kind === 'bool' || type.kind === 'dyn'
      ? program.instantiationFault()
      : `must evaluate to bool but got ${type.kind === 'null' ? 'null_type' : typeName(type)}`
  return problem === undefined ? compiled : { kind: 'refused', issues: [{ message: problem, line: 1, column: 1 }] }
}
