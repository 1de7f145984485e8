// ReplicaSets and ReplicationControllers: as many pods as a set requests. Pods that matter least are deleted first.
import type { Pod, ReplicaSet, ReplicaSetCondition } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { entriesOf, own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { availableIn, claimChildren, isActive, queueOwners, readySince } from './ownership.ts'
import { createPods, deletePods } from './pod-control.ts'

/** The largest number of pods that one step creates or deletes. */
const MOST_CHANGED = 500
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

export function replicaSets(cluster: Cluster): void {
  controlReplicas(cluster, cluster.follow('apps_v1.ReplicaSet'), 'replicaset', 'replicaset-controller')
}

export function replicationControllers(cluster: Cluster): void {
  // The fields that this controller uses are those of a ReplicaSet. `selectorOf` knows the other form of the selector.
  const sets = cluster.follow('core_v1.ReplicationController') as unknown as Followed<ReplicaSet>
  controlReplicas(cluster, sets, 'replicationcontroller', 'replication-controller')
}

function controlReplicas(cluster: Cluster, sets: Followed<ReplicaSet>, name: string, component: string): void {
  const pods = cluster.follow('core_v1.Pod')
  const queue = cluster.queue(name, sets, async (set) => {
    const claimed = await claimChildren(cluster, pods, set)
    const owner = { object: set, component }
    const refusal = isTerminating(set) ? undefined : await scale(cluster, pods, owner, claimed.filter(isActive))
    // The pods that were created or deleted just now are known already.
    const now = await claimChildren(cluster, pods, set)
    await report(set, now, refusal)
    return refusal !== undefined
  })
  queueOwners(pods, sets, queue)

  async function report(set: ReplicaSet, all: readonly Pod[], refusal: string | undefined): Promise<void> {
    const current = all.filter(isActive)
    const { minReadySeconds = 0, template } = set.spec
    const waits = current.map((pod) => availableIn(pod, minReadySeconds, cluster.nowMs))
    const pending = waits.filter((wait) => wait !== undefined && wait > 0)
    if (pending.length > 0) queue.addAfter(set, Math.min(...(pending as number[])))
    const labels = entriesOf(labelsOf(template))
    await cluster.setStatus(sets, set, {
      replicas: current.length,
      fullyLabeledReplicas: current.filter((pod) => labels.every(([key, value]) => own(labelsOf(pod), key) === value))
        .length,
      readyReplicas: waits.filter((wait) => wait !== undefined).length,
      availableReplicas: waits.filter((wait) => wait === 0).length,
      ...(set.kind === 'ReplicaSet'
        ? { terminatingReplicas: all.filter((pod) => isTerminating(pod) && !isEnded(pod)).length }
        : {}),
      observedGeneration: set.metadata.generation,
      conditions: conditionsOf(set, { current, refusal, now: cluster.now }),
    })
  }
}

function isEnded({ status: { phase } }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

/** Creates or deletes pods. Returns the reason why a pod was refused. Undefined: none was. */
async function scale(
  cluster: Cluster,
  pods: Followed<Pod>,
  owner: { readonly object: ReplicaSet; readonly component: string },
  active: readonly Pod[],
): Promise<string | undefined> {
  const { replicas = 1, template } = owner.object.spec
  const missing = Math.min(replicas - active.length, MOST_CHANGED)
  if (missing > 0) {
    const made = Array.from({ length: missing }, () => ({ template }))
    return createPods(cluster, pods, owner, made)
  }
  const surplus = Math.min(-missing, MOST_CHANGED)
  if (surplus > 0) await deletePods(cluster, pods, owner, inOrderOfDeletion(active, cluster.nowMs).slice(0, surplus))
  return undefined
}

/**
 * Pods without a node come first. Then the order is by phase, by readiness and by the annotation for the cost. Then pods on a node with
 * more pods of the set come first, then pods that became ready later, restarted more often, or were created later. Ages are compared by
 * their order of magnitude.
 */
export function inOrderOfDeletion(pods: readonly Pod[], nowMs: number): readonly Pod[] {
  const onNode = new Map<string, number>()
  for (const { spec } of pods) onNode.set(spec.nodeName ?? '', (onNode.get(spec.nodeName ?? '') ?? 0) + 1)
  const age = (time: number | undefined): number =>
    time === undefined ? 0 : Math.floor(Math.log2(Math.max(1, (nowMs - time) / 1000)))
  const keyed = pods.map((pod) => ({
    pod,
    rank: [
      pod.spec.nodeName === undefined ? 0 : 1,
      ['Pending', 'Unknown', 'Running'].indexOf(pod.status.phase ?? ''),
      readySince(pod) === undefined ? 0 : 1,
      Number(own(annotationsOf(pod), DELETION_COST) ?? 0),
      -(onNode.get(pod.spec.nodeName ?? '') ?? 0),
      age(readySince(pod)),
      -Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
      age(Date.parse(pod.metadata.creationTimestamp ?? '')),
    ],
    uid: pod.metadata.uid ?? '',
  }))
  keyed.sort((a, b) => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i])
    if (at >= 0) return a.rank[at]! - b.rank[at]!
    return a.uid < b.uid ? -1 : 1
  })
  return keyed.map(({ pod }) => pod)
}

function conditionsOf(
  { spec, status }: ReplicaSet,
  { current, refusal, now }: { readonly current: readonly Pod[]; readonly refusal: string | undefined; now: string },
): readonly ReplicaSetCondition[] | undefined {
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure')
  const before = status.conditions?.find(({ type }) => type === 'ReplicaFailure')
  if (refusal === undefined) return others.length === 0 ? undefined : others
  if (before !== undefined) return status.conditions
  const reason = current.length < (spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete'
  const failure = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: now, reason, message: refusal }
  return [...others, failure]
}
