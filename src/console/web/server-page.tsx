// The state of the server: its health, replicas, watchers, flow control, leases, and its load in the last hour.
import type { ComponentChildren } from 'preact'
import { ApiFailure, ask, askText, type Problem } from './api.ts'
import { Chart } from './chart.tsx'
import { Listing } from './listing.tsx'
import { type Polled, usePolled } from './polling.ts'
import { objectAddress } from './routes.ts'
import {
  bytesText,
  type Check,
  compactionText,
  historyText,
  type Load,
  readChecks,
  readLevels,
  seriesOf,
} from './server-status.ts'
import { ageText } from './table-rows.ts'

const OFTEN_MS = 5000

interface Lease {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: {
    readonly holderIdentity?: string
    readonly renewTime?: string
    readonly leaseDurationSeconds?: number
  }
}

interface Watcher {
  readonly user: string
  readonly agent: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly since: string
  readonly lag: number
  readonly sentBytes: number
  readonly waitingMs: number
  readonly relists: number
}

interface Watchers {
  readonly resourceVersion: string
  readonly watchers: readonly Watcher[]
}

/** A server that is not ready answers 500 with the failing checks. */
async function readHealth(): Promise<readonly Check[]> {
  try {
    return readChecks(await askText('/readyz?verbose', { accept: 'text/plain' }))
  } catch (error) {
    const checks = error instanceof ApiFailure && error.code === 500 ? readChecks(error.message) : []
    if (checks.length === 0) throw error
    return checks
  }
}

export function ServerPage() {
  const version = usePolled(() => ask<{ readonly gitVersion: string }>('/version'), 60_000)
  const health = usePolled(readHealth, OFTEN_MS)
  const load = usePolled(() => ask<Load>('/debug/load'), OFTEN_MS)
  const watchers = usePolled(() => ask<Watchers>('/debug/watchers'), OFTEN_MS)
  const levels = usePolled(
    async () => readLevels(await askText('/debug/api_priority_and_fairness/dump_priority_levels', { accept: '*/*' })),
    OFTEN_MS,
  )
  const leases = usePolled(
    () => ask<{ readonly items: readonly Lease[] }>('/apis/coordination.k8s.io/v1/leases'),
    OFTEN_MS,
  )
  const failing = health.value?.filter(({ isFine }) => !isFine) ?? []
  const newest = load.value?.steps.at(-1)
  const series = load.value === undefined ? undefined : seriesOf(load.value)
  return (
    <section class="page">
      <header class="page-head">
        <h1>Server</h1>
        <span class="dim mono">{version.value?.gitVersion}</span>
      </header>
      <dl class="facts">
        <Fact name="Health" problem={health.problem}>
          {health.value !== undefined && (
            <span class={`tone ${failing.length === 0 ? 'good' : 'bad'}`}>
              {failing.length === 0
                ? `ready, ${health.value.length} checks`
                : failing.map(({ name }) => name).join(', ')}
            </span>
          )}
        </Fact>
        <Fact name="Replicas" problem={leases.problem}>
          {leases.value === undefined ? '' : replicasIn(leases.value.items).length || '–'}
        </Fact>
        <Fact name="Watchers" problem={watchers.problem}>
          {watchers.value?.watchers.length}
        </Fact>
        <Fact name="Storage" problem={load.problem}>
          {load.value === undefined
            ? ''
            : load.value.storageBytes === undefined
              ? 'not measured'
              : bytesText(load.value.storageBytes)}
        </Fact>
        <Fact name="Memory" problem={load.problem}>
          {newest === undefined ? '' : bytesText(newest.memoryBytes)}
        </Fact>
        <Fact name="Revision" problem={load.problem}>
          {load.value !== undefined && <Revision load={load.value} />}
        </Fact>
      </dl>
      {series !== undefined && (
        <div class="charts">
          <Chart
            title="Requests"
            unit="/s"
            data={series.rate}
            lines={[
              { label: 'all', colour: 'owner-0' },
              { label: 'failed', colour: 'bad' },
            ]}
          />
          <Chart
            title="Latency"
            unit="ms"
            data={series.latency}
            lines={[
              { label: 'mean', colour: 'owner-1' },
              { label: 'slowest', colour: 'owner-3' },
            ]}
          />
          <Chart title="Event-loop lag" unit="ms" data={series.lag} lines={[{ label: 'longest', colour: 'owner-4' }]} />
          <Chart title="Memory" unit="MiB" data={series.memory} lines={[{ label: 'resident', colour: 'owner-2' }]} />
        </div>
      )}
      <WatcherTable watchers={watchers} />
      <Listing
        title="Flow control"
        columns={['Level', 'Executing', 'Waiting', 'Dispatched', 'Rejected', 'Timed out']}
        rows={levels.value?.map(({ name, counts }) => [name, ...counts])}
        problem={levels.problem}
      />
      <LeaseTable leases={leases} />
    </section>
  )
}

