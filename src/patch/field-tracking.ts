// Field ownership in a write. Reads `managedFields`, lets `ownership.ts` compute the new owners, and writes `managedFields` with times,
// limits and the special cases of the reference.
import { jsonOrAbsent } from '../api/json-text.ts'
import { annotationsOf, metaText, withoutManagedFields } from '../api/object-members.ts'
import { textOrAbsent, textOrEmpty } from '../api/members.ts'
import type { ConflictExplanation } from '../api/explanation.ts'
import { ApiError } from '../api/status.ts'
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { compareTexts } from '../lib/text-order.ts'
import type { FieldSet } from './field-set.ts'
import {
  difference,
  EMPTY_SET,
  formatPath,
  isEmptySet,
  isSubset,
  scalarText,
  setOf,
  setOfFields,
  union,
  unionOf,
} from './field-set.ts'
import type { ManagedEntry, ManagedFields, Manager } from './managed-fields.ts'
import {
  compareTimes,
  decodeManagedFields,
  formatManager,
  identityOf,
  isReset,
  managedFieldsOf,
  withManagedFields,
} from './managed-fields.ts'
import type { Conflict, KindVersions, OwnershipRequest } from './ownership.ts'
import { apply, ConversionMissing, ownershipAfterUpdate } from './ownership.ts'
import { unchangedOwnership } from './unchanged-ownership.ts'
import { explainConflicts } from './conflict-explanation.ts'
import { compare, fieldsOf } from './typed-walk.ts'
import { withZeroValues } from './zero-values.ts'
import { outlineOf } from './outline.ts'

/** Fields that the server sets, or that identify objects. They have no owners. */
const NEVER_OWNED = setOfFields([
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
])
const MAX_UPDATE_MANAGERS = 10
const FOLDED_MANAGER = 'ancient-changes'
const BEFORE_FIRST_APPLY = 'before-first-apply'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const MAX_ANNOTATION_BYTES = 256 * 1024

export interface FieldManagerRequest {
  readonly versions: KindVersions
  readonly apiVersion: string
  readonly manager: string
  /** Empty for the main resource. */
  readonly subresource: string
  readonly reset: FieldSet
  /** RFC 3339, whole seconds. */
  readonly now: string
  /** The stored object in `apiVersion`. If nothing is stored: an object without a uid. */
  readonly live: ValueMap
  /** Whether the error explains conflicts with the values in the apply and in the live object. */
  readonly explain?: boolean
}

/**
 * Returns the written object with its managedFields. A write succeeds even if ownership cannot be computed: the managed fields are then
 * dropped, or stay as they were (W-290, `keepsOwners`). Objects without managers get none until the first apply (W-281).
 */
export function trackUpdate<T extends ValueMap>(request: FieldManagerRequest, updated: T): T {
  const managed = managedForUpdate(request, updated)
  const bare = withoutManagedFields(updated)
  if (managed.size === 0 && isStored(request.live)) return bare
  const settled = settledByUpdate(request, managed, updated)
  if (settled !== undefined) return withManagedFields(updated, settled)
  return withManagedFields(bare, updateManaged(request, managed, bare))
}

function settledByUpdate(
  request: FieldManagerRequest,
  managed: ManagedFields,
  updated: ValueMap,
): ManagedFields | undefined {
  const { live, now, versions, reset } = request
  const sent = managedFieldsOf(updated)
  const isSame = isList(sent) && sent === managedFieldsOf(live)
  // If a client sends no managed fields, the stored managed fields stay.
  if (!isSame && sent !== undefined) return undefined
  if (managed.size === 0 || managed.size > MAX_UPDATE_MANAGERS) return undefined
  return unchangedOwnership({
    versions,
    manager: updaterOf(request),
    managed,
    reset,
    live: isSame ? live : withoutManagedFields(live),
    updated,
    neverOwned: NEVER_OWNED,
    now,
  })
}

