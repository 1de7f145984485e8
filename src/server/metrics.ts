// What the server counts, under the reference server's names so that dashboards and alerts fit (platform.md, appendix A).
// Labels are bounded: what a caller makes up is never one.
import type { Registry as MetricsRegistry } from 'prom-client'
import type { MetricsSource } from '../handlers/metrics.ts'
import type { VersionInfo } from '../handlers/version.ts'
import { isLongRunning } from '../http/deadline.ts'
import type { HttpRequest } from '../http/http.ts'
import type { FinishedRequest } from '../http/listener.ts'
import type { ResourceInfo } from '../http/request-info.ts'
import type { Family as MeasureFamily } from '../lib/measure.ts'
import { ALL_GATES, type FeatureGates } from './feature-gates.ts'
import { Counter, Gauge, publish, Registry } from './prometheus.ts'
import { RunningMetrics } from './running-metrics.ts'
import { type Count, type Distribution, Family } from './tallies.ts'

export interface Metrics extends MetricsSource {
  /** To be told of every request that `observe` will be told of. */
  begin(request: HttpRequest): void
  observe(finished: FinishedRequest): void
}

export interface MetricsOptions {
  readonly version: VersionInfo
  readonly gates: FeatureGates
  /** Whether the server serves the resource; only then are requests for it counted under its name. */
  readonly isServed: (info: ResourceInfo) => boolean
  /** What the rooms count by themselves. */
  readonly families: readonly MeasureFamily[]
}

const REQUEST_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const SIZE_BUCKETS: readonly number[] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

type RequestLabels = Readonly<Record<(typeof REQUEST_LABELS)[number], string>>

export function openMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  measureProcess(registry)
  const tallies = openTallies(registry)
  tellBuild(options, registers)
  for (const family of options.families) publish(registry, family)
  const labelsFor = (request: HttpRequest): RequestLabels | undefined => labelsOf(request, options.isServed)
  const running = new RunningMetrics({
    registry,
    labelNames: REQUEST_LABELS,
    labelsOf: labelsFor,
    now: () => performance.now(),
  })
  return {
    begin: (request) => running.begin(request),
    observe({ request, status, sentBytes, milliseconds }) {
      running.end(request)
      const labels = labelsFor(request)
      if (labels === undefined) return
      const dryRun = request.query.get('dryRun') === 'All' ? 'All' : ''
      const tally = tallies(labels, dryRun)
      tally.count(status)
      tally.durations.observe(milliseconds / 1000)
      if (isLongRunning(request.info)) return
      tally.objectives.observe(milliseconds / 1000)
      tally.sizes.observe(sentBytes)
    },
    render: () => registry.metrics(),
    reset: () => registry.resetMetrics(),
  }
}

interface RequestTally {
  count(status: number): void
  readonly durations: Distribution
  readonly objectives: Distribution
  readonly sizes: Distribution
}

/** Finds what requests with these labels are counted in. */
function openTallies(registry: MetricsRegistry): (labels: RequestLabels, dryRun: string) => RequestTally {
  const total = Family.counter({
    registry,
    name: 'apiserver_request_total',
    help: 'Requests by verb, resource, scope and code.',
  })
  const durations = Family.histogram(
    {
      registry,
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
    },
    DURATION_BUCKETS,
  )
  const objectives = Family.histogram(
    {
      registry,
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Time that requests took, as service levels are measured by.',
    },
    DURATION_BUCKETS.slice(2),
  )
  const sizes = Family.histogram(
    { registry, name: 'apiserver_response_sizes', help: 'Bytes of answers.' },
    SIZE_BUCKETS,
  )
  const byShape = new Map<string, Omit<RequestTally, 'durations' | 'count'>>()
  const tallies = new Map<string, RequestTally>()
  return (labels, dryRun) => {
    const shape = REQUEST_LABELS.map((name) => labels[name]).join(' ')
    const known = tallies.get(`${shape} ${dryRun}`)
    if (known !== undefined) return known
    const shared = byShape.get(shape) ?? { objectives: objectives.member(labels), sizes: sizes.member(labels) }
    byShape.set(shape, shared)
    const codes = new Map<number, Count>()
    const made = {
      ...shared,
      durations: durations.member({ ...labels, dry_run: dryRun }),
      count(status: number): void {
        const count = codes.get(status) ?? total.member({ ...labels, dry_run: dryRun, code: String(status) })
        codes.set(status, count)
        count.value++
      },
    }
    tallies.set(`${shape} ${dryRun}`, made)
    return made
  }
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
  gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Memory in use by JavaScript.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory in use by buffers.', () => process.memoryUsage().external)
}

function tellBuild({ version, gates }: MetricsOptions, registers: MetricsRegistry[]): void {
  const build = new Gauge({
    name: 'kubernetes_build_info',
    help: 'What is running; always 1.',
    labelNames: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'platform'],
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

/** Of the plain paths only these are counted, and called so (P-481). */
const COUNTED_PATHS: ReadonlyMap<string, string> = new Map([
  ...['/healthz', '/livez', '/readyz'].map((path) => [path, path] as const),
  ...['api', 'apis', 'openapi/v2', 'openapi/v3'].map((path) => [`/${path}`, path] as const),
])

function labelsOf(request: HttpRequest, isServed: (info: ResourceInfo) => boolean): RequestLabels | undefined {
  const { info, path, method } = request
  if (info.kind === 'path') {
    const subresource = COUNTED_PATHS.get(path)
    if (subresource === undefined) return undefined
    const verb = method === 'GET' ? 'GET' : 'other'
    return { verb, group: '', version: '', resource: '', subresource, scope: '', component: '' }
  }
  if (info.kind === 'broken' || !isServed(info)) return undefined
  const { group, version, resource, subresource = '' } = info
  const verb = verbLabel(info, request.headers['content-type'])
  return { verb, group, version, resource, subresource, scope: scopeOf(info), component: 'apiserver' }
}

function scopeOf({ name, namespace }: ResourceInfo): string {
  if (name !== undefined) return 'resource'
  return namespace === undefined ? 'cluster' : 'namespace'
}

const VERB_LABELS: Readonly<Record<ResourceInfo['verb'], string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  proxy: 'CONNECT',
  '': 'other',
}

function verbLabel(info: ResourceInfo, contentType: unknown): string {
  if (isLongRunning(info) && info.verb !== 'watch') return 'CONNECT'
  const isApply = info.verb === 'patch' && typeof contentType === 'string' && contentType.includes('/apply-patch+')
  return isApply ? 'APPLY' : VERB_LABELS[info.verb]
}
