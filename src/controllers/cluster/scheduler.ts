// The scheduler: assigns pods to nodes by their requests and rules, those of the highest priority first. It takes no node from another
// pod. A pod that fits nowhere is tried again when there may be room.
import type { Pod } from '../../api/gen/kinds.ts'
import { labelsOf } from '../../api/object-members.ts'
import { equalValues } from '../../api/value.ts'
import type { Action } from '../../registry/registry.ts'
import { runAction } from '../../registry/action.ts'
import { InvariantError } from '../../lib/errors.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { isReason } from '../writes.ts'
import type { Cluster } from './cluster-state.ts'
import { keyOf } from './followed.ts'
import {
  affinityFilter,
  type NodeFilter,
  portFilter,
  type Refusal,
  resourceFilter,
  taintFilter,
  unschedulableFilter,
} from './node-filters.ts'
import { bestNode } from './node-scores.ts'
import { type NodeEntry, NodeLedger, requestsOf } from './node-ledger.ts'
import { PodVolumes } from './pod-volumes.ts'
import { SchedulingQueue } from './scheduling-queue.ts'
import { podAffinityFilter, spreadFilter, type TopologyFacts } from './topology.ts'

const NAME = 'default-scheduler'
const SCHEDULER = { manager: 'kube-scheduler' } as const

export function scheduler(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const nodes = cluster.follow('core_v1.Node')
  const namespaces = cluster.follow('core_v1.Namespace')
  const queue = new SchedulingQueue(cluster.parts.clock)
  const volumes = new PodVolumes(cluster, () => queue.tryAgain(true))
  const ledger = new NodeLedger(nodes, pods, () => queue.tryAgain())
  pods.listen({
    changed: (pod, before) => {
      if (before !== undefined && !equalValues(before.spec, pod.spec)) queue.remove(keyOf(pod))
      if (isPending(pod)) queue.add(keyOf(pod), pod.spec.priority ?? 0)
      else queue.remove(keyOf(pod))
    },
    gone: (pod) => queue.remove(keyOf(pod)),
  })
  cluster.onReady(() =>
    queue.run(cluster.signal, async (key) => {
      const pod = pods.byKey(key)
      if (pod === undefined || !isPending(pod)) return true
      const entries = [...ledger.entries()]
      const facts: TopologyFacts = {
        entries,
        repelling: ledger.repelling,
        node: (name) => ledger.node(name),
        namespaceLabels: (name) => labelsOf(namespaces.get('', name) ?? {}),
      }
      const problem = volumes.problemOf(pod)
      const choice =
        problem === undefined
          ? choose(pod, facts, volumes.filter(pod))
          : { message: unfitForAll(entries.length, problem) }
      if ('node' in choice) {
        const name = choice.node.metadata.name ?? ''
        return (await volumes.bind(pod, name)) && bind(pod, name)
      }
      await refuse(pod, choice.message)
      return false
    }),
  )

  /** False: it must be tried again. */
  async function bind(pod: Pod, nodeName: string): Promise<boolean> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    }
    const { registry, resources } = cluster.parts
    const context = { ...cluster.context(namespace, 'kube-scheduler'), parts: registry, resources: resources(), name }
    try {
      await runAction(bindingAction(cluster), binding, context)
    } catch (error) {
      if (isReason(error, 'NotFound', 'Conflict')) return true
      throw error
    }
    const key = { resource: pods.resource.stored, namespace, name }
    const { item } = await registry.store.get(key, { kind: 'latest' }, cluster.signal)
    if (item?.kind === 'object') pods.note(item)
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`
    cluster.events.record({ about: pod, component: NAME, reason: 'Scheduled', message, action: 'Binding' })
    return true
  }

  async function refuse(pod: Pod, message: string): Promise<void> {
    const type = 'PodScheduled'
    const { conditions = [] } = pod.status
    const before = conditions.find((one) => one.type === type)
    const { generation } = pod.metadata
    const condition = {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : cluster.now,
      reason: 'Unschedulable',
      message,
    }
    const others = conditions.filter((one) => one !== before)
    await cluster.setStatus(pods, pod, { ...pod.status, conditions: [...others, condition] }, SCHEDULER)
    const event = { about: pod, type: 'Warning', component: NAME, reason: 'FailedScheduling', message } as const
    cluster.events.record({ ...event, action: 'Scheduling' })
  }
}

function isPending(pod: Pod): boolean {
  const { nodeName = '', schedulerName, schedulingGates = [] } = pod.spec
  return (
    nodeName === '' &&
    schedulerName === NAME &&
    schedulingGates.length === 0 &&
    !isTerminating(pod) &&
    pod.status.phase === 'Pending'
  )
}

function bindingAction({ parts }: Cluster): Action {
  const found = parts.resources().findAction({ group: '', version: 'v1', resource: 'pods', subresource: 'binding' })
  if (found === undefined) throw new InvariantError('pods/binding is not served')
  return found
}

type Choice = { readonly node: NodeEntry['node'] } | { readonly message: string }

/** The node for the pod, or why there is none. */
function choose(pod: Pod, facts: TopologyFacts, volumeFilter: NodeFilter): Choice {
  const requests = requestsOf(pod)
  const filters: readonly NodeFilter[] = [
    unschedulableFilter(pod),
    taintFilter(pod),
    affinityFilter(pod),
    portFilter(pod),
    resourceFilter(requests),
    volumeFilter,
    spreadFilter(pod, facts),
    podAffinityFilter(pod, facts),
  ]
  const refusals: Refusal[] = []
  const fit = facts.entries.filter((entry) => {
    for (const filter of filters) {
      const refusal = filter(entry)
      if (refusal === undefined) continue
      refusals.push(refusal)
      return false
    }
    return true
  })
  const best = bestNode(pod, requests, fit, facts)
  return best === undefined ? { message: unfitMessage(refusals) } : { node: best.node }
}

/** No node is examined. */
function unfitForAll(nodes: number, why: string): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  // The reference ends its message with these words.
  return `0/${nodes} nodes are available: ${why}. not found`
}

function unfitMessage(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return 'no nodes available to schedule pods'
  const all = refusals.length
  const final = refusals.filter(({ isFinal }) => isFinal).length
  const preemption = counted([
    ...Array.from({ length: final }, () => 'Preemption is not helpful for scheduling'),
    ...Array.from({ length: all - final }, () => 'No preemption victims found for incoming pod'),
  ])
  const why = counted(refusals.flatMap(({ reasons }) => reasons))
  return `0/${all} nodes are available: ${why}. no new claims to deallocate, preemption: 0/${all} nodes are available: ${preemption}.`
}

/** `1 Insufficient cpu, 2 Too many pods`, in order of the texts. */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}
