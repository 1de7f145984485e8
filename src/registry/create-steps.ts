// The steps that turn the sent object into an object to store, in the reference's order (W-022). POST runs them. PUT and apply run them if
// no object has the name.
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { trackUpdate } from '../patch/field-tracking.ts'
import { isOwnedFirst } from './field-ownership.ts'
import { countsGenerations, generateName, metaForCreate, withManagedFieldsOf, withUniqueOwners } from './object-meta.ts'
import type { PutOutcome } from '../store/store.ts'
import {
  admissionRequest,
  admittedAs,
  atOnce,
  authorizedAsItIs,
  fromAdmission,
  parseResourceVersion,
  putOutcome,
  refuseInvalid,
  type Step,
  takeSteps,
  type Written,
  withNamespace,
  withReservation,
} from './steps.ts'

export interface Creation extends Written {
  readonly verb: 'post' | 'put' | 'apply'
  /** The object is decoded, defaulted and in the served version. Its parts are canonical, but its members may be out of order. */
  readonly sent: ApiObject
  /** Whether managed fields are computed before mutating admission. An apply has computed them itself. */
  readonly isOwnedFirst: boolean
}

export interface AdmittedCreation extends Creation {
  /** The result of the first steps for `sent`, in the stored version. */
  readonly admitted: ApiObject
}

/** These steps run once for each request. */
const ADMIT_STEPS: readonly Step<Creation>[] = [
  atOnce(withoutDeletionMarks, inNamespace, withoutRepeatedOwners, withFieldsOwnedAsSent),
  mutatedByAdmission,
  authorizedAsItIs,
]

/** These steps run once for each name that is tried. */
const PREPARE_STEPS: readonly Step<AdmittedCreation>[] = [
  atOnce(inNamespace, named, withSystemMeta, preparedByStrategy, withFirstGeneration),
  withReservation,
  inCanonicalForm,
  validated,
  warnedOf,
  validatedByAdmission,
  withVersionChecked,
]

export function creationOf(request: Omit<Creation, 'isOwnedFirst'>): Creation {
  const { parts, resource, sent } = request
  return { ...request, isOwnedFirst: isOwnedFirst(parts, resource, { sent }) }
}

/** The object after mutating admission, in the stored version. Throws `ApiError`. */
export function admitNew(creation: Creation): Promise<ApiObject> {
  return takeSteps(ADMIT_STEPS, creation.sent, creation)
}

/** The admitted object, ready to be stored if its name is free. If this throws an error, nothing is reserved. */
export async function prepareNew(creation: AdmittedCreation): Promise<ApiObject> {
  try {
    return await takeSteps(PREPARE_STEPS, creation.admitted, creation)
  } catch (error) {
    await creation.held.settle(false)
    throw error
  }
}

/** A new object cannot have the marks of a deletion. A POST drops them before the fields get an owner. A PUT gives them an owner first. */
export function withoutDeletionMarks(object: ApiObject, { verb }: Creation): ApiObject {
  const meta = metaOf(object)
  const isMarked = meta.deletionTimestamp !== undefined || meta.deletionGracePeriodSeconds !== undefined
  if (verb !== 'post' || !isMarked) return object
  return withMeta(object, { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined })
}

/** This step runs again after admission, because admission may have changed the namespace. */
export function inNamespace(object: ApiObject, { resource, context }: Written): ApiObject {
  return withNamespace(object, resource, context)
}

export function withoutRepeatedOwners(object: ApiObject, { context }: Creation): ApiObject {
  return withUniqueOwners(object, '', context.warn)
}

/** The creator owns the fields of the object. */
export function withFieldsOwnedAsSent(object: ApiObject, creation: Creation): ApiObject {
  return creation.verb === 'apply' || !creation.isOwnedFirst ? object : ownedBySender(object, creation)
}

/**
 * The stored form of a prepared new object. Call this once its name is known to be free. The creator owns the fields that it
 * sent, and none that admission has added.
 */
export function outcomeOfNew(prepared: ApiObject, creation: Creation): PutOutcome {
  const { resource, held } = creation
  if (creation.verb === 'apply' || creation.isOwnedFirst) return putOutcome(resource, prepared, held)
  const sent = withUniqueOwners(withoutDeletionMarks(creation.sent, creation), '', () => {})
  return putOutcome(resource, withManagedFieldsOf(prepared, ownedBySender(sent, creation)), held)
}

function ownedBySender(object: ApiObject, { resource, context, versions }: Creation): ApiObject {
  const { apiVersion, kind } = object
  const request = {
    versions,
    apiVersion,
    manager: context.fieldManager,
    subresource: '',
    reset: versions.sets.ofNames(resource.strategy.main.resetFields),
    now: context.now,
    live: { kind, apiVersion },
  }
  return trackUpdate(request, object)
}

export async function mutatedByAdmission(served: ApiObject, creation: Creation): Promise<ApiObject> {
  const { parts, resource, context } = creation
  const object = resource.conversion.toStored(served)
  const mutated = await parts.admission.mutate(admissionOf(object, creation), context.signal)
  return fromAdmission(object, mutated, context.warn)
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

export function withFirstGeneration(object: ApiObject, { resource, context }: Creation): ApiObject {
  const { firstGeneration } = resource.strategy
  if (firstGeneration === undefined || !countsGenerations(resource, context)) return object
  return withMeta(object, { generation: firstGeneration === 0 ? undefined : firstGeneration })
}

export function inCanonicalForm(object: ApiObject, { resource, sent }: Creation): ApiObject {
  return resource.toCanonical(object, resource.conversion.isIdentity ? { object: sent, isInOrder: false } : undefined)
}

export function validated(object: ApiObject, { resource, context }: Creation): ApiObject {
  refuseInvalid(resource, object, resource.strategy.validateCreate(object, context))
  return object
}

export function warnedOf(object: ApiObject, { resource, context }: Creation): ApiObject {
  for (const text of resource.strategy.warnings(object, undefined, context)) context.warn(text)
  return object
}

export function validatedByAdmission(object: ApiObject, creation: Creation): Promise<ApiObject> {
  return admittedAs(admissionOf(object, creation), object, creation)
}

/**
 * POST must not set a version (W-072). A version that is not a number is dropped (W-073). A dry run stores nothing, so its answer keeps the
 * sent version (W-074).
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
