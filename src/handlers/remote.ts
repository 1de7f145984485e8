// Requests for groups that another server serves (P-383): they are passed on where that server can be reached.
import type { RemoteService } from '../api/remote-service.ts'
import type { Filter, HttpRequest, HttpResponse } from '../http/http.ts'
import { plainText } from '../http/responses.ts'
import { offeredProtocols } from '../http/websocket.ts'
import type { OpenAnswer, OutgoingCaller, OutgoingTarget, SwitchedAnswer } from '../lib/outgoing-call.ts'
import { OutgoingCallError } from '../lib/outgoing-failure.ts'

export interface Remotes {
  /** There are none: nothing has to be looked for. */
  readonly isEmpty: boolean
  /** Undefined where the version of the group is served here, or nowhere. */
  find(group: string, version: string): RemoteService | undefined
}

export type PassOn = (service: RemoteService, request: HttpRequest) => Promise<HttpResponse>

export function serveRemoteGroups(remotes: Remotes, passOn: PassOn): Filter {
  return (next) => (request) => {
    if (remotes.isEmpty) return next(request)
    const [, group, version] = GROUP_VERSION.exec(request.path) ?? []
    if (group === undefined || version === undefined) return next(request)
    const service = remotes.find(group, version)
    if (service === undefined) return next(request)
    return service.isAvailable ? passOn(service, request) : plainText(503, 'service unavailable\n')
  }
}

/** The paths of a version of a group, and of the document about it (P-390). */
const GROUP_VERSION = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)(?:\/|$)/

/** What belongs to one connection, and what only we may say. */
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

export function passOnBy(caller: OutgoingCaller, targetOf: (service: RemoteService) => OutgoingTarget): PassOn {
  return async (service, request) => {
    const upgrade = upgradeOf(request)
    const hasBody = upgrade === undefined && request.method !== 'GET' && request.method !== 'HEAD'
    const body = hasBody ? await request.readBody() : undefined
    const target = targetOf(service)
    const headers = { ...headersFor(request, target, body), ...upgrade }
    const sent = { method: request.method, path: request.target, headers, body }
    try {
      if (upgrade === undefined) return answerOf(await caller.open(target, sent, request.signal))
      const answer = await caller.upgrade(target, sent, request.signal)
      return 'socket' in answer ? switched(answer) : answerOf(answer)
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      return plainText(503, `error trying to reach service: ${error.message}\n`)
    }
  }
}

/** Others would be a way past this server: whoever speaks HTTP/2 in a tunnel can say there that they are somebody else. */
const TUNNELLED = /^(?:websocket|spdy\/3\.1)$/i

/** What asks for another protocol on the connection, without the token that some clients put there; undefined where nothing does. */
function upgradeOf({ headers, remote }: HttpRequest): Readonly<Record<string, string>> | undefined {
  const { upgrade } = headers
  if (typeof upgrade !== 'string' || !TUNNELLED.test(upgrade) || remote.protocol !== 'http/1.1') return undefined
  const protocols = headers['sec-websocket-protocol']
  const offered = typeof protocols === 'string' ? offeredProtocols(protocols).join(', ') : ''
  return { connection: 'Upgrade', upgrade, ...(offered === '' ? {} : { 'sec-websocket-protocol': offered }) }
}

function switched({ status, headers, socket, head }: SwitchedAnswer): HttpResponse {
  const told = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return { status, headers: Object.fromEntries(told), body: { kind: 'tunnel', peer: socket, head } }
}

/** A redirect would lead the client, with its credentials, wherever the other server likes (P-386). */
function answerOf(answer: OpenAnswer): HttpResponse {
  const { status, headers, pieces } = answer
  if (status < 200 || (status >= 300 && status < 400 && status !== 304)) {
    answer.discard()
    return plainText(502, 'the backend attempted to redirect this request, which is not permitted\n')
  }
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || NOT_PASSED_ON.has(name) ? [] : [[name, value] as const],
  )
  return {
    status,
    headers: Object.fromEntries(kept),
    body: {
      kind: 'stream',
      run: async (sink) => {
        for await (const piece of pieces) if (!sink.write(piece)) await sink.drained()
      },
    },
  }
}

function headersFor(
  request: HttpRequest,
  { url }: OutgoingTarget,
  body: Buffer | undefined,
): Record<string, string | string[]> {
  const { user, remote } = request
  const passed = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || NOT_PASSED_ON.has(name) || OURS.test(name)
      ? []
      : [[name, typeof value === 'string' ? value : [...value]] as const],
  )
  return {
    ...Object.fromEntries(passed),
    host: new URL(url).host,
    'audit-id': request.auditId,
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    'x-remote-user': user.name,
    ...(user.uid === undefined || user.uid === '' ? {} : { 'x-remote-uid': user.uid }),
    ...(user.groups.length === 0 ? {} : { 'x-remote-group': [...user.groups] }),
    ...Object.fromEntries(
      Object.entries(user.extra).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]]),
    ),
    'x-forwarded-for': remote.address,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': request.target,
  }
}
