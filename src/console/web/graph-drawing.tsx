// Draws the objects of a graph as links, and their relations as lines.
import { useMemo } from 'preact/hooks'
import { BOX, drawGraph, edgeId, type Point, shapeOf } from './graph-layout.ts'
import type { GraphEdge, GraphNode } from './namespace-graph.ts'
import { objectAddress, tableAddress } from './routes.ts'

interface Props {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly namespace: string
  readonly label: string
  /** The id of the node to highlight. */
  readonly current?: string | undefined
  /** Undefined: a large drawing is made smaller. */
  readonly zoom?: number | undefined
}

export function GraphDrawing({ nodes, edges, namespace, label, current, zoom }: Props) {
  const shape = shapeOf({ nodes, edges })
  const { width, height, places, lines } = useMemo(() => drawGraph({ nodes, edges }), [shape])
  const fitting = height > 4 * window.innerHeight ? 0.5 : height > 2 * window.innerHeight ? 0.75 : 1
  const scale = zoom ?? fitting
  return (
    <div class="tree relations">
      <svg
        width={width * scale}
        height={height * scale}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={label}
      >
        {lines.map(({ edge, path }) => (
          <path key={edgeId(edge)} class={`edge ${lineClass(edge.relation)}`} d={path}>
            <title>{`${nodeText(edge.from)} ${edge.relation} ${nodeText(edge.to)}`}</title>
          </path>
        ))}
        {nodes.map((node) => (
          <Box
            key={node.id}
            node={node}
            place={places.get(node.id)}
            address={addressOf(node, namespace)}
            isCurrent={node.id === current}
          />
        ))}
      </svg>
    </div>
  )
}

export function lineClass(relation: GraphEdge['relation']): string {
  return relation === 'owns' || relation === 'uses' ? relation : 'selects'
}

interface BoxProps {
  readonly node: GraphNode
  readonly place: Point | undefined
  readonly address: string
  readonly isCurrent: boolean
}

function Box({ node, place, address, isCurrent }: BoxProps) {
  if (place === undefined) return null
  const [x, y] = [place.x - BOX.width / 2, place.y - BOX.height / 2]
  const { kind, health, pods } = node
  const told = pods === undefined ? kind.kind : `${pods} pods`
  return (
    <a href={address} class={`box ${health.tone} ${isCurrent ? 'current' : ''}`}>
      <title>{[nodeText(node), health.text, health.reason].filter((text) => text !== '').join('\n')}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      {health.tone !== '' && <path class="health" d={`M${x + 3} ${y + 7}v${BOX.height - 14}`} />}
      <text x={x + 12} y={y + 17} class="dim">
        {short(health.text === '' ? told : `${told} · ${health.text}`, 38)}
      </text>
      <text x={x + 12} y={y + 34}>
        {short(node.name, 31)}
      </text>
    </a>
  )
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

export function nodeText({ kind, name, pods }: GraphNode): string {
  return pods === undefined ? `${kind.kind} ${name}` : `${pods} pods of ${name}`
}

/** The address to which a node links. A group of pods leads to the table of pods. */
export function addressOf({ kind, name, pods }: GraphNode, namespace: string): string {
  return pods === undefined ? objectAddress(kind, { namespace, name }) : tableAddress('pods', { namespace })
}
