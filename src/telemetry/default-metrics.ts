// The default metrics of prom-client, once for the process: what is observed stays observed. Only `process-figures.ts` loads this file. The files of
// prom-client are taken one by one: its front door loads the cluster module, for 4 MB.
import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'

const load = createRequire(import.meta.url)
/** A timer in the system's time; a shorter one wakes an idle processor more often than the lag is worth. */
const LAG_EVERY_MS = 20

/** A metric as it is in prom-client's own registry, whose types leave most of it out. */
export interface DefaultMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labelNames: readonly string[]
  /** Of a histogram. */
  readonly upperBounds?: readonly number[]
  get(): Promise<{ readonly values: readonly DefaultValue[] }>
}

export interface DefaultValue {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** Of a histogram: which of its numbers. */
  readonly metricName?: string
}

export const DEFAULT_METRICS: readonly DefaultMetric[] = Object.freeze(collected())

function collected(): DefaultMetric[] {
  const Registry = load('prom-client/lib/registry.js') as typeof PromClient.Registry
  const collect = load('prom-client/lib/defaultMetrics.js') as typeof PromClient.collectDefaultMetrics
  const register = new Registry()
  collect({ register, eventLoopMonitoringPrecision: LAG_EVERY_MS })
  return register.getMetricsAsArray() as unknown as DefaultMetric[]
}
