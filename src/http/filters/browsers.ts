// Headers for browsers, off unless configured: CORS (R-054, P-234) and Strict-Transport-Security.
import type { Filter, HttpResponse, ResponseHeaders } from '../http.ts'

const CORS_HEADERS: ResponseHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

export function crossOrigin(allowedOrigins: readonly RegExp[]): Filter {
  if (allowedOrigins.length === 0) return (next) => next
  return (next) => (request) => {
    const { origin } = request.headers
    if (typeof origin !== 'string' || !allowedOrigins.some((pattern) => pattern.test(origin))) return next(request)
    const headers = { ...CORS_HEADERS, 'access-control-allow-origin': origin }
    if (request.method === 'OPTIONS') return { status: 204, headers, body: { kind: 'empty' } } satisfies HttpResponse
    // Scripts must be able to read refusals too.
    request.responder.addHeaders(headers)
    return next(request)
  }
}

export function strictTransport(directives: readonly string[]): Filter {
  if (directives.length === 0) return (next) => next
  const headers = { 'strict-transport-security': directives.join('; ') }
  return (next) => (request) => {
    request.responder.addHeaders(headers)
    return next(request)
  }
}
