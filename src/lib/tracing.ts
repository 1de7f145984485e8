// The steps of requests in a trace. If tracing is on, the server wraps the store, admission, the authorizer and the kv in these steps. They
// do not depend on this file.
import type { MaybePromise } from './maybe-promise.ts'

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Step {
  readonly name: string
  /** `client`: a call to another server, which may continue the trace. */
  readonly kind?: 'client'
  readonly attributes: SpanAttributes
}

export interface Tracing {
  /** Runs a step of the current request. Outside of a request, it only runs the work. */
  step<T>(step: Step, run: () => MaybePromise<T>): MaybePromise<T>
  /** The headers by which another server continues the trace. Empty: no trace. */
  headers(): Readonly<Record<string, string>>
}

export interface RequestTracing {
  /** Begins the span of a request. `since` is the time when the request came, in milliseconds of `performance.now()`. */
  begin(request: TracedRequest): RequestSpan
}

export interface TracedRequest {
  readonly name: string
  readonly since: number
  readonly attributes: SpanAttributes
  /** The W3C headers as they came. */
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  /** True: the span continues the trace of the client. False: the span only has a link to that trace. */
  readonly isTrusted: boolean
}

export interface RequestSpan {
  /** Runs work in the span. The steps of the work, and of all code that it calls, become steps of the request. */
  run<T>(work: () => MaybePromise<T>): MaybePromise<T>
  /** Adds a step that began at `since` and ends now. */
  note(name: string, since: number): void
  end(status: number): void
}
