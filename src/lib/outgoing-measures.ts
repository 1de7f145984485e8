// Calls to other servers, counted and timed under the names of the reference's client. Whom webhooks name is up to users, so
// only so many hosts are told apart.
import { counterFamily, type Family, histogramFamily } from './measure.ts'

const MOST_HOSTS = 100

export class OutgoingMeasures {
  readonly requests = counterFamily({
    name: 'rest_client_requests_total',
    help: 'Calls to other servers, by what they answered.',
    labels: ['code', 'method', 'host'],
  })
  readonly seconds = histogramFamily({
    name: 'rest_client_request_duration_seconds',
    help: 'How long calls to other servers took.',
    labels: ['verb', 'host'],
    bounds: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  })
  readonly #hosts = new Set<string>()

  all(): readonly Family[] {
    return [this.requests, this.seconds]
  }

  /** `code`: `<error>` where there was no answer. */
  note({ code, method, host, seconds }: OutgoingNote): void {
    const shown = this.#shown(host)
    this.requests.of(code, method, shown).value++
    this.seconds.of(method, shown).observe(seconds)
  }

  #shown(host: string): string {
    if (this.#hosts.has(host)) return host
    if (this.#hosts.size >= MOST_HOSTS) return 'other'
    this.#hosts.add(host)
    return host
  }
}

export interface OutgoingNote {
  readonly code: string
  readonly method: string
  readonly host: string
  readonly seconds: number
}
