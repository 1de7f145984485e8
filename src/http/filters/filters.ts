// The one list of what every request passes on its way to a handler, outermost first. The order decides which error wins
// (P-001): a bad token is 401 even where it would be forbidden or the server is full.
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import type { Log } from '../../lib/log.ts'
import { type StatusEncoder, statusWriter } from '../errors.ts'
import type { Filter, Handler } from '../http.ts'
import { authenticate } from './authentication.ts'
import { authorize } from './authorization.ts'
import { crossOrigin } from './cross-origin.ts'
import { turnAwayWhenClosing } from './closing.ts'
import { catchFaults } from './faults.ts'
import { identify } from './identity.ts'
import { limitTime } from './time-limit.ts'
import { tellWarnings } from './warnings.ts'

export interface FilterOptions {
  readonly log: Log
  /** Encodes errors for clients that do not speak JSON. */
  readonly encodeStatus: StatusEncoder
  /** Whether CBOR is spoken at all. */
  readonly cbor: boolean
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Requests without credentials are those of `system:anonymous`; otherwise they are refused. */
  readonly anonymousRequests: boolean
  /** Health is answered to callers from other machines without credentials too (D13). */
  readonly anonymousHealth: boolean
  /** Origins whose scripts may read answers; none: no such headers are sent. */
  readonly allowedOrigins: readonly RegExp[]
  /** The server takes no new requests. */
  readonly isClosing: () => boolean
}

export function withFilters(handler: Handler, options: FilterOptions): Handler {
  const writeStatus = statusWriter(options.encodeStatus, options.cbor)
  const filters: readonly Filter[] = [
    identify(),
    catchFaults({ log: options.log, writeStatus }),
    turnAwayWhenClosing(options.isClosing, writeStatus),
    limitTime(),
    tellWarnings(),
    crossOrigin(options.allowedOrigins),
    authenticate({ ...options, writeStatus }),
    authorize(options),
  ]
  return filters.reduceRight<Handler>((next, filter) => filter(next), handler)
}
