// Requests that come on a connection still open while the server stops (P-252). Probes and scrapes are answered to the end.
import { closingError, type StatusWriter } from '../errors.ts'
import type { Filter } from '../http.ts'
import { plainText } from '../responses.ts'

/** Probes and scrapes, from the first moment to the last. */
export const ANSWERED_ALWAYS: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics']

export interface ClosingOptions {
  readonly isClosing: () => boolean
  readonly sendRetryAfter: boolean
  readonly writeStatus: StatusWriter
}

const TRY_AGAIN = 'The apiserver is shutting down, please try again later.\n'

export function turnAwayWhenClosing({ isClosing, sendRetryAfter, writeStatus }: ClosingOptions): Filter {
  return (next) => (request) => {
    if (!isClosing() || ANSWERED_ALWAYS.some((path) => request.path.startsWith(path))) return next(request)
    request.responder.sendAway()
    if (sendRetryAfter) return plainText(429, TRY_AGAIN, { 'retry-after': '5' })
    const refusal = writeStatus(closingError(), request)
    return {
      ...refusal,
      headers: { ...refusal.headers, 'retry-after': '1', 'x-content-type-options': 'nosniff' },
    }
  }
}
