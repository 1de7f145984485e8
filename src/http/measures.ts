// What is counted between the socket and the handlers.
import { counterFamily, gaugeFamily, histogramFamily, Measures } from '../lib/measure.ts'
import type { CallerFilter, Filter } from './http.ts'

const FILTER_BOUNDS: readonly number[] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30]
const BODY_BOUNDS: readonly number[] = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000)
const OF_REQUEST: readonly string[] = ['verb', 'group', 'version', 'resource', 'subresource', 'scope']

export class HttpMeasures extends Measures {
  readonly filters = histogramFamily({
    name: 'apiserver_request_filter_duration_seconds',
    help: 'How long requests were in each of the filters.',
    labels: ['filter'],
    bounds: FILTER_BOUNDS,
  })
  readonly bodies = histogramFamily({
    name: 'apiserver_request_body_size_bytes',
    help: 'Bytes of the bodies of requests.',
    labels: ['resource', 'verb', 'group'],
    bounds: BODY_BOUNDS,
  })
  readonly aborts = counterFamily({
    name: 'apiserver_request_aborts_total',
    help: 'Requests whose answer was broken off.',
    labels: OF_REQUEST,
  })
  readonly terminations = counterFamily({
    name: 'apiserver_request_terminations_total',
    help: 'Requests that the server ended to protect itself.',
    labels: [...OF_REQUEST, 'component', 'code'],
  })
  readonly deprecated = gaugeFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'APIs on their way out that somebody asked for.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  })
  readonly selfRequests = counterFamily({
    name: 'apiserver_selfrequest_total',
    help: 'Requests of the server to itself.',
    labels: ['verb', 'group', 'resource', 'subresource'],
  })
  readonly handshakeErrors = counterFamily({
    name: 'apiserver_tls_handshake_errors_total',
    help: 'Connections that failed before the first request.',
    labels: [],
  })
  readonly connections = gaugeFamily({
    name: 'quarterdeck_connections',
    help: 'Open connections.',
    labels: [],
  })
  readonly connectionEnds = counterFamily({
    name: 'quarterdeck_connections_ended_total',
    help: 'Connections that the server ended, by the reason for it.',
    labels: ['reason'],
  })
  readonly unfinishedBytes = gaugeFamily({
    name: 'quarterdeck_unfinished_bytes',
    help: 'Bytes of requests that are not complete, and of answers that their clients have not taken.',
    labels: [],
  })
  readonly unfinishedResets = counterFamily({
    name: 'quarterdeck_unfinished_resets_total',
    help: 'Requests and connections that were ended because too much was unfinished.',
    labels: [],
  })
}

/** From here on the time of filters is taken. */
export function firstCheckpoint(): Filter {
  return (next) => (request) => {
    request.filterSince = performance.now()
    return next(request)
  }
}

/** Ends the time of the filters before it, under a name. */
export function checkpoint(measures: HttpMeasures, name: string): CallerFilter {
  const seconds = measures.filters.of(name)
  return (next) => (request, caller) => {
    const now = performance.now()
    seconds.observe((now - request.filterSince) / 1000)
    request.filterSince = now
    return next(request, caller)
  }
}
