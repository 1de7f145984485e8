// Refuses a `timeout` parameter that cannot be read or met, before authentication.
import { ApiError } from '../../api/status.ts'
import { timeoutAnswer } from '../errors.ts'
import type { Filter } from '../http.ts'

/** A shorter timeout is always refused, so that the outcome does not depend on the load. */
const NO_TIME_MS = 0.1

export function refuseImpossibleTimeout(): Filter {
  return (next) => (request) => {
    const { deadline } = request
    if (deadline.kind === 'after' && deadline.milliseconds < NO_TIME_MS) return timeoutAnswer()
    if (deadline.kind !== 'unreadable') return next(request)
    throw new ApiError('BadRequest', `invalid timeout specified in the request URL - ${deadline.message}`)
  }
}
