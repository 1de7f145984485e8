// Requests that come before everything is loaded: they are told to come back, never that something does not exist.
import { ApiError } from '../../api/status.ts'
import type { CallerFilter } from '../http.ts'
import { ANSWERED_ALWAYS } from './closing.ts'

const MESSAGE = 'the request has been made before all known HTTP paths have been installed, please try again'

export function putOffWhenStarting(isStarting: () => boolean): CallerFilter {
  return (next) => (request, caller) => {
    if (!isStarting() || ANSWERED_ALWAYS.some((path) => request.path.startsWith(path))) return next(request, caller)
    throw new ApiError('ServiceUnavailable', MESSAGE, { details: { retryAfterSeconds: 5 } })
  }
}
