// Asks whether the user may do this, before anybody looks whether it exists (P-113 to P-118).
import type { Access, Authorizer } from '../../auth/authorizer.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { forbiddenAccess } from '../forbidden.ts'
import type { Filter, HttpRequest } from '../http.ts'

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
      if (decision.kind !== 'allow') throw forbiddenAccess(access, decision.reason)
      return next(request)
    })
  }
}

/** A stranger on another machine asks how we are (D13). */
function isHealthFromAfar({ user, path, remote }: HttpRequest): boolean {
  return user.name === ANONYMOUS.name && HEALTH.has(path) && !remote.isLoopback
}

function accessOf({ info, user, path }: HttpRequest): Access {
  if (info.kind !== 'resource') return { kind: 'path', user, path, verb: info.kind === 'path' ? info.verb : '' }
  const { verb, group, version, resource, subresource, namespace, name, selectedName } = info
  return { kind: 'resource', user, verb, group, version, resource, subresource, namespace, name: name ?? selectedName }
}
