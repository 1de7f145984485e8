// The front door: expressions that users write (rules of custom resources, admission policies, match conditions). An
// expression is compiled once, against declared variables, and then evaluated with a bound on what it may cost; values
// are read from JSON when an expression uses them, and never converted as a whole.
import type { Expr } from './ast.ts'
import { type Checked, check, type Scope } from './checker.ts'
import { type CostEstimate, estimateCost } from './estimate.ts'
import { type Equalities, equalitiesOf } from './equalities.ts'
import { plan } from './evaluate.ts'
import { type Bindings, Frame, OverBudget } from './frame.ts'
import { FUNCTIONS } from './libraries/libraries.ts'
import { JSON_PATCH_KEY } from './libraries/texts.ts'
import { parse } from './parser.ts'
import { denotedType } from './signature.ts'
import { Patterns } from './pattern.ts'
import { type Plan, Unplannable } from './plan.ts'
import { describeIssues, inOrder, locate, MOST_ISSUES, type SourceIssue } from './source.ts'
import { DYN, type ObjectType, type Type } from './type.ts'
import { validate } from './validators.ts'
import { type CelValue, Fault } from './value.ts'

export { toJson } from './adapt.ts'
export type { Equalities, Equality } from './equalities.ts'
export type { CostEstimate } from './estimate.ts'
export { isIdentifier } from './escape.ts'
export type { Bindings } from './frame.ts'
export type { Json, JsonMap } from './json.ts'
export type { AuthorizationCheck, AuthorizationDecision } from './libraries/authorizing.ts'
export { AuthorizerValue, ResourceCheck } from './libraries/authorizing.ts'
export { typeOfSchema } from './schema-type.ts'
export type { MapType, ObjectField, ObjectType, Type } from './type.ts'
export { BOOL, DYN, INT, listOf, mapOf, opaque, optionalOf, STRING, typeName } from './type.ts'
export { CelList, CelMap, type CelValue, Fault, NamedMap, NONE } from './value.ts'

export interface Environment {
  readonly variables: ReadonlyMap<string, Type>
  /** The types whose objects expressions may make: `Object.spec{…}`. Absent: none. */
  readonly structs?: (name: string) => ObjectType | undefined
  /** Lists and maps may be written with items of different types; the API does not allow it. */
  readonly mixedLiterals?: boolean
  /** `cel.bind(x, value, expression)` may be used; the API has it for devices only. */
  readonly hasBind?: boolean
  /** Whether `jsonpatch.escapeKey` may be called, as in expressions that make patches. */
  readonly makesPatches?: boolean
}

interface Issue {
  /** `undeclared reference to 'x' (in container '')` */
  readonly message: string
  /** From 1. -1: the issue is about the whole text. */
  readonly line: number
  /** From 1, in characters. */
  readonly column: number
}

export type Compiled =
  | { readonly kind: 'program'; readonly program: Program }
  /** The text shows every issue with its line. Text and list have at most the first hundred issues. */
  | { readonly kind: 'refused'; readonly issues: readonly Issue[]; readonly text: string }

export type Evaluation =
  | { readonly kind: 'value'; readonly value: CelValue; readonly cost: number }
  /** The expression failed: `no such key: data`. */
  | { readonly kind: 'error'; readonly message: string; readonly cost: number }
  /** It would have cost more than it may. */
  | { readonly kind: 'overBudget'; readonly cost: number }

export interface Program {
  readonly resultType: Type
  /** Whether the expression uses this variable. */
  mentions(variable: string): boolean
  /** If the expression is true, each of these fields of the variable has one of the values. */
  equalities(variable: string): Equalities
  /** The least and the highest cost of an evaluation, by the sizes that the variables' types allow. */
  estimate(): CostEstimate
  /** The reason why it cannot be run at all: `type conversion error from 'string' to 'int'`. */
  instantiationFault(): string | undefined
  /** Throws only errors of a binding's own code. */
  evaluate(bindings: Bindings, costLimit: number): Evaluation
}

/** Linear in the length of the expression; depth and length are bounded. Never throws. */
export function compile(expression: string, environment: Environment): Compiled {
  const parsed = parse(expression, environment.hasBind)
  if (parsed.kind === 'refused') return refused(expression, parsed.issues)
  const scope: Scope = {
    variable: (name) => environment.variables.get(name),
    fn: (name) => (name === JSON_PATCH_KEY && environment.makesPatches !== true ? undefined : FUNCTIONS.get(name)),
    struct: (name) => environment.structs?.(name),
    denoted: denotedType,
  }
  const checked = check(parsed.expression, scope)
  if (checked.issues.length > 0) return refused(expression, checked.issues)
  const issues = validate(parsed.expression, checked, environment.mixedLiterals ?? false)
  if (issues.length > 0) return refused(expression, issues)
  return { kind: 'program', program: new CheckedProgram(parsed.expression, checked, scope) }
}

function refused(expression: string, issues: readonly SourceIssue[]): Compiled {
  const told = inOrder(issues.slice(0, MOST_ISSUES))
  return {
    kind: 'refused',
    issues: told.map(({ message, at }) => ({ message, ...locate(expression, at) })),
    get text() {
      return describeIssues(expression, issues)
    },
  }
}

class CheckedProgram implements Program {
  readonly resultType: Type
  readonly #expression: Expr
  readonly #checked: Checked
  readonly #scope: Scope
  readonly #names: ReadonlySet<string>
  readonly #patterns = new Patterns()
  #plan: Plan | Fault | undefined

  constructor(expression: Expr, checked: Checked, scope: Scope) {
    this.#expression = expression
    this.#checked = checked
    this.#scope = scope
    this.#names = new Set(checked.names.values())
    this.resultType = checked.types.get(expression) ?? DYN
  }

  mentions(variable: string): boolean {
    return this.#names.has(variable)
  }

  equalities(variable: string): Equalities {
    return equalitiesOf(this.#expression, this.#checked, variable)
  }

  estimate(): CostEstimate {
    return estimateCost(this.#expression, this.#checked, this.#scope.variable)
  }

  instantiationFault(): string | undefined {
    const planned = this.#planned()
    return planned instanceof Fault ? planned.message : undefined
  }

  #planned(): Plan | Fault {
    this.#plan ??= this.#makePlan()
    return this.#plan
  }

  #makePlan(): Plan | Fault {
    const { variable, struct } = this.#scope
    try {
      return plan(this.#expression, { checked: this.#checked, variable, struct, locals: [] })
    } catch (error) {
      if (error instanceof Unplannable) return new Fault(error.message)
      throw error
    }
  }

  evaluate(bindings: Bindings, costLimit: number): Evaluation {
    const planned = this.#planned()
    if (planned instanceof Fault) return { kind: 'error', message: planned.message, cost: 0 }
    const frame = new Frame(bindings, costLimit, this.#patterns)
    try {
      const value = planned.run(frame)
      if (value instanceof Fault) return { kind: 'error', message: value.message, cost: frame.cost }
      return { kind: 'value', value, cost: frame.cost }
    } catch (error) {
      if (error instanceof OverBudget) return { kind: 'overBudget', cost: frame.cost }
      throw error
    }
  }
}
