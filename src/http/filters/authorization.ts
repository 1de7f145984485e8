// Asks whether the user may do this, before anybody looks whether it exists (P-113 to P-118).
import { quoted } from '../../api/field-error.ts'
import { parseFieldSelector } from '../../api/selector-fields.ts'
import { parseLabelSelector } from '../../api/selector-text.ts'
import type { Access, AskedSelectors, Authorizer } from '../../auth/authorizer.ts'
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
      if (decision.kind === 'allow') return next(request)
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
  return { kind: 'resource', user, ...access, ...(isNarrowed ? { selectors: () => selectorsOf(query) } : {}) }
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

function selectorsOf(query: HttpRequest['query']): AskedSelectors {
  const read = <T>(name: string, parse: (text: string) => readonly T[]): readonly T[] | undefined => {
    const text = query.get(name) ?? ''
    if (text === '') return undefined
    try {
      return parse(text)
    } catch {
      // The list itself will say what is wrong with it.
      return undefined
    }
  }
  return {
    fields: read('fieldSelector', (text) => parseFieldSelector(text).terms),
    labels: read('labelSelector', (text) => parseLabelSelector(text).requirements),
  }
}
