// Create: from a decoded object to a stored one, in the reference's order of checks (W-022).
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { own } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Decide, WriteResult } from '../store/store.ts'
import { alreadyExistsError } from './errors.ts'
import { withOwners } from './field-ownership.ts'
import {
  generateName,
  isTerminating,
  metaForCreate,
  metaOf,
  metaText,
  withMeta,
  withUniqueOwners,
} from './object-meta.ts'
import type { RegistryParts, Reservation, Resource, WriteAnswer, WriteContext } from './registry.ts'
import {
  admissionRequest,
  fromAdmission,
  keyOf,
  parseResourceVersion,
  refuseInvalid,
  storeFor,
  textInTurns,
  withNamespace,
  writeFitting,
} from './steps.ts'

const NAME_ATTEMPTS = 8

/** The object is in the served version, decoded and defaulted. Throws `ApiError`; then nothing is stored. */
export async function createObject(
  parts: RegistryParts,
  resource: Resource,
  sent: ApiObject,
  context: WriteContext,
): Promise<WriteAnswer> {
  const tracked = trackedForCreate(resource, sent, context)
  const admitted = await admitCreate(parts, resource, tracked instanceof Promise ? await tracked : tracked, context)
  const isGenerated = metaText(admitted, 'name') === '' && metaText(admitted, 'generateName') !== ''
  for (let attempt = 1; ; attempt++) {
    const result = await storeNew(parts, resource, { admitted, sent }, context)
    if (result.kind === 'put') return { object: result.object, created: true }
    if (!isGenerated || attempt === NAME_ATTEMPTS) throw nameTaken(resource, admitted, result)
  }
}

function trackedForCreate(resource: Resource, sent: ApiObject, context: WriteContext): MaybePromise<ApiObject> {
  const object = withUniqueOwners(withNamespace(notDeleted(sent), resource, context), '', context.warn)
  const { apiVersion, kind } = object
  const request = {
    versions: resource.versions,
    apiVersion,
    manager: context.fieldManager,
    subresource: '',
    reset: resource.versions.sets.ofNames(resource.strategy.main.resetFields),
    now: context.now,
    live: { kind, apiVersion },
  }
  return withOwners(request, object, context)
}

/** Nobody comes to own the marks of a deletion that a new object cannot have. */
function notDeleted(object: ApiObject): ApiObject {
  const meta = metaOf(object)
  if (own(meta, 'deletionTimestamp') === undefined && own(meta, 'deletionGracePeriodSeconds') === undefined)
    return object
  return withMeta(object, { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined })
}

/** Mutating admission, on the object in its stored version. Also where an update turns out to create. */
export function admitCreate(
  parts: RegistryParts,
  resource: Resource,
  tracked: ApiObject,
  context: WriteContext,
): MaybePromise<ApiObject> {
  const object = resource.conversion.toStored(tracked)
  const step = admissionRequest(
    {
      resource,
      operation: 'CREATE',
      subresource: '',
      name: metaText(object, 'name'),
      object,
      oldObject: undefined,
    },
    context,
  )
  return whenKnown(parts.admission.mutate(step, context.signal), (made) => fromAdmission(object, made, context.warn))
}

interface NewObject {
  readonly admitted: ApiObject
  /** What it was made of, decoded and defaulted, in the served version: its parts are canonical, if not in order. */
  readonly sent?: ApiObject
}

/** One attempt to store a new object; `kept` where the name is taken. */
async function storeNew(
  parts: RegistryParts,
  resource: Resource,
  made: NewObject,
  context: WriteContext,
): Promise<WriteResult> {
  const { authorizeWrite } = resource.strategy
  if (authorizeWrite !== undefined) {
    await authorizeWrite({ object: made.admitted, stored: undefined, name: '' }, context, parts)
  }
  const { object, reservation } = await prepareNew(parts, resource, made, context)
  const written = textInTurns(resource, object, context)
  const text = written instanceof Promise ? await written : written
  const key = keyOf(resource, context.namespace, metaText(object, 'name'))
  const ttl = resource.strategy.ttlSeconds
  // A write that breaks may have been stored all the same: then nothing is settled, the reservation stands.
  const decide: Decide = (current) =>
    current === undefined
      ? { kind: 'put', object, text, ...(ttl === undefined ? {} : { ttlSeconds: ttl }) }
      : { kind: 'keep' }
  const result = await writeFitting(storeFor(parts, context), { key, decide, keepsOwners: false }, context.signal)
  if (reservation !== undefined) await reservation.settle(result.kind === 'put' && !context.dryRun)
  return result
}