function updaterOf({ manager, apiVersion, subresource }: FieldManagerRequest): Manager {
  return { name: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource }
}

function isStored(live: ValueMap): boolean {
  return metaText(live, 'uid') !== ''
}

/** The managed fields that an update starts from. A client may send a list: a reset is obeyed, and a malformed list is ignored. */
function managedForUpdate(request: FieldManagerRequest, updated: ValueMap): ManagedFields {
  const sent = managedFieldsOf(updated)
  if (request.subresource === '') {
    if (isReset(sent)) return new Map()
    // Patches send back the stored list, and so do most clients that read before they write.
    if (equalValues(sent, managedFieldsOf(request.live))) return readManaged(request)
    const managed = decodeManagedFields(sent)
    if (!('problem' in managed) && managed.size > 0) return managed
  }
  return readManaged(request)
}

function readManaged({ live, versions }: FieldManagerRequest): ManagedFields {
  const managed = decodeManagedFields(managedFieldsOf(live), (fields) => versions.sets.ofStored(fields))
  return 'problem' in managed ? new Map() : managed
}

function updateManaged(request: FieldManagerRequest, managed: ManagedFields, updated: ValueMap): ManagedFields {
  const manager = updaterOf(request)
  if (managed.size === 0 && isBlank(request.live)) return managedByCreator(request, manager, updated)
  // A temporary manager with an unused name separates the fields of this write from the earlier fields of the manager.
  const current: Manager = { ...manager, name: '' }
  const result = ownershipRequest(request, current, managed)
  let after: ManagedFields
  try {
    after = ownershipAfterUpdate(result, updated)
  } catch (error) {
    if (error instanceof ConversionMissing) throw error
    return request.versions.keepsOwners === true ? readManaged(request) : new Map()
  }
  const taken = stripped(after.get(identityOf(current)))
  const settled = new Map(after)
  settled.delete(identityOf(current))
  if (taken !== undefined) {
    const self = identityOf(manager)
    const kept = settled.get(self)?.fields ?? EMPTY_SET
    const before = managed.get(self)
    const fields = takenBack(taken.fields, kept, before?.fields) ?? union(taken.fields, kept)
    settled.set(self, { ...manager, fields, recorded: before?.recorded, time: request.now })
  }
  return foldOldest(settled)
}

/** The creator of an object owns all of its fields. Their set depends only on the outline of the object. */
function managedByCreator(request: FieldManagerRequest, manager: Manager, created: ValueMap): ManagedFields {
  const { versions, apiVersion, subresource } = request
  const shape = versions.shape(apiVersion)
  if (shape === undefined) return new Map()
  const outline = outlineOf(shape, created)
  const fields = versions.sets.ofOutline(`created ${subresource} ${apiVersion} `, outline, () => {
    const after = ownershipAfterUpdate(ownershipRequest(request, manager, new Map()), created)
    return stripped(after.get(identityOf(manager)))?.fields ?? EMPTY_SET
  })
  return isEmptySet(fields) ? new Map() : new Map([[identityOf(manager), { ...manager, fields, time: request.now }]])
}

function isBlank(live: ValueMap): boolean {
  return Object.keys(live).every((name) => name === 'kind' || name === 'apiVersion')
}

function ownershipRequest(request: FieldManagerRequest, manager: Manager, managed: ManagedFields): OwnershipRequest {
  return {
    versions: request.versions,
    manager,
    managed,
    reset: request.reset,
    live: withoutManagedFields(request.live),
  }
}

function stripped(entry: ManagedEntry | undefined): ManagedEntry | undefined {
  if (entry === undefined) return undefined
  const fields = withoutNeverOwned(entry.fields)
  return isEmptySet(fields) ? undefined : { ...entry, fields }
}

function withoutNeverOwned(fields: FieldSet): FieldSet {
  return difference(fields, NEVER_OWNED)
}

