// Handles requests that come before everything is loaded or while the server stops, and sends GOAWAY for load balancing. Probes and
// scrapes are always answered.
import { ApiError } from '../../api/status.ts'
import type { CallerFilter, Filter, HttpRequest } from '../http.ts'
import { plainText } from '../responses.ts'

const ALWAYS_ANSWERED: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics']

const TRY_AGAIN = 'The apiserver is shutting down, please try again later.\n'
const NOT_INSTALLED = 'the request has been made before all known HTTP paths have been installed, please try again'

function isAlwaysAnswered({ path }: HttpRequest): boolean {
  return ALWAYS_ANSWERED.some((prefix) => path.startsWith(prefix))
}

/** A server that accepts connections while it closes answers new requests with 429 and Retry-After (P-251). */
export function turnAwayWhenClosing(isClosing: () => boolean): Filter {
  return (next) => (request) => {
    if (!isClosing() || isAlwaysAnswered(request)) return next(request)
    request.responder.sendAway()
    return plainText(429, TRY_AGAIN, { 'retry-after': '5' })
  }
}

export interface WhenServing {
  readonly isStarting: () => boolean
  /** Resolves when the server has started, or when the start takes too long. */
  readonly whenStarted: (signal: AbortSignal) => Promise<void>
  readonly isClosing: () => boolean
}

/**
 * Requests wait until the server has started, so that clients do not notice the restart of a replica. If the start takes too long, the
 * answer is 503, and never 404.
 */
export function holdWhileStarting({ isStarting, whenStarted, isClosing }: WhenServing): CallerFilter {
  return (next) => (request, caller) => {
    if (!isStarting() || isAlwaysAnswered(request)) return next(request, caller)
    return whenStarted(request.signal).then(() => {
      // The wait also ends if the start takes too long.
      if (!isStarting() && !isClosing()) return next(request, caller)
      throw new ApiError('ServiceUnavailable', NOT_INSTALLED, { details: { retryAfterSeconds: 5 } })
    })
  }
}

/**
 * Sends GOAWAY with a share of the answers over HTTP/2: behind a load balancer, all connections would otherwise stay with the server that
 * has run longest (P-232). Open requests on the connection are finished.
 */
export function sendAwaySometimes(chance: number): Filter {
  if (chance === 0) return (next) => next
  return (next) => (request) => {
    if (request.remote.protocol === 'h2' && Math.random() < chance) request.responder.sendAway()
    return next(request)
  }
}
