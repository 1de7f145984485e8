// The state of one validation: the faults so far, in the reference's order, and the context of the rules. Each validation of an object has
// a state of its own.
import {
  duplicate,
  type FieldError,
  forbidden,
  internalFault,
  invalid,
  notFound,
  notSupported,
  required,
  type Shown,
  tooLong,
  tooMany,
} from '../../api/field-error.ts'
import type { FaultList } from '../../api/fault-list.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { BuiltInTypes } from '../../api/gen/kinds.ts'
import { mapOrAbsent, mapsInPlace } from '../../api/members.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { CheckedPatterns } from './checked-patterns.ts'
import { formOf, type FaultForm } from './fault-form.ts'
import { checkField, placeOf, ruleOf, rulesOf } from './field-rules.ts'
import { type Faults, NOT_NEGATIVE } from './formats.ts'

export interface ValidationContext {
  /** The names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>
  /** Whether objects of the kind live in a namespace. */
  readonly namespaced: boolean
  /** Whether containers may be privileged (`--allow-privileged`). Absent: they may not. */
  readonly allowPrivileged?: boolean
  /** The form of faults. Absent: the form of the default level. */
  readonly form?: FaultForm
  /** The stored object. Absent: the object is new. */
  readonly stored?: ValueMap
}

export const IMMUTABLE = 'field is immutable'

/** An object, or the part of an object at `at`, and its stored form. */
export interface FieldsChange {
  readonly object: ValueMap
  readonly stored: ValueMap
  readonly at?: FieldPath
}

/** The rule for an object within another object. `at` is the place of the inner object. */
export type PartRule<T = ValueMap> = (part: T, at: FieldPath<T>, check: Check) => void

/** The rules of parts by the names of their fields. */
export type PartRules<T, S = Check> = {
  readonly [N in keyof T]?: (part: NonNullable<T[N]>, at: FieldPath<NonNullable<T[N]>>, scope: S) => void
}

interface GivenPart {
  readonly at: FieldPath
  readonly check: () => void
}

/** The present parts of an object, in the order of their rules. */
export function givenParts<T extends ValueMap, S>(
  holder: T,
  at: FieldPath<T>,
  rules: PartRules<T, S>,
  scope: S,
): readonly GivenPart[] {
  const ruleOf = rules as Readonly<Record<string, (part: Value, at: FieldPath, scope: S) => void>>
  const parts: GivenPart[] = []
  for (const name of Object.keys(rules)) {
    const part = (holder as ValueMap)[name]
    if (part === undefined) continue
    const place = (at as FieldPath).child(name)
    parts.push({ at: place, check: () => ruleOf[name]?.(part, place, scope) })
  }
  return parts
}

/** The types of a member that is an object, and of the items of a member that is a list. */
type PartOf<T> = [Value] extends [T] ? ValueMap : NonNullable<T>
type ItemOf<T> = [Value] extends [T] ? ValueMap : Extract<T, readonly unknown[]>[number]

export class Check {
  readonly context: ValidationContext
  /** The patterns of a definition. */
  #patterns: CheckedPatterns | undefined
  readonly #faults: FaultList
  #faultless: object | undefined

  /** When the list of faults is full, the validation ends. */
  constructor(context: ValidationContext, faults: FaultList, patterns?: CheckedPatterns) {
    this.context = context
    this.#patterns = patterns
    this.#faults = faults
  }

