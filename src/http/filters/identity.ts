// What every answer carries: the request's audit id, and that nobody between may keep it (P-002, R-270, R-271).
import { withDefaults } from '../responses.ts'
import type { Filter } from '../http.ts'

export function identify(): Filter {
  return (next) => async (request) => {
    const response = await next(request)
    return withDefaults(response, { 'audit-id': request.auditId, 'cache-control': 'no-cache, private' })
  }
}
