// The measurements of prom-client for this process, as families beside our own: event-loop lag, garbage collection, heap spaces, handles,
// memory. It measures from the first import of this file on, once for all servers of the process. A server without requests for them does not
// load it. The files of prom-client are imported one by one: its front door loads the cluster module, for 4 MB.
import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'
import { Count, Distribution, Family } from '../lib/measure.ts'

/** A metric in prom-client's own registry. Its types leave most of the members out. */
export interface DefaultMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labelNames: readonly string[]
  /** The bounds of a histogram. */
  readonly upperBounds?: readonly number[]
  get(): Promise<{ readonly values: readonly DefaultValue[] }>
}

interface DefaultValue {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** For a histogram: the name of the number (sum, count or bucket). */
  readonly metricName?: string
}

/** The system's clock drives this timer. A shorter interval would wake an idle processor more often than the lag is worth. */
const LAG_EVERY_MS = 20
/** Before there is a sample, prom-client gives the lag a larger value. */
const NO_SAMPLE_SECONDS = 1e6

export const PROCESS_FIGURES: readonly Family[] = Object.freeze(defaultMetrics().map(familyOf))

function defaultMetrics(): readonly DefaultMetric[] {
  const load = createRequire(import.meta.url)
  const Registry = load('prom-client/lib/registry.js') as typeof PromClient.Registry
  const collect = load('prom-client/lib/defaultMetrics.js') as typeof PromClient.collectDefaultMetrics
  const register = new Registry()
  collect({ register, eventLoopMonitoringPrecision: LAG_EVERY_MS })
  return register.getMetricsAsArray() as unknown as readonly DefaultMetric[]
}

export function familyOf(metric: DefaultMetric): Family {
  const { name, help, type: kind, labelNames: labels, upperBounds: bounds = [] } = metric
  return new Family<Count | Distribution>({
    name,
    help,
    kind,
    labels,
    make: () => (kind === 'histogram' ? new Distribution(bounds) : new Count()),
    async refresh(family) {
      const { values } = await metric.get()
      family.clear()
      for (const { labels: of, value, metricName } of values) {
        if (!Number.isFinite(value) || (name.includes('_lag_') && value > NO_SAMPLE_SECONDS)) continue
        const series = family.of(...labels.map((label) => String(of[label])))
        if (series instanceof Count) series.value = value
        else if (metricName === `${name}_sum`) series.sum = value
        else if (metricName === `${name}_bucket`) countUpTo(series, of['le'], value)
      }
    },
  })
}

/** prom-client's counts are cumulative; ours are for each interval between two bounds. Its values come in the order of the bounds. */
function countUpTo(series: Distribution, bound: string | number | undefined, value: number): void {
  const at = bound === '+Inf' ? series.bounds.length : series.bounds.indexOf(Number(bound))
  series.counts[at] = value - series.counts.slice(0, at).reduce((sum, count) => sum + count, 0)
}
