// The error 403. Its text depends on the request (P-113 to P-118).
import { quoted } from '../api/field-error.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { DeniedExplanation } from '../api/explanation.ts'
import type { Access, Authorizer, DeniedAccess, ResourceAccess } from '../auth/authorizer.ts'
import type { HttpRequest } from './http.ts'
import { isTrue } from './query.ts'

interface Denied extends DeniedAccess {
  readonly decision: DeniedAccess['decision'] & { readonly reason?: string | undefined }
}

/** Throws 403, with an explanation if the client asks for one. */
export async function refuseAccess({ query, signal }: HttpRequest, denied: Denied, by: Authorizer): Promise<never> {
  const explanation = isTrue(query.get('explain')) ? await by.explain?.(denied, signal) : undefined
  throw forbiddenAccess(denied.access, denied.decision.reason, explanation)
}

export function forbiddenAccess(access: Access, reason?: string, explanation?: DeniedExplanation): ApiError {
  const because = reason === undefined || reason === '' ? '' : `: ${reason}`
  const who = `User ${quoted(access.user.name)} cannot ${access.verb}`
  if (access.kind === 'path') {
    const message = `forbidden: ${escapeMarkup(`${who} path ${quoted(access.path)}`)}${because}`
    return new ApiError('Forbidden', message, { details: {}, explanation })
  }
  const { group, resource, name } = access
  const subject = `${formatGroupResource({ group, resource })}${name === undefined ? '' : ` ${quoted(name)}`}`
  const message = `${subject} is forbidden: ${escapeMarkup(`${who} ${objectOf(access)}`)}${because}`
  return new ApiError('Forbidden', message, {
    details: { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
    explanation,
  })
}

function objectOf({ group, resource, subresource, namespace }: ResourceAccess): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  const where =
    namespace === undefined || namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`
  return `resource ${quoted(what)} in API group ${quoted(group)} ${where}`
}

/** The names in the text come from the caller. A browser that shows the text must not find tags in it (P-115). */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
