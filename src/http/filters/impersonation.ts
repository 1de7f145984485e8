// A request in the name of somebody else (P-085 to P-090). From here on it is that user's: nobody further in sees the headers,
// only the audit log hears who it really was.
import { ApiError } from '../../api/status.ts'
import type { Impersonator } from '../../auth/impersonation.ts'
import type { User } from '../../auth/user.ts'
import { forbiddenAccess } from '../forbidden.ts'
import type { Filter, Handler, HttpRequest, HttpResponse } from '../http.ts'
import { accessOf } from './authorization.ts'

const PREFIX = 'impersonate-'
const EXTRA = 'impersonate-extra-'

export function impersonate(impersonator: Impersonator): Filter {
  return (next) => (request) => {
    for (const name in request.headers) {
      if (name.startsWith(PREFIX)) return actForAnother(impersonator, request, next)
    }
    return next(request)
  }
}

async function actForAnother(impersonator: Impersonator, request: HttpRequest, next: Handler): Promise<HttpResponse> {
  const wanted = wantedUser(request)
  if (wanted === undefined) return next(request)
  const outcome = await impersonator.impersonate(wanted, accessOf(request), request.signal)
  if (outcome.kind === 'refused') throw forbiddenAccess(outcome.access, outcome.reason)
  request.actFor(outcome.user, outcome.constraint)
  return next(request)
}

/** Undefined where nobody is asked for: headers of other meanings, and an empty name alone. */
function wantedUser(request: HttpRequest): User | undefined {
  const [name = ''] = request.takeHeader('impersonate-user')
  const [uid = ''] = request.takeHeader('impersonate-uid')
  const groups = request.takeHeader('impersonate-group')
  const extras = Object.keys(request.headers).filter((header) => header.startsWith(EXTRA))
  const extra = new Map<string, readonly string[]>()
  for (const header of extras) {
    const key = unescaped(header.slice(EXTRA.length))
    extra.set(key, [...(extra.get(key) ?? []), ...request.takeHeader(header)])
  }
  if (name !== '') {
    return { name, uid: uid === '' ? undefined : uid, groups, extra: Object.fromEntries(extra) }
  }
  if (uid === '' && groups.length === 0 && extras.length === 0) return undefined
  const parts = [
    ...(uid === '' ? [] : ['a uid']),
    ...(groups.length === 0 ? [] : ['groups']),
    ...(extras.length === 0 ? [] : ['extra']),
  ]
  throw new ApiError('BadRequest', `requested ${parts.join(', ')} without impersonating a user name`)
}

/** Keys are percent-encoded, because headers cannot hold what keys can; what is not well encoded is meant as it stands. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase()
  } catch {
    return key
  }
}
