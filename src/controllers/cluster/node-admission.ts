// Decides whether a simulated node takes a pod. The scheduler has chosen the nodes of most pods. Clients choose others by `spec.nodeName`.
import type { Node, Pod } from '../../api/gen/kinds.ts'
import { affinityFilter, type NodeFilter, portFilter, refuse, resourceFilter, untolerated } from './node-filters.ts'
import { type NodeEntry, requestsOf } from './node-ledger.ts'

const NOT_TOLERATED = "node(s) had taints that the pod didn't tolerate"

/** The reason and the message in the status of the pod. */
export interface Rejection {
  readonly reason: string
  readonly message: string
}

/** Undefined: the node takes the pod. The entry has the pods that the node has taken before. */
export function rejectionOf(pod: Pod, entry: NodeEntry): Rejection | undefined {
  return shortage(pod, entry) ?? mismatch(pod, entry)
}

function shortage(pod: Pod, entry: NodeEntry): Rejection | undefined {
  const { allocatable, used, pods } = entry
  // A new node does not report its resources yet. Resources of devices that the node does not report do not count.
  if (allocatable.size === 0) return undefined
  const requests = new Map([...requestsOf(pod)].filter(([name]) => allocatable.has(name) || !name.includes('/')))
  const [found] = resourceFilter(requests)(entry)?.reasons ?? []
  if (found === undefined) return undefined
  const name = /^Insufficient (.*)$/.exec(found)?.[1] ?? 'pods'
  // The kubelet counts processor time in thousandths.
  const shown = (amount = 0): number => (name === 'cpu' ? amount : amount / 1000)
  const [requested, taken] = name === 'pods' ? [1, pods.size] : [shown(requests.get(name)), shown(used.get(name))]
  const amounts = `requested: ${requested}, used: ${taken}, capacity: ${shown(allocatable.get(name))}`
  return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${amounts}` }
}

function mismatch(pod: Pod, entry: NodeEntry): Rejection | undefined {
  const isTolerated = (node: Node): boolean => untolerated(node, pod.spec.tolerations, ['NoExecute']) === undefined
  const filters: readonly (readonly [string, NodeFilter])[] = [
    ['NodeAffinity', affinityFilter(pod)],
    ['NodePorts', portFilter(pod)],
    ['TaintToleration', ({ node }) => (isTolerated(node) ? undefined : refuse(NOT_TOLERATED))],
  ]
  for (const [name, filter] of filters) {
    const [reason] = filter(entry)?.reasons ?? []
    if (reason !== undefined) return { reason: name, message: `Predicate ${name} failed: ${reason}` }
  }
  return undefined
}
