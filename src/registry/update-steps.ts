// The steps that turn the object of an update into an object to store, in the reference's order. All steps run again if another write came
// first.
import { invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { invalidError } from '../api/invalid-error.ts'
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues, isList, isMap, own, sharedWith, type Value } from '../api/value.ts'
import { inNamespace } from './create-steps.ts'
import { conflictError } from './errors.ts'
import { trackUpdate } from '../patch/field-tracking.ts'
import type { KindVersions } from '../patch/ownership.ts'
import { isOwnedFirst } from './field-ownership.ts'
import { countsGenerations, metaForUpdate, nextGeneration, withManagedFieldsOf } from './object-meta.ts'
import type { UpdateEndpoint } from './registry.ts'
import {
  admissionRequest,
  admittedAs,
  atOnce,
  authorizedAsItIs,
  fromAdmission,
  parseResourceVersion,
  refuseInvalid,
  type Step,
  takeSteps,
  withNamespace,
  withReservation,
  type Written,
} from './steps.ts'
import type { UpdateForm } from './update-form.ts'

export interface UpdateRequest {
  readonly name: string
  /** Empty for the resource itself. */
  readonly subresource: string
  /**
   * Returns the wanted object, decoded, defaulted and in the served version. Undefined `live`: there is no live object. Called again if
   * another write came first, or if a conversion was missing.
   */
  readonly wanted: (live: ApiObject | undefined, versions: KindVersions) => ApiObject
  /** True for applies, whose `wanted` records managed fields itself. */
  readonly tracksFields: boolean
  /** The action for a missing object: refuse, create as PUT does (D26), or create as apply does. */
  readonly absent: 'refuse' | 'put' | 'apply'
  /** The uid in the request. Empty: none. */
  readonly uid: string
}

export interface Update extends Written {
  readonly request: UpdateRequest
  readonly endpoint: UpdateEndpoint
  readonly form: UpdateForm
}

/** An update of the currently stored object. */
interface UpdateRound extends Update {
  readonly stored: ApiObject
  /** The stored object, in the form that the client changes. */
  readonly live: ApiObject
  readonly wanted: ApiObject
  /** Whether managed fields are computed before mutating admission. An apply has computed them itself. */
  readonly isOwnedFirst: boolean
}

const STEPS: readonly Step<UpdateRound>[] = [
  withFieldsOwnedAsSent,
  mutatedByAdmission,
  authorizedAsItIs,
  atOnce(withVersionChecked, inNamespace, withStoredMeta, preparedByEndpoint, withNextGeneration),
  withReservation,
  inCanonicalForm,
  validated,
  withFieldsOwnedOnceValid,
  atOnce(withoutNewTimes, warnedOf),
  validatedByAdmission,
]

/** The wanted object, ready to replace the stored one. Throws `ApiError`. */
export function prepareChanged(
  update: Update,
  { stored, live }: { readonly stored: ApiObject; readonly live: ApiObject },
  wantedAlone: ApiObject,
): Promise<ApiObject> {
  const { parts, resource, request, context } = update
  const wanted = withNamespace(sharedWith(wantedAlone, live) as ApiObject, resource, context)
  const isView = resource.subresources.get(request.subresource)?.view !== undefined
  // A view of another kind has managed fields of its own, which become those of the object after admission.
  const round = {
    ...update,
    stored,
    live,
    wanted,
    isOwnedFirst: isView || isOwnedFirst(parts, resource, { sent: wanted, live }),
  }
  return takeSteps(STEPS, wanted, round)
}

function withFieldsOwnedAsSent(object: ApiObject, round: UpdateRound): ApiObject {
  if (round.request.tracksFields) return object
  return round.isOwnedFirst ? ownedByWriter(round) : withManagedFieldsOf(object, round.live)
}

async function mutatedByAdmission(changed: ApiObject, round: UpdateRound): Promise<ApiObject> {
  const { parts, form, context, stored } = round
  const object = form.toAdmission(changed)
  const mutated = await parts.admission.mutate(admissionOf(object, round), context.signal)
  return form.adopt(fromAdmission(object, mutated, context.warn), stored)
}

