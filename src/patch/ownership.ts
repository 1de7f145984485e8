// The owners of fields after a write: the rules for updates and for applies, on sets and schemas alone. Updates are compared in their
// completed form (`zero-values.ts`), and applies in their merged form. The fields of every manager are compared in the version in which
// they were recorded.
import { equalValues, type Value, type ValueMap } from '../api/value.ts'
import type { ObjectShape } from '../schema/table.ts'
import { appliedFields } from './applied-fields.ts'
import type { FieldSet, PathElement } from './field-set.ts'
import {
  difference,
  differenceWithBelow,
  EMPTY_SET,
  intersection,
  intersects,
  isEmptySet,
  isSubset,
  pathsOf,
  union,
  unionOf,
} from './field-set.ts'
import type { FieldSetMemo } from './field-set-memo.ts'
import { identityOf, type ManagedEntry, type ManagedFields, type Manager } from './managed-fields.ts'
import { merge, reconcileWithSchema, removeFields, withStructsAsMembers } from './typed-merge.ts'
import { compare, type Comparison, fieldsOf } from './typed-walk.ts'
import { compareUpdated, withoutReset } from './update-comparison.ts'

/** The known versions of a kind. */
export interface KindVersions {
  /** Undefined if the version is not served any more. */
  shape(apiVersion: string): ObjectShape | undefined
  /** Whether managers lose the fields that they recorded in a version without a shape. Otherwise ownership cannot be computed. */
  readonly isGivenUp?: (apiVersion: string) => boolean
  /** True: if ownership cannot be computed, the stored managed fields stay. Otherwise they are dropped. */
  readonly keepsOwners?: boolean
  convert(object: ValueMap, toApiVersion: string): ValueMap
  /** A webhook or function that converts. Absent: `convert` converts all versions. */
  readonly convertElsewhere?: (object: ValueMap, toApiVersion: string, signal: AbortSignal) => Promise<ValueMap>
  /** Remembers the sets of fields that objects of the kind have. */
  readonly sets: FieldSetMemo
}

/** A field that an apply may not change, because `manager` owns it. */
export interface Conflict {
  readonly manager: ManagedEntry
  readonly path: readonly PathElement[]
}

export type ApplyResult =
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  /** Without `object`, the apply changes nothing except, perhaps, ownership. */
  | { readonly kind: 'applied'; readonly object: ValueMap | undefined; readonly managed: ManagedFields }

export interface OwnershipRequest {
  readonly versions: KindVersions
  readonly manager: Manager
  readonly managed: ManagedFields
  /** Fields that a write through this endpoint cannot change. The write gives them no owner. */
  readonly reset: FieldSet
  readonly live: ValueMap
}

/** The manager gains the fields that it added or changed. All managers lose fields that others changed and fields that are gone. */
export function ownershipAfterUpdate(request: OwnershipRequest, updated: ValueMap): ManagedFields {
  const managed = reconciled(request)
  const self = identityOf(request.manager)
  const step = settle({ ...request, managed }, { object: updated, isMerged: false }, self)
  const own = step.changes()
  const before = step.managed.get(self)?.fields ?? EMPTY_SET
  const gained = union(union(difference(before, own.removed), own.modified), own.added)
  return withEntry(step.managed, {
    ...request.manager,
    fields: differenceWithBelow(gained, request.reset),
    time: step.managed.get(self)?.time,
  })
}

/** Merges the applied body into the live object, removes fields that the manager gave up, and finds conflicts unless forced. */
export function apply(request: OwnershipRequest, applied: ValueMap, force: boolean): ApplyResult {
  const { versions, manager, live } = request
  const managed = reconciled(request)
  const shape = shapeIn(versions, manager.apiVersion)
  const fields = appliedFields({ ...manager, shape, reset: request.reset, sets: versions.sets }, applied)
  const self = identityOf(manager)
  const last = managed.get(self)
  const withOwn = new Map(managed).set(self, { ...manager, fields, time: last?.time })
  const merged = merge(shape, live, applied) as ValueMap
  const isKept = last === undefined || (last.apiVersion === manager.apiVersion && isSubset(last.fields, fields))
  const object = isKept ? merged : prune({ versions, managed: withOwn, last, merged, manager })
  const step = settle({ ...request, managed: withOwn }, { object, isMerged: true }, self)
  if (!force && step.conflicts.length > 0) return { kind: 'conflicts', conflicts: step.conflicts }
  return { kind: 'applied', object: equalValues(live, object) ? undefined : object, managed: step.managed }
}

function reconciled(request: OwnershipRequest): ManagedFields {
  const result = new Map<string, ManagedEntry>()
  for (const [identity, entry] of request.managed) {
    const shape = request.versions.shape(entry.apiVersion)
    if (shape === undefined && request.versions.isGivenUp?.(entry.apiVersion) === true) continue
    const fields =
      shape === undefined ? entry.fields : request.versions.sets.reconciled(entry.fields, shape, reconcileWithSchema)
    result.set(identity, fields === entry.fields ? entry : { ...entry, fields })
  }
  return result
}

function shapeIn(versions: KindVersions, apiVersion: string): ObjectShape {
  const shape = versions.shape(apiVersion)
  if (shape === undefined) throw new UnknownVersionError(apiVersion)
  return shape
}

