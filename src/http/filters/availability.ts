// Requests before everything is loaded and while the server stops (P-252), and GOAWAY for load balancing. Probes and
// scrapes are always answered.
import { ApiError } from '../../api/status.ts'
import { closingError, type StatusWriter } from '../errors.ts'
import type { CallerFilter, Filter, HttpRequest } from '../http.ts'
import { plainText } from '../responses.ts'

const ALWAYS_ANSWERED: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics']

const TRY_AGAIN = 'The apiserver is shutting down, please try again later.\n'
const NOT_INSTALLED = 'the request has been made before all known HTTP paths have been installed, please try again'

interface ClosingOptions {
  /** Another process serves at the same address: who still asks here is answered, and sent there. */
  readonly isReplaced: () => boolean
  readonly isClosing: () => boolean
  readonly sendRetryAfter: boolean
  readonly writeStatus: StatusWriter
}

function isAlwaysAnswered({ path }: HttpRequest): boolean {
  return ALWAYS_ANSWERED.some((prefix) => path.startsWith(prefix))
}

export function turnAwayWhenClosing(options: ClosingOptions): Filter {
  const { isReplaced, isClosing, sendRetryAfter, writeStatus } = options
  return (next) => (request) => {
    if (isReplaced()) request.responder.sendAway()
    if (!isClosing() || isAlwaysAnswered(request)) return next(request)
    request.responder.sendAway()
    if (sendRetryAfter) return plainText(429, TRY_AGAIN, { 'retry-after': '5' })
    const refusal = writeStatus(closingError(), request)
    return {
      ...refusal,
      headers: { ...refusal.headers, 'retry-after': '1', 'x-content-type-options': 'nosniff' },
    }
  }
}

/** Clients are told to come back, never that something does not exist. */
export function putOffWhenStarting(isStarting: () => boolean): CallerFilter {
  return (next) => (request, caller) => {
    if (!isStarting() || isAlwaysAnswered(request)) return next(request, caller)
    throw new ApiError('ServiceUnavailable', NOT_INSTALLED, { details: { retryAfterSeconds: 5 } })
  }
}

/**
 * Sends GOAWAY with a share of the answers over HTTP/2, so that behind a load balancer connections do not all stay with the server
 * that has been up longest (P-232). What is under way on the connection is finished.
 */
export function sendAwaySometimes(chance: number): Filter {
  if (chance === 0) return (next) => next
  return (next) => (request) => {
    if (request.remote.protocol === 'h2' && Math.random() < chance) request.responder.sendAway()
    return next(request)
  }
}
