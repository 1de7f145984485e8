// Deletes one object, or the selected objects of a collection.
import { metaText } from '../api/object-members.ts'
import { type ApiObject, formatGroupResource } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import { forEachAtOnce } from '../lib/together.ts'
import type { ListPage, ListRequest, Outcome, StoredItem } from '../store/store.ts'
import { decideDeletion, type DeleteOptions, type Deletion } from './deletion.ts'
import { IGNORE_READ_ERRORS } from './delete-options.ts'
import { conflictError, forbiddenError, notFoundError, resourceDetails } from './errors.ts'
import { release } from './held-reservation.ts'
import type { RegistryParts, Resource, WriteContext } from './registry.ts'
import { splitSelection } from './served-selection.ts'
import { admissionRequest, keyOf, readable, storeFor } from './steps.ts'

export type DeleteAnswer =
  /** The object is gone, and the kind answers with a Status. */
  | { readonly kind: 'gone'; readonly uid: string }
  /** The object is gone, or marked for deletion, and is the answer. */
  | { readonly kind: 'object'; readonly object: ApiObject | StoredObject; readonly removed: boolean }

export interface DeleteRequest {
  readonly name: string
  readonly options: DeleteOptions
  /** Admission sees no name: the object is one of a collection (W-343). */
  readonly nameless?: boolean
  /** Admission has run already, for the eviction that leads to this delete. */
  readonly withoutAdmission?: boolean
  /** Whether the stored object is still the object to delete. Otherwise the object counts as not found. */
  readonly means?: (current: StoredObject) => boolean
}

export async function deleteObject(
  parts: RegistryParts,
  resource: Resource,
  request: DeleteRequest,
  context: WriteContext,
): Promise<DeleteAnswer> {
  const refusal = resource.strategy.refuseDelete(request.name)
  if (refusal !== undefined) throw forbiddenError(resource, request.name, refusal)
  warnOfDelete(resource, request.options, context)
  const key = keyOf(resource, context.namespace, request.name)
  const store = storeFor(parts, context)
  let deletion = { kind: 'remove' } as Deletion
  const result = await store.write(
    key,
    async (current): Promise<Outcome> => {
      const stored = present(resource, request, current)
      checkPreconditions(resource, stored, request.options)
      await admitDelete(parts, resource, stored, { request, context })
      deletion = decideDeletion(resource.strategy, stored, request.options, context.now)
      if (deletion.kind === 'remove') return { kind: 'remove' }
      return deletion.object === stored ? { kind: 'keep' } : { kind: 'put', object: deletion.object }
    },
    context.signal,
  )
  if (result.kind === 'removed') return removed(parts, resource, readable(result.object), context)
  const marked = readable(result.object!)
  if (deletion.kind !== 'markAndRemove') return { kind: 'object', object: marked, removed: false }
  const uid = metaText(marked.object(), 'uid')
  const last = await store.write(
    key,
    (current) => (isObject(current, uid) ? { kind: 'remove' } : { kind: 'keep' }),
    context.signal,
  )
  return last.kind === 'removed'
    ? removed(parts, resource, marked, context)
    : { kind: 'object', object: marked, removed: true }
}

function warnOfDelete({ strategy }: Resource, options: DeleteOptions, context: WriteContext): void {
  const { deleteWarning } = strategy
  const { propagationPolicy, orphanDependents } = options
  if (deleteWarning !== undefined && propagationPolicy === undefined && orphanDependents === undefined) {
    context.warn(deleteWarning)
  }
}

function present(resource: Resource, { name, means }: DeleteRequest, current: StoredItem | undefined): ApiObject {
  const item = current && readable(current)
  if (item === undefined || means?.(item) === false) throw notFoundError(resource, name)
  return item.object()
}

function isObject(item: StoredItem | undefined, uid: string): boolean {
  return item?.kind === 'object' && metaText(item.object(), 'uid') === uid
}

async function removed(
  parts: RegistryParts,
  resource: Resource,
  last: StoredObject,
  context: WriteContext,
): Promise<DeleteAnswer> {
  const object = last.object()
  await release(resource, object, { parts, context })
  return resource.strategy.answersDeleteWithObject
    ? { kind: 'object', object: last, removed: true }
    : { kind: 'gone', uid: metaText(object, 'uid') }
}

