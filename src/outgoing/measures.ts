// The metrics of outgoing calls, under the names of the reference's client. Users choose hosts and codes, so the least recent series are
// forgotten.
import { counter, type Family, histogram } from '../lib/measure.ts'

const MOST_SERIES = 1_000

export class OutgoingMeasures {
  readonly requests = counter(
    'rest_client_requests_total',
    'Outgoing HTTP requests (webhooks, aggregated API servers), by status code.',
    ['code', 'method', 'host'],
    { most: MOST_SERIES },
  )
  readonly seconds = histogram(
    'rest_client_request_duration_seconds',
    'Latency of outgoing HTTP requests in seconds.',
    { labels: ['verb', 'host'], most: MOST_SERIES, bounds: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60] },
  )

  all(): readonly Family[] {
    return [this.requests, this.seconds]
  }

  /** `code`: `<error>` if there was no answer. */
  note({ code, method, host, seconds }: OutgoingNote): void {
    this.requests.of(code, method, host).value++
    this.seconds.of(method, host).observe(seconds)
  }
}

export interface OutgoingNote {
  readonly code: string
  readonly method: string
  readonly host: string
  readonly seconds: number
}
