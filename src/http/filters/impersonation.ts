// Impersonation (P-085 to P-090). After this filter, the request belongs to the impersonated user: later filters do not see the headers,
// and only the audit log has the original user.
import { ApiError } from '../../api/status.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { Impersonator } from '../../auth/impersonation.ts'
import type { User } from '../../auth/user.ts'
import { readHeaderText, unescapeHeaderName } from '../../lib/header-text.ts'
import { refuseAccess } from '../forbidden.ts'
import type { Caller, CallerFilter, CallerHandler, HttpRequest, HttpResponse } from '../http.ts'
import { accessOf } from './authorization.ts'

const PREFIX = 'impersonate-'
const EXTRA = 'impersonate-extra-'

export interface ImpersonationOptions {
  readonly authorizer: Authorizer
  /** The `ConstrainedImpersonation` gate. */
  readonly constrainedImpersonation: boolean
}

export function impersonate({ authorizer, constrainedImpersonation }: ImpersonationOptions): CallerFilter {
  const impersonator = new Impersonator(authorizer, constrainedImpersonation)
  return (next) => (request, caller) =>
    request.hasHeaderLike(PREFIX)
      ? actForAnother({ impersonator, authorizer }, { request, caller }, next)
      : next(request, caller)
}

async function actForAnother(
  { impersonator, authorizer }: { readonly impersonator: Impersonator; readonly authorizer: Authorizer },
  { request, caller }: { readonly request: HttpRequest; readonly caller: Caller },
  next: CallerHandler,
): Promise<HttpResponse> {
  const wanted = wantedUser(request)
  if (wanted === undefined) return next(request, caller)
  const outcome = await impersonator.impersonate(wanted, accessOf(request, caller.user), request.signal)
  if (outcome.kind === 'refused') {
    const { access, reason } = outcome
    return refuseAccess(request, { access, decision: { kind: 'no-opinion', reason }, reader: caller.user }, authorizer)
  }
  const { user, constraint } = outcome
  caller.audit.actFor(user, constraint)
  request.responder.account(user, false)
  return next(request, { ...caller, user })
}

/** Undefined if no impersonation is requested: the `Impersonate-` headers are unknown, or have only an empty name or uid. */
function wantedUser(request: HttpRequest): User | undefined {
  const [name = ''] = textsOf(request, 'impersonate-user')
  const [uid = ''] = textsOf(request, 'impersonate-uid')
  const groups = textsOf(request, 'impersonate-group')
  const extras = Object.keys(request.headers).filter((header) => header.startsWith(EXTRA))
  const extra = new Map<string, readonly string[]>()
  for (const header of extras) {
    const key = unescapeHeaderName(header.slice(EXTRA.length))
    extra.set(key, [...(extra.get(key) ?? []), ...textsOf(request, header)])
  }
  if (name !== '') {
    return { name, uid: uid === '' ? undefined : uid, groups, extra: Object.fromEntries(extra) }
  }
  if (uid === '' && groups.length === 0 && extras.length === 0) return undefined
  const asked = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goTexts(groups)}, Extra:${goExtra(extra)}}`
  throw new ApiError('BadRequest', `requested ${asked} without impersonating a user name`)
}

/** Lists and maps as the reference prints them in this message. */
function goTexts(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map((text) => JSON.stringify(text)).join(', ')}}`
}

function goExtra(extra: ReadonlyMap<string, readonly string[]>): string {
  const members = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => `${JSON.stringify(k)}:${goTexts(v)}`)
  return members.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${members.join(', ')}}`
}

function textsOf(request: HttpRequest, header: string): readonly string[] {
  return request.takeHeader(header).map((value) => {
    const text = readHeaderText(value)
    if (text === undefined) throw new ApiError('BadRequest', `the value of the header ${header} is not UTF-8`)
    return text
  })
}
