// Asks whether the user may do this, before anybody looks whether it exists (P-113 to P-118).
import { quoted } from '../../api/field-error.ts'
import { askedSelectors } from '../../auth/asked-selectors.ts'
import type { Access, Authorizer } from '../../auth/authorizer.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { forbiddenAccess } from '../forbidden.ts'
import type { Filter, HttpRequest, HttpResponse } from '../http.ts'
import { plainText } from '../responses.ts'

export interface AuthorizationOptions {
  readonly authorizer: Authorizer
  readonly anonymousHealth: boolean
}

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz'])

export function authorize({ authorizer, anonymousHealth }: AuthorizationOptions): Filter {
  return (next) => (request) => {
    const access = accessOf(request)
    if (isHealthFromAfar(request) && !anonymousHealth) throw forbiddenAccess(access)
    return whenKnown(authorizer.authorize(access, request.signal), (decision) => {
      request.annotate('authorization.k8s.io/decision', decision.kind === 'allow' ? 'allow' : 'forbid')
      request.annotate('authorization.k8s.io/reason', decision.reason ?? '')
      if (decision.kind === 'allow') {
        request.isLetIn = true
        return next(request)
      }
      if (decision.problem !== undefined) return brokenDecision(request, decision.problem)
      throw forbiddenAccess(access, decision.reason)
    })
  }
}

/** A decider that broke did not say no: whoever asks may try again (P-117). */
function brokenDecision({ target }: HttpRequest, problem: string): HttpResponse {
  return plainText(500, `Internal Server Error: ${quoted(target)}: ${problem}\n`)
}

/** A stranger on another machine asks how we are (D13). */
function isHealthFromAfar({ user, path, remote }: HttpRequest): boolean {
  return user.name === ANONYMOUS.name && HEALTH.has(path) && !remote.isLoopback
}

export function accessOf({ info, user, path, query }: HttpRequest): Access {
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
