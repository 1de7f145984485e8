// DaemonSets: a pod on each node that admits it, assigned by the scheduler. Pods with an old template are replaced a few at a time.
import type { DaemonSet, Node, NodeSelectorRequirement, Pod, Toleration } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { countOf } from './amounts.ts'
import type { Cluster } from './cluster-state.ts'
import { matchesNode, untolerated } from './node-filters.ts'
import { availableIn, byAge, claimChildren, hasEnded, isReady, queueOwners } from './ownership.ts'
import { createPods, deletePods, type NewPod } from './pod-control.ts'
import { syncHistory, trimHistory } from './revisions.ts'

const COMPONENT = 'daemonset-controller'
const HASH = 'controller-revision-hash'
const GENERATION = 'deprecated.daemonset.template.generation'
const NODE = 'node.kubernetes.io/'

/** Daemons stay on nodes that are in trouble. */
const TOLERATIONS: readonly Toleration[] = [
  { key: `${NODE}not-ready`, operator: 'Exists', effect: 'NoExecute' },
  { key: `${NODE}unreachable`, operator: 'Exists', effect: 'NoExecute' },
  { key: `${NODE}disk-pressure`, operator: 'Exists', effect: 'NoSchedule' },
  { key: `${NODE}memory-pressure`, operator: 'Exists', effect: 'NoSchedule' },
  { key: `${NODE}pid-pressure`, operator: 'Exists', effect: 'NoSchedule' },
  { key: `${NODE}unschedulable`, operator: 'Exists', effect: 'NoSchedule' },
]
const NETWORK: Toleration = { key: `${NODE}network-unavailable`, operator: 'Exists', effect: 'NoSchedule' }

export function daemonSets(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const nodes = cluster.follow('core_v1.Node')
  const sets = cluster.follow('apps_v1.DaemonSet')
  const revisions = cluster.follow('apps_v1.ControllerRevision')
  const queue = cluster.queue('daemonset', sets, async (set) => {
    if (
      Object.keys(set.spec.selector?.matchLabels ?? {}).length + (set.spec.selector?.matchExpressions ?? []).length ===
      0
    )
      return false
    const history = await syncHistory(cluster, revisions, set, HASH)
    if (history === undefined) return true
    const hash = own(labelsOf(history.newest), HASH) ?? ''
    const owned = await claimChildren(cluster, pods, set)
    const refusal = isTerminating(set) ? undefined : await manage(set, owned, hash)
    const now = await claimChildren(cluster, pods, set)
    await report(set, now, hash)
    const used = new Set(now.map((pod) => `${set.metadata.name}-${own(labelsOf(pod), HASH)}`))
    await trimHistory(cluster, revisions, history, { limit: set.spec.revisionHistoryLimit, used })
    return refusal !== undefined
  })
  queueOwners(pods, sets, queue)
  const everySet = (): void => {
    for (const set of sets.all()) queue.add(set)
  }
  nodes.listen({
    changed: (node, before) => {
      if (
        before === undefined ||
        JSON.stringify([node.spec, node.metadata.labels]) !== JSON.stringify([before.spec, before.metadata.labels])
      )
        everySet()
    },
    gone: everySet,
  })

  async function manage(set: DaemonSet, owned: readonly Pod[], hash: string): Promise<string | undefined> {
    const byNode = Map.groupBy(owned, nodeOf)
    const surge = surgeOf(set, wantedNodes(set))
    const surplus: Pod[] = []
    const missing: Node[] = []
    for (const node of nodes.all()) {
      const there = byNode.get(node.metadata.name ?? '') ?? []
      byNode.delete(node.metadata.name ?? '')
      const living = there.filter((pod) => !isTerminating(pod))
      const { runs, stays } = placing(set, node)
      if (!stays) {
        surplus.push(...living)
        continue
      }
      const ended = living.filter(({ status }) => hasEnded(status))
      surplus.push(...ended)
      const rest = living.filter((pod) => !ended.includes(pod)).toSorted(byAge)
      if (there.length > 0) surplus.push(...replaced(set, rest, hash, { missing, node, surge }))
      else if (runs) missing.push(node)
    }
    // Pods of nodes that are gone.
    for (const left of byNode.values()) surplus.push(...left.filter((pod) => !isTerminating(pod) && nodeOf(pod) !== ''))
    const owner = { object: set, component: COMPONENT }
    surplus.push(...outdated(set, owned, hash, surplus))
    await deletePods(cluster, pods, owner, surplus)
    return createPods(
      cluster,
      pods,
      owner,
      missing.map((node) => madePod(set, node, hash)),
    )
  }

  /** The surplus pods of a node. With surge, a new pod runs beside an old one until the new pod is available. */
  function replaced(
    set: DaemonSet,
    rest: readonly Pod[],
    hash: string,
    { missing, node, surge }: { readonly missing: Node[]; readonly node: Node; readonly surge: number },
  ): readonly Pod[] {
    const isNew = (pod: Pod): boolean => own(labelsOf(pod), HASH) === hash
    const [current, old] = [rest.filter(isNew), rest.filter((pod) => !isNew(pod))]
    if (surge === 0) return rest.slice(1)
    const isAvailable = (pod: Pod): boolean => availableIn(pod, set.spec.minReadySeconds ?? 0, cluster.nowMs) === 0
    if (current.some(isAvailable)) return [...old, ...current.slice(1)]
    // The limit is about old pods that are available.
    const hasRoom = (): boolean => !old.some(isAvailable) || surgingNow(set, hash) + missing.length < surge
    if (current.length === 0 && old.length > 0 && hasRoom()) missing.push(node)
    return [...old.slice(1), ...current.slice(1)]
  }

  /** The number of nodes on which the set wants pods. */
  function wantedNodes(set: DaemonSet): number {
    return [...nodes.all()].filter((node) => placing(set, node).runs).length
  }

  function surgingNow(set: DaemonSet, hash: string): number {
    const byNode = Map.groupBy(pods.ownedBy(set.metadata.uid ?? ''), nodeOf)
    return [...byNode.values()].filter(
      (there) => there.length > 1 && there.some((pod) => own(labelsOf(pod), HASH) === hash),
    ).length
  }

  /** The old pods that can be deleted: unavailable pods, and available pods while at most `maxUnavailable` pods are not available. */
  function outdated(set: DaemonSet, owned: readonly Pod[], hash: string, surplus: readonly Pod[]): readonly Pod[] {
    const { type, rollingUpdate } = set.spec.updateStrategy
    const wanted = wantedNodes(set)
    if (type !== 'RollingUpdate' || surgeOf(set, wanted) > 0) return []
    const most = countOf(rollingUpdate?.maxUnavailable, wanted, 'up')
    const living = owned.filter((pod) => !isTerminating(pod) && !surplus.includes(pod))
    const isAvailable = (pod: Pod): boolean => availableIn(pod, set.spec.minReadySeconds ?? 0, cluster.nowMs) === 0
    const old = living.filter((pod) => own(labelsOf(pod), HASH) !== hash).toSorted(byAge)
    let room = most - (wanted - living.filter(isAvailable).length)
    const chosen = old.filter((pod) => !isAvailable(pod))
    for (const pod of old.filter(isAvailable)) if (room-- > 0) chosen.push(pod)
    return chosen
  }

  async function report(set: DaemonSet, owned: readonly Pod[], hash: string): Promise<void> {
    const { minReadySeconds = 0 } = set.spec
    const byNode = Map.groupBy(
      owned.filter((pod) => !isTerminating(pod)),
      nodeOf,
    )
    const counts = { desired: 0, scheduled: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 }
    for (const node of nodes.all()) {
      const there = byNode.get(node.metadata.name ?? '') ?? []
      const isWanted = placing(set, node).runs
      if (!isWanted) {
        if (there.length > 0) counts.misscheduled += 1
        continue
      }
      counts.desired += 1
      const [oldest] = there.toSorted(byAge)
      if (oldest === undefined) continue
      counts.scheduled += 1
      const wait = there.map((pod) => availableIn(pod, minReadySeconds, cluster.nowMs)).find((one) => one !== undefined)
      if (there.some(isReady)) counts.ready += 1
      if (wait === 0) counts.available += 1
      else if (wait !== undefined) queue.addAfter(set, wait)
      if (there.some((pod) => own(labelsOf(pod), HASH) === hash)) counts.updated += 1
    }
    await cluster.setStatus(sets, set, {
      currentNumberScheduled: counts.scheduled,
      numberMisscheduled: counts.misscheduled,
      desiredNumberScheduled: counts.desired,
      numberReady: counts.ready,
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: counts.updated,
      numberAvailable: counts.available,
      numberUnavailable: counts.desired - counts.available,
      collisionCount: set.status.collisionCount,
      conditions: set.status.conditions,
    })
  }
}

