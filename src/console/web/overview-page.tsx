// The first page: the things that are wrong in the cluster, then its nodes and the number of objects of each kind.
import { type Fields, fieldAt, nameOf, textAt } from './fields.ts'
import { healthOf } from './health.ts'
import { type Kind, kindOf, resourceName } from './kind.ts'
import { type Cells, Listing, ObjectLink, Toned } from './listing.tsx'
import {
  askAll,
  EXTENSIONS,
  type Found,
  MOST_ROWS,
  NODES,
  podsByNode,
  readTotals,
  type Totals,
  WARNINGS,
  WORKLOADS,
} from './overview.ts'
import { type Polled, usePolled } from './polling.ts'
import { tableAddress } from './routes.ts'
import { ageText } from './table-rows.ts'

const OFTEN_MS = 10_000
const RARELY_MS = 30_000

interface Props {
  readonly kinds: readonly Kind[]
  /** Empty: all namespaces. */
  readonly namespace: string
}

export function OverviewPage({ kinds, namespace }: Props) {
  const workloads = usePolled(() => askAll(kinds, namespace, WORKLOADS), OFTEN_MS)
  const warnings = usePolled(() => askAll(kinds, namespace, [WARNINGS]), OFTEN_MS)
  const extensions = usePolled(() => askAll(kinds, '', EXTENSIONS), RARELY_MS)
  const nodes = usePolled(() => readNodes(kinds), OFTEN_MS)
  const totals = usePolled(() => readTotals(kinds, namespace), RARELY_MS)
  return (
    <section class="page">
      <header class="page-head">
        <h1>Overview</h1>
        <span class="dim">{namespace === '' ? 'all namespaces' : `namespace ${namespace}`}</span>
      </header>
      <Listing
        title="Workloads that are not ready"
        columns={['Kind', 'Name', 'Namespace', 'Status', 'Reason', 'Age']}
        rows={workloads.value?.flatMap(({ kind, objects }) => objects.map((object) => workloadRow(kind, object)))}
        problem={workloads.problem}
        empty={<Fine text="All workloads are ready." isPartial={isPartial(workloads.value)} />}
      >
        <Rest found={workloads.value} namespace={namespace} />
      </Listing>
      <Listing
        title="Warnings"
        columns={['Last seen', 'Object', 'Namespace', 'Reason', 'Message', 'Count']}
        rows={warnings.value?.flatMap(({ objects }) => objects.map((event) => warningRow(kinds, event)))}
        problem={warnings.problem}
        empty={<Fine text="No recent warnings." isPartial={isPartial(warnings.value)} />}
      >
        <Rest found={warnings.value} namespace={namespace} />
      </Listing>
      <Listing
        title="Extensions that do not work"
        columns={['Kind', 'Name', 'Status', 'Reason']}
        rows={extensionRows(extensions.value, totals.value)}
        problem={extensions.problem}
        empty={<Fine text="All definitions, API services and webhooks work." isPartial={false} />}
      >
        {totals.value !== undefined && totals.value.webhooks === undefined && (
          <p class="dim">No permission to read the failures of webhooks.</p>
        )}
      </Listing>
      {(nodes.problem !== undefined || nodes.value?.length !== 0) && (
        <Listing
          title="Nodes"
          columns={['Name', 'Status', 'Pods', 'Version', 'Age']}
          rows={nodes.value?.slice(0, MOST_ROWS)}
          problem={nodes.problem}
        >
          {nodes.value !== undefined && nodes.value.length > MOST_ROWS && (
            <p>
              <a href={tableAddress('nodes')}>{`All ${nodes.value.length} nodes`}</a>
            </p>
          )}
        </Listing>
      )}
      <Counts totals={totals} namespace={namespace} />
    </section>
  )
}

function isPartial(found: readonly Found[] | undefined): boolean {
  return found?.some((one) => one.isPartial) === true
}

function Fine({ text, isPartial: isSome }: { readonly text: string; readonly isPartial: boolean }) {
  return isSome ? <>None.</> : <Toned tone="good" text={text} />
}

