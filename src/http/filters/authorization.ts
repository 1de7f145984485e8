// Authorization, before any code looks whether the object exists (P-113 to P-118).
import { quoted } from '../../api/field-error.ts'
import { askedSelectors } from '../../auth/asked-selectors.ts'
import type { Access, Authorizer, Decision } from '../../auth/authorizer.ts'
import type { User } from '../../api/user.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { forbiddenAccess, refuseAccess } from '../forbidden.ts'
import type { CallerFilter, HttpRequest, HttpResponse } from '../http.ts'
import { isTransaction } from '../request-info.ts'
import { plainText } from '../responses.ts'

export interface AuthorizationOptions {
  readonly authorizer: Authorizer
  readonly anonymousHealth: boolean
}

const BY_PARTS: Decision = { kind: 'allow', reason: 'each operation is authorized' }

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz'])

export function authorize({ authorizer, anonymousHealth }: AuthorizationOptions): CallerFilter {
  return (next) => (request, caller) => {
    const { user, audit } = caller
    const access = accessOf(request, user)
    if (isRemoteAnonymousProbe(request, user) && !anonymousHealth) throw forbiddenAccess(access)
    // Each of its operations is authorized by itself.
    const isByParts = isTransaction(request.info) && request.method === 'POST' && user.name !== ANONYMOUS.name
    const deciding = isByParts ? BY_PARTS : authorizer.authorize(access, request.signal)
    return whenKnown(deciding, (decision) => {
      audit.annotate('authorization.k8s.io/decision', decision.kind === 'allow' ? 'allow' : 'forbid')
      audit.annotate('authorization.k8s.io/reason', decision.reason ?? '')
      if (decision.kind === 'allow') {
        request.responder.account(user, true)
        return next(request, caller)
      }
      if (decision.problem !== undefined) return brokenDecision(request, decision.problem)
      return refuseAccess(request, { access, decision, reader: user }, authorizer)
    })
  }
}

/** An authorizer that failed did not say no: the client may try again (P-117). */
function brokenDecision({ target }: HttpRequest, problem: string): HttpResponse {
  return plainText(500, `Internal Server Error: ${quoted(target)}: ${problem}\n`)
}

/** An anonymous health check from another machine (D13). */
function isRemoteAnonymousProbe({ path, remote }: HttpRequest, user: User): boolean {
  return user.name === ANONYMOUS.name && HEALTH.has(path) && !remote.isLoopback
}

export function accessOf({ info, path, query }: HttpRequest, user: User): Access {
  if (info.kind !== 'resource') return { kind: 'path', user, path, verb: info.kind === 'path' ? info.verb : '' }
  const { verb, group, version, resource, subresource, namespace, name, selectedName } = info
  const access = { verb, group, version, resource, subresource, namespace, name: name ?? selectedName }
  const isNarrowed = SELECTING.has(verb) && (query.has('fieldSelector') || query.has('labelSelector'))
  return {
    kind: 'resource',
    user,
    ...access,
    ...(isNarrowed
      ? { selectors: () => askedSelectors(query.get('fieldSelector') ?? '', query.get('labelSelector') ?? '') }
      : {}),
  }
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])
