// Who owns the fields of an object that is written by other means than apply. Of a large one this is found out in another thread.
import type { ApiObject } from '../api/object.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type FieldManagerRequest, trackUpdate } from '../patch/field-tracking.ts'
import type { WriteContext } from './registry.ts'

export function withOwners(
  request: FieldManagerRequest,
  object: ApiObject,
  { offload, signal }: Pick<WriteContext, 'offload' | 'signal'>,
): MaybePromise<ApiObject> {
  return offload === undefined ? trackUpdate(request, object) : offload.trackUpdate(request, object, signal)
}
