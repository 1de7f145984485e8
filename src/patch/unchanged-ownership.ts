// The usual update: a manager writes only fields that it alone owns, and no manager owns a field that the update removes. Ownership does
// not change then, except for the manager's time. This file detects such updates without computing new sets of owned fields.
import type { ValueMap } from '../api/value.ts'
import { type FieldSet, intersects, isEmptySet, isSubset, union } from './field-set.ts'
import { identityOf, type ManagedFields } from './managed-fields.ts'
import type { OwnershipRequest } from './ownership.ts'
import { reconcileWithSchema } from './typed-merge.ts'
import { compareUpdated } from './update-comparison.ts'

export interface UnchangedOwnershipRequest extends OwnershipRequest {
  /** Has the same managedFields as `live`, or both have no managedFields. */
  readonly updated: ValueMap
  /** Fields that no manager ever owns. */
  readonly neverOwned: FieldSet
  readonly now: string
}

/** The managed fields after the update. Undefined: a field may change its owner, so the full computation is necessary. */
export function unchangedOwnership(request: UnchangedOwnershipRequest): ManagedFields | undefined {
  const { versions, manager, managed } = request
  const shape = versions.shape(manager.apiVersion)
  if (shape === undefined) return undefined
  for (const { name, apiVersion, fields } of managed.values()) {
    if (apiVersion !== manager.apiVersion || name === '' || isEmptySet(fields)) return undefined
    if (versions.sets.reconciled(fields, shape, reconcileWithSchema) !== fields) return undefined
  }
  const { live, updated, reset } = request
  const { added, modified, removed } = compareUpdated(shape, { before: live, after: updated, reset })
  for (const { fields } of managed.values()) if (intersects(removed, fields)) return undefined
  const written = union(modified, added)
  return isEmptySet(written) ? managed : writtenAgain(request, written)
}

/** The managed fields with the new time. Undefined: the manager is not the only owner of the written fields. */
function writtenAgain(
  { manager, managed, neverOwned, now }: UnchangedOwnershipRequest,
  written: FieldSet,
): ManagedFields | undefined {
  const self = identityOf(manager)
  const mine = managed.get(self)
  if (mine === undefined || !isSubset(written, mine.fields) || intersects(written, neverOwned)) return undefined
  for (const [identity, { fields }] of managed) {
    if (identity !== self && intersects(written, fields)) return undefined
  }
  return new Map(managed).set(self, { ...mine, time: now })
}
