// The parts of prom-client that are needed, by their own files: its main file also loads what it measures of Node by
// default and what clusters need, which is 12 MB of memory for nothing.
import { createRequire } from 'node:module'
import type * as prometheus from 'prom-client'

const load = createRequire(import.meta.url)

export const Counter = load('prom-client/lib/counter.js') as typeof prometheus.Counter
export const Gauge = load('prom-client/lib/gauge.js') as typeof prometheus.Gauge
export const Histogram = load('prom-client/lib/histogram.js') as typeof prometheus.Histogram
export const Registry = load('prom-client/lib/registry.js') as typeof prometheus.Registry
