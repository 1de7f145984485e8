// Traces of requests, sent by OTLP with OpenTelemetry's own packages. The operator installs the packages. They are loaded only if tracing
// is configured. The asynchronous context has the span of a request, so that no function has to pass it on.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChannelCredentials } from '@grpc/grpc-js'
import type * as Api from '@opentelemetry/api'
import type { Context, Span, SpanContext, Tracer } from '@opentelemetry/api'
import { type MaybePromise, settle } from '../lib/maybe-promise.ts'
import type { RequestSpan, RequestTracing, Step, TracedRequest, Tracing } from '../lib/tracing.ts'

export interface TracingOptions {
  readonly url: string
  readonly protocol: 'grpc' | 'http'
  readonly samplingRatePerMillion: number
  readonly version: string
}

export interface RunningTracing extends Tracing, RequestTracing {
  /** Sends the remaining spans. */
  close(): Promise<void>
}

type OpenTelemetry = typeof Api

const MILLION = 1_000_000
const SERVICE = 'apiserver'

/** Throws if the packages are not installed. */
export async function openTracing({
  url,
  protocol,
  samplingRatePerMillion,
  version,
}: TracingOptions): Promise<RunningTracing> {
  const [api, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    protocol === 'grpc'
      ? import('@opentelemetry/exporter-trace-otlp-grpc')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ])
  const root = new sdk.TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION)
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE, 'service.version': version }),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, ...(await plainSocket(url)) }) }),
    ],
  })
  return new OpenTracing(api, provider.getTracer('quarterdeck', version), () => provider.shutdown())
}

/** Without these credentials, the exporter uses TLS for every URL that does not begin with `http:`. */
async function plainSocket(url: string): Promise<{ readonly credentials?: ChannelCredentials }> {
  if (!url.startsWith('unix:')) return {}
  const { credentials } = await import('@grpc/grpc-js')
  return { credentials: credentials.createInsecure() }
}

/** Work that a request has begun may continue after the end of the request. It is not part of the request's span then. */
interface OpenSpan {
  readonly span: Span
  isOver: boolean
}

class OpenTracing implements RunningTracing {
  readonly close: () => Promise<void>
  readonly #api: OpenTelemetry
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<OpenSpan>()

  constructor(api: OpenTelemetry, tracer: Tracer, close: () => Promise<void>) {
    this.#api = api
    this.#tracer = tracer
    this.close = close
  }

  begin({ name, since, attributes, traceparent = '', tracestate, isTrusted }: TracedRequest): RequestSpan {
    const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = this.#api
    const theirs = this.#spanContext(traceparent, tracestate)
    const context = isTrusted && theirs !== undefined ? trace.setSpanContext(ROOT_CONTEXT, theirs) : ROOT_CONTEXT
    const links = isTrusted || theirs === undefined ? [] : [{ context: theirs }]
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, startTime: epochOf(since), attributes: { ...attributes }, links },
      context,
    )
    const open = { span, isOver: false }
    return {
      run: (work) => this.#current.run(open, work),
      note: (step, from) => {
        if (span.isRecording()) this.#tracer.startSpan(step, { startTime: epochOf(from) }, this.#below(span)).end()
      },
      end: (status) => {
        open.isOver = true
        span.setAttribute('http.response.status_code', status)
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      },
    }
  }

  step<T>({ name, kind, attributes }: Step, run: () => MaybePromise<T>): MaybePromise<T> {
    const around = this.#spanAround()
    if (around?.isRecording() !== true) return run()
    const { SpanKind, SpanStatusCode } = this.#api
    const span = this.#tracer.startSpan(
      name,
      { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: { ...attributes } },
      this.#below(around),
    )
    const open = { span, isOver: false }
    return settle(
      () => this.#current.run(open, run),
      (value) => {
        open.isOver = true
        span.end()
        return value
      },
      (error) => {
        open.isOver = true
        // The span has only the name of the error: its message may contain secrets.
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' })
        span.end()
        throw error
      },
    )
  }

  headers(): Readonly<Record<string, string>> {
    const span = this.#spanAround()
    if (span === undefined) return NO_HEADERS
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    const state = traceState?.serialize() ?? ''
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
    return state === '' ? { traceparent } : { traceparent, tracestate: state }
  }

  #spanAround(): Span | undefined {
    const open = this.#current.getStore()
    return open === undefined || open.isOver ? undefined : open.span
  }

  #below(span: Span): Context {
    return this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, span)
  }

  /** Undefined: the text is not a traceparent. */
  #spanContext(traceparent: string, tracestate: string | undefined): SpanContext | undefined {
    const [, version, traceId = '', spanId = '', flags = '', more = ''] = TRACEPARENT.exec(traceparent) ?? []
    // Later versions may add fields at the end. Version 00 has no more fields.
    if (version === undefined || version === 'ff' || (version === '00' && more !== '')) return undefined
    const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
    if (!this.#api.isSpanContextValid(context)) return undefined
    return tracestate === undefined ? context : { ...context, traceState: this.#api.createTraceState(tracestate) }
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

function epochOf(moment: number): number {
  return performance.timeOrigin + moment
}
