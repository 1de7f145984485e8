// Calls to other servers over HTTP/1.1 and TLS: webhooks, conversion, reviews. A call has a deadline and a limit for the answer, follows no
// redirect and goes to checked addresses only. Connections are kept open, for a bounded number of targets.
import { createHash } from 'node:crypto'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { cancellable } from '../lib/cancellable.ts'
import { CancelledError } from '../lib/errors.ts'
import type { EgressPolicy } from './egress-policy.ts'
import { request as httpRequest } from '../lib/node-http.ts'
import type { Tracing } from '../lib/tracing.ts'
import type { OutgoingMeasures } from './measures.ts'
import { type Lookup, OutgoingConnections, type OutgoingTls, type Place, systemLookup } from './connections.ts'
import { brokenFailure, cutFailure, DEADLINE_TEXT, OutgoingCallError } from './failure.ts'

export interface OutgoingTarget {
  /** `https://host:port/path` without a query. Messages show it unchanged. */
  readonly url: string
  readonly tls?: OutgoingTls
  /**
   * Replaces the URL's host by the address of a service, for every call anew: calls are spread over the endpoints of the service, and none
   * goes to an endpoint that has left it. Level 1.36 of the reference does so for new connections only. Throws `OutgoingCallError`.
   */
  readonly locate?: () => Promise<Place>
  /** Makes a connection within this process, in place of a connection over the network. For `open` and `upgrade`. */
  readonly connect?: (() => Promise<Duplex>) | undefined
  /** Sent with every call: credentials. Never part of an error message. */
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export interface OutgoingCall {
  /** The body of a POST. Absent: a GET. */
  readonly body?: string | Uint8Array
  readonly userAgent: string
  readonly timeoutMs: number
  /** Whether to send the timeout to the other side, as `?timeout=10s`: in whole seconds, rounded up. */
  readonly tellTimeout: boolean
  readonly maxAnswerBytes: number
}

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface OutgoingRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer | undefined
}

export interface OpenAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly pieces: AsyncIterable<Buffer>
  /** Gives up the connection. Call this if the pieces are not pulled. */
  discard(): void
}

/** The other side has switched the connection to another protocol. Written bytes are sent unchanged. */
export interface SwitchedAnswer {
  readonly status: 101
  readonly headers: IncomingMessage['headers']
  readonly socket: Duplex
  /** Bytes that came after the answer. */
  readonly head: Buffer
}

export interface OutgoingCallerParts {
  readonly egress: EgressPolicy
  readonly lookup?: Lookup
  readonly measures?: OutgoingMeasures | undefined
  /** Absent: calls are not part of a trace. */
  readonly tracing?: Tracing | undefined
}

/** The number of clients that the reference remembers. */
const MOST_TARGETS = 200

export class OutgoingCaller implements Disposable {
  readonly #connections = new Map<string, OutgoingConnections>()
  readonly #egress: EgressPolicy
  readonly #lookup: Lookup
  readonly #measures: OutgoingMeasures | undefined
  readonly #tracing: Tracing | undefined

  constructor({ egress, lookup = systemLookup, measures, tracing }: OutgoingCallerParts) {
    this.#egress = egress
    this.#lookup = lookup
    this.#measures = measures
    this.#tracing = tracing
  }

  /** The answer, with any code. Throws `OutgoingCallError`, and `CancelledError` when the signal fires. */
  async call(target: OutgoingTarget, call: OutgoingCall, signal: AbortSignal): Promise<OutgoingAnswer> {
    return this.#step(target, () => this.#call(target, call, signal))
  }

  async #step<T>({ url }: OutgoingTarget, run: () => Promise<T>): Promise<T> {
    if (this.#tracing === undefined) return run()
    return this.#tracing.step({ name: 'Outgoing call', kind: 'client', attributes: { 'url.full': url } }, run)
  }

