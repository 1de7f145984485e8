// Deployments: a ReplicaSet for each template, and the steps from the old ReplicaSets to the new one.
import type { Deployment, ReplicaSet } from '../../api/gen/kinds.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import type { Cluster } from './cluster-state.ts'
import { deploymentStatus, progressWait, withPauseCondition } from './deployment-status.ts'
import { byAge, claimChildren, queueOwners } from './ownership.ts'
import { Rollout } from './rollout.ts'

export function deployments(cluster: Cluster): void {
  const sets = cluster.follow('apps_v1.ReplicaSet')
  const followed = cluster.follow('apps_v1.Deployment')
  const pods = cluster.follow('core_v1.Pod')
  const queue = cluster.queue('deployment', followed, async (found) => {
    const { matchLabels, matchExpressions = [] } = found.spec.selector ?? {}
    if (matchExpressions.length === 0 && isEmpty(matchLabels)) return false
    const claimed = [...(await claimChildren(cluster, sets, found))].sort(byAge)
    if (isTerminating(found)) {
      await report(found, claimed)
      return false
    }
    const deployment = await withPauseCondition(cluster, followed, found)
    if (deployment === undefined) return false
    const rollout = new Rollout(cluster, { deployments: followed, sets, pods }, deployment, claimed)
    await rollout.sync()
    await report(rollout.deployment, rollout.sets, rollout)
    return rollout.isRefused
  })
  queueOwners(sets, followed, queue)
  // A Recreate rollout goes on when the last old pod is gone.
  pods.listen({
    changed: () => {},
    gone: (pod) => {
      for (const { kind, name, uid, controller } of pod.metadata.ownerReferences ?? []) {
        if (kind !== 'ReplicaSet' || controller !== true) continue
        const set = sets.get(pod.metadata.namespace ?? '', name)
        const owner =
          set?.metadata.uid === uid ? set?.metadata.ownerReferences?.find((one) => one.controller) : undefined
        const deployment = owner && followed.get(pod.metadata.namespace ?? '', owner.name)
        if (deployment?.spec.strategy.type === 'Recreate') queue.add(deployment)
      }
    },
  })

  async function report(deployment: Deployment, all: readonly ReplicaSet[], rollout?: Rollout): Promise<void> {
    const status = deploymentStatus(deployment, all, {
      now: cluster.now,
      nowMs: cluster.nowMs,
      newSet: rollout?.newSet,
      isOnlyScaled: rollout?.isOnlyScaled ?? true,
      found: rollout?.found,
    })
    const written = await cluster.setStatus(followed, deployment, status)
    const wait = written === undefined ? undefined : progressWait(written, cluster.nowMs)
    if (wait !== undefined) queue.addAfter(deployment, wait)
  }
}

function isEmpty(map: object | undefined): boolean {
  return map === undefined || Object.keys(map).length === 0
}
