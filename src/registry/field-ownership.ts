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
 * When it is found who owns which fields. Of a large object that takes nearly as long as the rest of its write: there it is left
 * until the object is known to be valid, or even to be stored, where nobody is shown the object before.
 */
export type OwnedWhen = 'sent' | 'valid' | 'stored'

export function whenOwned({ admission }: RegistryParts, { conversion }: Resource, { turns }: WriteContext): OwnedWhen {
  const isLarge = turns !== undefined
  if (!isLarge || !conversion.isIdentity || admission.hasExtensions('mutate')) return 'sent'
  return admission.hasExtensions('validate') ? 'valid' : 'stored'
}