/** Links to the rows that are left out, and a note if the user may not see all objects. */
function Rest({ found = [], namespace }: { readonly found: readonly Found[] | undefined; readonly namespace: string }) {
  return (
    <>
      {found.some(({ isCut }) => isCut) && (
        <p class="row">
          {found
            .filter(({ isCut }) => isCut)
            .map(({ kind, where, isPartial: isSome }) => {
              const query = { namespace, where, accessible: isSome ? 'true' : '' }
              return <a key={kind.plural} href={tableAddress(resourceName(kind), query)}>{`More: ${kind.kind}`}</a>
            })}
        </p>
      )}
      {isPartial(found) && <p class="dim">No permission to list all namespaces: only the objects that you may see.</p>}
    </>
  )
}

function ageOf(object: Fields, path = 'metadata.creationTimestamp'): string {
  return ageText(textAt(object, path), Date.now())
}

function workloadRow(kind: Kind, object: Fields): Cells {
  const { tone, text, reason } = healthOf(object)
  const namespace = textAt(object, 'metadata.namespace')
  return [
    kind.kind,
    <ObjectLink kind={kind} named={nameOf(object)} />,
    namespace,
    <Toned tone={tone} text={text} />,
    reason,
    ageOf(object),
  ]
}

function warningRow(kinds: readonly Kind[], event: Fields): Cells {
  const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map((key) =>
    textAt(event, `involvedObject.${key}`),
  ) as [string, string, string, string]
  return [
    ageOf(event, textAt(event, 'lastTimestamp') === '' ? 'metadata.creationTimestamp' : 'lastTimestamp'),
    <ObjectLink kind={kindOf(kinds, { apiVersion, kind })} named={{ namespace, name }} text={`${kind} ${name}`} />,
    namespace,
    textAt(event, 'reason'),
    textAt(event, 'message'),
    textAt(event, 'count') || '1',
  ]
}

function extensionRows(found: readonly Found[] | undefined, totals: Totals | undefined): readonly Cells[] | undefined {
  const rows = found?.flatMap(({ kind, objects }) =>
    objects.map((object): Cells => {
      const { text, reason } = healthOf(object)
      return [
        kind.kind,
        <ObjectLink kind={kind} named={nameOf(object)} />,
        <Toned tone="bad" text={text || 'No status'} />,
        reason,
      ]
    }),
  )
  return rows?.concat(
    (totals?.webhooks ?? []).map(({ name, failures }) => [
      'Webhook',
      name,
      <Toned tone="bad" text="Calls failed" />,
      `${failures.toLocaleString('en')} since the start of the server`,
    ]),
  )
}

/** Nodes that are not ready come first. */
async function readNodes(kinds: readonly Kind[]): Promise<readonly Cells[]> {
  const [found] = await askAll(kinds, '', [NODES])
  if (found === undefined || found.objects.length === 0) return []
  const pods = await podsByNode()
  const nodes = found.objects.map((node) => ({ node, ...healthOf(node) }))
  const sorted = [...nodes.filter(({ tone }) => tone !== 'good'), ...nodes.filter(({ tone }) => tone === 'good')]
  return sorted.map(({ node, tone, text, reason }) => {
    const cordoned = fieldAt(node, 'spec.unschedulable') === true ? ', unschedulable' : ''
    return [
      <ObjectLink kind={found.kind} named={nameOf(node)} />,
      <span title={reason}>
        <Toned tone={tone} text={`${text}${cordoned}`} />
      </span>,
      pods === undefined ? '–' : (pods.get(textAt(node, 'metadata.name')) ?? 0),
      textAt(node, 'status.nodeInfo.kubeletVersion'),
      ageOf(node),
    ]
  })
}

function Counts({
  totals: { value, problem },
  namespace,
}: {
  readonly totals: Polled<Totals>
  readonly namespace: string
}) {
  return (
    <section class="card listing" aria-label="Objects">
      <h2>Objects</h2>
      {problem !== undefined && <p class="tone bad">{problem.message}</p>}
      <ul class="counts">
        {value?.counts.map(([kind, count]) => (
          <li key={resourceName(kind)}>
            <a href={tableAddress(resourceName(kind), kind.namespaced ? { namespace } : {})} title={resourceName(kind)}>
              {kind.kind} <span class="dim">{count.toLocaleString('en')}</span>
            </a>
          </li>
        ))}
      </ul>
      {value?.counts.length === 0 && <p class="dim">None that you may see.</p>}
      {value?.isPartial === true && <p class="dim">No permission to count all objects: only those that you may see.</p>}
    </section>
  )
}
