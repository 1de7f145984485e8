// Requests before everything is loaded and while the server stops, and GOAWAY for load balancing. Probes and
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

/** For a server that goes on taking connections while it closes: who comes then is told to try again (P-251). */
export function turnAwayWhenClosing(isClosing: () => boolean): Filter {
  return (next) => (request) => {
    if (!isClosing() || isAlwaysAnswered(request)) return next(request)
    request.responder.sendAway()
    return plainText(429, TRY_AGAIN, { 'retry-after': '5' })
  }
}

export interface WhenServing {
  readonly isStarting: () => boolean
  /** Resolves when it is not, or that takes too long. */
  readonly whenStarted: (signal: AbortSignal) => Promise<void>
  readonly isClosing: () => boolean
}

/**
 * Requests wait: a client that finds the port open, while a replica is restarted, is to see nothing of it. Where that takes too long it is
 * told to come back, never that something does not exist.
 */
export function holdWhileStarting({ isStarting, whenStarted, isClosing }: WhenServing): CallerFilter {
  return (next) => (request, caller) => {
    if (!isStarting() || isAlwaysAnswered(request)) return next(request, caller)
    return whenStarted(request.signal).then(() => {
      // It may have given up.
      if (!isStarting() && !isClosing()) return next(request, caller)
      throw new ApiError('ServiceUnavailable', NOT_INSTALLED, { details: { retryAfterSeconds: 5 } })
    })
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
