// The list of all stages that a request passes from the listener to its handler, outermost first. The order decides which error a client
// gets (P-001): a bad token is 401 even if the request would be forbidden or the server is full. The exchange sets deadlines and the
// headers that all answers have.
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { FlowControl } from '../flow/flow.ts'
import type { Log } from '../lib/log.ts'
import type { RequestTracing } from '../lib/tracing.ts'
import { type StatusEncoder, statusWriter } from './errors.ts'
import { checkpoint, firstCheckpoint, type HttpMeasures } from './measures.ts'
import type { AuditEntrance, CallerFilter, CallerHandler, Filter, Handler, HttpRequest } from './http.ts'
import { audit, auditEntrance, type AuditFilterOptions } from './filters/audit.ts'
import { authenticate } from './filters/authentication.ts'
import { type AuthorizationOptions, authorize } from './filters/authorization.ts'
import { holdWhileStarting, sendAwaySometimes, turnAwayWhenClosing, type WhenServing } from './filters/availability.ts'
import { crossOrigin, strictTransport } from './filters/browsers.ts'
import { controlFlow } from './filters/flow-control.ts'
import { catchFaults } from './filters/faults.ts'
import { impersonate } from './filters/impersonation.ts'
import { trace } from './filters/tracing.ts'
import { refuseImpossibleTimeout } from './filters/impossible-timeout.ts'

export interface StageOptions extends WhenServing {
  /** Sees every request before all other stages. */
  readonly record?: Filter | undefined
  readonly onRequest?: (request: HttpRequest) => void
  /** Begins requests one after another. */
  readonly inOrder?: Filter | undefined
  readonly injectFaults?: CallerFilter | undefined
  /** Passes on requests for groups that other servers serve. */
  readonly proxyAggregated?: CallerFilter | undefined
  readonly router: CallerHandler
  readonly log: Log
  /** Encodes errors for clients that do not speak JSON. */
  readonly encodeStatus: StatusEncoder
  readonly cbor: boolean
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly rights?: AuthorizationOptions['rights']
  readonly flowControl: FlowControl
  readonly measures: HttpMeasures
  /** The `ConstrainedImpersonation` gate. */
  readonly constrainedImpersonation: boolean
  readonly audit: AuditFilterOptions | undefined
  /** Absent: requests are not traced. */
  readonly tracing?: RequestTracing | undefined
  /** Whether requests without credentials are requests of `system:anonymous`. False: they are refused. */
  readonly anonymousRequests: boolean
  /** The exact paths that allow anonymous requests. Absent: all paths (P-081). */
  readonly anonymousPaths?: readonly string[] | undefined
  /** Whether health checks from other machines are also answered without credentials (D13). */
  readonly anonymousHealth: boolean
  /** The origins whose scripts may read answers. Empty: no CORS headers are sent. */
  readonly allowedOrigins: readonly RegExp[]
  /** The directives of `Strict-Transport-Security`. Empty: the header is not sent. */
  readonly strictTransport: readonly string[]
  /** Serves the console and accepts its sessions. Absent: there is no console. */
  readonly console?: ((audited: AuditEntrance) => Filter) | undefined
  /** Whether a closing server still accepts connections, and answers new requests with 429 and Retry-After (P-251). */
  readonly sendRetryAfter: boolean
  /** The share of answers over HTTP/2 that come with GOAWAY, from 0 to 1. */
  readonly goawayChance: number
}

/** A stage that this server does not have is undefined. */
type Named<Stage> = Readonly<Record<string, Stage | undefined>>

/** All stages of a request, outermost first. */
export interface RequestStages {
  readonly beforeAuthentication: Named<Filter>
  readonly authentication: (next: CallerHandler) => Handler
  readonly afterAuthentication: Named<CallerFilter>
  readonly router: CallerHandler
}

export function requestStages(options: StageOptions): RequestStages {
  const answers = { log: options.log, writeStatus: statusWriter(options.encodeStatus, options.cbor) }
  return {
    beforeAuthentication: {
      record: options.record,
      count: count(options.onRequest),
      inOrder: options.inOrder,
      strictTransport: strictTransport(options.strictTransport),
      catchFaults: catchFaults(answers, options.audit),
      sendAwaySometimes: sendAwaySometimes(options.goawayChance),
      // Without this stage, a closing server answers the requests on open connections.
      turnAwayWhenClosing: options.sendRetryAfter ? turnAwayWhenClosing(options.isClosing) : undefined,
      refuseImpossibleTimeout: refuseImpossibleTimeout(),
      crossOrigin: crossOrigin(options.allowedOrigins),
      console: options.console?.(auditEntrance(options.audit)),
      firstCheckpoint: firstCheckpoint(),
    },
    authentication: authenticate(options),
    afterAuthentication: {
      trace: options.tracing && trace(options.tracing),
      audit: options.audit && audit(options.audit),
      // The server does not know the rights of its users before everything is loaded.
      holdWhileStarting: holdWhileStarting(options),
      impersonation: impersonate(options),
      flowControl: controlFlow(options.flowControl),
      authorization: authorize(options),
      injectFaults: options.injectFaults,
      proxyAggregated: options.proxyAggregated,
    },
    router: options.router,
  }
}

/** The stages whose time is measured, with their names in the metric. */
const MEASURED: Readonly<Record<string, string>> = {
  audit: 'audit',
  impersonation: 'impersonation',
  flowControl: 'priorityandfairness',
  authorization: 'authorization',
}

/** The handler of all requests. */
export function openStages(options: StageOptions): Handler {
  const { beforeAuthentication, authentication, afterAuthentication, router } = requestStages(options)
  const known = Object.entries(afterAuthentication).reduceRight((next, [name, stage]) => {
    if (stage === undefined) return next
    const measured = MEASURED[name]
    return stage(measured === undefined ? next : checkpoint(options.measures, measured)(next))
  }, router)
  return Object.values(beforeAuthentication).reduceRight<Handler>(
    (next, stage) => stage?.(next) ?? next,
    authentication(checkpoint(options.measures, 'authentication')(known)),
  )
}

function count(onRequest: StageOptions['onRequest']): Filter | undefined {
  return (
    onRequest &&
    ((next) => (request) => {
      onRequest(request)
      return next(request)
    })
  )
}
