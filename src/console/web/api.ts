// Requests of the page. The server takes the user's credential out of the session, and answers as it answers any other client.

export const API = '/console/api'
/** Dispatched on `window` when the session has ended. */
export const SESSION_ENDED = 'session-ended'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface Status {
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: { readonly causes?: readonly StatusCause[] }
}

/** A refusal with its Status. */
export class ApiFailure extends Error {
  readonly code: number
  readonly status: Status

  constructor(code: number, status: Status) {
    super(status.message ?? `the server answered ${code}`)
    this.code = code
    this.status = status
  }
}

/** The Status of a refusal. Empty for every other error. */
export function statusOf(error: unknown): Status {
  return error instanceof ApiFailure ? error.status : {}
}

/** There is no answer: the server or the network is down. */
export class UnreachableError extends Error {
  constructor(cause?: unknown) {
    super('The server cannot be reached.', { cause })
  }
}

export interface Problem {
  /** `forbidden`: the user has no permission. `failed`: the server answers with another error. */
  readonly kind: 'forbidden' | 'unreachable' | 'failed'
  readonly message: string
}

/** The problem of work that is tried again. */
export function problemOf(error: unknown): Problem {
  const message = messageOf(error)
  if (error instanceof UnreachableError) return { kind: 'unreachable', message: `${message} The console keeps trying.` }
  return { kind: error instanceof ApiFailure && error.code === 403 ? 'forbidden' : 'failed', message }
}

/** Whether another attempt may succeed. A request that the server refuses is refused again. */
export function mayRecover(error: unknown): boolean {
  return !(error instanceof ApiFailure) || error.code >= 500 || error.code === 429 || error.code === 410
}

export const RETRY_MS = 1000
/** The wait after the server has refused a stream, perhaps because the user may not watch. */
export const STREAM_RETRY_MS = 5000
/** The longest times for a read and for a write. The server itself ends a request after a minute. */
const LONGEST_READ_MS = 20_000
const LONGEST_WRITE_MS = 75_000

export interface Call {
  readonly method?: string
  readonly accept?: string
  readonly contentType?: string
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The text of a successful answer. Throws an `ApiFailure` for every other answer, and an `UnreachableError` if there is no answer. */
export async function askText(path: string, call: Call = {}): Promise<string> {
  return textOf(await send(path, call))
}

function send(path: string, call: Call, more: Readonly<Record<string, string>> = {}): Promise<Answered> {
  const { method = 'GET', accept = 'application/json', contentType = 'application/json', body, signal } = call
  const headers = { accept, ...more, ...(body === undefined ? {} : { 'content-type': contentType }) }
  return reach(`${API}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }, signal)
}

interface Answered {
  readonly response: Response
  readonly text: string
}

async function reach(url: string, init: RequestInit = {}, signal?: AbortSignal): Promise<Answered> {
  const limit = AbortSignal.timeout((init.method ?? 'GET') === 'GET' ? LONGEST_READ_MS : LONGEST_WRITE_MS)
  try {
    const response = await fetch(url, {
      ...init,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    return { response, text: await response.text() }
  } catch (error) {
    throw signal?.aborted === true ? error : new UnreachableError(error)
  }
}

function textOf({ response, text }: Answered): string {
  if (response.ok) return text
  if (response.status === 401) window.dispatchEvent(new Event(SESSION_ENDED))
  throw new ApiFailure(response.status, statusIn(text))
}

/** A document and its tag, which changes with the document. */
export interface Kept<T> {
  readonly tag: string
  readonly document: T
}

/**
 * Returns the known document if it has not changed. Browsers have a cache for that, but cache nothing of a server whose certificate they do
 * not trust.
 */
export async function askAnew<T>(path: string, call: Call, known: Kept<T> | undefined): Promise<Kept<T>> {
  const tag = known?.tag ?? ''
  const answered = await send(path, call, tag === '' ? {} : { 'if-none-match': tag })
  const { response } = answered
  if (known !== undefined && response.status === 304) return known
  const document = JSON.parse(textOf(answered)) as T
  return { tag: response.headers.get('etag') ?? '', document }
}

export async function ask<T>(path: string, call: Call = {}): Promise<T> {
  return JSON.parse(await askText(path, call)) as T
}

export function post<T>(path: string, body: object): Promise<T> {
  return ask<T>(path, { method: 'POST', body: JSON.stringify(body) })
}

function statusIn(text: string): Status {
  try {
    return JSON.parse(text) as Status
  } catch {
    return { message: text.trim().slice(0, 500) }
  }
}

export interface Session {
  /** Undefined: no session. */
  readonly user?: string
  /** The user of the browser's certificate. */
  readonly certificate?: string
  /** The provider for logins. */
  readonly provider?: string
}

export function readSession(): Promise<Session> {
  return askSession('session')
}

/** Logs in by a token or by a code of `quarterdeck console`. An empty token stands for the certificate of the browser. */
export function logIn(by: { readonly token: string } | { readonly code: string }): Promise<Session> {
  return askSession('login', { method: 'POST', body: JSON.stringify(by) })
}

export async function logOut(): Promise<void> {
  await askSession('logout', { method: 'POST' })
}

async function askSession(place: string, init?: RequestInit): Promise<Session> {
  const { response, text } = await reach(`/console/${place}`, init)
  if (!response.ok) throw new ApiFailure(response.status, statusIn(text))
  return JSON.parse(text) as Session
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
