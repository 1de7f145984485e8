// The page with the graph of a namespace: a drawing, and a table with the same connections.
import { useMemo, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { addressOf, GraphDrawing, lineClass, nodeText } from './graph-drawing.tsx'
import { readNamespace } from './graph-source.ts'
import type { Kind } from './kind.ts'
import { PlainTable, Toned } from './listing.tsx'
import { readNamespaces } from './namespace-field.tsx'
import { type GraphEdge, type GraphNode, graphOf, type NamespaceGraph } from './namespace-graph.ts'
import { usePolled } from './polling.ts'
import { graphAddress } from './routes.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

const EVERY_MS = 3000

export function GraphPage({ kinds, namespace }: Props) {
  return (
    <section class="page">
      <header class="page-head">
        <h1>Graph</h1>
        <span class="dim">{namespace === '' ? 'of a namespace' : `of namespace ${namespace}`}</span>
      </header>
      {namespace === '' ? <Choice /> : <LiveGraph key={namespace} kinds={kinds} namespace={namespace} />}
    </section>
  )
}

/** The namespaces that the user may see. */
function Choice() {
  const { value, problem } = usePolled(() => readNamespaces(true), 30_000)
  return (
    <>
      <Alert text={problem?.message} />
      <p>Choose a namespace:</p>
      <ul class="namespaces">
        {value?.map((name) => (
          <li key={name}>
            <a href={graphAddress(name)}>{name}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

function LiveGraph({ kinds, namespace }: Props) {
  const { value, problem } = usePolled(() => readNamespace(kinds, namespace), EVERY_MS)
  const graph = useMemo(
    () => (value === undefined ? undefined : graphOf(value.objects, kinds, value.complete)),
    [value],
  )
  if (value === undefined || graph === undefined)
    return problem === undefined ? <p class="empty">Loading…</p> : <Alert text={problem.message} />
  const names = (listed: readonly Kind[]): string => listed.map(({ kind }) => kind).join(', ')
  return (
    <>
      <Alert text={problem?.message} />
      {value.refused.length > 0 && <p class="notice">{`No permission to list: ${names(value.refused)}.`}</p>}
      {value.cut.length > 0 && <p class="notice">{`There are more objects than were read: ${names(value.cut)}.`}</p>}
      {graph.isGrouped && <p class="notice">There are many objects: the pods of each owner are drawn as one.</p>}
      {graph.left > 0 && <p class="notice">{`${graph.left} further objects are not drawn.`}</p>}
      {graph.nodes.length === 0 ? (
        <p class="empty">No object refers to another one here.</p>
      ) : (
        <Drawn graph={graph} namespace={namespace} />
      )}
      {graph.loose.length > 0 && (
        <details class="connections">
          <summary>{`Objects without connections (${graph.loose.length})`}</summary>
          <ul class="loose">
            {graph.loose.map((node) => (
              <li key={node.id}>
                <NodeLink node={node} namespace={namespace} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

interface DrawnProps {
  readonly graph: NamespaceGraph
  readonly namespace: string
}

const ZOOMS = [0.5, 0.75, 1] as const

function Drawn({ graph, namespace }: DrawnProps) {
  const [zoom, setZoom] = useState<number>()
  return (
    <>
      <div class="toolbar">
        <label class="selector">
          <span>Size</span>
          <select
            value={zoom ?? ''}
            onChange={({ currentTarget }) => setZoom(Number(currentTarget.value) || undefined)}
          >
            <option value="">fit</option>
            {ZOOMS.map((one) => (
              <option key={one} value={one}>{`${one * 100} %`}</option>
            ))}
          </select>
        </label>
        <span class="dim">{countText(graph)}</span>
        <ul class="legend dim" aria-label="Lines">
          {LEGEND.map(([text, relation]) => (
            <li key={text}>
              <svg width="26" height="8" aria-hidden="true">
                <path class={`edge ${lineClass(relation)}`} d="M0 4h26" />
              </svg>
              {text}
            </li>
          ))}
        </ul>
      </div>
      <GraphDrawing
        {...graph}
        namespace={namespace}
        zoom={zoom}
        label={`Graph of ${namespace}. The table below has the same connections.`}
      />
      <details class="connections">
        <summary>{`Connections as a table (${graph.edges.length})`}</summary>
        <EdgeTable edges={graph.edges} namespace={namespace} />
      </details>
    </>
  )
}

const LEGEND = [
  ['owns', 'owns'],
  ['selects, routes to, scales', 'selects'],
  ['uses', 'uses'],
] as const

function countText({ nodes, edges }: NamespaceGraph): string {
  const bad = nodes.filter(({ health }) => health.tone === 'bad').length
  return `${nodes.length} objects, ${edges.length} connections${bad === 0 ? '' : `, ${bad} not healthy`}`
}

function EdgeTable({ edges, namespace }: { readonly edges: readonly GraphEdge[]; readonly namespace: string }) {
  return (
    <PlainTable
      title="Connections"
      columns={['From', 'Connection', 'To']}
      rows={edges.map(({ from, relation, to }) => [
        <NodeLink node={from} namespace={namespace} />,
        relation,
        <NodeLink node={to} namespace={namespace} />,
      ])}
    />
  )
}

function NodeLink({ node, namespace }: { readonly node: GraphNode; readonly namespace: string }) {
  const { tone, text } = node.health
  return (
    <>
      <a href={addressOf(node, namespace)}>{nodeText(node)}</a> <Toned tone={tone} text={text} />
    </>
  )
}