/** The previous set of a manager, if the taken and the kept fields together are equal to it: that set need not be encoded again. */
function takenBack(taken: FieldSet, kept: FieldSet, before: FieldSet | undefined): FieldSet | undefined {
  if (before === undefined || !isSubset(taken, before)) return undefined
  return isSubset(difference(before, kept), taken) ? before : undefined
}

/** The previous set if the new set is equal: the previous set need not be encoded again. */
function unchanged(fields: FieldSet, before: FieldSet | undefined): FieldSet {
  return before !== undefined && isSubset(fields, before) && isSubset(before, fields) ? before : fields
}

/** If there are too many updaters, the oldest are joined into one entry for each version. */
function foldOldest(managed: ManagedFields): ManagedFields {
  const updaters = [...managed].filter(([, entry]) => entry.operation === 'Update')
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managed
  updaters.sort(([idA, a], [idB, b]) => compareTimes(a.time, b.time) || compareTexts(idA, idB))
  const result = new Map(managed)
  const firstOfVersion = new Map<string, string>()
  const folded = new Map<string, ManagedEntry[]>()
  let count = updaters.length
  for (const [identity, entry] of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break
    const first = firstOfVersion.get(entry.apiVersion)
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, identity)
      continue
    }
    const bucket: Manager = { name: FOLDED_MANAGER, operation: 'Update', apiVersion: entry.apiVersion, subresource: '' }
    const bucketId = identityOf(bucket)
    let entries = folded.get(bucketId)
    if (entries === undefined) {
      folded.set(bucketId, (entries = [result.get(bucketId) ?? result.get(first)!]))
      if (!result.has(bucketId)) result.delete(first)
    }
    entries.push(entry)
    if (identity !== bucketId) result.delete(identity)
    result.set(bucketId, { ...bucket, fields: EMPTY_SET, time: entry.time })
    count--
  }
  // The sets are joined in one step. If they were joined one by one, they would be copied as often as there are entries.
  for (const [bucketId, entries] of folded) {
    result.set(bucketId, { ...result.get(bucketId)!, fields: unionOf(entries.map(({ fields }) => fields)) })
  }
  return result
}

/** The object after an apply, with its managedFields and before defaulting. Throws an `ApiError` `Conflict` on conflicts unless forced. */
export function trackApply(request: FieldManagerRequest, applied: ValueMap, force: boolean): ValueMap {
  const manager: Manager = {
    name: request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    subresource: request.subresource,
  }
  let managed = readManaged(request)
  if (managed.size === 0 && isStored(request.live)) {
    const empty = { apiVersion: own(request.live, 'apiVersion') ?? '', kind: own(request.live, 'kind') ?? '' }
    managed = updateManaged(
      { ...request, live: empty, manager: BEFORE_FIRST_APPLY },
      managed,
      withoutManagedFields(request.live),
    )
  }
  const ownership = ownershipRequest(request, manager, managed)
  let result = apply(ownership, applied, force)
  if (result.kind === 'conflicts') {
    const remaining = conflictsToReport(request, ownership, result.conflicts)
    if (remaining.length > 0) throw conflictError(remaining, explained(request, applied, remaining))
    result = apply(ownership, applied, true)
    if (result.kind === 'conflicts') throw conflictError(result.conflicts)
  }
  const after = new Map(result.managed)
  const self = identityOf(manager)
  const mine = after.get(self)
  const fields = mine === undefined ? EMPTY_SET : request.versions.sets.stripped(mine.fields, withoutNeverOwned)
  after.delete(self)
  if (mine !== undefined && !isEmptySet(fields)) {
    const time = result.object === undefined ? mine.time : request.now
    const before = managed.get(self)
    after.set(self, { ...mine, fields: unchanged(fields, before?.fields), recorded: before?.recorded, time })
  }
  const object = result.object ?? withoutManagedFields(request.live)
  return withManagedFields(refreshLastApplied(request, object, applied), after)
}

