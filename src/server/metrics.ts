// What the server counts, under the reference server's names so that dashboards and alerts fit.
import type { Registry as MetricsRegistry } from 'prom-client'
import type { MetricsSource } from '../handlers/metrics.ts'
import type { VersionInfo } from '../handlers/version.ts'
import type { HttpRequest } from '../http/http.ts'
import type { FinishedRequest } from '../http/listener.ts'
import type { Family } from '../lib/measure.ts'
import { ALL_GATES, type FeatureGates } from './feature-gates.ts'
import { Counter, Gauge, publish, Registry } from './prometheus.ts'
import { REQUEST_LABELS, RequestMetrics, type RequestMetricsOptions } from './request-metrics.ts'
import { RunningMetrics } from './running-metrics.ts'

export interface Metrics extends MetricsSource {
  /** To be told of every request that `observe` will be told of. */
  begin(request: HttpRequest): void
  observe(finished: FinishedRequest): void
}

export interface MetricsOptions extends RequestMetricsOptions {
  readonly version: VersionInfo
  readonly gates: FeatureGates
  /** What the rooms count by themselves. */
  readonly families: readonly Family[]
  /** The names of those that are not shown. */
  readonly hidden?: ReadonlySet<string>
  /** Bytes on disk, where the storage counts them. */
  readonly storageBytes: (signal: AbortSignal) => Promise<number | undefined>
}

export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  measureProcess(registry)
  measureStorage(registry, options.storageBytes)
  tellBuild(options, [registry])
  const requests = new RequestMetrics(options)
  for (const family of [...requests.all(), ...options.families]) publish(registry, family)
  const running = new RunningMetrics({
    registry,
    labelNames: REQUEST_LABELS,
    labelsOf: (request) => requests.labelsOf(request),
    now: () => performance.now(),
  })
  for (const name of options.hidden ?? []) registry.removeSingleMetric(name)
  return {
    begin: (request) => running.begin(request),
    observe(finished) {
      running.end(finished.request)
      requests.observe(finished)
    },
    render: () => registry.metrics(),
    reset: () => registry.resetMetrics(),
  }
}

/** Families alone, as text. */
export function showFamilies(families: readonly Family[]): MetricsSource {
  const registry = new Registry()
  for (const family of families) publish(registry, family)
  return { render: () => registry.metrics(), reset: () => registry.resetMetrics() }
}

/** How long the storage may take to say how large it is. */
const SIZE_TIMEOUT_MS = 1000

function measureStorage(registry: MetricsRegistry, read: MetricsOptions['storageBytes']): void {
  const gauge = new Gauge({
    name: 'apiserver_storage_size_bytes',
    help: 'Bytes that the storage takes on disk.',
    labelNames: ['storage_cluster_id'],
    registers: [],
    async collect() {
      const bytes = await read(AbortSignal.timeout(SIZE_TIMEOUT_MS)).catch(() => undefined)
      if (bytes !== undefined) this.set({ storage_cluster_id: 'etcd-0' }, bytes)
    },
  })
  registry.registerMetric(gauge)
}

/** What every program tells of itself, looked at when somebody asks. */
function measureProcess(registry: MetricsRegistry): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read())
        },
      }),
    )
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time used, in seconds.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  registry.registerMetric(cpu)
  gauge(
    'process_start_time_seconds',
    'When it was started, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  )
  gauge('go_goroutines', 'What is under way outside of JavaScript.', () => process.getActiveResourcesInfo().length)
  gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Memory in use by JavaScript.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory in use by buffers.', () => process.memoryUsage().external)
}

function tellBuild({ version, gates }: MetricsOptions, registers: MetricsRegistry[]): void {
  const build = new Gauge({
    name: 'kubernetes_build_info',
    help: 'What is running; always 1.',
    labelNames: [
      'major',
      'minor',
      'git_version',
      'git_commit',
      'git_tree_state',
      'build_date',
      'go_version',
      'compiler',
      'platform',
    ],
    registers,
  })
  build.set(
    {
      major: version.major,
      minor: version.minor,
      git_version: version.gitVersion,
      git_commit: version.gitCommit,
      git_tree_state: version.gitTreeState,
      build_date: version.buildDate,
      go_version: version.goVersion,
      compiler: version.compiler,
      platform: version.platform,
    },
    1,
  )
  const features = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: '1 for each feature gate that is on, 0 for each that is off.',
    labelNames: ['name', 'stage'],
    registers,
  })
  for (const [name, gate] of Object.entries(ALL_GATES)) {
    const stage = gate.stage === 'GA' ? '' : gate.stage.toUpperCase()
    features.set({ name, stage }, gates[name] === true ? 1 : 0)
  }
}
