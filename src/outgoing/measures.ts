// Calls to other servers, counted and timed under the names of the reference's client. Whom webhooks name and what those answer is
// up to users: what was not called for the longest is forgotten.
import { counterFamily, type Family, histogramFamily } from '../lib/measure.ts'

const MOST_SERIES = 1_000

export class OutgoingMeasures {
  readonly requests = counterFamily({
    name: 'rest_client_requests_total',
    help: 'Calls to other servers, by what they answered.',
    labels: ['code', 'method', 'host'],
    most: MOST_SERIES,
  })
  readonly seconds = histogramFamily({
    name: 'rest_client_request_duration_seconds',
    help: 'How long calls to other servers took.',
    labels: ['verb', 'host'],
    most: MOST_SERIES,
    bounds: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  })

  all(): readonly Family[] {
    return [this.requests, this.seconds]
  }

  /** `code`: `<error>` where there was no answer. */
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