/**
 * The conflicts that count. If `kubectl` moves from client-side apply, it has applied the fields that equal its last-applied annotation
 * itself, so conflicts about them do not count (W-288).
 */
function conflictsToReport(
  request: FieldManagerRequest,
  ownership: OwnershipRequest,
  conflicts: readonly Conflict[],
): readonly Conflict[] {
  const last = request.manager === 'kubectl' ? lastApplied(request.live) : undefined
  const shape = request.versions.shape(request.apiVersion)
  if (last === undefined || shape === undefined) return conflicts
  const changed = compare(shape, last, withZeroValues(shape, ownership.live))
  const unchanged = [changed.modified, changed.added, changed.removed].reduce(difference, fieldsOf(shape, last))
  return conflicts.filter((conflict) => !isEmptySet(difference(setOf([conflict.path]), unchanged)))
}

function lastApplied(live: ValueMap): ValueMap | undefined {
  const value = jsonOrAbsent(textOrEmpty(annotationsOf(live), LAST_APPLIED))
  return isMap(value) ? value : undefined
}

/** Updates the last-applied annotation if `kubectl` applies to an object that has this annotation. */
function refreshLastApplied(request: FieldManagerRequest, object: ValueMap, applied: ValueMap): ValueMap {
  if (request.manager !== 'kubectl' || textOrAbsent(annotationsOf(object), LAST_APPLIED) === undefined) return object
  const metadata = object['metadata'] as ValueMap
  const { [LAST_APPLIED]: _, ...others } = metadata['annotations'] as ValueMap
  const text = `${sortedJson(withoutAnnotation(applied))}\n`
  const annotations = { ...others, [LAST_APPLIED]: text }
  const size = Object.entries(annotations).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0)
  return { ...object, metadata: { ...metadata, annotations: size > MAX_ANNOTATION_BYTES ? others : annotations } }
}

function withoutAnnotation(applied: ValueMap): ValueMap {
  if (textOrAbsent(annotationsOf(applied), LAST_APPLIED) === undefined) return applied
  const metadata = applied['metadata'] as ValueMap
  const { [LAST_APPLIED]: _, ...annotations } = metadata['annotations'] as ValueMap
  return { ...applied, metadata: { ...metadata, annotations } }
}

function sortedJson(value: Value): string {
  if (isList(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isMap(value)) return scalarText(value)
  const members = Object.keys(value).toSorted()
  return `{${members.map((name) => `${JSON.stringify(name)}:${sortedJson(value[name]!)}`).join(',')}}`
}

/** An error lists no more conflicts than this. There can be as many conflicts as fields. */
const MOST_TOLD_CONFLICTS = 10_000

/** 409 with the reference's message and one cause for each field (W-259 to W-262). */
function conflictError(conflicts: readonly Conflict[], explanation?: ConflictExplanation): ApiError {
  const causes = conflicts.slice(0, MOST_TOLD_CONFLICTS).map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${formatManager(manager)}`,
    field: formatPath(path),
  }))
  return new ApiError('Conflict', conflictMessage(conflicts), { details: { causes }, explanation })
}

function explained(
  { explain, live }: FieldManagerRequest,
  applied: ValueMap,
  conflicts: readonly Conflict[],
): ConflictExplanation | undefined {
  return explain === true ? explainConflicts(conflicts, live, applied) : undefined
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${formatManager(first.manager)}: ${formatPath(first.path)}`
  }
  const byManager = Map.groupBy(conflicts.slice(0, MOST_TOLD_CONFLICTS), ({ manager }) => identityOf(manager))
  const lines = [...byManager.keys()].toSorted().flatMap((identity) => {
    const group = byManager.get(identity)!
    return [`conflicts with ${formatManager(group[0]!.manager)}:`, ...group.map(({ path }) => `- ${formatPath(path)}`)]
  })
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}
