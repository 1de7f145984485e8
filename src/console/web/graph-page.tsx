// The page with the graph of a namespace: a drawing, and the same as a table.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { ask } from './api.ts'
import { BOX, drawGraph, type Drawing, edgeId, type Point, shapeOf } from './graph-layout.ts'
import { readNamespace } from './graph-source.ts'
import type { Kind } from './kind.ts'
import { type GraphEdge, type GraphNode, graphOf, type NamespaceGraph } from './namespace-graph.ts'
import { usePolled } from './polling.ts'
import { graphAddress, objectAddress, tableAddress } from './routes.ts'

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

interface NameList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

/** The namespaces that the user may see. */
function Choice() {
  const { value, problem } = usePolled(
    () => ask<NameList>('/api/v1/namespaces?accessible=true&select=metadata.name&limit=200'),
    30_000,
  )
  return (
    <>
      <Alert text={problem?.message} />
      <p>Choose a namespace:</p>
      <ul class="namespaces">
        {value?.items.map(({ metadata: { name } }) => (
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
    return problem === undefined ? <p class="empty">Loading</p> : <Alert text={problem.message} />
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
  const shape = shapeOf(graph)
  const drawing = useMemo(() => drawGraph(graph), [shape])
  const [zoom, setZoom] = useState<number>(1)
  useEffect(() => setZoom(fitting(drawing)), [])
  return (
    <>
      <div class="toolbar">
        <label class="selector">
          <span>Size</span>
          <select value={zoom} onChange={({ currentTarget }) => setZoom(Number(currentTarget.value))}>
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
                <path class={`edge ${classOf(relation)}`} d="M0 4h26" />
              </svg>
              {text}
            </li>
          ))}
        </ul>
      </div>
      <div class="tree relations">
        <svg
          width={drawing.width * zoom}
          height={drawing.height * zoom}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          role="group"
          aria-label={`Graph of ${namespace}. The table below has the same connections.`}
        >
          {drawing.lines.map(({ edge, path }) => (
            <path key={edgeId(edge)} class={`edge ${classOf(edge.relation)}`} d={path}>
              <title>{`${nodeText(edge.from)} ${edge.relation} ${nodeText(edge.to)}`}</title>
            </path>
          ))}
          {graph.nodes.map((node) => (
            <Box key={node.id} node={node} place={drawing.places.get(node.id)} namespace={namespace} />
          ))}
        </svg>
      </div>
      <details class="connections">
        <summary>{`Connections as a table (${graph.edges.length})`}</summary>
        <EdgeTable edges={graph.edges} namespace={namespace} />
      </details>
    </>
  )
}

/** Small enough to show most of a large drawing at first. */
function fitting({ height }: Drawing): number {
  return height > 4 * window.innerHeight ? 0.5 : height > 2 * window.innerHeight ? 0.75 : 1
}

const LEGEND = [
  ['owns', 'owns'],
  ['selects, routes to, scales', 'selects'],
  ['uses', 'uses'],
] as const

function classOf(relation: GraphEdge['relation']): string {
  return relation === 'owns' || relation === 'uses' ? relation : 'selects'
}

function countText({ nodes, edges }: NamespaceGraph): string {
  const bad = nodes.filter(({ health }) => health.tone === 'bad').length
  return `${nodes.length} objects, ${edges.length} connections${bad === 0 ? '' : `, ${bad} not healthy`}`
}

interface BoxProps {
  readonly node: GraphNode
  readonly place: Point | undefined
  readonly namespace: string
}

function Box({ node, place, namespace }: BoxProps) {
  if (place === undefined) return null
  const [x, y] = [place.x - BOX.width / 2, place.y - BOX.height / 2]
  const { kind, health, pods } = node
  return (
    <a href={addressOf(node, namespace)} class={`box ${health.tone}`}>
      <title>{[nodeText(node), health.text, health.reason].filter((text) => text !== '').join('\n')}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      {health.tone !== '' && <path class="health" d={`M${x + 3} ${y + 7}v${BOX.height - 14}`} />}
      <text x={x + 12} y={y + 17} class="dim">
        {short(
          `${pods === undefined ? kind.kind : `${pods} pods`}${health.text === '' ? '' : ` · ${health.text}`}`,
          34,
        )}
      </text>
      <text x={x + 12} y={y + 34}>
        {short(node.name, 27)}
      </text>
    </a>
  )
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

function EdgeTable({ edges, namespace }: { readonly edges: readonly GraphEdge[]; readonly namespace: string }) {
  return (
    <div class="wide">
      <table class="plain">
        <thead>
          <tr>
            {['From', 'Connection', 'To'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {edges.map((edge) => (
            <tr key={edgeId(edge)}>
              <td>
                <NodeLink node={edge.from} namespace={namespace} />
              </td>
              <td>{edge.relation}</td>
              <td>
                <NodeLink node={edge.to} namespace={namespace} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NodeLink({ node, namespace }: { readonly node: GraphNode; readonly namespace: string }) {
  const { tone, text } = node.health
  return (
    <>
      <a href={addressOf(node, namespace)}>{nodeText(node)}</a>{' '}
      {text !== '' && <span class={tone === '' ? 'dim' : `tone ${tone}`}>{text}</span>}
    </>
  )
}

function nodeText({ kind, name, pods }: GraphNode): string {
  return pods === undefined ? `${kind.kind} ${name}` : `${pods} pods of ${name}`
}

/** A group leads to the table of pods. */
function addressOf({ kind, name, pods }: GraphNode, namespace: string): string {
  return pods === undefined ? objectAddress(kind, { namespace, name }) : tableAddress('pods', { namespace })
}
