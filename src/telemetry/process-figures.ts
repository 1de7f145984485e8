// What prom-client measures of this process, as families beside our own: event-loop lag, garbage collection, heap spaces, handles, memory. A
// process begins to measure when somebody asks for the first time, so that a server that nobody asks has none of it.
import { type Count, Distribution, Family } from '../lib/measure.ts'
import type { DefaultMetric, DefaultValue } from './default-metrics.ts'

/** What the lag is told as before there is a sample. */
const NO_SAMPLE_SECONDS = 1e6

export class ProcessFigures {
  #families: Promise<readonly Family[]> | undefined

  families(): Promise<readonly Family[]> {
    this.#families ??= import('./default-metrics.ts').then(({ DEFAULT_METRICS }) => DEFAULT_METRICS.map(familyOf))
    return this.#families
  }
}

export function familyOf(metric: DefaultMetric): Family {
  const { name, help, type: kind, labelNames: labels, upperBounds: bounds = [] } = metric
  if (kind === 'histogram') {
    return new Family<Distribution>({
      name,
      help,
      kind,
      labels,
      make: () => new Distribution(bounds),
      async refresh(family) {
        const { values } = await metric.get()
        family.clear()
        for (const { labels: of, value, metricName = '' } of values) {
          const series = family.of(...labels.map((label) => String(of[label])))
          if (metricName.endsWith('_sum')) series.sum = value
          else if (metricName.endsWith('_bucket')) countUpTo(series, of['le'], value)
        }
      },
    })
  }
  const isKnown = ({ value }: DefaultValue): boolean =>
    Number.isFinite(value) && !(name.includes('_lag_') && value > NO_SAMPLE_SECONDS)
  return new Family<Count>({
    name,
    help,
    kind,
    labels,
    make: () => ({ value: 0 }),
    async refresh(family) {
      const { values } = await metric.get()
      family.clear()
      for (const known of values.filter(isKnown)) {
        family.of(...labels.map((label) => String(known.labels[label]))).value = known.value
      }
    },
  })
}

/** prom-client counts up to each bound; we between one and the next. Its values come in the order of the bounds. */
function countUpTo(series: Distribution, bound: string | number | undefined, value: number): void {
  const at = bound === '+Inf' ? series.bounds.length : series.bounds.indexOf(Number(bound))
  series.counts[at] = value - series.counts.slice(0, at).reduce((sum, count) => sum + count, 0)
}
