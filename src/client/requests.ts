// Requests of the API: credentials, time limits, answers that are refusals, and when to ask again.
import { Backoff } from '../lib/backoff.ts'
import { type Clock, programClock } from '../lib/clock.ts'
import { checkOptions, checkPresent } from '../lib/known-options.ts'
import { type Credential, Credentials } from './credentials.ts'
import { ApiStatusError, ConnectionError, statusIn } from './errors.ts'
import type { ConnectionOptions } from './kubeconfig.ts'
import { type IncomingAnswer, Sockets, type Transport } from './transport.ts'
import { NEVER, settled, waitToRetry, within } from './waiting.ts'

/** How patient a client is. */
export interface RequestLimits {
  /** How long a request may take, its answer included; watches are not limited. 30 seconds. */
  readonly timeoutMs?: number
  /** How often a request is sent again that the server is too busy for, or whose connection broke. 5. */
  readonly retries?: number
  /** How often a connection in use is checked for a peer that is gone. 15 seconds. */
  readonly pingIntervalMs?: number
  /** Sent as `User-Agent`, and so the default name of the field manager. */
  readonly userAgent?: string
}

/** Undefined members are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A request of the API as it is sent, but for the credentials. */
export interface ApiRequest {
  readonly method: string
  /** As on the wire, encoded, without a query: `/api/v1/pods`. */
  readonly path: string
  readonly query?: Query | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown
  /** JSON where absent. */
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
  /** Absent: that of the client. `Infinity`: none. */
  readonly timeoutMs?: number
}

/** An answer of success, read to its end. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Of a server-side apply: the same again changes nothing. */
export const APPLY_TYPE = 'application/apply-patch+yaml'

/** All but the tab. */
const CONTROL_CHARACTER = /(?!\t)\p{Cc}/u

/** A server that asks for more patience than this is not waited for. */
const LONGEST_RETRY_AFTER_S = 60

export class Requests {
  /** By which whoever uses them waits. A request itself may take as long by the system's. */
  readonly clock: Clock
  readonly #transport: Transport
  readonly #credentials: Credentials
  readonly #basePath: string
  readonly #headers: Readonly<Record<string, string | string[]>>
  readonly #timeoutMs: number
  readonly #retries: number