  async #call(target: OutgoingTarget, call: OutgoingCall, signal: AbortSignal): Promise<OutgoingAnswer> {
    const url = parse(target.url)
    const agent = this.#connectionsTo(target, url)
    const text = call.tellTimeout ? `${target.url}?timeout=${wholeSeconds(call.timeoutMs)}` : target.url
    const began = performance.now()
    try {
      const deadline = began + call.timeoutMs
      const traced = this.#tracing?.headers()
      const { locate } = target
      const place = locate === undefined ? placeIn(url) : await located(locate, { deadline, signal })
      const answer = await exchange({ agent, place, url, text, target, call, deadline, traced }, signal)
      this.#note(url, call, String(answer.status), began)
      return answer
    } catch (error) {
      this.#note(url, call, '<error>', began)
      if (!(error instanceof OutgoingCallError)) throw error
      if (error.kind === 'too-large' || error.kind === 'cut') throw error
      const method = call.body === undefined ? 'Get' : 'Post'
      throw error.within(`${method} ${JSON.stringify(text)}: ${error.message}`)
    }
  }

  /**
   * Sends a request unchanged and resolves with the head of the answer. The reader pulls the body. The connection ends when the signal
   * fires. Throws the errors of `call`. There is no deadline.
   */
  async open(target: OutgoingTarget, sent: OutgoingRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const answer = await this.upgrade(target, sent, signal)
    if (!('socket' in answer)) return answer
    answer.socket.destroy()
    throw new OutgoingCallError('answer', 'unexpected switch of protocols')
  }

  /** Like `open`, for a request to switch the connection to another protocol. */
  async upgrade(
    target: OutgoingTarget,
    sent: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<OpenAnswer | SwitchedAnswer> {
    return this.#step(target, () => this.#open(target, sent, signal))
  }

  async #open(
    target: OutgoingTarget,
    sent: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<OpenAnswer | SwitchedAnswer> {
    const url = parse(target.url)
    const way =
      target.connect === undefined
        ? { agent: this.#connectionsTo(target, url) }
        : { createConnection: within(target.connect) }
    const { locate } = target
    const place = locate === undefined ? placeIn(url) : await located(locate, { signal })
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      const { method, path } = sent
      const headers = { ...sent.headers, ...this.#tracing?.headers() }
      const request = sendRequest({ ...way, host: place.host, port: place.port, method, path, headers })
      const onAbort = (): void => {
        request.destroy()
        reject(new CancelledError(signal.reason))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      request.once('close', () => signal.removeEventListener('abort', onAbort))
      request.on('error', (cause) => reject(cause instanceof OutgoingCallError ? cause : brokenFailure(cause)))
      request.once('response', (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          pieces: response,
          discard: () => response.destroy(),
        }),
      )
      request.once('upgrade', ({ headers: answered }, socket, head) =>
        resolve({ status: 101, headers: answered, socket, head }),
      )
      request.end(sent.body)
      // This must follow `end`, which sends the head and sets `shouldKeepAlive`. If the other side does not switch protocols, the state of
      // the connection is unknown.
      if (headers['upgrade'] !== undefined) request.shouldKeepAlive = false
    })
  }

  [Symbol.dispose](): void {
    for (const connections of this.#connections.values()) connections.destroy()
    this.#connections.clear()
  }

  #note({ host }: URL, { body }: OutgoingCall, code: string, began: number): void {
    const method = body === undefined ? 'GET' : 'POST'
    this.#measures?.note({ code, method, host, seconds: (performance.now() - began) / 1000 })
  }

  #connectionsTo(target: OutgoingTarget, url: URL): OutgoingConnections {
    const key = targetKey(target, url)
    const known = this.#connections.get(key)
    if (known !== undefined) {
      // The map is in the order of use: the first entry has not been used for the longest time.
      this.#connections.delete(key)
      this.#connections.set(key, known)
      return known
    }
    const tls = url.protocol === 'https:' ? (target.tls ?? {}) : undefined
    const made = new OutgoingConnections({ place: placeIn(url), tls }, { egress: this.#egress, lookup: this.#lookup })
    this.#connections.set(key, made)
    const [oldest] = this.#connections
    if (this.#connections.size > MOST_TARGETS && oldest !== undefined) {
      this.#connections.delete(oldest[0])
      oldest[1].retire()
    }
    return made
  }
}

type Connected = (error: Error | null, socket: Duplex) => void

/** Wraps `connect` in the form in which Node requests a connection. */
function within(connect: () => Promise<Duplex>) {
  return (_options: unknown, connected: Connected): undefined => {
    connect().then(
      (socket) => connected(null, socket),
      (error: unknown) => (connected as (error: unknown) => void)(error),
    )
  }
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new OutgoingCallError('settings', `unsupported protocol scheme in ${JSON.stringify(text)}`)
}

/** The place of a URL. The host has no brackets if it is an IPv6 address. */
function placeIn({ hostname, port, protocol }: URL): Place {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) }
}

interface Locating {
  readonly signal: AbortSignal
  /** By `performance.now()`. */
  readonly deadline?: number
}

