// The front door: expressions that users write (rules of custom resources, admission policies, match conditions). An expression is compiled
// once, against declared variables. Each evaluation has a cost limit. Values are read from JSON when an expression uses them, and never
// converted as a whole.
import type { Expr } from './ast.ts'
import { type Checked, check, type Scope } from './checker.ts'
import { type CostEstimate, estimateCost } from './estimate.ts'
import { type Equalities, equalitiesOf } from './equalities.ts'
import { plan } from './evaluate.ts'
import { type Bindings, Frame, OverBudget } from './frame.ts'
import { FUNCTIONS } from './libraries/libraries.ts'
import { INCLUDES } from './libraries/lists.ts'
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
  /** List and map literals may have items of different types. The API does not allow this. */
  readonly mixedLiterals?: boolean
  /** Expressions may use `cel.bind(x, value, expression)`. The API has this macro only for devices. */
  readonly hasBind?: boolean
  /** The limits of expressions that do not come from administrators. */
  readonly limits?: Limits
  /** Expressions make patches, and may call `jsonpatch.escapeKey`. */
  readonly makesPatches?: boolean
  /**
   * Expressions may call `includes`: those of the operator's files, and those about devices whose attributes may be lists. Others may not
   * before the level after 1.37, so that level 1.36 can run them too.
   */
  readonly hasIncludes?: boolean
}

export interface Limits {
  /** The number of words and signs of the text, and of nodes of its tree. */
  readonly parts?: number
  /** The size of all constant patterns, in instructions of their programs. */
  readonly patterns?: number
  /** The number of steps inside of functions for each unit of an evaluation's cost limit. */
  readonly stepsPerUnit?: number
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
  /** The text shows every issue with its line. The text and the list have at most the first hundred issues. */
  | { readonly kind: 'refused'; readonly issues: readonly Issue[]; readonly text: string }

export type Evaluation =
  | { readonly kind: 'value'; readonly value: CelValue; readonly cost: number }
  /** The expression failed: `no such key: data`. */
  | { readonly kind: 'error'; readonly message: string; readonly cost: number }
  /** The evaluation would have exceeded its cost limit. */
  | { readonly kind: 'overBudget'; readonly cost: number }

export interface Program {
  readonly resultType: Type
  /** About the memory that the program keeps, in bytes. */
  readonly bytes: number
  /** Whether the expression uses this variable. */
  mentions(variable: string): boolean
  /** If the expression is true, each of these fields of the variable has one of the values. */
  equalities(variable: string): Equalities
  /** The least and the highest cost of an evaluation, by the sizes that the variables' types allow. */
  estimate(): CostEstimate
  /** The reason why the program cannot run at all: `type conversion error from 'string' to 'int'`. */
  instantiationFault(): string | undefined
  /** Throws only errors that the code of a binding throws, such as the authorizer's. */
  evaluate(bindings: Bindings, costLimit: number): Evaluation
}

/** Takes linear time. The length and depth of expressions are limited. Never throws. */
export function compile(expression: string, environment: Environment): Compiled {
  const { limits } = environment
  const parsed = parse(expression, environment.hasBind, limits?.parts)
  if (parsed.kind === 'refused') return refused(expression, parsed.issues)
  const scope: Scope = {
    variable: (name) => environment.variables.get(name),
    fn: (name) => (isAbsent(name, environment) ? undefined : FUNCTIONS.get(name)),
    struct: (name) => environment.structs?.(name),
    denoted: denotedType,
  }
  const checked = check(parsed.expression, scope)
  if (checked.issues.length > 0) return refused(expression, checked.issues)
  const mixedLiterals = environment.mixedLiterals ?? false
  const issues = validate(parsed.expression, checked, { mixedLiterals, patterns: new Patterns(limits?.patterns) })
  if (issues.length > 0) return refused(expression, issues)
  return { kind: 'program', program: new CheckedProgram(parsed.expression, checked, scope, limits) }
}

function isAbsent(name: string, { makesPatches = false, hasIncludes = false }: Environment): boolean {
  return (name === JSON_PATCH_KEY && !makesPatches) || (name === INCLUDES && !hasIncludes)
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

/** A node with its type, its place in the plan, and its share of the text. */
const NODE_BYTES = 450
/** An instruction of the program of a pattern. */
const INSTRUCTION_BYTES = 300

class CheckedProgram implements Program {
  readonly resultType: Type
  readonly #expression: Expr
  readonly #checked: Checked
  readonly #scope: Scope
  readonly #names: ReadonlySet<string>
  readonly #patterns: Patterns
  readonly #limits: Limits | undefined
  #plan: Plan | Fault | undefined

  constructor(expression: Expr, checked: Checked, scope: Scope, limits: Limits | undefined) {
    this.#expression = expression
    this.#patterns = new Patterns(limits?.patterns)
    this.#limits = limits
    this.#checked = checked
    this.#scope = scope
    this.#names = new Set(checked.names.values())
    this.resultType = checked.types.get(expression) ?? DYN
  }

  get bytes(): number {
    this.#planned()
    return NODE_BYTES * this.#checked.types.size + INSTRUCTION_BYTES * this.#patterns.size
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
    const patterns = this.#patterns
    try {
      return plan(this.#expression, { checked: this.#checked, variable, struct, patterns, locals: [] })
    } catch (error) {
      if (error instanceof Unplannable) return new Fault(error.message)
      throw error
    }
  }

  evaluate(bindings: Bindings, costLimit: number): Evaluation {
    const planned = this.#planned()
    if (planned instanceof Fault) return { kind: 'error', message: planned.message, cost: 0 }
    const stepsPerUnit = this.#limits?.stepsPerUnit
    const frame = new Frame(bindings, costLimit, { patterns: this.#patterns, stepsPerUnit })
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
