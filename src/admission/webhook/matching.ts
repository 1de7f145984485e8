// Whether a webhook is to be called about a request, and in which version the objects are shown to it (W-483 to W-486).
import { type ApiObject, formatGroupResource } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { RequestAuthorizer } from '../request-authorizer.ts'
import { namespaceMatches, objectMatches } from '../request-selectors.ts'
import { ruleMatches } from '../resource-rules.ts'
import type { Hook } from './hook.ts'
import type { Invocation, ServedKind, ServedKinds } from './invocation.ts'
import { requestFacts } from './review.ts'

export interface MatchParts {
  readonly servedKinds: ServedKinds
  readonly namespace: () => Promise<ApiObject>
  readonly authorizer: RequestAuthorizer
}

/** Undefined where it is not to be called. Throws `ApiError` where that cannot be told. */
export function invocationOf(
  hook: Hook,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<Invocation | undefined> | undefined {
  const as = versionFor(hook, request, parts.servedKinds)
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

/** The version that was asked for where a rule names it, otherwise the first equivalent one that the earliest rule names. */
function versionFor(hook: Hook, request: AdmissionRequest, servedKinds: ServedKinds): ServedKind | undefined {
  const isNamed = hook.rules.some((rule) => ruleMatches(rule, request, request.requestResource))
  if (!isNamed && !hook.wantsEquivalent) return undefined
  const [asked, ...others] = servedKinds(request)
  if (isNamed) return asked
  for (const rule of hook.rules) {
    const found = others.find(({ resource }) => ruleMatches(rule, request, resource))
    if (found !== undefined) return found
  }
  return undefined
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
  const subject = name === '' ? '' : ` ${JSON.stringify(name)}`
  throw new ApiError(
    'Forbidden',
    `${formatGroupResource({ group, resource })}${subject} is forbidden: ${result.message}`,
    { details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource } },
  )
}
