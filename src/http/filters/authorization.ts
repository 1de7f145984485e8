// Asks whether the user may do this, before anybody looks whether it exists (P-113 to P-118).
import { quoted } from '../../api/field-error.ts'
import { formatGroupResource } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Access, Authorizer, ResourceAccess } from '../../auth/authorizer.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import type { Filter, HttpRequest } from '../http.ts'

export interface AuthorizationOptions {
  readonly authorizer: Authorizer
  readonly anonymousHealth: boolean
}

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz'])

export function authorize({ authorizer, anonymousHealth }: AuthorizationOptions): Filter {
  return (next) => async (request) => {
    const access = accessOf(request)
    if (isHealthFromAfar(request) && !anonymousHealth) throw forbiddenError(access)
    const decision = await authorizer.authorize(access, request.signal)
    if (decision.kind !== 'allow') throw forbiddenError(access, decision.reason)
    return next(request)
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

export function forbiddenError(access: Access, reason?: string): ApiError {
  const because = reason === undefined || reason === '' ? '' : `: ${reason}`
  const who = `User ${quoted(access.user.name)} cannot ${access.verb}`
  if (access.kind === 'path') {
    const message = `forbidden: ${escapeMarkup(`${who} path ${quoted(access.path)}`)}${because}`
    return new ApiError('Forbidden', message, { details: {} })
  }
  const { group, resource, name } = access
  const subject = `${formatGroupResource({ group, resource })}${name === undefined ? '' : ` ${quoted(name)}`}`
  const message = `${subject} is forbidden: ${escapeMarkup(`${who} ${objectOf(access)}`)}${because}`
  return new ApiError('Forbidden', message, {
    details: { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
  })
}

function objectOf({ group, resource, subresource, namespace }: ResourceAccess): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  const where =
    namespace === undefined || namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`
  return `resource ${quoted(what)} in API group ${quoted(group)} ${where}`
}

/** Names come from the caller; a browser that shows the text must not find tags in it (P-115). */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
