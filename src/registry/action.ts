// Endpoints that take an object and do something with it instead of storing it: bindings, evictions, reviews, tokens. Actions go through
// the checks and the admission of a create.
import type { AdmissionRequest } from '../admission/admission.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { EMPTY_SET } from '../patch/field-set.ts'
import { trackUpdate } from '../patch/field-tracking.ts'
import type { Action, ActionAnswer, ActionContext, ActionPlace } from './registry.ts'
import { withNamespace } from './steps.ts'

export type ActionRequest = Omit<ActionContext, 'validate'>

/** Admission sees the action as a create of the body's kind, at the resource and subresource of the action. */
export async function runAction(action: Action, sent: ApiObject, request: ActionRequest): Promise<ActionAnswer> {
  const { at } = action
  const { admission } = request.parts
  const object = withSenderAsOwner(action, withNamespace(withoutSystemMeta(at, sent), at, request), request)
  const mutated = (await admission.mutate(actionStep(action, request, object), request.signal)) ?? object
  const validate = async (shown: ApiObject): Promise<void> =>
    admission.validate(actionStep(action, request, shown), request.signal)
  return action.run(mutated, { ...request, validate })
}

/** The body of an action as admission sees it. */
export function actionStep({ at, body }: Action, request: ActionRequest, shown: ApiObject): AdmissionRequest {
  const kind = { group: body.group, version: body.version, kind: body.kind }
  const resource = { group: at.group, version: at.version, resource: at.resource }
  return {
    operation: 'CREATE',
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
  }
}

/**
 * Removes members that only the server may set. Bindings and tokens keep them, because their uid must be the uid of the pod or the account.
 */
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

/**
 * The sender owns the fields, as with a create, though the object is never stored (P-060, W-562). The error of a refused access review can
 * show these managed fields.
 */
function withSenderAsOwner({ at, body }: Action, object: ApiObject, request: ActionRequest): ApiObject {
  const { fieldManager: manager, now } = request
  const { kind, apiVersion } = object
  const { versions } = body
  const { subresource } = at
  const made = { versions, apiVersion, manager, subresource, reset: EMPTY_SET, now, live: { kind, apiVersion } }
  return trackUpdate(made, object)
}