/** Throws `Conflict` if the client has not seen the stored version. Some kinds require that the client names a version. */
function withVersionChecked(object: ApiObject, { resource, request, stored }: UpdateRound): ApiObject {
  const given = parseResourceVersion(metaText(object, 'resourceVersion'))
  if (given === 0) {
    if (resource.strategy.unconditionalUpdate) return object
    const fault = invalid(FieldPath.root('metadata').child('resourceVersion'), 0, 'must be specified for an update')
    throw invalidError({ group: resource.group, kind: resource.resource }, request.name, [fault])
  }
  if (String(given) !== metaText(stored, 'resourceVersion')) throw conflictError(resource, request.name)
  return object
}

function withStoredMeta(object: ApiObject, { stored }: UpdateRound): ApiObject {
  return metaForUpdate(object, stored)
}

function preparedByEndpoint(object: ApiObject, { endpoint, stored, context }: UpdateRound): ApiObject {
  return endpoint.prepare(object, stored, context)
}

function withNextGeneration(object: ApiObject, { resource, request, stored, context }: UpdateRound): ApiObject {
  const { firstGeneration, bumpsGeneration, bumpsGenerationOn } = resource.strategy
  if (request.subresource !== '' && !bumpsGenerationOn.has(request.subresource)) return object
  if (firstGeneration === undefined || !countsGenerations(resource, context)) return object
  if (!bumpsGeneration(object, stored)) return object
  return withMeta(object, { generation: nextGeneration(stored) })
}

function inCanonicalForm(object: ApiObject, { resource, stored }: UpdateRound): ApiObject {
  return resource.toCanonical(object, { object: stored, isInOrder: true })
}

function validated(object: ApiObject, { resource, endpoint, stored, context }: UpdateRound): ApiObject {
  refuseInvalid(resource, object, endpoint.validate(object, stored, context))
  return object
}

/** The writer owns the fields that it changed, but not those that admission has changed. */
function withFieldsOwnedOnceValid(object: ApiObject, round: UpdateRound): ApiObject {
  if (round.request.tracksFields || round.isOwnedFirst) return object
  return withManagedFieldsOf(object, ownedByWriter(round))
}

function ownedByWriter({ form, versions, request, context, live, wanted }: UpdateRound): ApiObject {
  const tracking = {
    versions,
    apiVersion: wanted.apiVersion,
    manager: context.fieldManager,
    subresource: request.subresource,
    reset: versions.sets.ofNames(form.resetFields),
    now: context.now,
    live,
  }
  return trackUpdate(tracking, wanted)
}

/** A write that would change only the times in managedFields keeps the old times, so it changes nothing (W-141). */
function withoutNewTimes(object: ApiObject, { stored }: UpdateRound): ApiObject {
  const now = metaOf(object).managedFields
  const before = metaOf(stored).managedFields
  if (!isList(now) || !isList(before) || now.length !== before.length) return object
  if (!now.every((entry, i) => equalButTime(entry, before[i]!))) return object
  const kept = withMeta(object, { managedFields: before, resourceVersion: metaOf(stored).resourceVersion })
  return equalValues(kept, stored) ? kept : object
}

function equalButTime(one: Value, other: Value): boolean {
  if (!isMap(one) || !isMap(other)) return equalValues(one, other)
  const isEqual = (name: string): boolean => name === 'time' || equalValues(own(one, name), own(other, name))
  return (
    Object.keys(one).every(isEqual) && Object.keys(other).every((name) => Object.hasOwn(one, name) || isEqual(name))
  )
}

/** A write of the scale counts as a write of the object. Other subresources have their own warnings, if any. */
function warnedOf(object: ApiObject, { resource, request, context, endpoint, stored }: UpdateRound): ApiObject {
  const isObject = request.subresource === '' || request.subresource === 'scale'
  const warnings = isObject ? resource.strategy.warnings(object, stored, context) : (endpoint.warnings?.(object) ?? [])
  for (const text of warnings) context.warn(text)
  return object
}

function validatedByAdmission(object: ApiObject, round: UpdateRound): Promise<ApiObject> {
  return admittedAs(admissionOf(round.form.shown(object), round), object, round)
}

function admissionOf(object: ApiObject, round: UpdateRound): ReturnType<typeof admissionRequest> {
  const { resource, form, request, context, stored } = round
  const { name, subresource } = request
  const oldObject = form.shown(stored)
  return admissionRequest(
    { resource, kind: form.kind, operation: 'UPDATE', subresource, name, object, oldObject },
    context,
  )
}
