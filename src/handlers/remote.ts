// Requests for groups that another server serves (P-383): they are passed on where that server can be reached.
import type { RemoteService } from '../api/remote-service.ts'
import type { Filter, HttpRequest, HttpResponse } from '../http/http.ts'
import { plainText } from '../http/responses.ts'
import type { OpenAnswer, OutgoingCaller, OutgoingTarget } from '../lib/outgoing-call.ts'
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
    const [, root, group, version] = request.path.split('/', 4)
    if (root !== 'apis' || group === undefined || version === undefined) return next(request)
    const service = remotes.find(group, version)
    if (service === undefined) return next(request)
    return service.isAvailable ? passOn(service, request) : plainText(503, 'service unavailable\n')
  }
}

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
])
const OURS = /^(:|x-remote-|x-forwarded-|impersonate-)/

export function passOnBy(caller: OutgoingCaller, targetOf: (service: RemoteService) => OutgoingTarget): PassOn {
  return async (service, request) => {
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.readBody()
    const target = targetOf(service)
    const sent = { method: request.method, path: request.target, headers: headersFor(request, target, body), body }
    let answer: OpenAnswer
    try {
      answer = await caller.open(target, sent, request.signal)
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      return plainText(503, `error trying to reach service: ${error.message}\n`)
    }
    return answerOf(answer)
  }
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
