// Validates labels, annotations and label selectors, and decides whether a selector selects a set of labels.
import { type Shown, shownJson } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import type { LabelRequirement } from '../../api/selector.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { Check } from './check.ts'
import { labelValue, qualifiedName } from './formats.ts'

const MAX_ANNOTATION_BYTES = 256 * 1024

export function checkLabels(labels: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (labels === undefined) return
  for (const [key, value] of Object.entries(labels)) {
    check.format(at, key, qualifiedName(key))
    if (typeof value === 'string') check.format(at, value, labelValue(value))
  }
}

export function checkAnnotations(annotations: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (annotations === undefined) return
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    check.format(at, key, qualifiedName(key.toLowerCase()))
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0)
  }
  if (bytes > MAX_ANNOTATION_BYTES) check.tooLong(at, MAX_ANNOTATION_BYTES)
}

export function checkLabelSelector(selector: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (selector === undefined) return
  checkLabels(mapOrAbsent(selector, 'matchLabels'), at.child('matchLabels'), check)
  const expressions = mapsInPlace(selector, 'matchExpressions')
  for (const [i, expression] of expressions.entries()) {
    checkRequirement(expression, at.child('matchExpressions').index(i), check)
  }
}

function checkRequirement(expression: ValueMap, at: FieldPath, check: Check): void {
  const operator = textOrEmpty(expression, 'operator')
  if (!checkOperator(expression, at, check)) {
    check.invalid(at.child('operator'), operator, 'not a valid selector operator')
  }
  checkKeyAndValues(expression, at, check)
}

/** Checks a requirement of an access review. An unknown operator is not a fault, because a later version may know it. */
export function checkAskedRequirement(requirement: ValueMap, at: FieldPath, scope: AskedScope): void {
  const { check, isLabel } = scope
  checkOperator(requirement, at, check)
  if (isLabel) checkKeyAndValues(requirement, at, check)
  else if (textOrEmpty(requirement, 'key') === '') check.required(at.child('key'), 'must be specified')
}

interface AskedScope {
  readonly check: Check
  /** Whether the requirement is about labels, not about fields. */
  readonly isLabel: boolean
}

/** Returns whether the operator is known. Reports faults of the number of its values. */
function checkOperator(expression: ValueMap, at: FieldPath, check: Check): boolean {
  const values = textsInPlace(expression, 'values')
  switch (textOrEmpty(expression, 'operator')) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        check.required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")
      return true
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        check.forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      }
      return true
    default:
      return false
  }
}

function checkKeyAndValues(expression: ValueMap, at: FieldPath, check: Check): void {
  const values = textsInPlace(expression, 'values')
  const key = textOrEmpty(expression, 'key')
  check.format(at.child('key'), key, qualifiedName(key))
  for (const [i, value] of values.entries()) {
    const faults = labelValue(value)
    if (faults.length > 0) check.format(at.child('values').index(i), value, faults)
  }
}

/** Whether a selector has no labels and no expressions. */
export function isEmptySelector(selector: ValueMap): boolean {
  const labels = mapOrAbsent(selector, 'matchLabels')
  return (
    (labels === undefined || Object.keys(labels).length === 0) && mapsInPlace(selector, 'matchExpressions').length === 0
  )
}

/** Whether every requirement holds for the labels. An absent selector selects nothing, and an empty selector everything. */
export function selects(selector: ValueMap | undefined, labels: ValueMap): boolean {
  if (selector === undefined) return false
  const wanted = mapOrAbsent(selector, 'matchLabels') ?? {}
  return (
    Object.entries(wanted).every(([key, value]) => own(labels, key) === value) &&
    mapsInPlace(selector, 'matchExpressions').every((expression) => meets(expression, labels))
  )
}

function meets(expression: ValueMap, labels: ValueMap): boolean {
  const value = own(labels, textOrEmpty(expression, 'key'))
  const values = isGiven(expression, 'values') ? textsInPlace(expression, 'values') : []
  switch (textOrEmpty(expression, 'operator')) {
    case 'In':
      return typeof value === 'string' && values.includes(value)
    case 'NotIn':
      return typeof value !== 'string' || !values.includes(value)
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}

/** Whether all keys, operators and values of a selector are valid. */
export function isUsable(selector: ValueMap): boolean {
  const parsed = labelSelectorOf(selector)
  return parsed?.requirements.every((each) => isKey(each.key) && valuesOf(each).every(isValue)) ?? false
}

function valuesOf(requirement: LabelRequirement): readonly string[] {
  if ('values' in requirement) return requirement.values
  return 'value' in requirement ? [requirement.value] : []
}

const isKey = (key: string): boolean => qualifiedName(key).length === 0
const isValue = (value: string): boolean => labelValue(value).length === 0

/** A selector as messages show it. */
export function shownSelector(selector: ValueMap | undefined): Shown {
  return shownJson(selector)
}