interface FactProps {
  readonly name: string
  readonly problem: Problem | undefined
  readonly children: ComponentChildren
}

const PROBLEMS = { forbidden: 'No permission', unreachable: 'server unreachable', failed: 'error' } as const

function Fact({ name, problem, children }: FactProps) {
  const tone = problem?.kind === 'forbidden' ? 'dim' : 'tone bad'
  return (
    <div class="card">
      <dt class="dim">{name}</dt>
      <dd title={problem?.message ?? ''}>
        {problem === undefined ? children : <span class={tone}>{PROBLEMS[problem.kind]}</span>}
      </dd>
    </div>
  )
}

/** The newest revision, the kept history, and the state of compaction. */
function Revision({ load }: { readonly load: Load }) {
  const { compaction } = load
  return (
    <>
      <span>{load.revision}</span>
      <span class="dim note">{historyText(load)}</span>
      {compaction !== undefined && (
        <span class={compaction.problem === undefined ? 'dim note' : 'tone bad note'}>
          {`compacted ${compactionText(compaction, Date.now())}`}
        </span>
      )}
    </>
  )
}

/** Every server has an identity lease. */
function replicasIn(leases: readonly Lease[]): readonly Lease[] {
  return leases.filter(({ metadata }) => metadata.labels?.['apiserver.kubernetes.io/identity'] !== undefined)
}

const MOST_WATCHERS = 50

function WatcherTable({ watchers: { value, problem } }: { readonly watchers: Polled<Watchers> }) {
  const rows = value?.watchers
    .slice(0, MOST_WATCHERS)
    .map((watcher) => [
      watcher.user,
      watcher.agent.split(' ', 1)[0],
      watcher.group === '' ? watcher.resource : `${watcher.resource}.${watcher.group}`,
      watcher.namespace || 'all',
      [watcher.labelSelector, watcher.fieldSelector].filter(Boolean).join(' ') || '–',
      ageText(watcher.since, Date.now()),
      watcher.lag,
      bytesText(watcher.sentBytes),
      watcher.waitingMs === 0 ? '–' : <span class="tone bad">{`${watcher.waitingMs} ms`}</span>,
      watcher.relists,
    ])
  const columns = ['User', 'Agent', 'Resource', 'Namespace', 'Selector', 'Age', 'Lag', 'Sent', 'Waiting', 'Relists']
  return <Listing title="Watchers" columns={columns} rows={rows} problem={problem} />
}

function LeaseTable({ leases: { value, problem } }: { readonly leases: Polled<{ readonly items: readonly Lease[] }> }) {
  const rows = value?.items.map(({ metadata, spec }) => [
    <a href={objectAddress({ plural: 'leases', group: 'coordination.k8s.io' }, metadata)}>{metadata.name}</a>,
    metadata.namespace,
    spec?.holderIdentity,
    spec?.renewTime === undefined ? '–' : `${ageText(spec.renewTime, Date.now())} ago`,
    spec?.leaseDurationSeconds === undefined ? '–' : `${spec.leaseDurationSeconds}s`,
  ])
  const columns = ['Name', 'Namespace', 'Holder', 'Renewed', 'Duration']
  return <Listing title="Leases" columns={columns} rows={rows} problem={problem} />
}
