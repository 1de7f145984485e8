// The filters that every request passes on its way to a handler, outermost first. The order decides which error wins (P-001): a
// bad token is 401 even where it would be forbidden or the server is full. Headers of all answers and deadlines are the
// exchange's.
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import type { FlowControl } from '../../flow/flow.ts'
import type { Log } from '../../lib/log.ts'
import type { RequestTracing } from '../../lib/tracing.ts'
import { type StatusEncoder, statusWriter } from '../errors.ts'
import { checkpoint, firstCheckpoint, type HttpMeasures } from '../measures.ts'
import type { AuditEntrance, CallerFilter, CallerHandler, Filter, Handler } from '../http.ts'
import { audit, auditEntrance, type AuditFilterOptions } from './audit.ts'
import { authenticate } from './authentication.ts'
import { authorize } from './authorization.ts'
import { holdWhileStarting, sendAwaySometimes, type StageOptions, turnAwayWhenClosing } from './availability.ts'
import { crossOrigin, strictTransport } from './browsers.ts'
import { controlFlow } from './flow-control.ts'
import { catchFaults } from './faults.ts'
import { impersonate } from './impersonation.ts'
import { trace } from './tracing.ts'
import { refuseImpossibleTimeout } from './impossible-timeout.ts'

export interface FilterOptions extends StageOptions {
  readonly log: Log
  /** Encodes errors for clients that do not speak JSON. */
  readonly encodeStatus: StatusEncoder
  readonly cbor: boolean
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly flowControl: FlowControl
  readonly measures: HttpMeasures
  /** The `ConstrainedImpersonation` gate. */
  readonly constrainedImpersonation: boolean
  readonly audit: AuditFilterOptions | undefined
  /** Absent: requests are not traced. */
  readonly tracing?: RequestTracing | undefined
  /** Requests without credentials are those of `system:anonymous`; otherwise they are refused. */
  readonly anonymousRequests: boolean
  /** Only for exactly these paths; absent: for all (P-081). */
  readonly anonymousPaths?: readonly string[] | undefined
  /** Health is answered to callers from other machines without credentials too (D13). */
  readonly anonymousHealth: boolean
  /** Origins whose scripts may read answers; none: no such headers are sent. */
  readonly allowedOrigins: readonly RegExp[]
  /** The directives of `Strict-Transport-Security`; none: the header is not sent. */
  readonly strictTransport: readonly string[]
  /** Serves the console, and lets its sessions in; absent: there is none. */
  readonly console?: ((audited: AuditEntrance) => Filter) | undefined
  /** While closing: answer with 429 and Retry-After, on connections that are still accepted (P-251). */
  readonly sendRetryAfter: boolean
  /** The share of answers over HTTP/2 that come with GOAWAY, from 0 to 1. */
  readonly goawayChance: number
}

export function withFilters(handler: CallerHandler, options: FilterOptions): Handler {
  const writeStatus = statusWriter(options.encodeStatus, options.cbor)
  const { measures } = options
  const beforeAuthentication: readonly Filter[] = [
    strictTransport(options.strictTransport),
    catchFaults({ log: options.log, writeStatus }, options.audit),
    sendAwaySometimes(options.goawayChance),
    // Otherwise a client that still asks, on an open connection, is answered.
    ...(options.sendRetryAfter ? [turnAwayWhenClosing(options.isClosing)] : []),
    refuseImpossibleTimeout(),
    crossOrigin(options.allowedOrigins),
    ...(options.console === undefined ? [] : [options.console(auditEntrance(options.audit))]),
    firstCheckpoint(),
  ]
  const authentication = authenticate(options)
  const afterAuthentication: readonly CallerFilter[] = [
    ...(options.tracing === undefined ? [] : [trace(options.tracing)]),
    checkpoint(measures, 'authentication'),
    ...(options.audit === undefined ? [] : [audit(options.audit), checkpoint(measures, 'audit')]),
    // Before everything is loaded the server does not know the rights of its users.
    holdWhileStarting(options),
    impersonate(options),
    checkpoint(measures, 'impersonation'),
    controlFlow(options.flowControl),
    checkpoint(measures, 'priorityandfairness'),
    authorize(options),
    checkpoint(measures, 'authorization'),
  ]
  return beforeAuthentication.reduceRight(
    (next, filter) => filter(next),
    authentication(afterAuthentication.reduceRight((next, filter) => filter(next), handler)),
  )
}
