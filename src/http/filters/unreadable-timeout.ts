// A `timeout` parameter that cannot be read is told before anybody asks who it is.
import { ApiError } from '../../api/status.ts'
import type { Filter } from '../http.ts'

export function refuseUnreadableTimeout(): Filter {
  return (next) => (request) => {
    const { deadline } = request
    if (deadline.kind !== 'unreadable') return next(request)
    throw new ApiError('BadRequest', `invalid timeout specified in the request URL - ${deadline.message}`)
  }
}
