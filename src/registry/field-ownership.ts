// Managed fields of an object that is written by other means than apply. For a large one they are computed in another thread.
import type { ApiObject } from '../api/object.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type FieldManagerRequest, trackUpdate } from '../patch/field-tracking.ts'
import type { KindVersions } from '../patch/ownership.ts'
import { withConversions } from './conversions.ts'
import type { RegistryParts, Resource, WriteContext } from './registry.ts'

/** The object with its managedFields. A conversion that fails is done without: no write fails by it. */
export function withOwners(
  request: FieldManagerRequest,
  object: ApiObject,
  { offload, signal }: Pick<WriteContext, 'offload' | 'signal'>,
): MaybePromise<ApiObject> {
  const track = (versions: KindVersions): MaybePromise<ApiObject> => {
    const asked = { ...request, versions }
    return offload === undefined ? trackUpdate(asked, object) : offload.trackUpdate(asked, object, signal)
  }
  return withConversions(request.versions, track, { signal, isVital: false })
}

/**
 * To find who owns which fields of a large object takes nearly as long as the rest of its write: that is left until it is known to
 * be valid, where nobody is shown the object before.
 */
export function isOwnedOnceValid(
  { admission }: RegistryParts,
  { conversion }: Resource,
  { turns }: WriteContext,
): boolean {
  const isLarge = turns !== undefined
  return isLarge && conversion.isIdentity && !admission.hasMutatingExtensions()
}