function located(locate: () => Promise<Place>, { signal, deadline }: Locating): Promise<Place> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new OutgoingCallError('deadline', DEADLINE_TEXT))
    const timer = deadline === undefined ? undefined : setTimeout(late, Math.max(0, deadline - performance.now()))
    cancellable(locate(), signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Two targets share connections if all inputs of a connection are equal. */
function targetKey({ tls, locate }: OutgoingTarget, url: URL): string {
  const secrets = [tls?.ca, tls?.certificate, tls?.key, tls?.serverName, tls?.insecure].map((part) => part ?? null)
  const digest = tls === undefined ? '' : createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
  return `${url.protocol}//${url.host} ${locate === undefined ? 'name' : 'service'} ${digest}`
}

interface Exchange {
  readonly agent: OutgoingConnections
  readonly place: Place
  readonly url: URL
  readonly text: string
  readonly target: OutgoingTarget
  readonly call: OutgoingCall
  /** By `performance.now()`. */
  readonly deadline: number
  readonly traced: Readonly<Record<string, string>> | undefined
}

/** The other side may close a kept connection just as the call is sent. Only such a call is sent again, once. */
async function exchange(it: Exchange, signal: AbortSignal): Promise<OutgoingAnswer> {
  try {
    return await attempt(it, signal)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
  }
  try {
    return await attempt(it, signal)
  } catch (error) {
    throw error instanceof StaleConnection ? brokenFailure(error.cause) : error
  }
}

/** The other side had closed the connection before it saw the call. */
class StaleConnection extends Error {}

function attempt(
  { agent, place, url, text, target, call, deadline, traced }: Exchange,
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CancelledError(signal.reason))
    const body = typeof call.body === 'string' ? Buffer.from(call.body) : call.body
    const request = sendRequest({
      agent,
      host: place.host,
      port: place.port,
      method: body === undefined ? 'GET' : 'POST',
      path: requestPath(url, text),
      headers: headersOf({ url, target, call, length: body?.length, traced }),
    })
    const end = (finish: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      finish()
    }
    const fail = (error: Error): void =>
      end(() => {
        reject(error)
        request.destroy()
      })
    let answering = false
    const onDeadline = (): void =>
      fail(answering ? cutFailure(DEADLINE_TEXT) : new OutgoingCallError('deadline', DEADLINE_TEXT))
    const timer = setTimeout(onDeadline, Math.max(0, deadline - performance.now()))
    const onAbort = (): void => fail(new CancelledError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    request.on('error', (cause) => fail(failureOf(request, cause)))
    request.once('response', (response) => {
      answering = true
      readBody(response, call.maxAnswerBytes).then(
        (read) => end(() => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read })),
        fail,
      )
    })
    request.end(body)
  })
}

/** A server that sends interim responses (1xx) without end would hold the event loop. */
const MOST_INTERIM = 20

function sendRequest(options: RequestOptions): ClientRequest {
  const request = httpRequest(options)
  const tooMany = new OutgoingCallError('answer', 'too many interim responses')
  let left = MOST_INTERIM
  return request.on('information', () => --left === 0 && request.destroy(tooMany))
}

function failureOf(request: ClientRequest, cause: Error): Error {
  if (cause instanceof OutgoingCallError) return cause
  const gone = Reflect.get(cause, 'code') === 'ECONNRESET' || Reflect.get(cause, 'code') === 'EPIPE'
  return gone && request.reusedSocket ? new StaleConnection('stale', { cause }) : brokenFailure(cause)
}

function requestPath(url: URL, text: string): string {
  const query = text.indexOf('?')
  return `${url.pathname}${query < 0 ? url.search : text.slice(query)}`
}

interface HeaderParts {
  readonly url: URL
  readonly target: OutgoingTarget
  readonly call: OutgoingCall
  readonly length: number | undefined
  readonly traced: Readonly<Record<string, string>> | undefined
}

function headersOf({ url, target, call, length, traced }: HeaderParts): Record<string, string | number | string[]> {
  return {
    host: url.host,
    'user-agent': call.userAgent,
    accept: 'application/json, */*',
    ...(length === undefined ? {} : { 'content-type': 'application/json', 'content-length': length }),
    ...target.headers,
    ...traced,
  }
}

async function readBody(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > most) throw new OutgoingCallError('too-large', `the response is larger than ${most} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof OutgoingCallError) throw error
    throw cutFailure('unexpected EOF', error)
  }
  return Buffer.concat(chunks, length)
}

/** The form of Go for durations: `10s`, `1m30s`. */
function wholeSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
