// The front door: the web console below `/console`. Its files and the login are open to all users. The requests of its pages below
// `/console/api` go through the same filters as every other request, with the credential of the session and nothing more.
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { ANONYMOUS } from '../auth/user.ts'
import { type Clock, repeat } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import {
  type AuditEntrance,
  type Entered,
  type Filter,
  type Handler,
  type HttpRequest,
  type HttpResponse,
} from '../http/http.ts'
import { methodNotAllowedError } from '../http/errors.ts'
import { bytesOf, SANDBOXED } from '../http/responses.ts'
import { isSameOrigin } from './same-origin.ts'
import { BEGIN, COME_BACK, type Provider, ProviderLogin } from './provider-login.ts'
import { LoginCodes } from './login-codes.ts'
import type { SessionKey } from './sealed.ts'
import {
  type Credential,
  type EndedSessions,
  NO_COOKIE,
  type Session,
  type SessionId,
  Sessions,
  type SessionOptions,
} from './sessions.ts'
import { PAGE_HEADERS, StaticFiles } from './static-files.ts'

export type { EndedSessions, Provider, SessionKey }

export interface ConsoleOptions extends SessionOptions {
  /** The folder of the built files. */
  readonly folder: string
  readonly authenticator: Authenticator
  readonly log: Log
  /** The clock by which open streams check their sessions. */
  readonly waitClock: Clock
  /** The provider for logins. Undefined: there is no provider. */
  readonly provider: Provider | undefined
}

const PATH = '/console'
/** Pages of the console send requests for the API below this prefix, with the credential of their session. */
const API_PATH = `${PATH}/api`
const BELOW_API = `${API_PATH}/`
const LONGEST_LOGIN_BYTES = 16 * 1024
/** The longest time for which a stream continues after its session has ended. */
const LOOK_EVERY_MS = 1000

/** The API's target of a request from a console page. Undefined: the request is from another client. */
export function consoleTarget(target: string): string | undefined {
  return target.startsWith(BELOW_API) ? target.slice(API_PATH.length) : undefined
}

/** `audited` audits logins, logouts and the making of login codes. */
export function serveConsole(options: ConsoleOptions, audited: AuditEntrance): Filter {
  const files = new StaticFiles(options.folder)
  const sessions = new Sessions(options)
  const codes = new LoginCodes(options)
  const login = options.provider === undefined ? undefined : new ProviderLogin(options.provider, options.key)
  const own: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    [`${PATH}/session`, (request) => showSession(sessions, { ...options, login }, request)],
    [`${PATH}/login`, (request) => audited(request, () => logIn(sessions, { ...options, codes }, request))],
    [`${PATH}/code`, (request) => audited(request, () => makeCode(codes, options, request))],
    [`${PATH}/logout`, (request) => audited(request, () => logOut(sessions, options, request))],
    ...(login === undefined ? [] : providerPaths(sessions, options, { login, audited })),
  ])
  return (next) => (request) => {
    const { path } = request
    if (path === '/' && isBrowserAtRoot(request)) return redirect(`${PATH}/`)
    if (!request.isOfConsole && path !== PATH && !path.startsWith(`${PATH}/`)) return next(request)
    // The console's own pages replace the headers of the sandbox.
    request.responder.addHeaders(SANDBOXED)
    if (request.isOfConsole) return enterSession(sessions, options, request).then(() => next(request))
    const handler = own.get(path)
    if (handler !== undefined) return handler(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedError()
    if (path === API_PATH) throw new ApiError('NotFound', 'the server could not find the requested resource')
    return files.answer(path.slice(PATH.length + 1), request)
  }
}

/** Throws if there is no session, or the request does not come from a page of the console. */
async function enterSession(sessions: Sessions, { waitClock }: ConsoleOptions, request: HttpRequest): Promise<void> {
  refuseOtherSites(request)
  const session = await sessionOf(sessions, request)
  if (session === undefined) throw new ApiError('Unauthorized', 'there is no session: log in to the console')
  const { credential } = session
  request.useSession(credential.kind === 'token' ? `Bearer ${credential.token}` : undefined)
  // A request with a deadline ends soon, so its session is not checked again.
  if (request.deadline.kind === 'after') return
  const look = async (): Promise<void> => {
    if (await sessions.isOver(session, request.signal)) request.breakOff()
  }
  request.responder.whenOver(repeat(waitClock, LOOK_EVERY_MS, () => void look().catch(() => {})))
}

