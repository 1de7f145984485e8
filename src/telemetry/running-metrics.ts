// The gauges of requests in flight, set at each scrape. Long-running requests are counted at the scrape. For other requests, the gauge
// shows the maximum of a counter.
import { isLongRunning } from '../http/deadline.ts'
import type { HttpRequest } from '../http/http.ts'
import { type Family, gauge } from '../lib/measure.ts'

/** The gauge of requests in flight is the maximum over this period (P-483). */
const PEAK_MS = 1_000

type Labels = Readonly<Record<string, string>>

export interface RunningMetricsOptions {
  readonly labelNames: readonly string[]
  /** Undefined: the request is not counted. */
  readonly labelsOf: (request: HttpRequest) => Labels | undefined
  /** Milliseconds since any moment. */
  readonly now: () => number
}

export class RunningMetrics {
  readonly families: readonly Family[]
  readonly #options: RunningMetricsOptions
  readonly #long = new Map<HttpRequest, Labels>()
  readonly #short: Readonly<Record<RequestKind, Peak>>

  constructor(options: RunningMetricsOptions) {
    this.#options = options
    this.#short = { readOnly: new Peak(options.now), mutating: new Peak(options.now) }
    const { labelNames } = options
    const [long, short] = [this.#long, this.#short]
    this.families = [
      gauge(
        'apiserver_longrunning_requests',
        'Active long-running requests: watches, logs, proxied streams.',
        labelNames,
        {
          refresh(family) {
            family.clear()
            for (const labels of long.values()) family.of(...labelNames.map((name) => labels[name] ?? '')).value++
          },
        },
      ),
      gauge(
        'apiserver_current_inflight_requests',
        'Maximum of in-flight requests in the last second, long-running ones excluded.',
        ['request_kind'],
        {
          refresh(family) {
            for (const [kind, peak] of Object.entries(short)) family.of(kind).value = peak.read()
          },
        },
      ),
    ]
  }

  begin(request: HttpRequest): void {
    if (!isLongRunning(request.info)) return this.#short[kindOf(request)].change(1)
    const labels = this.#options.labelsOf(request)
    if (labels !== undefined) this.#long.set(request, labels)
  }

  end(request: HttpRequest): void {
    if (isLongRunning(request.info)) this.#long.delete(request)
    else this.#short[kindOf(request)].change(-1)
  }
}

type RequestKind = 'readOnly' | 'mutating'

function kindOf({ info, method }: HttpRequest): RequestKind {
  const isRead = info.kind === 'resource' ? info.verb === 'get' || info.verb === 'list' : method === 'GET'
  return isRead ? 'readOnly' : 'mutating'
}

/** The highest value of a count in this period and the period before. */
class Peak {
  readonly #now: () => number
  #count = 0
  #highest = 0
  #highestBefore = 0
  #since: number

  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  change(by: number): void {
    this.#turn()
    this.#count += by
    this.#highest = Math.max(this.#highest, this.#count)
  }

  read(): number {
    this.#turn()
    return Math.max(this.#highest, this.#highestBefore)
  }

  #turn(): void {
    const passed = this.#now() - this.#since
    if (passed < PEAK_MS) return
    this.#highestBefore = passed < 2 * PEAK_MS ? this.#highest : this.#count
    this.#highest = this.#count
    this.#since += passed
  }
}
