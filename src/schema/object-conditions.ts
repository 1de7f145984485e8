// Conditions on objects of a kind (`object.spec.replicas > 3`), type-checked against its schema.
import { type Bindings, compile, type Evaluation, type Program, typeName } from '../cel/cel.ts'
import { typeOfObject } from './policy-type-check.ts'
import type { KindSchema } from './table.ts'

export type { Bindings, Evaluation }

export type CompiledCondition =
  | { readonly kind: 'program'; readonly program: Program }
  | {
      readonly kind: 'refused'
      readonly issues: readonly { readonly message: string; readonly line: number; readonly column: number }[]
    }

export function compileCondition(expression: string, kind: KindSchema): CompiledCondition {
  const compiled = compile(expression, { variables: new Map([['object', typeOfObject(kind.shape)]]) })
  if (compiled.kind === 'refused') return compiled
  const { program } = compiled
  const type = program.resultType
  const problem =
    type.kind === 'bool' || type.kind === 'dyn'
      ? program.instantiationFault()
      : `must evaluate to bool but got ${type.kind === 'null' ? 'null_type' : typeName(type)}`
  return problem === undefined ? compiled : { kind: 'refused', issues: [{ message: problem, line: 1, column: 1 }] }
}
