// The scheduler: assigns pods to nodes by the requests and rules of the pods. Pods of the highest priority come first. It removes no pod
// from a node to make room for another. A pod that fits nowhere is tried again when there may be room.
import type { Pod } from '../../api/gen/kinds.ts'
import type { ApiLevel } from '../../api/level.ts'
import { labelsOf } from '../../api/object-members.ts'
import { equalValues } from '../../api/value.ts'
import type { Action } from '../../registry/registry.ts'
import { runAction } from '../../registry/action.ts'
import { InvariantError } from '../../lib/errors.ts'
import { reasonOf } from '../../lib/system-reason.ts'
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
import { type ScheduleResult, SchedulingQueue } from './scheduling-queue.ts'
import { claimsOf } from './volume-claims.ts'
import { podAffinityFilter, spreadFilter, type TopologyFacts } from './topology.ts'

const NAME = 'default-scheduler'
const SCHEDULER = { manager: 'kube-scheduler' } as const
/** The result of the plugin that runs before preemption, for pods without claims of devices. */
const BEFORE_PREEMPTION: Readonly<Record<ApiLevel, string>> = { '1.36': 'no new claims to deallocate, ', '1.37': '' }

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
  /** Pods with claims take turns: the choice for one changes the claims that the next one sees. */
  let claimsTurn: Promise<unknown> = Promise.resolve()
  const turn = (): Promise<void> => cluster.turn()
  const inTurn = (key: string): Promise<ScheduleResult> => {
    const pod = pods.byKey(key)
    if (pod === undefined || claimsOf(pod).length === 0) return attempt(key)
    const next = claimsTurn.then(() => attempt(key))
    claimsTurn = next
    return next
  }
  cluster.onReady(() => queue.run(cluster.signal, turn, inTurn))

  async function attempt(key: string): Promise<ScheduleResult> {
    const pod = pods.byKey(key)
    if (pod === undefined || !isPending(pod)) return 'done'
    let result: ScheduleResult = 'failed'
    await cluster.attempt(`schedule pod ${key}`, async () => (result = await schedule(pod)))
    return result
  }

  async function schedule(pod: Pod): Promise<ScheduleResult> {
    const entries = [...ledger.entries()]
    const facts: TopologyFacts = {
      entries,
      repelling: ledger.repelling,
      node: (name) => ledger.node(name),
      namespaceLabels: (name) => labelsOf(namespaces.get('', name) ?? {}),
    }
    const problem = volumes.problemOf(pod)
    const choice = problem === undefined ? choose(pod, facts, volumes.filter(pod)) : undefined
    if (choice !== undefined && 'node' in choice) return assign(pod, choice.node.metadata.name ?? '')
    const message =
      choice === undefined
        ? unfitForAll(entries.length, problem!)
        : unfitMessage(choice.refusals, cluster.options.level)
    await refuse(pod, 'Unschedulable', message)
    return 'unfit'
  }

  /** Binds the volumes of the pod, and the pod to the node. A failure is reported in the status of the pod, and the pod is tried again. */
  async function assign(pod: Pod, nodeName: string): Promise<ScheduleResult> {
    const forget = ledger.assume(pod, nodeName)
    let isOver = false
    try {
      if (!(await volumes.bind(pod, nodeName))) return 'unfit'
      await bind(pod, nodeName)
      isOver = true
      return 'done'
    } catch (error) {
      if (cluster.signal.aborted) throw error
      const { namespace = '', name = '' } = pod.metadata
      cluster.parts.log.warn({ err: error, namespace, pod: name }, 'could not assign a pod to its node, will retry')
      await refuse(pod, 'SchedulerError', `running Bind plugin "DefaultBinder": ${reasonOf(error)}`)
      return 'failed'
    } finally {
      // The pod is gone, or has another node.
      if (forget() && isOver) queue.tryAgain()
    }
  }

  /** Binds the pod to the node, unless the pod is gone or has a node. */
  async function bind(pod: Pod, nodeName: string): Promise<void> {
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
      if (isReason(error, 'NotFound', 'Conflict')) return
      throw error
    }
    const key = { resource: pods.resource.stored, namespace, name }
    const { item } = await registry.store.get(key, { kind: 'latest' }, cluster.signal)
    if (item?.kind === 'object') pods.note(item)
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`
    cluster.events.record({ about: pod, component: NAME, reason: 'Scheduled', message, action: 'Binding' })
  }

  async function refuse(pod: Pod, reason: 'Unschedulable' | 'SchedulerError', message: string): Promise<void> {
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
      reason,
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

type Choice = { readonly node: NodeEntry['node'] } | { readonly refusals: readonly Refusal[] }

/** The node for the pod, or the reasons why there is none. */
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
  return best === undefined ? { refusals } : { node: best.node }
}

/** The message if no node was examined. */
function unfitForAll(nodes: number, why: string): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  // The reference ends its message with these words.
  return `0/${nodes} nodes are available: ${why}. not found`
}

function unfitMessage(refusals: readonly Refusal[], level: ApiLevel): string {
  if (refusals.length === 0) return 'no nodes available to schedule pods'
  const all = refusals.length
  const final = refusals.filter(({ isFinal }) => isFinal).length
  const preemption = counted([
    ...Array.from({ length: final }, () => 'Preemption is not helpful for scheduling'),
    ...Array.from({ length: all - final }, () => 'No preemption victims found for incoming pod'),
  ])
  const why = counted(refusals.flatMap(({ reasons }) => reasons))
  return `0/${all} nodes are available: ${why}. ${BEFORE_PREEMPTION[level]}preemption: 0/${all} nodes are available: ${preemption}.`
}

/** The reasons with their numbers, in the order of the texts: `1 Insufficient cpu, 2 Too many pods`. */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}
