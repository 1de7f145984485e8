// The status of PodDisruptionBudgets: the number of pods that may be disrupted now.
import type { Condition, OwnerReference, Pod, PodDisruptionBudget } from '../../api/gen/kinds.ts'
import type { ReplicationController, StatefulSet } from '../../api/gen/kinds.ts'
import { metaText } from '../../api/object-members.ts'
import { matchesLabels } from '../../api/selector.ts'
import { entriesOf } from '../../api/value.ts'
import { countOf } from './amounts.ts'
import type { Cluster } from './cluster-state.ts'
import { controllerOf } from './followed.ts'
import { hasEnded, isReady, selectorOf } from './ownership.ts'

/** An evicted pod that still exists counts as disrupted for this time. */
const DISRUPTED_MS = 120_000

export function disruptionBudgets(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const sets = cluster.follow('apps_v1.ReplicaSet')
  const deployments = cluster.follow('apps_v1.Deployment')
  const stateful = cluster.follow('apps_v1.StatefulSet')
  const controllers = cluster.follow('core_v1.ReplicationController')
  const budgets = cluster.follow('policy_v1.PodDisruptionBudget')
  const queue = cluster.queue('disruption', budgets, async (budget) => {
    const selected = [...pods.in(budget.metadata.namespace ?? '')].filter((pod) => isAbout(budget, pod))
    if (selected.length === 0) {
      const message = 'No matching pods found'
      cluster.events.record({ about: budget, component: 'controllermanager', reason: 'NoPods', message })
    }
    const disrupted = stillDisrupted(budget, selected)
    const healthy = selected.filter(
      (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined && !disrupted.has(pod.metadata.name ?? ''),
    )
    const { expected, desired } = counts(budget, selected)
    const allowed = expected <= 0 ? 0 : Math.max(0, healthy.length - desired)
    await cluster.setStatus(budgets, budget, {
      observedGeneration: budget.metadata.generation,
      ...(disrupted.size === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
      disruptionsAllowed: allowed,
      currentHealthy: healthy.length,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: conditionsOf(budget, allowed),
    })
    if (disrupted.size > 0) queue.addAfter(budget, DISRUPTED_MS)
  })
  const tell = (pod: Pod): void => {
    for (const budget of budgets.in(pod.metadata.namespace ?? '')) if (isAbout(budget, pod)) queue.add(budget)
  }
  pods.listen({
    changed: (pod, before) => {
      tell(pod)
      if (before !== undefined && before.metadata.labels !== pod.metadata.labels) tell(before)
    },
    gone: tell,
  })
  const tellOfScale = (owner: { readonly metadata: { readonly namespace?: string } }): void => {
    for (const budget of budgets.in(owner.metadata.namespace ?? '')) queue.add(budget)
  }
  for (const scaled of [deployments, stateful, controllers]) scaled.listen({ changed: tellOfScale, gone: tellOfScale })

  function otherScaled(
    { kind, name }: OwnerReference,
    namespace: string,
  ): StatefulSet | ReplicationController | undefined {
    if (kind === 'StatefulSet') return stateful.get(namespace, name)
    return kind === 'ReplicationController' ? controllers.get(namespace, name) : undefined
  }

  /** The sum of the sizes that the controllers of the pods should have. Each controller counts once. */
  function scaleOf(selected: readonly Pod[]): number {
    const scales = new Map<string, number>()
    for (const pod of selected) {
      const owner = controllerOf(pod)
      if (owner === undefined) continue
      const namespace = pod.metadata.namespace ?? ''
      const set = owner.kind === 'ReplicaSet' ? sets.get(namespace, owner.name) : undefined
      const above = set === undefined ? undefined : controllerOf(set)
      const deployment = above?.kind === 'Deployment' ? deployments.get(namespace, above.name) : undefined
      const scaled = deployment ?? set ?? otherScaled(owner, namespace)
      if (scaled !== undefined) scales.set(metaText(scaled, 'uid'), scaled.spec.replicas ?? 1)
    }
    return [...scales.values()].reduce((sum, one) => sum + one, 0)
  }

  function counts({ spec }: PodDisruptionBudget, selected: readonly Pod[]): { expected: number; desired: number } {
    const { minAvailable, maxUnavailable } = spec
    if (maxUnavailable !== undefined) {
      const expected = scaleOf(selected)
      return { expected, desired: Math.max(0, expected - countOf(maxUnavailable, expected, 'up')) }
    }
    if (typeof minAvailable === 'string') {
      const expected = scaleOf(selected)
      return { expected, desired: countOf(minAvailable, expected, 'up') }
    }
    // A budget without an amount allows nothing.
    return minAvailable === undefined
      ? { expected: 0, desired: 0 }
      : { expected: selected.length, desired: minAvailable }
  }

  function stillDisrupted({ status }: PodDisruptionBudget, selected: readonly Pod[]): ReadonlyMap<string, string> {
    const known = entriesOf(status.disruptedPods ?? {}).flatMap(([name, time]): readonly [string, string][] => {
      const pod = selected.find(({ metadata }) => metadata.name === name)
      const isPending = pod !== undefined && pod.metadata.deletionTimestamp === undefined
      return isPending && time !== null && Date.parse(time) + DISRUPTED_MS > cluster.nowMs ? [[name, time]] : []
    })
    return new Map(known)
  }

  function conditionsOf({ metadata, status }: PodDisruptionBudget, allowed: number): readonly Condition[] {
    const type = 'DisruptionAllowed'
    const { conditions = [] } = status
    const before = conditions.find((one) => one.type === type)
    const value = allowed > 0 ? 'True' : 'False'
    const made = {
      type,
      status: value,
      observedGeneration: metadata.generation ?? 0,
      lastTransitionTime: before?.status === value ? before.lastTransitionTime : cluster.now,
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    }
    return [...conditions.filter((one) => one !== before), made]
  }
}

/** Whether the budget selects the pod. Pods that have ended do not count. */
function isAbout(budget: PodDisruptionBudget, { metadata, status }: Pod): boolean {
  const selector = selectorOf(budget)
  return selector !== undefined && matchesLabels(selector, metadata.labels) && !hasEnded(status)
}
