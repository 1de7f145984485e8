// Requests of the API: credentials, time limits, refusals and retries.
import { Backoff } from '../lib/backoff.ts'
import { type Clock, programClock } from '../lib/clock.ts'
import { checkOptions, checkValue, fits, isRecord, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { type Credential, Credentials } from './credentials.ts'
import { ApiStatusError, ConnectionError, statusIn } from './errors.ts'
import type { ConnectionOptions } from './kubeconfig.ts'
import { type IncomingAnswer, Sockets, type Transport } from './transport.ts'
import { NEVER, settled, waitToRetry, within } from './waiting.ts'

/** Time limits and retries. */
export interface RequestLimits {
  /** The longest time for a request with its whole answer. Watches have no limit. Default: 30 seconds. */
  readonly timeoutMs?: number
  /** The number of repetitions of a request if the server is too busy or the connection breaks. Default: 5. */
  readonly retries?: number
  /** The interval at which the client pings a connection in use. Default: 15 seconds. */
  readonly pingIntervalMs?: number
  /** The `User-Agent` header, and so the default name of the field manager. */
  readonly userAgent?: string
}

/** Undefined members are left out. Only `client.request()` refuses them. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A request of the API without its credentials. */
export interface ApiRequest {
  readonly method: string
  /** As on the wire, encoded, without a query: `/api/v1/pods`. */
  readonly path: string
  readonly query?: Query | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A text is sent unchanged, everything else as JSON. */
  readonly body?: unknown
  /** Default: JSON. */
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
  /** Default: the client's. `Infinity`: no limit. */
  readonly timeoutMs?: number
}

/** A complete and successful answer. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** The media type of a server-side apply. Repeating an apply changes nothing. */
export const APPLY_TYPE = 'application/apply-patch+yaml'

/** Any control character except the tab. */
const CONTROL_CHARACTER = /(?!\t)\p{Cc}/u

const matching = (wanted: string, form: RegExp): ValueType => ({
  wanted,
  fits: (value) => fits(value, 'text') && form.test(String(value)),
})
const URL_TEXT: ValueType = {
  wanted: 'a URL of http or https, without a user, a query or a fragment',
  fits: (value) => /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(String(value)) && URL.canParse(String(value)),
}
const WHAT = {
  method: matching('a method in capitals, such as GET', /^[A-Z]+$/),
  path: matching('a path as on the wire: it begins with / and has no spaces or fragment', /^\/[!"$-[\]-~]*$/),
} as const
/** A Map, a Buffer or NaN would be sent as something else. A DELETE without its options may delete all objects. */
const JSON_VALUE: ValueType = {
  wanted: 'JSON',
  fits: (value) =>
    value === null ||
    ['string', 'boolean'].includes(typeof value) ||
    Number.isFinite(value) ||
    Array.isArray(value) ||
    isRecord(value) ||
    // A Date or a URL has its own JSON form.
    (typeof Reflect.get(Object(value), 'toJSON') === 'function' && !ArrayBuffer.isView(value)),
}
const BODY: ValueType = { wanted: 'JSON or text', fits: (body) => body === undefined || JSON_VALUE.fits(body) }
const HEADER_NAME = matching('a token', /^[\w!#$%&'*+.^`|~-]+$/)
const RECORDS = { query: 'object?', headers: 'object?' } as const
const LIMITS = { signal: 'signal?', timeoutMs: 'duration?' } as const
const REQUEST: OptionTypes<ApiRequest> = { ...WHAT, ...RECORDS, ...LIMITS, body: BODY, contentType: 'text?' }

/** The client does not retry if the server asks for a longer wait. */
const LONGEST_RETRY_AFTER_S = 60

export class Requests {
  /** The clock for waits between requests. Timeouts of requests go by the system's clock. */
  readonly clock: Clock
  readonly #transport: Transport
  readonly #credentials: Credentials
  readonly #basePath: string
  readonly #headers: Readonly<Record<string, string | string[]>>
  readonly #timeoutMs: number
  readonly #retries: number

  constructor(connection: ConnectionOptions, limits: RequestLimits, clock = programClock) {
    this.clock = clock
    checkValue('new Client', 'url', connection.url, URL_TEXT)
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
      checkOptions('impersonate', connection.impersonate, { user: 'text', groups: 'texts' })
      // Without the header the request would have the rights of the client itself.
      checkValue('impersonate', 'user', user, 'text')
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

  /** Throws `ApiStatusError`, `ConnectionError`, the signal's reason, or `TypeError` for a request that cannot be sent. */
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

  /** The answer as a stream, without a time limit and without retries. */
  async open(request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const answer = await this.#sendOnce(request, signal)
    if (answer.status >= 400) throw refusalOf(request, answer, await readText(request, answer))
    return answer
  }

  close(): void {
    this.#transport.close()
  }

  async #sendUntilTaken(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const backoff = new Backoff({ firstMs: 50, longestMs: 2000, chance: this.clock.chance })
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

  /** Sends again if the server refused the credential and there may be a newer credential. */
  async #sendOnce(request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const credential = await settled(this.#credentials.current(), signal)
    const answer = await this.#sendAs(credential, request, signal)
    if (answer.status !== 401 || !this.#credentials.refused(credential)) return answer
    answer.body.destroy()
    return this.#sendAs(await settled(this.#credentials.current(), signal), request, signal)
  }

  async #sendAs({ token, certificate }: Credential, request: ApiRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const { method, path, query, headers, body, contentType = 'application/json' } = request
    const text = body === undefined || typeof body === 'string' ? body : jsonText(request)
    const sent = {
      ...this.#headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
      // Names in lower case replace the headers above in every transport.
      ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    }
    checkHeaders(sent)
    const target = `${this.#basePath}${withQuery(path, query)}`
    return this.#transport.send({ method, path: target, headers: sent, body: text, certificate }, signal)
  }
}

/** Throws a `TypeError` for a request that could do something that its caller does not want. */
export function checkRequest(request: ApiRequest): void {
  const subject = 'client.request'
  checkOptions(subject, request, REQUEST)
  const { method, path, query = {}, headers = {} } = request
  checkOptions(subject, { method, path }, WHAT)
  // A query in the path cannot be checked for undefined values. Such a value could make a write wider than the caller thinks.
  if (method !== 'GET' && path.includes('?'))
    throw new TypeError(`${subject}: path must be without a query, which a ${method} has in the option query: ${path}`)
  // A path with an empty name would be the path of all objects. The path after a proxy may end with a slash.
  if (method === 'DELETE' && /(\/|%2f)(\/|%2f|$)/i.test(path.replace(/\/proxy\/.*/, '')))
    throw new TypeError(`${subject}: a part of the path is empty: ${path}`)
  // Without the value the request might delete all objects, or have the rights of the client itself.
  for (const [name, value] of Object.entries(query)) checkValue(subject, `query's ${name}`, value, 'text|scalar')
  checkHeaders(headers)
  for (const [name, value] of Object.entries(headers)) {
    checkValue(subject, 'name of a header', name, HEADER_NAME)
    checkValue(subject, `header ${name}`, value, 'text')
  }
}

function nameOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`
}

/**
 * The body as JSON. Throws a `TypeError` for a value that JSON would change or leave out. Only a DELETE refuses undefined members: without
 * them it would delete more.
 */
function jsonText(request: ApiRequest): string {
  return JSON.stringify(request.body, function (this: object, name, value: unknown) {
    const given: unknown = Reflect.get(this, name)
    const isAbsent = given === undefined && !Array.isArray(this) && request.method !== 'DELETE'
    if (!isAbsent) checkValue(nameOf(request), name === '' ? 'body' : `body's ${name}`, given, JSON_VALUE)
    return value
  })
}

/** Throws a `TypeError` for a control character. The server would close the connection, which looks like an outage. */
function checkHeaders(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (CONTROL_CHARACTER.test(String(value))) throw new TypeError(`header ${name}: its value has a control character`)
  }
}

function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  if (given.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`
}

async function readText(request: ApiRequest, { body, isComplete }: IncomingAnswer): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of body) chunks.push(chunk)
  } catch (cause) {
    // Node reports an error also for a stream that was read to its end.
    if (!body.readableEnded) throw new ConnectionError('sent', `${nameOf(request)}: the answer broke off`, cause)
  }
  if (!isComplete()) throw new ConnectionError('sent', `${nameOf(request)}: the answer broke off`)
  return Buffer.concat(chunks).toString()
}

function refusalOf(request: ApiRequest, { status, headers }: IncomingAnswer, text: string): ApiStatusError {
  // A proxy may send a date instead of seconds.
  const seconds = Number(headers['retry-after'])
  return new ApiStatusError(nameOf(request), statusIn(status, text), Number.isFinite(seconds) ? seconds : undefined)
}

/** The wait before the request is repeated. Undefined: it must not be repeated. */
function retryDelayMs(request: ApiRequest, error: unknown, backoff: Backoff): number | undefined {
  if (error instanceof ConnectionError) {
    // The caller learns at once of a server that cannot be reached. A repeated write could conflict with itself.
    const again = error.phase === 'refused' || (error.phase === 'sent' && ['GET', 'QUERY'].includes(request.method))
    return again ? backoff.nextDelayMs() : undefined
  }
  const isIdempotent = ['GET', 'QUERY', 'PUT', 'DELETE'].includes(request.method) || request.contentType === APPLY_TYPE
  if (!isIdempotent || !(error instanceof ApiStatusError) || ![429, 503].includes(error.code)) return undefined
  const { retryAfter } = error
  if (retryAfter === undefined || !(retryAfter <= LONGEST_RETRY_AFTER_S)) return undefined
  return Math.max(retryAfter * 1000, backoff.nextDelayMs())
}