/** The session of a request. Takes the cookie out of the request: an aggregated server must not get it. */
async function sessionOf(sessions: Sessions, request: HttpRequest): Promise<Session | undefined> {
  const session = await sessions.find(request.takeHeader('cookie'), request.signal)
  const isMissing = session?.credential.kind === 'certificate' && request.remote.certificate === undefined
  return isMissing ? undefined : session
}

function refuseOtherSites(request: HttpRequest): void {
  if (!isSameOrigin(request)) throw new ApiError('Forbidden', 'the request comes from another site than the console')
}

interface SessionParts extends ConsoleOptions {
  readonly login: ProviderLogin | undefined
}

/** Answers with the user of the session, or else with the ways to log in without a token. */
async function showSession(sessions: Sessions, options: SessionParts, request: HttpRequest): Promise<HttpResponse> {
  refuseOtherSites(request)
  const session = await sessionOf(sessions, request)
  const user = await userOf(options, request, session?.credential ?? { kind: 'certificate' })
  const isOpen = session !== undefined && user !== undefined
  return json(isOpen ? { user: user.name } : { certificate: user?.name, provider: options.login?.issuer })
}

interface LoginParts extends ConsoleOptions {
  readonly codes: LoginCodes
}

/**
 * Logs in with the token or the code in the body. If the body has neither, the certificate of the connection counts. Ends the earlier
 * session.
 */
async function logIn(sessions: Sessions, { codes, ...options }: LoginParts, request: HttpRequest): Promise<Entered> {
  refuseUnposted(request)
  const sent = loginIn(await request.body.read())
  const before = await sessions.find(request.takeHeader('cookie'), request.signal)
  const answer = ({ name: user }: User, cookie: string): HttpResponse => json({ user }, cookie)
  if (sent.kind !== 'code') return begin(sessions, options, { request, credential: sent, before, answer })
  const code = await codes.open(request, sent.code)
  const credential = { kind: 'token', token: code.token } as const
  return begin(sessions, options, { request, credential, before, answer, use: () => codes.use(code, request.signal) })
}

/** Makes a code for the client's own token. A session of a browser cannot make a code. */
async function makeCode(codes: LoginCodes, options: ConsoleOptions, request: HttpRequest): Promise<Entered> {
  if (request.method !== 'POST') throw methodNotAllowedError()
  if (request.hasHeaderLike('impersonate-'))
    throw new ApiError('BadRequest', 'a code logs in the user of the token: impersonation is not possible')
  const token = bearerTokenOf(request)
  const user = token === undefined ? undefined : await userOf(options, request, { kind: 'token', token })
  if (token === undefined || user === undefined)
    throw new ApiError(
      'Unauthorized',
      'a code needs a token that the server knows; with a certificate, log in with the browser',
    )
  return {
    user,
    answer: async () => {
      const made = await codes.make(request, user, token)
      tell(options, request, user, 'console login code')
      return json(made)
    },
  }
}

interface Beginning {
  readonly request: HttpRequest
  readonly credential: Credential
  /** The session of the same browser, which ends with the login. */
  readonly before: SessionId | undefined
  /** Throws if the credential may not begin another session. */
  readonly use?: () => Promise<void>
  readonly answer: (user: User, cookie: string) => HttpResponse
}

async function begin(
  sessions: Sessions,
  options: ConsoleOptions,
  { request, credential, before, use, answer }: Beginning,
): Promise<Entered> {
  const user = await userOf(options, request, credential)
  if (user === undefined) throw new ApiError('Unauthorized', 'Invalid or expired token')
  return {
    user,
    answer: async () => {
      await use?.()
      const cookie = await sessions.begin(user.name, credential, request.signal)
      if (cookie === undefined) throw new ApiError('BadRequest', 'the token is too long for a cookie')
      if (before !== undefined) await sessions.end(before, request.signal)
      tell(options, request, user, 'console login')
      return answer(user, cookie)
    },
  }
}

function tell({ log }: ConsoleOptions, { auditId, remote }: HttpRequest, user: User, what: string): void {
  log.info({ auditId, user: user.name, from: remote.address }, what)
}

