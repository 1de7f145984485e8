// Authentication. A bad credential is refused with 401 on every path. A request without a credential is one of the anonymous user (P-010 to
// P-016).
import { ApiError } from '../../api/status.ts'
import { ANONYMOUS } from '../../auth/user.ts'
import type { Log } from '../../lib/log.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import { type Caller, type CallerHandler, type Handler, type HttpRequest, NOT_AUDITED } from '../http.ts'
import { TOKEN_PROTOCOL } from '../websocket.ts'

export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  readonly log: Log
  readonly anonymousRequests: boolean
  readonly anonymousPaths?: readonly string[] | undefined
}

const ANONYMOUS_CALLER: Caller = Object.freeze({ user: ANONYMOUS, audit: NOT_AUDITED })

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored'

export function authenticate(options: AuthenticationOptions): (next: CallerHandler) => Handler {
  const { authenticator, log } = options
  return (next) => (request) => {
    const credentials = {
      bearerToken: bearerTokenOf(request) ?? websocketTokenOf(request),
      certificate: request.remote.certificate,
      sent: request,
    }
    return whenKnown(authenticator.authenticate(credentials, request.signal), (result) => {
      if (result.kind === 'user') {
        const { user, annotations } = result
        request.responder.account(user, false)
        for (const text of result.warnings ?? []) request.responder.warn(text)
        return next(request, { user, annotations, audit: NOT_AUDITED })
      }
      closeAnonymousConnection(request)
      if (result.kind === 'none' && allowsAnonymous(options, request)) return next(request, ANONYMOUS_CALLER)
      if (result.kind === 'refused')
        log.info({ auditId: request.auditId, reason: result.problem }, 'authentication failed')
      throw new ApiError('Unauthorized', 'Unauthorized')
    })
  }
}

function allowsAnonymous({ anonymousRequests, anonymousPaths }: AuthenticationOptions, { path }: HttpRequest): boolean {
  return anonymousRequests && (anonymousPaths?.includes(path) ?? true)
}

/**
 * Closes the HTTP/2 connection of a client without a valid credential: further requests on it would cost the client almost nothing (P-015).
 */
function closeAnonymousConnection(request: HttpRequest): void {
  if (request.remote.protocol === 'h2') request.responder.sendAway()
}

/** Reads `Bearer <token>`: the scheme in upper or lower case, and one space. An empty token is not a credential (P-030, P-031). */
function bearerTokenOf(request: HttpRequest): string | undefined {
  const authorization = request.takeCredential()
  if (authorization === undefined) return undefined
  const text = authorization.trim()
  const space = text.indexOf(' ')
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return undefined
  const end = text.indexOf(' ', space + 1)
  if (end !== space + 1) return text.slice(space + 1, end < 0 ? undefined : end)
  request.responder.warn(EXTRA_SPACE)
  return undefined
}

/** Scripts in browsers cannot set headers. They send the token as one of the subprotocols, together with at least one other (P-034). */
function websocketTokenOf({ transport, headers }: HttpRequest): string | undefined {
  const offered = headers['sec-websocket-protocol']
  if (transport !== 'websocket' || typeof offered !== 'string') return undefined
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const tokens = protocols.filter((protocol) => protocol.startsWith(TOKEN_PROTOCOL))
  if (tokens.length === 0) return undefined
  const encoded = tokens[0]!.slice(TOKEN_PROTOCOL.length)
  const isGood = tokens.length === 1 && protocols.length > 1 && /^[A-Za-z0-9_-]+$/.test(encoded)
  // A malformed token is refused like an unknown token. It does not count as absent.
  return isGood ? Buffer.from(encoded, 'base64url').toString() : encoded
}
