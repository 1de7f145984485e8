// The family of an object: its owners, and all dependents of the first ones.
import type { GraphEdge, GraphNode } from './namespace-graph.ts'

export interface TreeObject {
  readonly node: GraphNode
  /** Uids of its owners. */
  readonly owners: readonly string[]
}

/** `uid`: that of the object. The ids of the nodes are uids. */
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

/** A circle of owners ends where it began. */
function reached(
  start: Iterable<GraphNode>,
  edges: ReadonlyMap<GraphNode, readonly GraphEdge[]>,
  end: 'from' | 'to',
): ReadonlySet<GraphNode> {
  const found = new Set(start)
  // A set is walked along while it grows.
  for (const node of found) for (const edge of edges.get(node) ?? []) found.add(edge[end])
  return found
}
