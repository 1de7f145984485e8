// Whether a webhook matches a request, and the version of the objects that it gets (W-483 to W-486).
import { type ApiObject, formatGroupResource } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { RequestAuthorizer } from '../request-authorizer.ts'
import { namespaceMatches, objectMatches } from '../request-selectors.ts'
import type { Hook } from './hook.ts'
import { type Invocation, type ServedKind, type ServedKinds, versionFor } from './invocation.ts'
import { requestFacts } from './review.ts'

export interface MatchParts {
  readonly servedKinds: ServedKinds
  readonly namespace: () => Promise<ApiObject>
  readonly authorizer: RequestAuthorizer
}

/** Undefined: the webhook does not match. Throws an `ApiError` if this cannot be determined. */
export function invocationOf(
  hook: Hook,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<Invocation | undefined> | undefined {
  const as = versionFor(hook, request, () => parts.servedKinds(request))
  if (as === undefined || !objectMatches(hook.objectSelector, request)) return undefined
  return invocationAs({ hook, as }, request, parts)
}

async function invocationAs(
  { hook, as }: Pick<Invocation, 'hook' | 'as'>,
  request: AdmissionRequest,
  { namespace, authorizer }: MatchParts,
): Promise<Invocation | undefined> {
  if (!(await namespaceMatches(hook.namespaceSelector, request, namespace))) return undefined
  const [object, oldObject] = await Promise.all([shown(as, request.object), shown(as, request.oldObject)])
  const invocation: Invocation = { hook, as, object, oldObject }
  return (await meetsConditions(invocation, request, authorizer)) ? invocation : undefined
}

function shown(as: ServedKind, object: ApiObject | undefined): MaybePromise<ApiObject | undefined> {
  return object === undefined ? undefined : as.show(object)
}

async function meetsConditions(
  { hook, as, object, oldObject }: Invocation,
  request: AdmissionRequest,
  authorizer: RequestAuthorizer,
): Promise<boolean> {
  const { conditions } = hook
  if (conditions === undefined) return true
  const bindings = {
    object: object ?? null,
    oldObject: oldObject ?? null,
    request: requestFacts(as, request),
    namespaceObject: null,
    ...authorizer.bindings(),
  }
  const result = await authorizer.settle(() => conditions.evaluate(bindings))
  if (result.kind !== 'error') return result.kind === 'match'
  const { group, resource } = request.requestResource
  const { name } = request
  const subject = `${formatGroupResource({ group, resource })}${name === '' ? '' : ` ${JSON.stringify(name)}`}`
  const details = { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource }
  throw new ApiError('Forbidden', `${subject} is forbidden: ${result.message}`, { details })
}