async function admitDelete(
  parts: RegistryParts,
  resource: Resource,
  stored: ApiObject,
  { request, context }: { readonly request: DeleteRequest; readonly context: WriteContext },
): Promise<void> {
  if (request.withoutAdmission === true) return
  const name = request.nameless === true ? '' : request.name
  const step = admissionRequest(
    { resource, operation: 'DELETE', subresource: '', name, object: undefined, oldObject: stored },
    context,
  )
  await parts.admission.mutate(step, context.signal)
  await parts.admission.validate(step, context.signal)
}

/**
 * Throws `Conflict` if the object does not meet the preconditions. The errors of most kinds name the kind and explain the conflict. The
 * errors of namespaces and custom definitions name the plural (W-304 to W-306).
 */
export function checkPreconditions(resource: Resource, stored: ApiObject, { preconditions }: DeleteOptions): void {
  const name = metaText(stored, 'name')
  const [uid, version] = [metaText(stored, 'uid'), metaText(stored, 'resourceVersion')]
  const wrongUid = preconditions.uid !== undefined && preconditions.uid !== uid
  const wrongVersion = preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== version
  if (!wrongUid && !wrongVersion) return
  const [what, sent, found, fate] = wrongUid
    ? ['UID', preconditions.uid, uid, 'deleted and then recreated']
    : ['ResourceVersion', preconditions.resourceVersion, version, 'modified']
  if (resource.strategy.markOnDelete !== undefined) {
    const both = `${what} in precondition: ${sent}, ${what} in object meta: ${found}`
    throw conflictError(resource, name, `Precondition failed: ${both}`)
  }
  const mismatch = `the ${what} in the precondition (${sent}) does not match the ${what} in record (${found})`
  const kind = { group: resource.group, resource: resource.kind }
  throw conflictError(kind, name, `${mismatch}. The object might have been ${fate}`)
}

const COLLECTION_WORKERS = 16

/**
 * Deletes the objects of the list, several at a time. A fault ends the deletion, and objects that were deleted before stay deleted (W-341).
 * All deletions have ended when the answer is known. The list may be old: an object stays if it was replaced by another object, or is no
 * longer selected.
 */
export async function deleteCollection(
  parts: RegistryParts,
  resource: Resource,
  request: { readonly list: ListRequest; readonly options: DeleteOptions },
  context: WriteContext,
): Promise<{ readonly page: ListPage; readonly items: readonly StoredObject[] }> {
  warnOfDelete(resource, request.options, context)
  const page = await parts.store.list(request.list, context.signal)
  const items: StoredObject[] = []
  for await (const batch of page.batches) items.push(...batch)
  const selects = splitSelection(resource.stored, request.list.selection)?.matches
  await forEachAtOnce(items, { most: COLLECTION_WORKERS, signal: context.signal }, async (listed) => {
    const { name, namespace } = listed
    const uid = metaText(listed.object(), 'uid')
    try {
      const means = (current: StoredObject): boolean => isObject(current, uid) && selects?.(current) !== false
      const one = { name, options: request.options, nameless: true, means }
      await deleteObject(parts, resource, one, { ...context, namespace })
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error
    }
  })
  return { page, items }
}

/** The error if the option for unreadable objects is used on a readable object (W-351, D24). */
function notCorruptError(resource: Resource, name: string): ApiError {
  const message =
    'Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option'
  const field = IGNORE_READ_ERRORS
  const subject = `${formatGroupResource(resource)} ${JSON.stringify(name)}`
  const causes = [{ reason: 'FieldValueInvalid', message, field }]
  return new ApiError('Invalid', `${subject} is invalid: ${field}: ${message}`, {
    details: { ...resourceDetails(resource, name), causes },
  })
}

/** Removes an object that cannot be read. Finalizers, preconditions and admission do not count (W-352). */
export async function deleteUnreadable(
  parts: RegistryParts,
  resource: Resource,
  name: string,
  context: WriteContext,
): Promise<void> {
  await parts.store.write(
    keyOf(resource, context.namespace, name),
    (current) => {
      if (current?.kind !== 'unreadable') throw notCorruptError(resource, name)
      return { kind: 'remove' }
    },
    context.signal,
  )
}
