// The steps of requests as a trace shows them. Rooms are wrapped in this where tracing is on, and know nothing of it where it is off.
import type { MaybePromise } from './maybe-promise.ts'

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Step {
  readonly name: string
  /** `client`: another server is asked, which may go on with the trace. */
  readonly kind?: 'client'
  readonly attributes: SpanAttributes
}

export interface Tracing {
  /** Runs a step of the request that is under way; what belongs to none is only run. */
  step<T>(step: Step, run: () => MaybePromise<T>): MaybePromise<T>
  /** By which another server goes on with the trace; empty where there is none. */
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
  /** It goes on with the trace of its client; otherwise that is only linked to. */
  readonly isTrusted: boolean
}

export interface RequestSpan {
  /** The work that runs in it, and all that this work waits for, are steps of the request. */
  run<T>(work: () => MaybePromise<T>): MaybePromise<T>
  /** A step that is over, from then until now. */
  note(name: string, since: number): void
  end(status: number): void
}
