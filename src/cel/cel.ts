// The front door: expressions that users write (rules of custom resources, admission policies, match conditions). An
// expression is compiled once, against declared variables, and then evaluated with a bound on what it may cost; values
// are read from JSON where an expression looks, never converted as a whole.
import type { Json, JsonMap } from './json.ts'
import { typeOfSchema as typeOfSchemaNode } from './schema-type.ts'
import type { ObjectType, Type } from './type.ts'

export type { Json, JsonMap } from './json.ts'
export { escapeName, isIdentifier } from './escape.ts'
export type { Bounds, ListType, MapType, ObjectField, ObjectType, OptionalType, Type } from './type.ts'
export { BOOL, DYN, listOf, mapOf, optionalOf, STRING, typeName } from './type.ts'

export interface Environment {
  readonly variables: ReadonlyMap<string, Type>
  /** The types that expressions may make objects of, `Object.spec{…}`; none where absent. */
  readonly structs?: (name: string) => ObjectType | undefined
}

export interface Issue {
  /** `undeclared reference to 'x' (in container '')` */
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 1, in characters. */
  readonly column: number
}

export type Compiled =
  | { readonly kind: 'program'; readonly program: Program }
  /** The text has every issue with the line that it is in, as people are shown it. */
  | { readonly kind: 'refused'; readonly issues: readonly Issue[]; readonly text: string }

export interface CostEstimate {
  readonly min: number
  readonly max: number
}

/** What is bound to a declared variable: JSON that is read by the declared type, or a value made by this room. */
export type Binding = Json | CelObject

/** A value that is not JSON: an optional, an authorizer, fields that are computed when they are looked at. */
export interface CelObject {
  readonly isCelObject: true
}

export type Bindings = Readonly<Record<string, Binding | undefined>>

export type Evaluation =
  | { readonly kind: 'value'; readonly value: CelValue; readonly cost: number }
  /** The expression failed: `no such key: data`. */
  | { readonly kind: 'error'; readonly message: string; readonly cost: number }
  /** It would have cost more than it may. */
  | { readonly kind: 'overBudget'; readonly cost: number }

/** A result. Booleans and strings are themselves; `toJson` makes JSON of the rest. */
export type CelValue = unknown

export interface Program {
  readonly resultType: Type
  /** Whether the expression speaks of this variable anywhere. */
  mentions(variable: string): boolean
  /** What an evaluation costs at least and at most, by the sizes that the variables' types allow. */
  estimate(): CostEstimate
  evaluate(bindings: Bindings, costLimit: number): Evaluation
}

/** Linear in the length of the expression; depth and length are bounded. Never throws. */
export function compile(_expression: string, _environment: Environment): Compiled {
  return { kind: 'refused', issues: [], text: 'expressions are not compiled yet' }
}

/** The value as JSON, undefined where it has no such form. */
export function toJson(_value: CelValue): Json | undefined {
  return undefined
}

/** See `schema-type.ts`; the schema is the JSON of a definition's `openAPIV3Schema` or of a node of it. */
export function typeOfSchema(schema: JsonMap, isResourceRoot: boolean): Type | undefined {
  return typeOfSchemaNode(schema, isResourceRoot)
}
