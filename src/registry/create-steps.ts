// The steps from the object that was sent to one that can be stored, in the reference's order (W-022). POST runs them, and so do
// PUT and apply where there is no object of the name.
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { own } from '../api/value.ts'
import { type MaybePromise, settle, whenKnown } from '../lib/maybe-promise.ts'
import type { Turns } from '../lib/turns.ts'
import { type OwnedWhen, whenOwned, withOwners } from './field-ownership.ts'
import type { HeldReservation } from './held-reservation.ts'
import { generateName, metaForCreate, withManagedFieldsOf, withUniqueOwners } from './object-meta.ts'
import type { RegistryParts, Resource, WriteContext } from './registry.ts'
import {
  admissionRequest,
  fromAdmission,
  parseResourceVersion,
  type PutOutcome,
  putOutcome,
  refuseInvalid,
  withNamespace,
} from './steps.ts'

export interface Creation {
  readonly parts: RegistryParts
  readonly resource: Resource
  readonly context: WriteContext
  readonly verb: 'post' | 'put' | 'apply'
  /** The name in the path; empty for POST. */
  readonly name: string
  /** Decoded and defaulted, in the served version: its parts are canonical, if not in order. */
  readonly sent: ApiObject
  readonly held: HeldReservation
  /** When it is found who owns its fields; undefined: an apply has recorded that itself. */
  readonly ownedWhen: OwnedWhen | undefined
}

export interface AdmittedCreation extends Creation {
  /** What the first steps made of `sent`, in the stored version. */
  readonly admitted: ApiObject
}

type Step<C> = (object: ApiObject, creation: C) => MaybePromise<ApiObject>

/** Once a request. */
const ADMIT_STEPS: readonly Step<Creation>[] = [
  withoutDeletionMarks,
  inNamespace,
  withoutRepeatedOwners,
  withFieldsOwnedAsSent,
  mutatedByAdmission,
  authorizedAsItIs,
]

/** Once for each name that is tried. */
const PREPARE_STEPS: readonly Step<AdmittedCreation>[] = [
  inNamespace,
  named,
  withSystemMeta,
  preparedByStrategy,
  withFirstGeneration,
  withReservation,
  inCanonicalForm,
  validated,
  withFieldsOwnedOnceValid,
  warnedOf,
  validatedByAdmission,
  withVersionChecked,
]

/** Managed fields that are sent are checked: they are read before the rest is. */
export function creationOf(request: Omit<Creation, 'ownedWhen'>): Creation {
  const { parts, resource, context, sent, verb } = request
  if (verb === 'apply') return { ...request, ownedWhen: undefined }
  const bringsOwners = own(metaOf(sent), 'managedFields') !== undefined
  return { ...request, ownedWhen: bringsOwners ? 'sent' : whenOwned(parts, resource, context) }
}

/** The object after mutating admission, in the stored version. Throws `ApiError`. */
export function admitNew(creation: Creation): MaybePromise<ApiObject> {
  return walk(ADMIT_STEPS, { object: creation.sent, from: 0 }, creation)
}

/** What was admitted, ready to be stored where its name is free. Throws `ApiError`; then nothing is reserved. */
export function prepareNew(creation: AdmittedCreation): MaybePromise<ApiObject> {
  return settle(
    () => walk(PREPARE_STEPS, { object: creation.admitted, from: 0 }, creation),
    (prepared) => prepared,
    (error) =>
      whenKnown(creation.held.settle(false), () => {
        throw error
      }),
  )
}

/** What is stored of it: the last and, of a large object, the longest step, which is not taken where the name is not free. */
export function outcomeOfNew(prepared: ApiObject, creation: Creation): MaybePromise<PutOutcome> {
  const { resource, context, ownedWhen } = creation
  const object = ownedWhen === 'stored' ? withFieldsOfSender(prepared, creation) : prepared
  return whenKnown(object, (owned) => putOutcome(resource, owned, context))
}

/** Without a microtask where no step has to wait: most objects go through all of them at once. */
function walk<C>(
  steps: readonly Step<C>[],
  { object: first, from }: { readonly object: ApiObject; readonly from: number },
  creation: C,
): MaybePromise<ApiObject> {
  let object = first
  for (let at = from; at < steps.length; at++) {
    const next = steps[at]!(object, creation)
    if (next instanceof Promise) return next.then((later) => walk(steps, { object: later, from: at + 1 }, creation))
    object = next
  }
  return object
}

/** Nobody comes to own the marks of a deletion that a new object cannot have; who sends them by PUT does. */
export function withoutDeletionMarks(object: ApiObject, { verb }: Creation): ApiObject {
  const meta = metaOf(object)
  const isMarked = own(meta, 'deletionTimestamp') !== undefined || own(meta, 'deletionGracePeriodSeconds') !== undefined
  if (verb !== 'post' || !isMarked) return object
  return withMeta(object, { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined })
}

/** Once more after admission, which may have moved it. */
export function inNamespace(object: ApiObject, { resource, context }: Creation): ApiObject {
  return withNamespace(object, resource, context)
}

export function withoutRepeatedOwners(object: ApiObject, { context }: Creation): ApiObject {
  return withUniqueOwners(object, '', context.warn)
}

