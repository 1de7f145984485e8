// Requests of the page. Each is the user's own: the server takes the credential out of the session, and answers as it would anybody else.

export const API = '/console/api'
/** Told on `window` when the server says that there is no session any more. */
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

/** An answer that is not a success, with what the server says of it. */
export class ApiFailure extends Error {
  readonly code: number
  readonly status: Status

  constructor(code: number, status: Status) {
    super(status.message ?? `the server answered ${code}`)
    this.code = code
    this.status = status
  }
}

export interface Call {
  readonly method?: string
  readonly accept?: string
  readonly contentType?: string
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The text of an answer of success; throws an `ApiFailure` for every other. */
export async function askText(path: string, call: Call = {}): Promise<string> {
  return textOf(await send(path, call))
}

function send(path: string, call: Call, more: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { method = 'GET', accept = 'application/json', contentType = 'application/json', body, signal } = call
  return fetch(`${API}${path}`, {
    method,
    headers: { accept, ...more, ...(body === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text()
  if (response.ok) return text
  if (response.status === 401) window.dispatchEvent(new Event(SESSION_ENDED))
  throw new ApiFailure(response.status, statusIn(text))
}

/** A document, and the tag by which the server knows whether it has changed. */
export interface Kept<T> {
  readonly tag: string
  readonly document: T
}

/**
 * What is known, where it has not changed. Browsers would see to that themselves, but keep nothing of a server whose certificate they
 * do not know.
 */
export async function askAnew<T>(path: string, call: Call, known: Kept<T> | undefined): Promise<Kept<T>> {
  const tag = known?.tag ?? ''
  const response = await send(path, call, tag === '' ? {} : { 'if-none-match': tag })
  if (known !== undefined && response.status === 304) return known
  const document = JSON.parse(await textOf(response)) as T
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
  /** Undefined: nobody has logged in. */
  readonly user?: string
  /** Whose certificate the browser has shown. */
  readonly certificate?: string
  /** Where people log in whose tokens are accepted. */
  readonly provider?: string
}

export async function readSession(): Promise<Session> {
  return (await (await fetch('/console/session')).json()) as Session
}

/** An empty token: with the certificate that the browser shows. */
export async function logIn(token: string): Promise<Session> {
  const response = await fetch('/console/login', { method: 'POST', body: JSON.stringify({ token }) })
  const text = await response.text()
  if (!response.ok) throw new ApiFailure(response.status, statusIn(text))
  return JSON.parse(text) as Session
}

export async function logOut(): Promise<void> {
  await fetch('/console/logout', { method: 'POST' })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
