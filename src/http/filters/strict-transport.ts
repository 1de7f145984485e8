// Tells browsers to come back over TLS only; off unless directives are named.
import type { Filter } from '../http.ts'

export function strictTransport(directives: readonly string[]): Filter {
  if (directives.length === 0) return (next) => next
  const headers = { 'strict-transport-security': directives.join('; ') }
  return (next) => (request) => {
    request.responder.addHeaders(headers)
    return next(request)
  }
}
