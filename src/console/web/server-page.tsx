// The state of the server: its health, replicas, watchers, flow control, leases, and its load in the last hour.
import type { ComponentChildren } from 'preact'
import { ApiFailure, ask, askText, type Problem } from './api.ts'
import { Chart } from './chart.tsx'
import { type Fields, fieldsAt, nameOf, textAt } from './fields.ts'
import { resourceName } from './kind.ts'
import { Listing, ObjectLink, Toned } from './listing.tsx'
import { type Polled, usePolled } from './polling.ts'
import {
  bytesText,
  CHARTS,
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

interface Leases {
  readonly items: readonly Fields[]
}

interface Watchers {
  readonly watchers: readonly Fields[]
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
    // The leases of nodes say nothing about the server.
    () => ask<Leases>('/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.namespace!=kube-node-lease'),
    OFTEN_MS,
  )
  const failing = health.value?.filter(({ isFine }) => !isFine) ?? []
  const newest = load.value?.steps.at(-1)
  return (
    <section class="page">
      <header class="page-head">
        <h1>Server</h1>
        <span class="dim mono">{version.value?.gitVersion}</span>
      </header>
      <dl class="facts">
        <Fact name="Health" problem={health.problem}>
          {health.value !== undefined && (
            <Toned
              tone={failing.length === 0 ? 'good' : 'bad'}
              text={failing.map(({ name }) => name).join(', ') || `ready, ${health.value.length} checks`}
            />
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
      {load.value !== undefined && (
        <div class="charts">
          {CHARTS.map(({ title, unit, lines }) => (
            <Chart key={title} title={title} unit={unit} lines={lines} data={seriesOf(load.value!, lines)} />
          ))}
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
function replicasIn(leases: readonly Fields[]): readonly Fields[] {
  return leases.filter((lease) => 'apiserver.kubernetes.io/identity' in fieldsAt(lease, 'metadata.labels'))
}

const MOST_WATCHERS = 50

function WatcherTable({ watchers: { value, problem } }: { readonly watchers: Polled<Watchers> }) {
  const rows = value?.watchers.slice(0, MOST_WATCHERS).map((watcher) => {
    const text = (name: string): string => textAt(watcher, name)
    const listed = (...names: readonly string[]): string => names.map(text).filter(Boolean).join(' ') || '–'
    return [
      text('user'),
      text('agent').split(' ', 1)[0],
      resourceName({ plural: text('resource'), group: text('group') }),
      text('namespace') || 'all',
      listed('labelSelector', 'fieldSelector'),
      ageText(text('since'), Date.now()),
      text('lag'),
      bytesText(Number(text('sentBytes'))),
      text('waitingMs') === '0' ? '–' : <Toned tone="bad" text={`${text('waitingMs')} ms`} />,
      text('relists'),
    ]
  })
  const columns = ['User', 'Agent', 'Resource', 'Namespace', 'Selector', 'Age', 'Lag', 'Sent', 'Waiting', 'Relists']
  const left = (value?.watchers.length ?? 0) - MOST_WATCHERS
  return (
    <Listing title="Watchers" columns={columns} rows={rows} problem={problem}>
      {left > 0 && <p class="dim">{`${left} further watchers are not shown.`}</p>}
    </Listing>
  )
}

function LeaseTable({ leases: { value, problem } }: { readonly leases: Polled<Leases> }) {
  const rows = value?.items.map((lease) => {
    const [renewed, seconds] = [textAt(lease, 'spec.renewTime'), textAt(lease, 'spec.leaseDurationSeconds')]
    return [
      <ObjectLink kind={{ plural: 'leases', group: 'coordination.k8s.io' }} named={nameOf(lease)} />,
      textAt(lease, 'metadata.namespace'),
      textAt(lease, 'spec.holderIdentity'),
      renewed === '' ? '–' : `${ageText(renewed, Date.now())} ago`,
      seconds === '' ? '–' : `${seconds}s`,
    ]
  })
  const columns = ['Name', 'Namespace', 'Holder', 'Renewed', 'Duration']
  return <Listing title="Leases" columns={columns} rows={rows} problem={problem} />
}
