// Proxies requests to aggregated API servers that are available (P-383).
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import type { Caller, CallerFilter, HttpRequest, HttpResponse } from '../http/http.ts'
import { plainText } from '../http/responses.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import { answerOf, headersToPass, originForm, switched, upgradeOf } from './passed-requests.ts'
import { userHeaders } from './user-headers.ts'

/** A version of a group that another server serves. */
interface Aggregated {
  readonly isAvailable: boolean
}

export interface AggregatedLookup<S extends Aggregated> {
  /** No other server has a group, so no lookup is needed. */
  readonly isEmpty: boolean
  /** Undefined: this server serves the version of the group, or no server does. */
  find(group: string, version: string): S | undefined
}

export type ProxyRequest<S> = (service: S, request: HttpRequest, caller: Caller) => Promise<HttpResponse>

export function proxyAggregatedGroups<S extends Aggregated>(
  remotes: AggregatedLookup<S>,
  passOn: ProxyRequest<S>,
): CallerFilter {
  return (next) => (request, caller) => {
    if (remotes.isEmpty || request.info.kind === 'broken') return next(request, caller)
    const [, group, version] = GROUP_VERSION.exec(request.path) ?? []
    if (group === undefined || version === undefined) return next(request, caller)
    const service = remotes.find(group, version)
    if (service === undefined) return next(request, caller)
    // The other server decides what its callers may see.
    if (caller.reach !== undefined) throw new ApiError('Forbidden', 'accessible: another server serves this group')
    return service.isAvailable ? passOn(service, request, caller) : plainText(503, 'service unavailable\n')
  }
}

/** The paths of a version of a group, and of its OpenAPI document (P-390). */
const GROUP_VERSION = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)(?:\/|$)/

export function aggregatedProxy<S>(caller: OutgoingCaller, targetOf: (service: S) => OutgoingTarget): ProxyRequest<S> {
  return async (service, request, { user }) => {
    checkQuery(request)
    const upgrade = upgradeOf(request)
    const hasBody = upgrade === undefined && request.method !== 'GET' && request.method !== 'HEAD'
    const body = hasBody ? await request.body.read() : undefined
    const target = targetOf(service)
    const path = originForm(request.target)
    const headers = { ...headersFor(request, { user, target, path, body }), ...upgrade }
    const sent = { method: request.method, path, headers, body }
    try {
      if (upgrade === undefined) return answerOf(await caller.open(target, sent, request.signal))
      const answer = await caller.upgrade(target, sent, request.signal)
      return 'socket' in answer ? switched(answer, request) : answerOf(answer)
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      return plainText(503, `error trying to reach service: ${error.message}\n`)
    }
  }
}

/** Refuses several values of a parameter. Authorization reads the first value, but the other server could read the last. */
function checkQuery({ query }: HttpRequest): void {
  const name = ['fieldSelector', 'labelSelector', 'watch'].find((each) => new Set(query.all(each)).size > 1)
  if (name !== undefined) throw new ApiError('BadRequest', `the query has several values of ${name}`)
}

interface Passed {
  readonly user: User
  readonly target: OutgoingTarget
  readonly path: string
  readonly body: Buffer | undefined
}

function headersFor(request: HttpRequest, { user, target, path, body }: Passed): Record<string, string | string[]> {
  return {
    ...headersToPass(request),
    host: new URL(target.url).host,
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    ...userHeaders(user),
    'x-forwarded-for': request.remote.address,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': path,
  }
}