/** Links lead browsers to these pages, so the origin is not checked. The state in the cookie of the login authenticates the callback. */
function providerPaths(
  sessions: Sessions,
  options: ConsoleOptions,
  { login, audited }: { readonly login: ProviderLogin; readonly audited: AuditEntrance },
): readonly (readonly [string, Handler])[] {
  const leave: Handler = async (request) => {
    const session = await sessions.find(request.takeHeader('cookie'), request.signal)
    const before = session && { owner: session.owner, id: session.id, until: session.until }
    const { location, cookie } = await login.begin(request, before)
    return redirect(location, cookie)
  }
  const comeBack = async (request: HttpRequest): Promise<Entered> => {
    const { token, before } = await login.finish(request)
    const credential = { kind: 'token', token } as const
    const answer = (_user: User, cookie: string): HttpResponse => redirect(`${PATH}/`, cookie)
    return begin(sessions, options, { request, credential, before, answer })
  }
  return [
    [BEGIN, leave],
    [COME_BACK, (request) => audited(request, () => comeBack(request))],
  ]
}

function redirect(location: string, cookie?: string): HttpResponse {
  const headers = { ...PAGE_HEADERS, location, 'cache-control': 'no-store', vary: 'accept' }
  return {
    status: 303,
    headers: cookie === undefined ? headers : { ...headers, 'set-cookie': cookie },
    body: { kind: 'empty' },
  }
}

/** Only the holder of a session can end it. Without a session there is nothing to do. */
async function logOut(sessions: Sessions, options: ConsoleOptions, request: HttpRequest): Promise<Entered> {
  refuseUnposted(request)
  const session = await sessions.find(request.takeHeader('cookie'), request.signal)
  const known = session === undefined ? undefined : await userOf(options, request, session.credential)
  // The credential may have expired. The server itself has sealed the user's name in the cookie.
  const user = known ?? (session?.user === undefined ? ANONYMOUS : { ...NO_GROUPS, name: session.user })
  return {
    user,
    answer: async () => {
      if (session !== undefined) {
        await sessions.end(session, request.signal)
        tell(options, request, user, 'console logout')
      }
      return json({}, NO_COOKIE)
    },
  }
}

const NO_GROUPS: Omit<User, 'name'> = Object.freeze({ uid: undefined, groups: [], extra: {} })

function refuseUnposted(request: HttpRequest): void {
  if (request.method !== 'POST') throw methodNotAllowedError()
  refuseOtherSites(request)
}

function loginIn(body: Buffer): Credential | { readonly kind: 'code'; readonly code: string } {
  const sent = body.length > LONGEST_LOGIN_BYTES ? undefined : textsIn(body.toString())
  if (sent === undefined) throw new ApiError('BadRequest', 'the body is not a JSON object with a token or a code')
  const { token, code } = sent
  if (code !== '') return { kind: 'code', code }
  return token === '' ? { kind: 'certificate' } : { kind: 'token', token }
}

function textsIn(text: string): { readonly token: string; readonly code: string } | undefined {
  try {
    const { token = '', code = '' } = JSON.parse(text) as { readonly token?: unknown; readonly code?: unknown }
    const areTexts = typeof token === 'string' && typeof code === 'string' && (token === '' || code === '')
    return areTexts ? { token: token.trim(), code } : undefined
  } catch {
    return undefined
  }
}

function bearerTokenOf(request: HttpRequest): string | undefined {
  return /^bearer (\S+)$/i.exec(request.takeCredential()?.trim() ?? '')?.[1]
}

/** Whether a browser reads `/`. Programs get the list of paths there, as from the reference. Only browsers ask for HTML. */
function isBrowserAtRoot({ method, headers, isOfConsole, transport }: HttpRequest): boolean {
  const isReading = (method === 'GET' || method === 'HEAD') && transport === 'plain' && !isOfConsole
  return isReading && /\btext\/html\b/.test(String(headers['accept'] ?? ''))
}

async function userOf(
  { authenticator, log }: ConsoleOptions,
  request: HttpRequest,
  credential: Credential,
): Promise<User | undefined> {
  const isToken = credential.kind === 'token'
  const found = await authenticator.authenticate(
    {
      bearerToken: isToken ? credential.token : undefined,
      certificate: isToken ? undefined : request.remote.certificate,
      sent: { headers: {}, takeHeader: () => [] },
    },
    request.signal,
  )
  if (found.kind === 'user') return found.user
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
