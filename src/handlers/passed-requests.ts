// The messages between a client and a server behind this one: the headers, the path and the upgrade of a request, and the answer.
import { ApiError } from '../api/status.ts'
import { splitTarget } from '../http/exchange.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../http/http.ts'
import { plainText, SANDBOXED } from '../http/responses.ts'
import { offeredProtocols } from '../http/websocket.ts'
import { isHeaderValue, percentEncoded } from '../lib/header-text.ts'
import type { OpenAnswer, SwitchedAnswer } from '../outgoing/call.ts'
import { unsendable } from './user-headers.ts'

/** Headers of one connection, and headers that only this server may set. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'authorization',
  'content-length',
  'http2-settings',
  'sec-websocket-protocol',
])
const OURS = /^(:|x-remote-|x-forwarded-|impersonate-)/

/**
 * The headers of an answer that reach the client. All others are dropped: an aggregated server shares the origin of the console,
 * where it must not set cookies, register service workers or open answers to other sites. Audit-Id and X-Kubernetes-PF-* are this
 * server's own.
 */
const PASSED_BACK: ReadonlySet<string> = new Set(
  (
    'accept-ranges age allow cache-control content-encoding content-range content-type date etag expires ' +
    'last-modified retry-after vary warning x-accepted-stream-protocol-versions x-stream-protocol-version'
  ).split(' '),
)
/** The headers that reach the client if the answer switches protocols. */
const SWITCHED_BACK: ReadonlySet<string> = new Set(
  (
    'connection sec-websocket-accept sec-websocket-extensions sec-websocket-protocol upgrade warning ' +
    'x-stream-protocol-version'
  ).split(' '),
)
/** Content types that no browser renders, with or without parameters. A comma would begin a second type, and browsers use the last type. */
const DATA_TYPE =
  /^(?:text\/(?:plain|event-stream)|application\/(?:[\w.@+-]+\+)?(?:json|json-seq|yaml|cbor|cbor-seq|protobuf|octet-stream|vnd\.(?:kubernetes|svc)\.protobuf))\s*(?:;[^,]*)?$/i

/** Other protocols would bypass this server: a client that speaks HTTP/2 in a tunnel could name any user there. */
const TUNNELLED = /^(?:websocket|spdy\/3\.1)$/i

/**
 * The headers that request another protocol on the connection, without the token that some clients put into them. Undefined: the request
 * does not ask for another protocol.
 */
export function upgradeOf({ headers, remote }: HttpRequest): Readonly<Record<string, string>> | undefined {
  const { upgrade } = headers
  if (typeof upgrade !== 'string' || !TUNNELLED.test(upgrade) || remote.protocol !== 'http/1.1') return undefined
  const protocols = headers['sec-websocket-protocol']
  const offered = typeof protocols === 'string' ? offeredProtocols(protocols).join(', ') : ''
  return { connection: 'Upgrade', upgrade, ...(offered === '' ? {} : { 'sec-websocket-protocol': offered }) }
}

export function switched({ status, headers, socket, head }: SwitchedAnswer, { auditId }: HttpRequest): HttpResponse {
  const own = { ...only(SWITCHED_BACK, headers), 'audit-id': auditId }
  return { status, headers: own, body: { kind: 'tunnel', peer: socket, head } }
}

function only(names: ReadonlySet<string>, headers: OpenAnswer['headers'], nominated = NONE): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && names.has(name) && !nominated.has(name) ? [[name, value]] : [],
    ),
  )
}

/**
 * Changes types that browsers could render: text becomes plain text, and everything else becomes a file to save. Clients that read only the
 * bytes see no change.
 */
