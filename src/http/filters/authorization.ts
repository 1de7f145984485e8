// Authorization, before any code checks whether the object exists (P-113 to P-118).
import { quoted } from '../../api/field-error.ts'
import { askedSelectors } from '../../auth/asked-selectors.ts'
import type { Access, Authorizer, Decision, ResourceAccess } from '../../auth/authorizer.ts'
import { type CallerReach, FULL_REACH, NO_REACH, type Rights } from '../../api/reach.ts'
import type { User } from '../../api/user.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { forbiddenAccess, refuseAccess } from '../forbidden.ts'
import type { Caller, CallerFilter, CallerHandler, HttpRequest, HttpResponse } from '../http.ts'
import { isTrue } from '../query.ts'
import { isTransaction } from '../request-info.ts'
import { plainText } from '../responses.ts'

export interface AuthorizationOptions {
  readonly authorizer: Authorizer
  readonly anonymousHealth: boolean
  /** The current rights. Absent: the server cannot list only those objects that a caller may read. */
  readonly rights?: Rights | undefined
}

const BY_PARTS: Decision = { kind: 'allow', reason: 'each operation is authorized' }

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz'])

export function authorize({ authorizer, anonymousHealth, rights }: AuthorizationOptions): CallerFilter {
  return (next) => (request, caller) => {
    const { user, audit } = caller
    const access = accessOf(request, user)
    if (isRemoteAnonymousProbe(request, user) && !anonymousHealth) throw forbiddenAccess(access)
    // Each operation of a transaction is authorized separately.
    const isByParts = isTransaction(request.info) && request.method === 'POST' && user.name !== ANONYMOUS.name
    const deciding = isByParts ? BY_PARTS : authorizer.authorize(access, request.signal)
    return whenKnown(deciding, (decision) => {
      audit.annotate('authorization.k8s.io/decision', decision.kind === 'allow' ? 'allow' : 'forbid')
      audit.annotate('authorization.k8s.io/reason', decision.reason ?? '')
      if (decision.kind === 'allow') {
        request.responder.account(user, true)
        const isLimited = rights !== undefined && access.kind === 'resource' && asksForAccessible(request, user)
        return next(request, isLimited ? { ...caller, reach: lastingReach({ authorizer, rights, access }) } : caller)
      }
      if (decision.problem !== undefined) return brokenDecision(request, decision.problem)
      const isDenied = decision.kind === 'deny'
      if (!isDenied && rights !== undefined && access.kind === 'resource' && asksForAccessible(request, user)) {
        return withinReach({ authorizer, rights, access }, { request, caller }, next)
      }
      return refuseAccess(request, { access, decision, reader: user }, authorizer)
    })
  }
}

/** Whether a request lists or watches, over all namespaces, only the objects that the caller may read. */
function asksForAccessible({ info, query }: HttpRequest, user: User): boolean {
  if (info.kind !== 'resource' || !LISTING.has(info.verb) || !isTrue(query.get('accessible'))) return false
  return info.namespace === undefined && info.name === undefined && user.name !== ANONYMOUS.name
}

const LISTING: ReadonlySet<string> = new Set(['list', 'watch'])

interface Limited {
  readonly authorizer: Authorizer
  readonly rights: Rights
  readonly access: ResourceAccess
}

const CANNOT_TELL =
  'accessible: an authorizer of this server cannot tell in advance what a user may see; ask for one namespace'

/**
 * Passes on a request that may see only the objects in the caller's reach. If the handler has not read the reach, its answer is dropped,
 * and the request is refused.
 */
async function withinReach(
  limited: Limited,
  { request, caller }: { readonly request: HttpRequest; readonly caller: Caller },
  next: CallerHandler,
): Promise<HttpResponse> {
  const { access } = limited
  const reach = lastingReach(limited)
  if (reach === undefined) throw forbiddenAccess(access, CANNOT_TELL)
  request.responder.account(caller.user, true)
  const response = await next(request, { ...caller, reach })
  if (!reach.isTaken) throw forbiddenAccess(access)
  return response
}

/** The reach of the caller, kept current while the request lasts. Undefined: it is unknown, or has no limit. */
function lastingReach({ authorizer, rights, access }: Limited): CallerReach | undefined {
  const first = authorizer.reachOf?.(access)
  if (first === undefined || first === FULL_REACH) return undefined
  let isTaken = false
  return {
    get isTaken() {
      return isTaken
    },
    now: () => {
      isTaken = true
      // An authorizer without `reachOf` may have been added since.
      return authorizer.reachOf?.(access) ?? NO_REACH
    },
    ...rights,
  }
}

/** A failed authorizer has not denied the request, so the client may try again (P-117). */
function brokenDecision({ target }: HttpRequest, problem: string): HttpResponse {
  return plainText(500, `Internal Server Error: ${quoted(target)}: ${problem}\n`)
}

/** Whether the request is an anonymous health check from another machine (D13). */
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
