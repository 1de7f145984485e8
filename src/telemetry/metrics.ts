// All metrics of the server, under the reference's names, so that dashboards and alerts work.
import type { MetricsSource } from '../handlers/metrics.ts'
import type { VersionInfo } from '../handlers/version.ts'
import type { HttpRequest } from '../http/http.ts'
import type { FinishedRequest } from '../http/listener.ts'
import { counter, type Family, gauge } from '../lib/measure.ts'
import { exposition } from './exposition.ts'
import { forgetGone, goneFrom, type KnownTypes } from './gone-series.ts'
import { REQUEST_LABELS, RequestMetrics, type RequestMetricsOptions } from './request-metrics.ts'
import { RunningMetrics } from './running-metrics.ts'
import { type ReadStorageSize, storageFamilies } from './storage-metrics.ts'
import { familiesOf, type FamilySnapshot, snapshotOf, type WorkerSnapshot } from './worker-metrics.ts'

export interface Metrics extends MetricsSource {
  /** Call this for every request for which `observe` is called later. */
  begin(request: HttpRequest): void
  observe(finished: FinishedRequest): void
  /** Resets the metrics of these names, but not those of other workers. */
  resetOwn(names: readonly string[]): void
  /** The page /metrics/slis. */
  readonly slis: MetricsSource
  /** The metrics of this process, for another process. */
  snapshot(): Promise<readonly FamilySnapshot[]>
}

/** All workers of the server, this one included. */
export interface MetricsOfWorkers {
  snapshots(): Promise<readonly WorkerSnapshot[]>
  /** Resets the metrics of these names. */
  reset(names: readonly string[]): void
  /** Removes these series, whose types no longer exist, from the counts of workers that have ended. */
  forget(gone: readonly FamilySnapshot[]): void
}

export interface MetricsOptions extends RequestMetricsOptions {
  readonly version: VersionInfo
  readonly gates: readonly { readonly name: string; readonly stage: string; readonly enabled: boolean }[]
  /** The types that labels can name. They change with the definitions of custom resources. */
  readonly types: KnownTypes
  /** The families of the metrics that the other rooms count (the folders of `src/`, see `src/README.md`). */
  readonly families: readonly Family[]
  /** Called when series were removed. Code that keeps series must look them up again. */
  readonly onForgotten: () => void
  /** The families of the page /metrics/slis: the results of health checks. */
  readonly slis: readonly Family[]
  /** The names of the metrics that are not shown. */
  readonly hidden?: ReadonlySet<string>
  /** Whether the process is measured from the start, and not only from the first scrape on. */
  readonly measuresProcess?: boolean
  /** Returns undefined if the storage takes no disk. */
  readonly storageSize: ReadStorageSize
  /** Undefined: this process is the whole server. */
  readonly workers?: MetricsOfWorkers | undefined
}

/** After this many changes of definitions, the series of removed kinds are dropped even without a scrape. */
const MOST_CHANGES = 64

export function openMetrics(options: MetricsOptions): Metrics {
  const { types, hidden = new Set(), workers } = options
  const requests = new RequestMetrics(options)
  const running = new RunningMetrics({
    labelNames: REQUEST_LABELS,
    labelsOf: (request) => requests.labelsOf(request),
    now: () => performance.now(),
  })
  const all = [
    ...storageFamilies(options.storageSize),
    ...buildFamilies(options),
    ...requests.all(),
    ...options.families,
    ...running.families,
  ]
  const wanted = all.filter(({ name }) => !hidden.has(name))
  if (options.measuresProcess === true) void import('./process-figures.ts')
  const disabled = counter('disabled_metrics_total', 'Metrics disabled by --disabled-metrics.')
  const shown = async (): Promise<readonly Family[]> => {
    const { PROCESS_FIGURES: figures } = await import('./process-figures.ts')
    const shownFigures = figures.filter(({ name }) => !hidden.has(name))
    disabled.of().value = all.length - wanted.length + figures.length - shownFigures.length
    return [...shownFigures, ...wanted, disabled]
  }
  const slis = async (): Promise<readonly Family[]> => options.slis
  let swept = types.version()
  const sweepAfter = (changes: number): void => {
    const version = types.version()
    if (version - swept < changes) return
    swept = version
    forgetGone(all, types)
    requests.forgetFound()
    options.onForgotten()
  }
  const ofAll = async (families: readonly Family[], of: MetricsOfWorkers): Promise<readonly Family[]> => {
    const snapshots = await of.snapshots()
    const past = snapshots.find(({ worker }) => worker === undefined)
    const gone = goneFrom(families, past?.families ?? [], types)
    if (gone.length > 0) of.forget(gone)
    const merged = familiesOf(families, snapshots)
    forgetGone(merged, types)
    return merged
  }
  const own = [...wanted, ...options.slis]
  const page = (read: () => Promise<readonly Family[]>, counted: readonly Family[]): MetricsSource => ({
    async *render() {
      sweepAfter(1)
      const families = await read()
      yield* exposition(workers === undefined ? families : await ofAll(families, workers))
    },
    reset() {
      counted.forEach((family) => family.reset())
      workers?.reset(counted.map(({ name }) => name))
    },
  })
  return {
    begin: (request) => running.begin(request),
    observe(finished) {
      running.end(finished.request)
      requests.observe(finished)
      sweepAfter(MOST_CHANGES)
    },
    async snapshot() {
      sweepAfter(1)
      return snapshotOf([...(await shown()), ...options.slis])
    },
    ...page(shown, wanted),
    slis: page(slis, options.slis),
    resetOwn: (names) => own.filter(({ name }) => names.includes(name)).forEach((family) => family.reset()),
  }
}

function buildFamilies({ version, gates }: MetricsOptions): readonly Family[] {
  const told = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  }
  const build = gauge('kubernetes_build_info', 'Build information in labels; always 1.', Object.keys(told))
  build.of(...Object.values(told)).value = 1
  const features = gauge('kubernetes_feature_enabled', '1 for each enabled feature gate, 0 for each disabled one.', [
    'name',
    'stage',
  ])
  for (const { name, stage, enabled } of gates) features.of(name, stage).value = enabled ? 1 : 0
  return [build, features]
}