/** A new object ready to be stored: named, completed, reserved for, validated and admitted. */
export async function prepareNew(
  parts: RegistryParts,
  resource: Resource,
  { admitted, sent }: NewObject,
  context: WriteContext,
): Promise<{ readonly object: ApiObject; readonly reservation: Reservation | undefined }> {
  const { strategy, conversion } = resource
  const known = sent !== undefined && conversion.isIdentity ? { object: sent, isInOrder: false } : undefined
  const named = nameNew(withNamespace(admitted, resource, context))
  const prepared = withFirstGeneration(
    strategy.prepareForCreate(metaForCreate(named, context.now), context),
    strategy.firstGeneration,
  )
  const reservation = await strategy.reserve?.({ object: prepared, stored: undefined }, context, parts)
  try {
    const { turns } = context
    const large = turns === undefined ? undefined : resource.large
    const whole = reservation?.object ?? prepared
    const object =
      large === undefined ? resource.toCanonical(whole, known) : await large.toCanonical(whole, turns!, known)
    const faults =
      large?.validateCreate === undefined
        ? strategy.validateCreate(object, context)
        : await large.validateCreate(object, context, turns!)
    refuseInvalid(resource, object, faults)
    if (turns?.isOver === true) await turns.next()
    for (const text of strategy.warnings(object, undefined, context)) context.warn(text)
    const step = admissionRequest(
      {
        resource,
        operation: 'CREATE',
        subresource: '',
        name: metaText(object, 'name'),
        object,
        oldObject: undefined,
      },
      context,
    )
    const validating = parts.admission.validate(step, context.signal)
    if (validating !== undefined) await validating
    if (!context.dryRun && parseableVersion(admitted) > 0) {
      throw new ApiError('BadRequest', 'resourceVersion should not be set on objects to be created')
    }
    return { object: context.dryRun ? withSentVersion(object, admitted) : object, reservation }
  } catch (error) {
    await reservation?.settle(false)
    throw error
  }
}

/** Nothing would be stored, so what the caller says of the version stands (W-074). */
function withSentVersion(object: ApiObject, sent: ApiObject): ApiObject {
  const version = metaText(sent, 'resourceVersion')
  return version === '' ? object : withMeta(object, { resourceVersion: version })
}

function nameNew(object: ApiObject): ApiObject {
  const prefix = metaText(object, 'generateName')
  if (metaText(object, 'name') !== '' || prefix === '') return object
  return withMeta(object, { name: generateName(prefix) })
}

function withFirstGeneration(object: ApiObject, generation: number | undefined): ApiObject {
  return generation === undefined ? object : withMeta(object, { generation: generation === 0 ? undefined : generation })
}

/** Words instead of a number pass, and are dropped (W-073). */
function parseableVersion(object: ApiObject): number {
  const text = metaText(object, 'resourceVersion')
  return /^\d+$/.test(text) ? parseResourceVersion(text) : 0
}

function nameTaken(resource: Resource, sent: ApiObject, result: WriteResult): ApiError {
  const existing = result.kind === 'kept' ? result.object : undefined
  const name = existing?.name ?? metaText(sent, 'name')
  const error = alreadyExistsError(resource, name)
  const terminating = existing?.kind === 'object' && isTerminating(existing.object())
  const message = terminating ? `object is being deleted: ${error.message}` : error.message
  if (metaText(sent, 'generateName') === '') {
    return new ApiError('AlreadyExists', message, { details: error.details ?? {} })
  }
  return new ApiError('AlreadyExists', `${message}, the server was not able to generate a unique name for the object`, {
    details: { ...error.details, retryAfterSeconds: 1 },
  })
}
