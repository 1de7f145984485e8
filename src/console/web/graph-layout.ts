// Places the nodes of a graph in layers, from left to right, by dagre.
import { Graph, type GraphLabel, layout } from '@dagrejs/dagre'
import type { GraphEdge, NamespaceGraph } from './namespace-graph.ts'

export const BOX = { width: 220, height: 44 } as const

export interface Point {
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

export interface Drawing {
  readonly width: number
  readonly height: number
  /** The centres of the nodes. */
  readonly places: ReadonlyMap<string, Point>
  readonly lines: readonly { readonly edge: GraphEdge; readonly path: string }[]
}

/** The nodes and edges, without their health. The drawing is the same as long as the shape is the same. */
export function shapeOf({ nodes, edges }: Pick<NamespaceGraph, 'nodes' | 'edges'>): string {
  return [...nodes.map(({ id }) => id), ...edges.map(edgeId)].join('\n')
}

export function edgeId({ from, relation, to }: GraphEdge): string {
  return `${from.id} ${relation} ${to.id}`
}

export function drawGraph({ nodes, edges }: Pick<NamespaceGraph, 'nodes' | 'edges'>): Drawing {
  const graph = new Graph<GraphLabel, Size & Point, { points: readonly Point[] }>({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 70, edgesep: 8, marginx: 4, marginy: 4 })
  for (const { id } of nodes) graph.setNode(id, { ...BOX, x: 0, y: 0 })
  for (const edge of edges) graph.setEdge(edge.from.id, edge.to.id, { points: [] }, edge.relation)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const places = new Map<string, Point>(nodes.map(({ id }) => [id, graph.node(id)]))
  const lines = edges.flatMap((edge) => {
    const [from, to] = [places.get(edge.from.id), places.get(edge.to.id)]
    const { points } = graph.edge(edge.from.id, edge.to.id, edge.relation)
    return from === undefined || to === undefined ? [] : [{ edge, path: pathOf(points, from, to) }]
  })
  return { width, height, places, lines }
}

/** A line leaves a node on its right side, and enters the next one on its left side. In a layer that it passes, the line is horizontal. */
function pathOf(points: readonly Point[], from: Point, to: Point): string {
  const half = BOX.width / 2
  // Every second point is in a layer, the others are between two layers.
  const passed = points.slice(1, -1).filter((_, i) => i % 2 === 1)
  let path = `M${from.x + half} ${from.y}`
  let before: Point = { x: from.x + half, y: from.y }
  for (const { x, y } of [...passed, to]) {
    const middle = (before.x + x - half) / 2
    path += `C${middle} ${before.y} ${middle} ${y} ${x - half} ${y}`
    if (x !== to.x) path += `h${BOX.width}`
    before = { x: x + half, y }
  }
  return path
}
