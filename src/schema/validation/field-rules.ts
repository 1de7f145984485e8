// The validation rules that `proto/` declares for single fields, and the check of a value by a rule. `Check.fields` applies the rules.
import { duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isList, type Value } from '../../api/value.ts'
import { InvariantError } from '../../lib/errors.ts'
import { BUILT_IN_RULES } from '../built-in-compiled.ts'
import type { CompiledRule } from '../table-compiled.ts'
import { type Faults, FORMATS, inclusiveRange, longerThan, NOT_NEGATIVE, POSITIVE } from './formats.ts'

export interface FieldRule {
  readonly name: string
  /** Absence differs from the zero value. */
  readonly isPointer: boolean
  readonly isMap: boolean
  /** The value of an absent field. Undefined: absence differs from the zero value, or the field is an object, a list or a map. */
  readonly zero: Value | undefined
  /** The rules apply to the zero value too. */
  readonly zeroToo: boolean
  /** The message for an absent field. Undefined: the field may be absent. */
  readonly required: string | undefined
  readonly values: readonly string[] | undefined
  readonly format: ((text: string) => Faults) | undefined
  readonly maxBytes: number
  readonly min: number
  readonly max: number
  readonly outOfBounds: string
  readonly maxItems: number
  /** The items of the list have rules. */
  readonly ofItems: boolean
  readonly unique: boolean
  readonly immutable: boolean
}

const ZEROS: Readonly<Record<string, Value>> = { string: '', int32: 0, int64: 0 }

export type TypeRules = ReadonlyMap<string, FieldRule>

/** The rules of fields by the name of the type (`core_v1.Container`). The fields are in the order of declaration. */
const RULES: ReadonlyMap<string, TypeRules> = new Map(
  Object.entries(BUILT_IN_RULES).map(([type, rules]) => [
    type,
    new Map(rules.map((rule) => [rule.name, fieldRuleOf(rule)])),
  ]),
)

export function rulesOf(type: string): TypeRules {
  const rules = RULES.get(type)
  if (rules === undefined) throw new InvariantError(`the fields of ${type} have no rules`)
  return rules
}

export function ruleOf(rules: TypeRules, name: string): FieldRule {
  const rule = rules.get(name)
  if (rule === undefined) throw new InvariantError(`the field ${name} has no rule`)
  return rule
}

function fieldRuleOf({ name, type, ...rules }: CompiledRule): FieldRule {
  const isPointer = rules.pointer === true
  return {
    name,
    isPointer,
    isMap: type.startsWith('{}'),
    zero: isPointer ? undefined : ZEROS[type],
    zeroToo: rules.zeroToo === true,
    required: rules.required,
    values: rules.values,
    format: rules.format === undefined ? undefined : FORMATS[rules.format],
    maxBytes: rules.maxBytes ?? Infinity,
    min: rules.min ?? -Infinity,
    max: rules.max ?? Infinity,
    outOfBounds: rules.outOfBounds ?? boundsFault(rules),
    maxItems: rules.maxItems ?? Infinity,
    ofItems: (rules.values ?? rules.format ?? rules.min ?? rules.unique) !== undefined,
    unique: rules.unique === true,
    immutable: rules.immutable === true,
  }
}

function boundsFault({ min = 0, max }: Pick<CompiledRule, 'min' | 'max'>): string {
  if (max !== undefined) return inclusiveRange(min, max)
  return min === 1 ? POSITIVE : NOT_NEGATIVE
}

/** A receiver of faults, such as a validation. */
interface FaultSink {
  add(fault: FieldError): void
}

/** Reports the faults of a field. `at` is the place of its object. Undefined: the whole object. */
export function checkField(
  rule: FieldRule,
  given: Value | undefined,
  at: FieldPath | undefined,
  check: FaultSink,
): void {
  if (!isAbsent(given, rule)) checkValue(rule, given, at, check)
  else if (rule.required !== undefined) check.add(required(placeOf(at, rule.name), rule.required))
  else if (rule.zeroToo) checkValue(rule, rule.zero, at, check)
}

function isAbsent(value: Value | undefined, { isPointer, isMap }: FieldRule): boolean {
  if (value === undefined || value === null) return true
  if (isPointer) return false
  if (typeof value !== 'object') return value === '' || value === 0
  return isList(value) ? value.length === 0 : isMap && Object.keys(value).length === 0
}

function checkValue(rule: FieldRule, value: Value | undefined, at: FieldPath | undefined, check: FaultSink): void {
  if (typeof value === 'string') checkText(rule, value, at, check)
  else if (typeof value === 'number' || typeof value === 'bigint') {
    if (value < rule.min || value > rule.max) check.add(invalid(placeOf(at, rule.name), value, rule.outOfBounds))
  } else if (isList(value)) checkItems(rule, value, placeOf(at, rule.name), check)
}

function checkText(rule: FieldRule, text: string, at: FieldPath | undefined, check: FaultSink): void {
  const { name, values, format, maxBytes } = rule
  if (values !== undefined && !values.includes(text)) check.add(notSupported(placeOf(at, name), text, values))
  if (maxBytes !== Infinity && longerThan(text, maxBytes)) check.add(tooLong(placeOf(at, name), maxBytes))
  if (format === undefined) return
  for (const fault of format(text)) check.add(invalid(placeOf(at, name), text, fault))
}

function checkItems(rule: FieldRule, items: readonly Value[], list: FieldPath, check: FaultSink): void {
  const { values, format, min, max, outOfBounds, maxItems, ofItems, unique } = rule
  if (items.length > maxItems) check.add(tooMany(list, items.length, maxItems))
  if (!ofItems) return
  const seen = new Set<Value>()
  for (const [i, item] of items.entries()) {
    const at = list.index(i)
    if (typeof item === 'string') {
      if (values !== undefined && !values.includes(item)) check.add(notSupported(at, item, values))
      if (format !== undefined) for (const fault of format(item)) check.add(invalid(at, item, fault))
    } else if (typeof item === 'number' || typeof item === 'bigint') {
      if (item < min || item > max) check.add(invalid(at, item, outOfBounds))
    } else return
    if (unique && seen.has(item)) check.add(duplicate(at, item))
    seen.add(item)
  }
}

export function placeOf(at: FieldPath | undefined, name: string): FieldPath {
  return at === undefined ? FieldPath.root(name) : at.child(name)
}
