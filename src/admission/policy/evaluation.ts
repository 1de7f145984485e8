// Evaluates the expressions of a policy for one request and parameter, within the cost limits (W-508). Variables of the policy are
// evaluated lazily.
import { type Bindings, type CelValue, Fault, NamedMap } from '../../cel/cel.ts'
import type { Steps } from '../request-authorizer.ts'
import type { Expression, Policy } from './definition.ts'

/** The cost limit of one group of expressions: the validations of a policy, its audit annotations, or one mutation. */
export const BUDGET = 10_000_000
const CONDITION_BUDGET = 2_500_000
/** The cost limit of a single expression. */
const CALL_BUDGET = 1_000_000

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run'
const CALL_OVER_BUDGET = 'operation cancelled: actual cost limit exceeded'

type Outcome =
  | { readonly kind: 'value'; readonly value: CelValue }
  | { readonly kind: 'error'; readonly message: string }

export type Result = Outcome & { readonly milliseconds: number }

/** Thrown if expressions exceed their budget. */
export class OutOfBudget extends Error {
  constructor() {
    super(OUT_OF_BUDGET)
  }
}

export class Budget {
  left: number

  constructor(left: number) {
    this.left = left
  }

  spend(cost: number): void {
    if (cost > this.left) throw new OutOfBudget()
    this.left -= cost
  }
}

/** Evaluates the expressions in order. Throws `OutOfBudget`. */
export function* evaluateAll(
  expressions: readonly (Expression | undefined)[],
  { policy, bindings }: { readonly policy: Policy; readonly bindings: Bindings },
  budget: Budget,
): Steps<readonly (Result | undefined)[]> {
  const variables = new Variables(policy, bindings)
  const all: Bindings = { ...bindings, variables }
  const results: (Result | undefined)[] = []
  for (const expression of expressions) {
    if (expression === undefined) {
      results.push(undefined)
      continue
    }
    const began = performance.now()
    const result = evaluate(expression, all)
    const cost = result.cost + variables.takeCost()
    budget.spend(cost)
    results.push({ ...result, milliseconds: performance.now() - began })
    yield cost
  }
  return results
}

function evaluate({ text, program }: Expression, bindings: Bindings): Outcome & { readonly cost: number } {
  if (typeof program === 'string') return { kind: 'error', message: `compilation error: ${program}`, cost: 0 }
  const result = program.evaluate(bindings, CALL_BUDGET)
  if (result.kind === 'value') return result
  const why = result.kind === 'error' ? result.message : CALL_OVER_BUDGET
  return { kind: 'error', message: `expression '${text}' resulted in error: ${why}`, cost: result.cost }
}

/** The variables of the policy, by name: `variables.<name>`. */
class Variables extends NamedMap {
  readonly typeName = 'kubernetes.variables'
  readonly #policy: Policy
  readonly #bindings: Bindings
  readonly #known = new Map<string, CelValue>()
  #cost = 0

  constructor(policy: Policy, bindings: Bindings) {
    super()
    this.#policy = policy
    this.#bindings = { ...bindings, variables: this }
  }

  /** The cost of variables since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  get size(): number {
    return this.#policy.variables.length
  }

  override has(key: CelValue): boolean {
    return this.#policy.variables.some(({ name }) => name === key)
  }

  *keys(): Generator<string> {
    for (const { name } of this.#policy.variables) yield name
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const variable = this.#policy.variables.find(({ name }) => name === key)
    if (variable === undefined) return undefined
    const value = this.#evaluate(variable)
    this.#known.set(key, value)
    return value
  }

  #evaluate({ name, program }: Policy['variables'][number]): CelValue {
    const quoted = JSON.stringify(name)
    if (typeof program === 'string') return new Fault(`composited variable ${quoted} fails to compile: ${program}`)
    const result = program.evaluate(this.#bindings, CALL_BUDGET)
    this.#cost += result.cost
    if (result.kind === 'value') return result.value
    const why = result.kind === 'error' ? result.message : CALL_OVER_BUDGET
    return new Fault(`composited variable ${quoted} fails to evaluate: ${why}`)
  }
}

export type ConditionsResult =
  | { readonly kind: 'match' }
  | { readonly kind: 'noMatch' }
  | { readonly kind: 'error'; readonly message: string }

/** All conditions must be true. A false condition decides even if another condition failed. */
export function* evaluateConditions(policy: Policy, bindings: Bindings): Steps<ConditionsResult> {
  if (policy.conditions.length === 0) return { kind: 'match' }
  const errors: string[] = []
  const budget = new Budget(CONDITION_BUDGET)
  try {
    for (const condition of policy.conditions) {
      const result = evaluate(condition, bindings)
      budget.spend(result.cost)
      yield result.cost
      if (result.kind === 'error') errors.push(result.message)
      else if (result.value !== true) return { kind: 'noMatch' }
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
    errors.push(error.message)
  }
  if (errors.length === 0) return { kind: 'match' }
  if (policy.failsOpen) return { kind: 'noMatch' }
  return { kind: 'error', message: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` }
}