/** The creator owns the fields. */
export function withFieldsOwnedAsSent(object: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  return creation.ownedWhen === 'sent' ? ownedBySender(object, creation) : object
}

export function withFieldsOwnedOnceValid(object: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  return creation.ownedWhen === 'valid' ? withFieldsOfSender(object, creation) : object
}

/** The creator owns what was sent, and nothing that admission has added. */
function withFieldsOfSender(object: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  const sent = withUniqueOwners(withoutDeletionMarks(creation.sent, creation), '', () => {})
  return whenKnown(ownedBySender(sent, creation), (owned) => withManagedFieldsOf(object, owned))
}

function ownedBySender(object: ApiObject, { resource, context }: Creation): MaybePromise<ApiObject> {
  const { apiVersion, kind } = object
  const { versions } = resource
  const request = {
    versions,
    apiVersion,
    manager: context.fieldManager,
    subresource: '',
    reset: versions.sets.ofNames(resource.strategy.main.resetFields),
    now: context.now,
    live: { kind, apiVersion },
  }
  return withOwners(request, object, context)
}

export function mutatedByAdmission(served: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  const { parts, resource, context } = creation
  const object = resource.conversion.toStored(served)
  const mutating = parts.admission.mutate(admissionOf(object, creation), context.signal)
  return whenKnown(mutating, (mutated) => fromAdmission(object, mutated, context.warn))
}

/** Some kinds restrict which objects a user may write (RBAC escalation). */
export function authorizedAsItIs(
  object: ApiObject,
  { parts, resource, context, name }: Creation,
): MaybePromise<ApiObject> {
  const { authorizeWrite } = resource.strategy
  if (authorizeWrite === undefined) return object
  return authorizeWrite({ object, stored: undefined, name }, context, parts).then(() => object)
}

export function named(object: ApiObject, { context }: Creation): ApiObject {
  const prefix = metaText(object, 'generateName')
  if (metaText(object, 'name') !== '' || prefix === '') return object
  return withMeta(object, { name: generateName(prefix, context.random) })
}

export function withSystemMeta(object: ApiObject, { context }: Creation): ApiObject {
  return metaForCreate(object, context)
}

export function preparedByStrategy(object: ApiObject, { resource, context }: Creation): ApiObject {
  return resource.strategy.prepareForCreate(object, context)
}

export function withFirstGeneration(object: ApiObject, { resource }: Creation): ApiObject {
  const { firstGeneration } = resource.strategy
  if (firstGeneration === undefined) return object
  return withMeta(object, { generation: firstGeneration === 0 ? undefined : firstGeneration })
}

export function withReservation(
  object: ApiObject,
  { parts, resource, context, held }: Creation,
): MaybePromise<ApiObject> {
  const { reserve } = resource.strategy
  if (reserve === undefined) return object
  return reserve({ object, stored: undefined }, context, parts).then((reservation) => {
    held.hold(reservation)
    return reservation.object ?? object
  })
}

export function inCanonicalForm(object: ApiObject, { resource, context, sent }: Creation): MaybePromise<ApiObject> {
  const known = resource.conversion.isIdentity ? { object: sent, isInOrder: false } : undefined
  const { large } = resource
  const { turns } = context
  if (turns === undefined || large === undefined) return resource.toCanonical(object, known)
  return large.toCanonical(object, turns, known)
}

export function validated(object: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  const { resource, context } = creation
  if (context.turns !== undefined) return validatedInTurns(object, creation, context.turns)
  refuseInvalid(resource, object, resource.strategy.validateCreate(object, context))
  return object
}

async function validatedInTurns(object: ApiObject, { resource, context }: Creation, turns: Turns): Promise<ApiObject> {
  const { large, strategy } = resource
  const faults = await (large?.validateCreate?.(object, context, turns) ?? strategy.validateCreate(object, context))
  refuseInvalid(resource, object, faults)
  if (turns.isOver) await turns.next()
  return object
}

export function warnedOf(object: ApiObject, { resource, context }: Creation): ApiObject {
  for (const text of resource.strategy.warnings(object, undefined, context)) context.warn(text)
  return object
}

export function validatedByAdmission(object: ApiObject, creation: Creation): MaybePromise<ApiObject> {
  const { parts, context } = creation
  const validating = parts.admission.validate(admissionOf(object, creation), context.signal)
  return whenKnown(validating, () => object)
}

/**
 * POST must not set a version (W-072); one that is not a number is dropped (W-073). Under a dry run nothing is stored, so the
 * version that was sent is kept (W-074).
 */
export function withVersionChecked(object: ApiObject, { admitted, context, verb }: AdmittedCreation): ApiObject {
  const version = metaText(admitted, 'resourceVersion')
  if (verb === 'apply' || version === '') return object
  if (context.dryRun) return withMeta(object, { resourceVersion: version })
  if (verb === 'post' && /^\d+$/.test(version) && parseResourceVersion(version) > 0) {
    throw new ApiError('BadRequest', 'resourceVersion should not be set on objects to be created')
  }
  return object
}

function admissionOf(object: ApiObject, { resource, context }: Creation): ReturnType<typeof admissionRequest> {
  const name = metaText(object, 'name')
  return admissionRequest(
    { resource, operation: 'CREATE', subresource: '', name, object, oldObject: undefined },
    context,
  )
}
