// Finds out who is asking. A bad credential is 401 on every path; none at all is the anonymous user (P-010 to P-016).
import { ANONYMOUS } from '../../auth/user.ts'
import type { Log } from '../../lib/log.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import { type StatusWriter, unauthorizedError } from '../errors.ts'
import { type AuditFilterOptions, auditRefusal } from './audit.ts'
import type { Filter, HttpRequest } from '../http.ts'
import { TOKEN_PROTOCOL } from '../websocket.ts'

export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  readonly log: Log
  readonly anonymousRequests: boolean
  readonly anonymousPaths?: readonly string[] | undefined
  readonly writeStatus: StatusWriter
  readonly audit: AuditFilterOptions | undefined
}

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored'

export function authenticate(options: AuthenticationOptions): Filter {
  const { authenticator, writeStatus, audit, log } = options
  return (next) => (request) => {
    const credentials = {
      bearerToken: bearerTokenOf(request) ?? websocketTokenOf(request),
      certificate: request.remote.certificate,
      sent: request,
    }
    return whenKnown(authenticator.authenticate(credentials, request.signal), (result) => {
      if (result.kind === 'user') {
        request.identify(result.user)
        for (const text of result.warnings ?? []) request.responder.warn(text)
        const response = next(request)
        // Now the request is being audited, if it is at all.
        if (result.annotations !== undefined) annotate(request, result.annotations)
        return response
      }
      if (result.kind === 'refused' || !isOpenToStrangers(options, request)) {
        if (result.kind === 'refused')
          log.info({ auditId: request.auditId, reason: result.problem }, 'authentication failed')
        const error = unauthorizedError()
        if (audit !== undefined) auditRefusal(audit, request, error)
        sendStrangerAway(request)
        return writeStatus(error, request)
      }
      request.identify(ANONYMOUS)
      sendStrangerAway(request)
      return next(request)
    })
  }
}

function isOpenToStrangers(
  { anonymousRequests, anonymousPaths }: AuthenticationOptions,
  { path }: HttpRequest,
): boolean {
  return anonymousRequests && (anonymousPaths?.includes(path) ?? true)
}

function annotate(request: HttpRequest, annotations: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(annotations)) request.annotate(key, value)
}

/** Strangers do not get to keep an HTTP/2 connection, on which requests cost them next to nothing (P-015). */
function sendStrangerAway(request: HttpRequest): void {
  if (request.remote.protocol === 'h2') request.responder.sendAway()
}

/** `Bearer <token>`, the scheme in any case and one space; an empty token is no credential (P-030, P-031). */
function bearerTokenOf(request: HttpRequest): string | undefined {
  const { authorization } = request
  if (authorization === undefined) return undefined
  const [scheme = '', token = '', ...more] = authorization.trim().split(' ')
  if (scheme.toLowerCase() !== 'bearer') return undefined
  if (token !== '') return token
  if (more.some((part) => part !== '')) request.responder.warn(EXTRA_SPACE)
  return undefined
}

/** Scripts in browsers cannot set headers and put the token among the subprotocols, beside at least one other (P-034). */
function websocketTokenOf({ transport, headers }: HttpRequest): string | undefined {
  const offered = headers['sec-websocket-protocol']
  if (transport !== 'websocket' || typeof offered !== 'string') return undefined
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const tokens = protocols.filter((protocol) => protocol.startsWith(TOKEN_PROTOCOL))
  if (tokens.length === 0) return undefined
  const encoded = tokens[0]!.slice(TOKEN_PROTOCOL.length)
  const isGood = tokens.length === 1 && protocols.length > 1 && /^[A-Za-z0-9_-]+$/.test(encoded)
  // A token that cannot be read is one that nobody knows: refused, never taken for none.
  return isGood ? Buffer.from(encoded, 'base64url').toString() : encoded
}
