// What fields are held to by themselves, as `proto/` declares it. The validation of a kind asks for the rules of the fields that
// it names at their place in its order, which is the order of the faults.
import { FieldPath } from '../../api/field-path.ts'
import { isList, isMap, type Value, type ValueMap } from '../../api/value.ts'
import { InvariantError } from '../../lib/errors.ts'
import { builtInType } from '../built-in-compiled.ts'
import type { CompiledField, CompiledFieldRules } from '../table-compiled.ts'
import { type Check, NOT_NEGATIVE, POSITIVE } from './check.ts'
import { type Faults, FORMATS, inclusiveRange, longerThan } from './formats.ts'
import { partsOf } from './members.ts'

/** Holds an object to the rules of some of its fields. `at` is its place; undefined for the whole object. */
export type FieldsCheck = (object: ValueMap, at: FieldPath | undefined, check: Check) => void

/** The same for a change: what may not be another than it was. */
export type FieldsUpdateCheck = (object: ValueMap, stored: ValueMap, at: FieldPath | undefined, check: Check) => void

/**
 * The rules of these fields of a type (`core_v1.Container`), in this order. `a.b` is the field `b` of the object `a`, where that is
 * there, and `a[].b` that of each item of the list `a`; neighbours that begin alike are looked at together.
 */
export function fieldRules(type: string, ...paths: readonly string[]): FieldsCheck {
  const steps: FieldsCheck[] = []
  for (let i = 0; i < paths.length; i++) {
    const path = paths[i]!
    const [head = '', ...rest] = path.split('.')
    if (rest.length === 0) steps.push(ruleStep(ruleOf(fieldOf(type, path))))
    else {
      const start = i
      while (paths[i + 1]?.startsWith(`${head}.`) === true) i++
      steps.push(
        innerStep(
          fieldOf(type, head.replace('[]', '')),
          paths.slice(start, i + 1).map((inner) => inner.slice(head.length + 1)),
        ),
      )
    }
  }
  const [only] = steps
  if (only !== undefined && steps.length === 1) return only
  return (object, at, check) => {
    for (const step of steps) step(object, at, check)
  }
}

/** That these fields of a type stay as they are. */
export function immutableFields(type: string, ...names: readonly string[]): FieldsUpdateCheck {
  for (const name of names) {
    if (fieldOf(type, name)[4]?.rules?.immutable !== true) throw new InvariantError(`${type}.${name} is not immutable`)
  }
  return (object, stored, at, check) => {
    for (const name of names) check.unchanged(placeOf(at, name), object[name], stored[name])
  }
}

function innerStep([name, , type, marks = '']: CompiledField, paths: readonly string[]): FieldsCheck {
  if (type.startsWith('[]')) {
    const checkItem = fieldRules(type.slice(2), ...paths)
    return (object, at, check) => {
      for (const [i, item] of partsOf(object, name).entries()) checkItem(item, placeOf(at, name).index(i), check)
    }
  }
  const checkPart = fieldRules(type, ...paths)
  const isPointer = marks.includes('p')
  return (object, at, check) => {
    const part = object[name]
    if (isMap(part)) checkPart(part, placeOf(at, name), check)
    else if (!isPointer) checkPart({}, placeOf(at, name), check)
  }
}

interface FieldRule {
  readonly name: string
  /** Absence differs from the zero value. */
  readonly isPointer: boolean
  readonly isMap: boolean
  /** What stands for an absent value where the rules hold for it too. */
  readonly zero: Value | undefined
  /** What is said of an absent one; undefined where it may be absent. */
  readonly required: string | undefined
  readonly values: readonly string[] | undefined
  readonly format: ((text: string) => Faults) | undefined
  readonly maxBytes: number
  readonly min: number
  readonly max: number
  readonly outOfBounds: string
  readonly maxItems: number
  readonly unique: boolean
}

function fieldOf(type: string, name: string): CompiledField {
  const field = findField(type, name)
  if (field === undefined) throw new InvariantError(`${type} has no field ${name}`)
  return field
}

