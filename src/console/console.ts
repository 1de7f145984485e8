// The front door: the web console below `/console`. Its files and the way to log in are open to all; what its pages ask for below
// `/console/api` goes through the same filters as every other request, with the credential of the session and nothing more.
import { ApiError } from '../api/status.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Log } from '../lib/log.ts'
import { CONSOLE_API, type Filter, type Handler, type HttpRequest, type HttpResponse } from '../http/http.ts'
import { methodNotAllowedError } from '../http/errors.ts'
import { bytesOf, SANDBOXED } from '../http/responses.ts'
import { isSameOrigin } from './same-origin.ts'
import { BEGIN, COME_BACK, type Provider, ProviderLogin } from './provider-login.ts'
import type { SessionKey } from './sealed.ts'
import { type Session, Sessions, type SessionOptions } from './sessions.ts'
import { PAGE_HEADERS, StaticFiles } from './static-files.ts'

export type { Provider, SessionKey }

export interface ConsoleOptions extends SessionOptions {
  /** Where it is built to. */
  readonly folder: string
  readonly authenticator: Authenticator
  readonly log: Log
  /** Where people log in whose tokens are accepted; undefined: nowhere. */
  readonly provider: Provider | undefined
}

const PATH = '/console'
const LONGEST_LOGIN_BYTES = 16 * 1024

export function serveConsole(options: ConsoleOptions): Filter {
  const files = new StaticFiles(options.folder)
  const sessions = new Sessions(options)
  const login = options.provider === undefined ? undefined : new ProviderLogin(options.provider, options.key)
  const own: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    [`${PATH}/session`, (request) => showSession(sessions, { ...options, login }, request)],
    [`${PATH}/login`, (request) => logIn(sessions, options, request)],
    [`${PATH}/logout`, (request) => logOut(sessions, request)],
    ...(login === undefined ? [] : providerPaths(sessions, options, login)),
  ])
  return (next) => (request) => {
    const { path } = request
    if (!request.isOfConsole && path !== PATH && !path.startsWith(`${PATH}/`)) return next(request)
    // The headers of the console's own pages replace these.
    request.responder.addHeaders(SANDBOXED)
    if (request.isOfConsole) return enterSession(sessions, request).then(() => next(request))
    const handler = own.get(path)
    if (handler !== undefined) return handler(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedError()
    if (path === CONSOLE_API) throw new ApiError('NotFound', 'the server could not find the requested resource')
    return files.answer(path.slice(PATH.length + 1), request)
  }
}

/** Throws where there is no session, or the request is not one of its own pages. */
async function enterSession(sessions: Sessions, request: HttpRequest): Promise<void> {
  refuseOtherSites(request)
  const session = await sessionOf(sessions, request)
  if (session === undefined) throw new ApiError('Unauthorized', 'there is no session: log in to the console')
  request.useSession(session.kind === 'token' ? `Bearer ${session.token}` : undefined)
}

/** Nobody further in sees the cookie: a server of another group must not get it. */
async function sessionOf(sessions: Sessions, request: HttpRequest): Promise<Session | undefined> {
  const session = await sessions.find(request.takeHeader('cookie'), request.signal)
  return session?.kind === 'certificate' && request.remote.certificate === undefined ? undefined : session
}

function refuseOtherSites(request: HttpRequest): void {
  if (!isSameOrigin(request)) throw new ApiError('Forbidden', 'the request comes from another site than the console')
}

interface SessionParts extends ConsoleOptions {
  readonly login: ProviderLogin | undefined
}

/** What the page has to know before anybody has logged in. */
async function showSession(sessions: Sessions, options: SessionParts, request: HttpRequest): Promise<HttpResponse> {
  refuseOtherSites(request)
  const session = await sessionOf(sessions, request)
  const user = await userOf(options, request, session ?? { kind: 'certificate' })
  const isOpen = session !== undefined && user !== undefined
  return json(isOpen ? { user } : { certificate: user, provider: options.login?.issuer })
}

/** With the token in the body, or with the certificate of the connection where there is none. */
async function logIn(sessions: Sessions, options: ConsoleOptions, request: HttpRequest): Promise<HttpResponse> {
  refuseUnposted(request)
  const session = sessionAskedFor(await request.body.read())
  const { user, cookie } = await begin(sessions, options, { request, session })
  return json({ user }, cookie)
}

interface Beginning {
  readonly request: HttpRequest
  readonly session: Session
}

async function begin(
  sessions: Sessions,
  options: ConsoleOptions,
  { request, session }: Beginning,
): Promise<{ readonly user: string; readonly cookie: string }> {
  const user = await userOf(options, request, session)
  if (user === undefined) throw new ApiError('Unauthorized', 'the server does not know this credential')
  const cookie = await sessions.begin(session, request.signal)
  if (cookie === undefined) throw new ApiError('BadRequest', 'the token is too long for a cookie')
  const { auditId, remote } = request
  options.log.info({ auditId, user, from: remote.address }, 'console login')
  return { user, cookie }
}

/** Browsers go there by links and come back by them: what they bring is checked by what they were given. */
function providerPaths(
  sessions: Sessions,
  options: ConsoleOptions,
  login: ProviderLogin,
): readonly (readonly [string, Handler])[] {
  const leave: Handler = async (request) => {
    const { location, cookie } = await login.begin(request)
    return redirect(location, cookie)
  }
  const comeBack: Handler = async (request) => {
    const session = { kind: 'token', token: await login.finish(request) } as const
    const { cookie } = await begin(sessions, options, { request, session })
    return redirect(`${PATH}/`, cookie)
  }
  return [
    [BEGIN, leave],
    [COME_BACK, comeBack],
  ]
}

function redirect(location: string, cookie: string): HttpResponse {
  const headers = { ...PAGE_HEADERS, location, 'cache-control': 'no-store', 'set-cookie': cookie }
  return { status: 303, headers, body: { kind: 'empty' } }
}

function logOut(sessions: Sessions, request: HttpRequest): HttpResponse {
  refuseUnposted(request)
  return json({}, sessions.end())
}

function refuseUnposted(request: HttpRequest): void {
  if (request.method !== 'POST') throw methodNotAllowedError()
  refuseOtherSites(request)
}

function sessionAskedFor(body: Buffer): Session {
  const token = body.length > LONGEST_LOGIN_BYTES ? undefined : tokenIn(body.toString())
  if (token === undefined) throw new ApiError('BadRequest', 'the body is not a JSON object with a token')
  return token === '' ? { kind: 'certificate' } : { kind: 'token', token }
}

function tokenIn(text: string): string | undefined {
  try {
    const { token = '' } = JSON.parse(text) as { readonly token?: unknown }
    return typeof token === 'string' ? token.trim() : undefined
  } catch {
    return undefined
  }
}

async function userOf(
  { authenticator, log }: ConsoleOptions,
  request: HttpRequest,
  session: Session,
): Promise<string | undefined> {
  const isToken = session.kind === 'token'
  const found = await authenticator.authenticate(
    {
      bearerToken: isToken ? session.token : undefined,
      certificate: isToken ? undefined : request.remote.certificate,
      sent: { headers: {}, takeHeader: () => [] },
    },
    request.signal,
  )
  if (found.kind === 'user') return found.user.name
  if (found.kind === 'refused') log.info({ auditId: request.auditId, reason: found.problem }, 'authentication failed')
  return undefined
}

function json(value: object, cookie?: string): HttpResponse {
  return bytesOf('application/json', Buffer.from(`${JSON.stringify(value)}\n`), {
    ...PAGE_HEADERS,
    'cache-control': 'no-store',
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  })
}
