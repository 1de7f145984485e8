// The nodes to which a pod may be assigned, and the reasons against the others. The messages and their order are the reference's.
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '../../api/gen/kinds.ts'
import { labelsOf } from '../../api/object-members.ts'
import { entriesOf, own } from '../../api/value.ts'
import { addToSet } from '../../lib/map-entries.ts'
import type { NodeEntry, Thousandths } from './node-ledger.ts'

/** The reasons why a node is not fit. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the removal of pods would not help. */
  readonly isFinal: boolean
}

/** Undefined: the node is fit. */
export type NodeFilter = (entry: NodeEntry) => Refusal | undefined

const final = (...reasons: readonly string[]): Refusal => ({ reasons, isFinal: true })
export const refuse = (...reasons: readonly string[]): Refusal => ({ reasons, isFinal: false })
export { final as refuseForGood }

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

export function unschedulableFilter({ spec }: Pod): NodeFilter {
  const isTolerated = tolerates(spec.tolerations, UNSCHEDULABLE)
  return ({ node }) =>
    node.spec.unschedulable === true && !isTolerated ? final('node(s) were unschedulable') : undefined
}

export function taintFilter({ spec }: Pod): NodeFilter {
  return ({ node }) => {
    const taint = untolerated(node, spec.tolerations, ['NoSchedule', 'NoExecute'])
    return taint === undefined ? undefined : final('node(s) had untolerated taint(s)')
  }
}

export function untolerated(
  { spec }: Node,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return spec.taints?.find((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint))
}

export function tolerates(tolerations: readonly Toleration[] = [], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false
    if (key !== '' && key !== taint.key) return false
    const [wanted, given] = [Number(value), Number(taint.value ?? '')]
    if (operator === 'Gt') return given > wanted
    if (operator === 'Lt') return given < wanted
    return operator === 'Exists' || (key !== '' && value === (taint.value ?? ''))
  })
}

export function affinityFilter(pod: Pod): NodeFilter {
  return ({ node }) => (matchesNode(pod, node) ? undefined : final("node(s) didn't match Pod's node affinity/selector"))
}

/** Whether the node matches the node selector and the required node affinity of the pod. */
export function matchesNode({ spec }: Pod, node: Node): boolean {
  const labels = labelsOf(node)
  if (entriesOf(spec.nodeSelector ?? {}).some(([key, value]) => own(labels, key) !== value)) return false
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node))
}

/** Whether the node matches the term. An empty term matches no node. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const labels = labelsOf(node)
  return (
    matchExpressions.every((one) => meets(one, own(labels, one.key))) &&
    matchFields.every((one) => meets(one, one.key === 'metadata.name' ? node.metadata.name : undefined))
  )
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default: {
      const [given, bound] = [Number(value ?? Number.NaN), Number(values[0])]
      return operator === 'Gt' ? given > bound : given < bound
    }
  }
}

export function portFilter(pod: Pod): NodeFilter {
  const wanted = new Map<string, Set<string>>()
  for (const { key, ip } of hostPorts(pod)) addToSet(wanted, key, ip)
  const clashes = ({ key, ip }: HostPort): boolean => {
    const ips = wanted.get(key)
    return ips !== undefined && (ip === ANY_IP || ips.has(ANY_IP) || ips.has(ip))
  }
  return ({ pods }) => {
    if (wanted.size === 0) return undefined
    const isTaken = [...pods.values()].some((other) => hostPorts(other.pod).some(clashes))
    return isTaken ? refuse("node(s) didn't have free ports for the requested pod ports") : undefined
  }
}

const ANY_IP = '0.0.0.0'

interface HostPort {
  /** The port and the protocol. */
  readonly key: string
  readonly ip: string
}

function hostPorts({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort: port = 0, protocol = 'TCP', hostIP: ip = '' }) =>
      port === 0 ? [] : [{ key: `${port}/${protocol}`, ip: ip === '' ? ANY_IP : ip }],
    ),
  )
}

const ONE = 1000

export function resourceFilter(requests: Thousandths): NodeFilter {
  return ({ allocatable, used, pods }) => {
    const reasons: string[] = []
    let isFinal = false
    if ((pods.size + 1) * ONE > (allocatable.get('pods') ?? 0)) reasons.push('Too many pods')
    for (const [name, amount] of requests) {
      const most = allocatable.get(name) ?? 0
      if (amount === 0 || amount <= most - (used.get(name) ?? 0)) continue
      reasons.push(`Insufficient ${name}`)
      if (amount > most) isFinal = true
    }
    return reasons.length === 0 ? undefined : { reasons, isFinal }
  }
}