  /** The patterns are made on demand, because only definitions have patterns. */
  get patterns(): CheckedPatterns {
    return (this.#patterns ??= new CheckedPatterns())
  }

  get form(): FaultForm {
    return formOf(this.context)
  }

  get errors(): readonly FieldError[] {
    return this.#faults.found
  }

  add(fault: FieldError): void {
    this.#faults.add(fault)
  }

  /** Checks the object under a name by a rule, if there is such an object. */
  part<T extends ValueMap, N extends keyof T & string>(
    holder: T,
    name: N,
    at: FieldPath<T> | FieldPath,
    rule: NoInfer<PartRule<PartOf<T[N]>>>,
  ): void {
    const part = mapOrAbsent(holder, name) as PartOf<T[N]> | undefined
    if (part !== undefined) rule(part, (at as FieldPath).child(name) as never, this)
  }

  /** Checks every object of the list under a name by a rule. */
  each<T extends ValueMap, N extends keyof T & string>(
    holder: T,
    name: N,
    at: FieldPath<T> | FieldPath,
    rule: NoInfer<PartRule<ItemOf<T[N]>>>,
  ): void {
    const parts = mapsInPlace(holder, name) as readonly ItemOf<T[N]>[]
    if (parts.length === 0) return
    const list = (at as FieldPath).child(name)
    for (let i = 0; i < parts.length; i++) rule(parts[i]!, list.index(i) as never, this)
  }

  /**
   * Runs checks that several rules share. If the checks have found no fault in a part, they do not run again for this part. If they have
   * found faults, they run and report them each time. `isAll`: `run` makes all shared checks of the part.
   */
  unlessFaultless(part: object, isAll: boolean, run: () => void): void {
    if (this.#faultless === part) return
    const before = this.errors.length
    run()
    if (isAll && this.errors.length === before) this.#faultless = part
  }

  gate(name: string): boolean {
    return this.context.gates.has(name)
  }

  required(at: FieldPath, detail = ''): void {
    this.#faults.add(required(at, detail))
  }

  forbidden(at: FieldPath, detail: string): void {
    this.#faults.add(forbidden(at, detail))
  }

  invalid(at: FieldPath, value: Value | Shown | undefined, detail: string): void {
    this.#faults.add(invalid(at, value, detail))
  }

  duplicate(at: FieldPath, value: Value | Shown, detail = ''): void {
    this.#faults.add(duplicate(at, value, detail))
  }

  notFound(at: FieldPath, value: Value, detail = ''): void {
    this.#faults.add(notFound(at, value, detail))
  }

  notSupported(at: FieldPath, value: Value | Shown | undefined, supported: readonly string[]): void {
    this.#faults.add(notSupported(at, value, supported))
  }

  tooLong(at: FieldPath, maxBytes: number): void {
    this.#faults.add(tooLong(at, maxBytes))
  }

  tooMany(at: FieldPath, count: number, max: number): void {
    this.#faults.add(tooMany(at, count, max))
  }

  internal(at: FieldPath, detail: string): void {
    this.#faults.add(internalFault(at, detail))
  }

  /**
   * Checks these fields of an object of a type (`core_v1.Container`), in this order, by the rules in `proto/`. Without names it checks all
   * fields with rules. `at` is the place of the object. Undefined: the whole object.
   */
  fields<N extends keyof BuiltInTypes>(
    object: ValueMap,
    at: FieldPath | undefined,
    type: N,
    ...names: readonly (keyof BuiltInTypes[N] & string)[]
  ): void {
    const rules = rulesOf(type)
    if (names.length === 0) for (const rule of rules.values()) checkField(rule, object[rule.name], at, this)
    for (const name of names) checkField(ruleOf(rules, name), object[name], at, this)
  }

  /** Checks that the immutable fields among the named fields have not changed. Without names it checks all immutable fields. */
  unchangedFields<N extends keyof BuiltInTypes>(
    { object, stored, at }: FieldsChange,
    type: N,
    ...names: readonly (keyof BuiltInTypes[N] & string)[]
  ): void {
    const rules = rulesOf(type)
    const chosen = names.length === 0 ? [...rules.values()] : names.map((name) => ruleOf(rules, name))
    for (const { name, zero, immutable } of chosen) {
      if (immutable) this.unchanged(placeOf(at, name), object[name] ?? zero, stored[name] ?? zero)
    }
  }

  /** Adds the faults of a format. */
  format(at: FieldPath, value: Value, faults: Faults): void {
    for (const fault of faults) this.#faults.add(invalid(at, value, fault))
  }

  notNegative(at: FieldPath, value: number | bigint | undefined): void {
    if (value !== undefined && value < 0) this.invalid(at, value, NOT_NEGATIVE)
  }

  /** Checks that the value is one of a closed set of words. '' is refused too. */
  oneOf(at: FieldPath, value: string, supported: readonly string[]): void {
    if (!supported.includes(value)) this.notSupported(at, value, supported)
  }

  /** Checks that the value was not seen before, and remembers it. */
  unique<T extends Value>(seen: Set<T>, value: T, at: FieldPath): void {
    if (seen.has(value)) this.duplicate(at, value)
    seen.add(value)
  }

  /** Checks that the value has not changed. The fault shows the new value. */
  unchanged(at: FieldPath, now: Value | undefined, before: Value | undefined): void {
    if (!equalValues(now, before)) this.invalid(at, now, IMMUTABLE)
  }
}
