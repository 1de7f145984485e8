// Compiles the expressions of a policy, each with the variables it may use, and reports expressions that do not compile.
import type { FieldPath } from '../../api/field-path.ts'
import type { MutatingAdmissionPolicySpec } from '../../api/gen/kinds.ts'
import { DYN, type Type } from '../../cel/cel.ts'
import {
  compilePolicyExpression,
  type PolicyExpression,
  type PolicyScope,
  type Wanted,
} from '../../schema/policy-expressions.ts'
import type { Check } from '../../schema/validation/check.ts'

type Spec = Pick<MutatingAdmissionPolicySpec, 'paramKind' | 'variables'>

interface PolicyUse {
  readonly check: Check
  /** Stored expressions were compiled before, and stay valid. */
  readonly isStored: boolean
  /** Expressions may name `variables` even if the policy declares none. */
  readonly hasVariables?: boolean
}

/** Empty expressions are skipped: they are reported elsewhere. */
export class PolicyExpressions {
  readonly check: Check
  readonly #isStored: boolean
  readonly #plain: PolicyScope
  readonly #variables = new Map<string, Type>()
  readonly #scope: PolicyScope

  constructor({ paramKind, variables = [] }: Spec, { check, isStored, hasVariables }: PolicyUse) {
    this.check = check
    this.#isStored = isStored
    this.#plain = { hasParams: paramKind !== undefined, hasAuthorizer: true }
    const isComposed = hasVariables ?? variables.length > 0
    this.#scope = isComposed ? { ...this.#plain, variables: this.#variables } : this.#plain
  }

  /** A variable may use the variables before it. A variable that does not compile has the type `dyn`. */
  declare(name: string, text: string, at: FieldPath): void {
    if (this.#isStored || text.trim() === '') return
    const compiled = compilePolicyExpression(text, { ...this.#plain, variables: this.#variables })
    if (compiled.kind === 'refused') this.#refuse(at, text, compiled)
    this.#variables.set(name, compiled.kind === 'program' ? compiled.program.resultType : DYN)
  }

  /** `shown` is the text in the error, if it differs from the compiled text. */
  compile(
    text: string,
    at: FieldPath,
    use: { readonly wanted: Wanted; readonly shown?: string } & Partial<PolicyScope>,
  ): void {
    if (this.#isStored || text.trim() === '') return
    const { wanted, shown = text, ...more } = use
    const compiled = compilePolicyExpression(text, { ...this.#scope, ...more }, wanted)
    if (compiled.kind === 'refused') this.#refuse(at, shown, compiled)
  }

  #refuse(at: FieldPath, shown: string, { problem, isInternal }: Extract<PolicyExpression, { kind: 'refused' }>): void {
    if (isInternal === true) this.check.internal(at, problem)
    else this.check.invalid(at, shown, problem)
  }
}