function withDataType(headers: ResponseHeaders): ResponseHeaders {
  const type = String(headers['content-type'] ?? '')
  if (type === '' || DATA_TYPE.test(type)) return headers
  if (/^text\//i.test(type)) return { ...headers, 'content-type': 'text/plain; charset=utf-8' }
  return { ...headers, 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }
}

/**
 * The answer for the client. Most redirects are refused, because they could lead the client, with its credentials, to any server (P-386).
 * `moved` returns the target of a redirect within the other server. Undefined: the redirect leads elsewhere.
 */
export function answerOf(
  answer: OpenAnswer,
  moved: (location: string) => string | undefined = () => undefined,
): HttpResponse {
  const { status, headers, pieces } = answer
  const location = headers.location === undefined ? undefined : moved(headers.location)
  if (status < 200 || (status >= 300 && status < 400 && status !== 304 && location === undefined)) {
    answer.discard()
    return plainText(502, 'the backend attempted to redirect this request, which is not permitted\n')
  }
  return {
    status,
    headers: {
      ...withDataType(only(PASSED_BACK, headers, nominatedIn(headers.connection))),
      ...(location === undefined ? {} : { location }),
      ...SANDBOXED,
    },
    body: passedOn(pieces),
  }
}

/** The body of another server's answer, piece by piece. */
export function passedOn(pieces: OpenAnswer['pieces']): HttpResponse['body'] {
  return {
    kind: 'stream',
    run: async (sink) => {
      for await (const piece of pieces) if (!sink.write(piece)) await sink.drained()
    },
  }
}

/** The headers of a request that the other server gets, and `Audit-Id`. `more`: headers that stay here. */
export function headersToPass(
  request: HttpRequest,
  more: ReadonlySet<string> = NONE,
): Record<string, string | string[]> {
  const nominated = nominatedIn(request.headers['connection'])
  const passed = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || NOT_PASSED_ON.has(name) || more.has(name) || OURS.test(name) || nominated.has(name)
      ? []
      : [[name, valueToPass(name, value)] as const],
  )
  return { ...Object.fromEntries(passed), 'audit-id': valueToPass('audit-id', request.auditId) }
}

/** The headers that a message declares for the next hop only (RFC 9110, 7.6.1). */
function nominatedIn(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  if (connection === undefined) return NONE
  return new Set([connection].flat().flatMap((line) => line.split(',').map((name) => name.trim().toLowerCase())))
}

const NONE: ReadonlySet<string> = new Set()

/** Returns the value unchanged. Throws `ApiError` if a header cannot have this value. */
function valueToPass<V extends string | readonly string[]>(name: string, value: V): V extends string ? string : string[]
function valueToPass(name: string, value: string | readonly string[]): string | string[] {
  if (![value].flat().every(isHeaderValue)) throw unsendable(name)
  return typeof value === 'string' ? value : [...value]
}

/**
 * The path and query without a host, encoded as in the reference. So the other server sees the path that was authorized here. Throws
 * `ApiError`.
 */
export function originForm(target: string): string {
  if (CONTROL.test(target)) throw new ApiError('BadRequest', 'invalid control character in URL')
  const { path, search } = splitTarget(target)
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
  refuseDots(bytes)
  const escaped = bytes.replace(/[^\w\-.~$&+,/:;=@]/g, percentEncoded)
  return `${escaped}${searchToPass(search)}`
}

/** The query with its question mark. Empty: there is no query. */
export function searchToPass(search: string): string {
  return search === '' ? '' : `?${search.replace(/[^!-~]/g, percentEncoded)}`
}

/** Throws `ApiError` if another server may read a part of the path as a step up. */
export function refuseDots(path: string): void {
  if (NEARLY_DOTS.test(path)) throw new ApiError('BadRequest', "invalid path: some servers take a part for '.' or '..'")
}

/** Dot segments with parameters, after a backslash or encoded twice: authorization reads them as names. */
const NEARLY_DOTS = /(?:^|[/\\])(?:\.|%2e){1,2}(?:;[^/\\]*)?(?:[/\\]|$)/i
const CONTROL = /[^ -~\u0080-\uffff]/
