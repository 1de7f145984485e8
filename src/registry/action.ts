// Endpoints that take an object and do something with it instead of storing it: bindings, evictions, reviews, tokens. They go
// through the checks and the admission of a create.
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { EMPTY_SET } from '../patch/field-set.ts'
import { managedFieldsOf } from '../patch/managed-fields.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { withOwners } from './field-ownership.ts'
import type { Action, ActionAnswer, ActionContext, ActionPlace } from './registry.ts'
import { withNamespace } from './steps.ts'

export type ActionRequest = Omit<ActionContext, 'validate'>

/** Admission is shown a create of the body's kind, at the place of the action. */
export async function runAction(action: Action, sent: ApiObject, request: ActionRequest): Promise<ActionAnswer> {
  const { at, body } = action
  const { admission } = request.parts
  const bare = withNamespace(withoutSystemMeta(at, sent), at, request)
  // Most of what is large is refused, or not shown in the answer: that is found out first.
  const isTrackedLast = request.offload !== undefined
  const object = isTrackedLast ? bare : await tracked(action, bare, request)
  const kind = { group: body.group, version: body.version, kind: body.kind }
  const resource = { group: at.group, version: at.version, resource: at.resource }
  const step = (shown: ApiObject) => ({
    operation: 'CREATE' as const,
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    subresource: at.subresource,
    namespace: request.namespace,
    name: request.name === '' ? metaText(shown, 'name') : request.name,
    object: shown,
    oldObject: undefined,
    user: request.user,
    dryRun: request.dryRun,
    options: request.options,
    warn: request.warn,
    annotate: request.annotate,
    deadline: request.deadline,
  })
  const mutated = (await admission.mutate(step(object), request.signal)) ?? object
  const validate = async (shown: ApiObject): Promise<void> => admission.validate(step(shown), request.signal)
  const result = await action.run(mutated, { ...request, validate })
  if (result.kind !== 'body') return result
  if (!isTrackedLast) return { kind: 'object', object: result.object }
  const managedFields = managedFieldsOf(await tracked(action, bare, request))
  return { kind: 'object', object: withMeta(result.object, { managedFields }) }
}

/** Removes what only the server may set. Bindings and tokens identify their pod or account by it. */
function withoutSystemMeta({ subresource }: ActionPlace, object: ApiObject): ApiObject {
  if (subresource === 'binding' || subresource === 'token') return object
  return withMeta(object, {
    uid: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  })
}

/** Whoever asks owns what they sent, as with a create, though it is never stored (P-060, W-562). */
function tracked({ at, body }: Action, object: ApiObject, request: ActionRequest): MaybePromise<ApiObject> {
  const { fieldManager: manager, now } = request
  const { kind, apiVersion } = object
  const { versions } = body
  const { subresource } = at
  const made = { versions, apiVersion, manager, subresource, reset: EMPTY_SET, now, live: { kind, apiVersion } }
  return withOwners(made, object, request)
}
