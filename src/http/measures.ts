// The metrics of connections, requests and filters.
import { counter, type Family, gauge, histogram, Measures } from '../lib/measure.ts'
import type { CallerFilter, Filter } from './http.ts'
import { TurnLedger } from './turn-ledger.ts'

const FILTER_BOUNDS: readonly number[] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30]
const BODY_BOUNDS: readonly number[] = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000)
const OF_REQUEST: readonly string[] = ['verb', 'group', 'version', 'resource', 'subresource', 'scope']

export class HttpMeasures extends Measures {
  readonly turns = new TurnLedger()
  readonly filters = histogram('apiserver_request_filter_duration_seconds', 'Seconds requests spent in each filter.', {
    labels: ['filter'],
    bounds: FILTER_BOUNDS,
  })
  readonly bodies = histogram('apiserver_request_body_size_bytes', 'Request body size in bytes.', {
    labels: ['resource', 'verb', 'group'],
    bounds: BODY_BOUNDS,
  })
  readonly aborts = counter('apiserver_request_aborts_total', 'Requests aborted by their client.', OF_REQUEST)
  readonly terminations = counter(
    'apiserver_request_terminations_total',
    'Requests terminated by the server in self-defense.',
    [...OF_REQUEST, 'component', 'code'],
  )
  readonly deprecated = gauge('apiserver_requested_deprecated_apis', 'Deprecated APIs that have been requested.', [
    'group',
    'version',
    'resource',
    'subresource',
    'removed_release',
  ])
  readonly selfRequests = counter('apiserver_selfrequest_total', 'Requests of the server to itself.', [
    'verb',
    'group',
    'resource',
    'subresource',
  ])
  readonly handshakeErrors = counter('apiserver_tls_handshake_errors_total', 'Failed TLS handshakes.')
  readonly connections = gauge('quarterdeck_connections', 'Open client connections.')
  readonly connectionEnds = counter(
    'quarterdeck_connections_ended_total',
    'Connections closed by the server, by reason.',
    ['reason'],
  )
  readonly unfinishedBytes = gauge(
    'quarterdeck_unfinished_bytes',
    'Bytes buffered for incomplete requests and unread responses.',
  )
  readonly unfinishedResets = counter(
    'quarterdeck_unfinished_resets_total',
    'Requests and connections reset because --max-unfinished-bytes was exceeded.',
  )

  override all(): readonly Family[] {
    return [...super.all(), ...this.turns.families]
  }
}

/** Starts the measurement of the filters' time. */
export function firstCheckpoint(): Filter {
  return (next) => (request) => {
    request.filterSince = performance.now()
    return next(request)
  }
}

/** Measures the time of the filters since the last checkpoint, under `name`. */
export function checkpoint(measures: HttpMeasures, name: string): CallerFilter {
  const seconds = measures.filters.of(name)
  return (next) => (request, caller) => {
    const now = performance.now()
    seconds.observe((now - request.filterSince) / 1000)
    request.filterSince = now
    request.resume(now)
    return next(request, caller)
  }
}
