// A collector of traces: takes OTLP over gRPC and over HTTP, and reads what arrives.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import { tempFolder } from '../rigs/temp-folder.ts'

export interface ReceivedSpan {
  readonly name: string
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first of a trace. */
  readonly parentId: string
  /** 2: of a server, 3: of a client. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** The traces of others that it tells of. */
  readonly links: readonly string[]
  readonly state: string
  readonly milliseconds: number
  /** 2: it failed. */
  readonly status: number
}

/** What is read of opentelemetry/proto/collector/trace/v1. */
const PROTO = `
syntax = "proto3";
message AnyValue { string string_value = 1; bool bool_value = 2; int64 int_value = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Status { string message = 2; int32 code = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
}
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Request { repeated ResourceSpans resource_spans = 1; }
`

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface WireSpan {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly parentSpanId?: Buffer
  readonly name: string
  readonly kind: number
  readonly traceState?: string
  readonly startTimeUnixNano: number
  readonly endTimeUnixNano: number
  readonly attributes?: readonly Attribute[]
  readonly links?: readonly { readonly traceId: Buffer }[]
  readonly status?: { readonly code?: number }
}

interface WireRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly spans: ReceivedSpan[]
  /** `127.0.0.1:port` of gRPC. */
  readonly grpcEndpoint: string
  /** `unix:///path` of the same. */
  readonly unixEndpoint: string
  /** `http://127.0.0.1:port/v1/traces` */
  readonly httpEndpoint: string
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const type = protobuf.parse(PROTO).root.lookupType('Request')
  const spans: ReceivedSpan[] = []
  const take = (bytes: Buffer): void => {
    const request = type.toObject(type.decode(bytes), { longs: Number }) as WireRequest
    for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
      const service = String(valuesOf(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(spanOf(span, service))
    }
  }
  const grpc = new Server()
  const bytes = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs }
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
  grpc.addService(
    { export: { path, requestStream: false, responseStream: false, ...bytes } },
    {
      export: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) => {
        take(call.request)
        answer(null, Buffer.alloc(0))
      },
    },
  )
  const bind = (address: string): Promise<number> =>
    new Promise((resolve, reject) => {
      grpc.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      )
    })
  const port = await bind('127.0.0.1:0')
  const unixEndpoint = `unix://${await tempFolder()}/otlp.sock`
  await bind(unixEndpoint)
  const http = createServer((request, response) => {
    void buffer(request).then((body) => {
      take(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    spans,
    unixEndpoint,
    grpcEndpoint: `127.0.0.1:${port}`,
    httpEndpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/traces`,
    async [Symbol.asyncDispose]() {
      grpc.forceShutdown()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

const asIs = (value: Buffer): Buffer => value

function spanOf(span: WireSpan, service: string): ReceivedSpan {
  return {
    name: span.name,
    service,
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentId: hex(span.parentSpanId),
    kind: span.kind,
    attributes: valuesOf(span.attributes ?? []),
    links: (span.links ?? []).map(({ traceId }) => hex(traceId)),
    state: span.traceState ?? '',
    milliseconds: (span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
    status: span.status?.code ?? 0,
  }
}

function hex(bytes: Buffer | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
