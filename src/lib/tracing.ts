// The steps of requests in a trace. With tracing, rooms are wrapped in this; they do not depend on it.
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
  /** The span of a request that came when `since` says, in milliseconds of `performance.now()`. */
  begin(request: TracedRequest): RequestSpan
}

export interface TracedRequest {
  readonly name: string
  readonly since: number
  readonly attributes: SpanAttributes
  /** The W3C headers as they came. */
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  /** Continues the trace of the client. Otherwise that trace is only linked. */
  readonly isTrusted: boolean
}

export interface RequestSpan {
  /** The work that runs in it, and all that this work waits for, are steps of the request. */
  run<T>(work: () => MaybePromise<T>): MaybePromise<T>
  /** A step that is over, from then until now. */
  note(name: string, since: number): void
  end(status: number): void
}
