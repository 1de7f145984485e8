// The parts of prom-client that are needed, by their own files: its main file also loads what it measures of Node by
// default and what clusters need, which is 12 MB of memory for nothing.
import { createRequire } from 'node:module'
import type * as prometheus from 'prom-client'
import { Distribution, type Family } from '../lib/measure.ts'

const load = createRequire(import.meta.url)

export const Counter = load('prom-client/lib/counter.js') as typeof prometheus.Counter
export const Gauge = load('prom-client/lib/gauge.js') as typeof prometheus.Gauge
export const Registry = load('prom-client/lib/registry.js') as typeof prometheus.Registry

interface Sample {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** Has the registry show what a room counts by itself. */
export function publish(registry: prometheus.Registry, family: Family): void {
  const { name, help, kind } = family
  const metric = {
    name,
    help,
    get: () => Promise.resolve({ name, help, type: kind, values: samplesOf(family) }),
    reset: () => family.reset(),
  }
  // The declared type asks for the classes; what is used of them is this.
  registry.registerMetric(metric as unknown as prometheus.Metric)
}

function samplesOf(family: Family): Sample[] {
  const samples: Sample[] = []
  for (const { values, series } of family.all()) {
    const labels = Object.fromEntries(family.labels.map((label, i) => [label, values[i] ?? '']))
    // What never happened is not shown, unless there is only one of it.
    const isShown = family.kind === 'gauge' || values.length === 0
    if (series instanceof Distribution) {
      if (isShown || series.counts.some((count) => count > 0)) samples.push(...bucketsOf(family.name, labels, series))
    } else if (isShown || series.value > 0) samples.push({ labels, value: series.value })
  }
  return samples
}

function bucketsOf(name: string, labels: Readonly<Record<string, string>>, series: Distribution): Sample[] {
  const { bounds, counts, sum } = series
  let count = 0
  const buckets = [...counts].map((each, i): Sample => {
    count += each
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