/** Also in the types that are inlined. */
function findField(type: string, name: string): CompiledField | undefined {
  const dot = type.lastIndexOf('.')
  const fields = builtInType(type.slice(0, dot), type.slice(dot + 1))?.fields ?? []
  for (const field of fields) {
    const [own, , inner, marks = ''] = field
    const found = marks.includes('i') ? findField(inner, name) : own === name ? field : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const NO_RULES: CompiledFieldRules = {}

function ruleOf([name, , type, marks = '', facts = {}]: CompiledField): FieldRule {
  const { rules = NO_RULES } = facts
  const values = rules.values ?? facts.values
  if (rules === NO_RULES && values === undefined) throw new InvariantError(`nothing is asked of the field ${name}`)
  return {
    name,
    isPointer: marks.includes('p'),
    isMap: type.startsWith('{}'),
    zero: rules.zeroToo === true ? (type === 'string' ? '' : 0) : undefined,
    required: rules.required,
    values,
    format: rules.format === undefined ? undefined : FORMATS[rules.format],
    maxBytes: rules.maxBytes ?? Infinity,
    min: rules.min ?? -Infinity,
    max: rules.max ?? Infinity,
    outOfBounds: rules.outOfBounds ?? boundsFault(rules),
    maxItems: rules.maxItems ?? Infinity,
    unique: rules.unique === true,
  }
}

function boundsFault({ min = 0, max }: CompiledFieldRules): string {
  if (max !== undefined) return inclusiveRange(min, max)
  return min === 1 ? POSITIVE : NOT_NEGATIVE
}

function ruleStep(rule: FieldRule): FieldsCheck {
  return (object, at, check) => {
    const given = object[rule.name]
    const isGiven = !isAbsent(given, rule)
    if (!isGiven && rule.required !== undefined) check.required(placeOf(at, rule.name), rule.required)
    else checkValue(isGiven ? given : rule.zero, rule, at, check)
  }
}

function isAbsent(value: Value | undefined, { isPointer, isMap: isMapField }: FieldRule): boolean {
  if (value === undefined || value === null) return true
  if (isPointer) return false
  if (typeof value !== 'object') return value === '' || value === 0
  return isList(value) ? value.length === 0 : isMapField && Object.keys(value).length === 0
}

function checkValue(value: Value | undefined, rule: FieldRule, at: FieldPath | undefined, check: Check): void {
  if (typeof value === 'string') checkText(value, rule, at, check)
  else if (typeof value === 'number' || typeof value === 'bigint') {
    if (value < rule.min || value > rule.max) check.invalid(placeOf(at, rule.name), value, rule.outOfBounds)
  } else if (isList(value)) checkItems(value, rule, placeOf(at, rule.name), check)
}

function checkText(text: string, rule: FieldRule, at: FieldPath | undefined, check: Check): void {
  const { name, values, format, maxBytes } = rule
  if (values !== undefined && !values.includes(text)) check.notSupported(placeOf(at, name), text, values)
  if (maxBytes !== Infinity && longerThan(text, maxBytes)) check.tooLong(placeOf(at, name), maxBytes)
  if (format === undefined) return
  const faults = format(text)
  if (faults.length > 0) check.format(placeOf(at, name), text, faults)
}

function checkItems(items: readonly Value[], rule: FieldRule, list: FieldPath, check: Check): void {
  const { values, format, min, max, outOfBounds, maxItems, unique } = rule
  if (items.length > maxItems) check.tooMany(list, items.length, maxItems)
  const seen = new Set<Value>()
  for (const [i, item] of items.entries()) {
    if (typeof item === 'string') {
      if (values !== undefined) check.oneOf(list.index(i), item, values)
      if (format !== undefined) check.format(list.index(i), item, format(item))
    } else if (typeof item === 'number' || typeof item === 'bigint') {
      if (item < min || item > max) check.invalid(list.index(i), item, outOfBounds)
    } else return
    if (unique && seen.has(item)) check.duplicate(list.index(i), item)
    seen.add(item)
  }
}

function placeOf(at: FieldPath | undefined, name: string): FieldPath {
  return at === undefined ? FieldPath.root(name) : at.child(name)
}