/** A manager recorded its fields under a version that the kind no longer has. */
class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError'
  readonly apiVersion: string

  constructor(apiVersion: string) {
    super(`request to convert CR to an invalid group/version: ${apiVersion}`)
    this.apiVersion = apiVersion
  }
}

/** Thrown by a `convert` that would have to wait. The caller can make the conversion and begin again. */
export class ConversionMissing extends Error {
  readonly object: ValueMap
  readonly apiVersion: string

  constructor(object: ValueMap, apiVersion: string) {
    super('a conversion is missing')
    this.object = object
    this.apiVersion = apiVersion
  }
}

interface Settlement {
  readonly managed: ManagedFields
  /** The changes in the version of the writing manager. */
  readonly changes: () => Comparison
  readonly conflicts: readonly Conflict[]
}

interface Written {
  readonly object: ValueMap
  /** True: the object is compared as it is. An item without a member that is always shown then differs from an item with this member. */
  readonly isMerged: boolean
}

/** Compares the object before and after in the version of every manager. The other managers lose the changed and deleted fields. */
function settle(request: OwnershipRequest, after: Written, self: string): Settlement {
  const compareIn = comparer(request, after)
  const managed = new Map<string, ManagedEntry>()
  const conflicts: Conflict[] = []
  for (const [identity, entry] of request.managed) {
    if (identity === self) {
      if (!isEmptySet(entry.fields)) managed.set(identity, entry)
      continue
    }
    const changes = compareIn(entry.apiVersion)
    const { written } = changes
    const lost = intersects(entry.fields, written) ? intersection(entry.fields, written) : EMPTY_SET
    for (const path of pathsOf(lost)) conflicts.push({ manager: entry, path })
    const fields = difference(difference(entry.fields, lost), changes.removed)
    if (!isEmptySet(fields)) managed.set(identity, fields === entry.fields ? entry : { ...entry, fields })
  }
  return { managed, changes: () => compareIn(request.manager.apiVersion), conflicts }
}

/** A comparison, and the union of the modified and the added fields. */
interface Changes extends Comparison {
  readonly written: FieldSet
}

function comparer(request: OwnershipRequest, after: Written): (apiVersion: string) => Changes {
  const known = new Map<string, Changes>()
  const { versions, manager, reset } = request
  return (apiVersion) => {
    let found = known.get(apiVersion)
    if (found === undefined) {
      const shape = shapeIn(versions, apiVersion)
      const isOwn = apiVersion === manager.apiVersion
      const left = isOwn ? request.live : versions.convert(request.live, apiVersion)
      const right = isOwn ? after.object : versions.convert(after.object, apiVersion)
      const changes =
        isOwn && after.isMerged
          ? withoutReset(compare(shape, left, right), reset)
          : compareUpdated(shape, { before: left, after: right, reset })
      found = { ...changes, written: union(changes.modified, changes.added) }
      known.set(apiVersion, found)
    }
    return found
  }
}

function withEntry(managed: ManagedFields, entry: ManagedEntry): ManagedFields {
  const result = new Map(managed)
  if (isEmptySet(entry.fields)) result.delete(identityOf(entry))
  else result.set(identityOf(entry), entry)
  return result
}

interface PruneRequest {
  readonly versions: KindVersions
  /** Includes the new fields of the applying manager. */
  readonly managed: ManagedFields
  /** The manager's fields before the apply. */
  readonly last: ManagedEntry
  readonly merged: ValueMap
  readonly manager: Manager
}

/** Removes fields that the manager applied before and left out now, unless a manager owns them or fields below them. */
function prune({ versions, managed, last, merged, manager }: PruneRequest): ValueMap {
  if (isEmptySet(last.fields)) return merged
  const version = last.apiVersion
  const shape = shapeIn(versions, version)
  const start = version === manager.apiVersion ? merged : versions.convert(merged, version)
  const given = withStructsAsMembers(last.fields, shape)
  let pruned = removeFields(shape, start, given)

  const ownedByVersion = new Map<string, FieldSet>()
  for (const [apiVersion, entries] of Map.groupBy(managed.values(), (entry) => entry.apiVersion)) {
    ownedByVersion.set(apiVersion, unionOf(entries.map(({ fields }) => fields)))
  }
  const versionsInOrder = [version, ...[...ownedByVersion.keys()].filter((other) => other !== version)]
  for (const other of versionsInOrder) {
    const owned = ownedByVersion.get(other)
    if (owned === undefined) continue
    const otherShape = shapeIn(versions, other)
    const same = other === version
    const [whole, rest] = same
      ? [start, pruned]
      : [versions.convert(start, other), versions.convert(asMap(pruned), other)]
    const keep = union(membersOf(otherShape, rest), withStructsAsMembers(owned, otherShape))
    const result = removeFields(otherShape, whole, difference(membersOf(otherShape, whole), keep))
    pruned = same ? result : versions.convert(asMap(result), version)
  }
  const gone = difference(membersOf(shape, start), membersOf(shape, pruned))
  pruned = removeFields(shape, start, intersection(gone, given))
  return version === manager.apiVersion ? asMap(pruned) : versions.convert(asMap(pruned), manager.apiVersion)
}

function membersOf(shape: ObjectShape, value: Value): FieldSet {
  return withStructsAsMembers(fieldsOf(shape, value), shape)
}

function asMap(value: Value): ValueMap {
  return (value ?? {}) as ValueMap
}
