// prom-client's metrics of this process, as families like our own: event-loop lag, garbage collection, heap spaces, handles, memory. The
// process is measured from the first import of this file on, once for all of its servers. If no metrics are requested, the file is not
// imported. The files of prom-client are imported one by one, because its main file loads the cluster module, which takes 4 MB.
import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'
import { Count, Distribution, Family } from '../lib/measure.ts'

/** A metric in prom-client's own registry. prom-client's types do not declare most of these members. */
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

/** The interval between measurements of the lag, by the system's clock. A shorter interval would wake an idle processor too often. */
const LAG_EVERY_MS = 20
/** Before there is a sample, prom-client reports a larger lag than this. */
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

/** prom-client's counts are cumulative, and come in the order of the bounds. Our counts are for each interval between two bounds. */
function countUpTo(series: Distribution, bound: string | number | undefined, value: number): void {
  const at = bound === '+Inf' ? series.bounds.length : series.bounds.indexOf(Number(bound))
  series.counts[at] = value - series.counts.slice(0, at).reduce((sum, count) => sum + count, 0)
}