  constructor(connection: ConnectionOptions, limits: RequestLimits, clock = programClock) {
    this.clock = clock
    const url = new URL(connection.url)
    this.#transport =
      connection.transport ??
      new Sockets({
        url,
        ca: connection.ca,
        serverName: connection.serverName,
        insecure: connection.insecureSkipTlsVerify === true,
        pingIntervalMs: limits.pingIntervalMs ?? 15_000,
      })
    const authority = connection.ca === undefined ? undefined : Buffer.from(connection.ca).toString('base64')
    this.#credentials = new Credentials(connection, {
      server: connection.url,
      'tls-server-name': connection.serverName,
      'insecure-skip-tls-verify': connection.insecureSkipTlsVerify,
      'certificate-authority-data': authority,
    })
    this.#basePath = url.pathname.replace(/\/$/, '')
    const { user, groups = [] } = connection.impersonate ?? {}
    if (connection.impersonate !== undefined) {
      checkOptions('impersonate', connection.impersonate, ['user', 'groups'])
      // Without the header the request would have the rights of the client itself.
      checkPresent('impersonate', 'user', user)
    }
    this.#headers = {
      accept: 'application/json',
      'user-agent': limits.userAgent ?? 'quarterdeck-client',
      ...(user === undefined ? {} : { 'impersonate-user': user }),
      ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    }
    this.#timeoutMs = limits.timeoutMs ?? 30_000
    this.#retries = limits.retries ?? 5
  }

  /** Throws `ApiStatusError`, `ConnectionError`, the reason of the signal, or `TypeError` for what cannot be sent. */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    const { signal = NEVER, timeoutMs = this.#timeoutMs } = request
    const late = (): Error =>
      new ConnectionError('sent', `${nameOf(request)}: no complete answer within ${timeoutMs} ms`)
    const limit = { clock: programClock, timeoutMs, signal, late }
    return within(limit, (ends) => this.#sendUntilTaken(request, ends))
  }

  async json<T>(request: ApiRequest): Promise<T> {
    const { text } = await this.send(request)
    return JSON.parse(text) as T
  }

  /** The answer as it comes, without a time limit; nothing is tried again. */
  async open(request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const answer = await this.#sendOnce(request, signal)
    if (answer.status >= 400) throw refusalOf(request, answer, await readText(request, answer))
    return answer
  }

  close(): void {
    this.#transport.close()
  }

  async #sendUntilTaken(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const backoff = new Backoff({ firstMs: 50, longestMs: 2000 })
    for (let left = this.#retries; ; left--) {
      try {
        const answer = await this.#sendOnce(request, signal)
        const text = await readText(request, answer)
        if (answer.status < 400) return { status: answer.status, headers: answer.headers, text }
        throw refusalOf(request, answer, text)
      } catch (error) {
        const delayMs = left > 0 && !signal.aborted ? retryDelayMs(request, error, backoff) : undefined
        if (delayMs === undefined) throw error
        await waitToRetry(this.clock, delayMs, signal)
      }
    }
  }

  /** Twice where the credential was refused and there is a newer one. */
  async #sendOnce(request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const credential = await settled(this.#credentials.current(), signal)
    const answer = await this.#sendAs(credential, request, signal)
    if (answer.status !== 401 || !this.#credentials.refused(credential)) return answer
    answer.body.destroy()
    return this.#sendAs(await settled(this.#credentials.current(), signal), request, signal)
  }

  async #sendAs({ token, certificate }: Credential, request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const { method, path, query, headers, body, contentType = 'application/json' } = request
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const sent = {
      ...this.#headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
      ...headers,
    }
    checkHeaders(sent)
    const target = `${this.#basePath}${path}${formatQuery(query)}`
    return this.#transport.send({ method, path: target, headers: sent, body: text, certificate }, signal)
  }
}

function nameOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`
}

/** A server cuts off who sends such a value, which looks like a connection that broke. */
function checkHeaders(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (CONTROL_CHARACTER.test(String(value))) throw new TypeError(`header ${name}: its value has a control character`)
  }
}

function formatQuery(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

async function readText(request: ApiRequest, { body, isComplete }: IncomingAnswer): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of body) chunks.push(chunk)
  } catch (cause) {
    // Node says that a stream broke off too where the last of it was there before anybody read: then all of it has been read.
    if (!body.readableEnded) throw new ConnectionError('sent', `${nameOf(request)}: the answer broke off`, cause)
  }
  if (!isComplete()) throw new ConnectionError('sent', `${nameOf(request)}: the answer broke off`)
  return Buffer.concat(chunks).toString()
}

function refusalOf(request: ApiRequest, { status, headers }: IncomingAnswer, text: string): ApiStatusError {
  // A date, which a proxy may send, is not a number of seconds.
  const seconds = Number(headers['retry-after'])
  return new ApiStatusError(nameOf(request), statusIn(status, text), Number.isFinite(seconds) ? seconds : undefined)
}

/** How long to wait before the same request is sent again; undefined where it must not be. */
function retryDelayMs(request: ApiRequest, error: unknown, backoff: Backoff): number | undefined {
  if (error instanceof ConnectionError) {
    // A server that cannot be reached is told at once. A write that may have been done would meet its own traces.
    const again = error.phase === 'refused' || (error.phase === 'sent' && request.method === 'GET')
    return again ? backoff.nextDelayMs() : undefined
  }
  const isIdempotent = ['GET', 'PUT', 'DELETE'].includes(request.method) || request.contentType === APPLY_TYPE
  if (!isIdempotent || !(error instanceof ApiStatusError) || ![429, 503].includes(error.code)) return undefined
  const { retryAfter } = error
  if (retryAfter === undefined || !(retryAfter <= LONGEST_RETRY_AFTER_S)) return undefined
  return Math.max(retryAfter * 1000, backoff.nextDelayMs())
}
