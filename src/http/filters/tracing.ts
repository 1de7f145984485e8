// Makes a span for every request. The filter runs after authentication, because only some users may make their requests part of a trace of
// their own (P-492).
import { ApiError } from '../../api/status.ts'
import { MASTERS, MONITORING } from '../../auth/user.ts'
import { settle } from '../../lib/maybe-promise.ts'
import type { RequestTracing } from '../../lib/tracing.ts'
import type { CallerFilter, HttpRequest } from '../http.ts'

export function trace(tracing: RequestTracing): CallerFilter {
  return (next) => (request, caller) => {
    const { method, path, receivedAt, auditId, responder, headers } = request
    const span = tracing.begin({
      name: spanName(request),
      since: receivedAt,
      attributes: {
        'http.request.method': method,
        'url.path': path,
        'user_agent.original': String(headers['user-agent'] ?? ''),
        'audit-id': auditId,
      },
      traceparent: textOf(headers['traceparent']),
      tracestate: textOf(headers['tracestate']),
      isTrusted: caller.user.groups.some((group) => group === MASTERS || group === MONITORING),
    })
    span.note('Authentication', receivedAt)
    let status = 0
    let answeredAt = 0
    responder.whenOver(() => {
      if (answeredAt > 0) span.note('Response', answeredAt)
      span.end(status)
    })
    return settle(
      () => span.run(() => next(request, caller)),
      (response) => {
        ;({ status } = response)
        answeredAt = performance.now()
        return response
      },
      (error) => {
        status = error instanceof ApiError ? error.code : 500
        throw error
      },
    )
  }
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0]
}

/** The name of the span. It has no object names, so that there are few span names: `GET /api/v1/namespaces/{:namespace}/pods/{:name}`. */
function spanName({ method, info }: HttpRequest): string {
  if (info.kind !== 'resource') return method
  const { group, version, resource, subresource, namespace, name } = info
  const parts = [
    ...(group === '' ? ['api'] : ['apis', group]),
    version,
    ...(namespace === undefined ? [] : ['namespaces', '{:namespace}']),
    resource,
    ...(name === undefined ? [] : ['{:name}']),
    ...(subresource === undefined ? [] : [subresource]),
  ]
  return `${method} /${parts.join('/')}`
}