function surgeOf({ spec }: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = spec.updateStrategy
  return type === 'RollingUpdate' ? countOf(rollingUpdate?.maxSurge, nodes, 'up') : 0
}

/** The node of a pod, or the node that it waits for. */
function nodeOf({ spec }: Pod): string {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return (
    terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name')?.values?.[0] ?? ''
  )
}

/** Whether a daemon pod starts on the node, and whether a running one may stay. */
function placing({ spec }: DaemonSet, node: Node): { readonly runs: boolean; readonly stays: boolean } {
  const { template } = spec
  const { nodeName = '' } = template.spec
  const tolerations = tolerationsOf(template.spec)
  const isWanted =
    (nodeName === '' || nodeName === node.metadata.name) && matchesNode({ spec: template.spec } as Pod, node)
  const stays = isWanted && untolerated(node, tolerations, ['NoExecute']) === undefined
  return { stays, runs: stays && untolerated(node, tolerations, ['NoSchedule', 'NoExecute']) === undefined }
}

function tolerationsOf(spec: DaemonSet['spec']['template']['spec']): readonly Toleration[] {
  const given = spec.tolerations ?? []
  const more = [...TOLERATIONS, ...(spec.hostNetwork === true ? [NETWORK] : [])]
  const isGiven = ({ key, effect }: Toleration): boolean =>
    given.some((one) => one.key === key && one.effect === effect && one.operator === 'Exists')
  return [...given, ...more.filter((one) => !isGiven(one))]
}

function madePod(set: DaemonSet, { metadata }: Node, hash: string): NewPod {
  const { template } = set.spec
  const field: NodeSelectorRequirement = { key: 'metadata.name', operator: 'In', values: [metadata.name ?? ''] }
  const { affinity = {} } = template.spec
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = required === undefined ? [{}] : (required.nodeSelectorTerms ?? [])
  const nodeAffinity = {
    ...affinity.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [field] })),
    },
  }
  const generation = own(annotationsOf(set), GENERATION)
  const labels: Record<string, string> = {
    ...labelsOf(template),
    [HASH]: hash,
    ...(generation === undefined ? {} : { 'pod-template-generation': generation }),
  }
  return {
    template,
    metadata: { labels },
    spec: { affinity: { ...affinity, nodeAffinity }, tolerations: tolerationsOf(template.spec) },
  }
}
