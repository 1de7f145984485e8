// Requests that come on a connection still open while the server stops (P-252). Probes and scrapes are answered to the end.
import { closingError, type StatusWriter } from '../errors.ts'
import type { Filter } from '../http.ts'

/** Probes and scrapes, from the first moment to the last. */
export const ANSWERED_ALWAYS: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics']

export function turnAwayWhenClosing(isClosing: () => boolean, writeStatus: StatusWriter): Filter {
  return (next) => (request) => {
    if (!isClosing() || ANSWERED_ALWAYS.some((path) => request.path.startsWith(path))) return next(request)
    const refusal = writeStatus(closingError(), request)
    return {
      ...refusal,
      headers: { ...refusal.headers, 'retry-after': '1', 'x-content-type-options': 'nosniff' },
      closeConnection: true,
    }
  }
}
