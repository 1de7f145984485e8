// The front door: finds the faults of an object that a request creates or updates, in the reference's order and words. An object without
// faults may be stored. Objects are decoded and defaulted already. No content of an object makes this code throw.
import { faultsOf } from '../../api/fault-list.ts'
import type { FieldError } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { isGiven } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { Check, type ValidationContext } from './check.ts'
import { checkCommonMeta, checkExpiry, checkMeta, checkMetaUpdate, subdomainName } from './object-meta.ts'
import { dns1035Label } from './formats.ts'
import { formOf } from './fault-form.ts'
import type { KindRules, UpdateRule } from './rules.ts'

export type { ValidationContext } from './check.ts'
export { FAULT_FORMS, type FaultForm } from './fault-form.ts'
export { labelValue, pathSegment } from './formats.ts'
export type { KindRules } from './rules.ts'

export interface Change {
  readonly object: ValueMap
  /** The stored object. */
  readonly stored: ValueMap
}

export function validateCreate(rules: KindRules, object: ValueMap, context: ValidationContext): readonly FieldError[] {
  return faultsOf((list) => {
    const check = new Check(context, list)
    rules.create(object, check)
    if (check.errors.length === 0 && rules.isQuestion !== true) checkCommonMeta(object, check)
    checkExpiry(object, undefined, check)
  }, formOf(context).isOnce)
}

/** The faults of an object that is to replace the stored object. */
export function validateUpdate(rules: KindRules, change: Change, context: ValidationContext): readonly FieldError[] {
  return changed(change, rules.update, context)
}

export interface SubresourceChange extends Change {
  /** `status`, `approval`, `ephemeralcontainers`, `resize`, `finalize`, … */
  readonly subresource: string
}

/** The faults of a change through a subresource. `object` is the whole object as it would be stored. */
export function validateSubresource(
  rules: KindRules,
  change: SubresourceChange,
  context: ValidationContext,
): readonly FieldError[] {
  const rule = rules.subresources?.[change.subresource] ?? checkMetaUpdate
  return changed(change, rule, context)
}

/** The metadata is checked first for every kind, and again by the kind's own rules. So causes repeat on updates (W-007). */
function checkChange({ object, stored }: Change, rule: UpdateRule, check: Check): void {
  checkCommonMeta(object, check)
  checkMetaUpdate(object, stored, check)
  rule(object, stored, check)
  checkExpiry(object, stored, check)
}

function changed(change: Change, rule: UpdateRule, given: ValidationContext): readonly FieldError[] {
  const context = { ...given, stored: change.stored }
  return faultsOf((list) => checkChange(change, rule, new Check(context, list)), formOf(context).isOnce)
}

/** The faults of the metadata of an embedded object, at `at`. An embedded object needs no name. */
export function validateEmbeddedMetadata(metadata: ValueMap, at: FieldPath): readonly FieldError[] {
  const named = isGiven(metadata, 'name') ? metadata : { ...metadata, name: 'name' }
  const context = { gates: new Set<string>(), namespaced: isGiven(metadata, 'namespace') }
  const faults = faultsOf((list) => checkCommonMeta({ metadata: named }, new Check(context, list)))
  return faults.map((error) => ({ ...error, field: `${at.toString()}${error.field.slice('metadata'.length)}` }))
}

/** The rules of objects that are embedded in custom resources. */
export const EMBEDDED_RULES = { metadata: validateEmbeddedMetadata, kind: dns1035Label } as const

/** The rules of a custom kind for its metadata. The schema has the other rules. */
export const METADATA_RULES: KindRules = {
  create: (object, check) => checkMeta(object, subdomainName, check),
  update: checkMetaUpdate,
}
