// The family of an object: its direct and indirect owners, and all dependents of these and of the object.
import type { GraphEdge, GraphNode } from './namespace-graph.ts'

export interface TreeObject {
  readonly node: GraphNode
  /** The uids of the owners. */
  readonly owners: readonly string[]
}

/** `uid`: the uid of the object. The ids of the nodes are uids. */
export function familyOf(
  all: readonly TreeObject[],
  uid: string,
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  const byUid = new Map(all.map(({ node }) => [node.id, node]))
  const edges = all.flatMap(({ node, owners }) =>
    owners.flatMap((owner): readonly GraphEdge[] => {
      const from = byUid.get(owner)
      return from === undefined ? [] : [{ from, to: node, relation: 'owns' }]
    }),
  )
  const start = byUid.get(uid)
  const above = reached(
    start === undefined ? [] : [start],
    Map.groupBy(edges, ({ to }) => to),
    'from',
  )
  const family = reached(
    above,
    Map.groupBy(edges, ({ from }) => from),
    'to',
  )
  return { nodes: [...family], edges: edges.filter(({ from, to }) => family.has(from) && family.has(to)) }
}

/** The nodes that edges lead to from the start, and the start itself. A circle of owners is walked once. */
function reached(
  start: Iterable<GraphNode>,
  edges: ReadonlyMap<GraphNode, readonly GraphEdge[]>,
  end: 'from' | 'to',
): ReadonlySet<GraphNode> {
  const found = new Set(start)
  // The loop also visits the nodes that it adds.
  for (const node of found) for (const edge of edges.get(node) ?? []) found.add(edge[end])
  return found
}
