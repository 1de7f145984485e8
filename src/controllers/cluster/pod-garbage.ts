// Ends the pods that no node ends: deleted pods without a node, and pods of a node that does not exist.
import type { Pod } from '../../api/gen/kinds.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import type { Cluster } from './cluster-state.ts'
import { hasEnded } from './ownership.ts'

/** A node may come back within this time. */
const QUARANTINE_MS = 40_000

export function podGarbage(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const nodes = cluster.follow('core_v1.Node')
  /** The times at which nodes were first missed. */
  const missing = new Map<string, number>()
  const queue = cluster.queue('pod-garbage-collector', pods, async (pod) => {
    const { nodeName = '' } = pod.spec
    if (nodeName === '') return isTerminating(pod) ? end(pod, pod.status.conditions) : undefined
    if (nodes.get('', nodeName) !== undefined) return
    const since = missing.get(nodeName) ?? cluster.nowMs
    missing.set(nodeName, since)
    const left = since + QUARANTINE_MS - cluster.nowMs
    if (left > 0) queue.addAfter(pod, left)
    else await end(pod, disrupted(pod))
  })
  nodes.listen({
    changed: ({ metadata }) => missing.delete(metadata.name ?? ''),
    gone: ({ metadata }) => {
      for (const pod of pods.all()) if (pod.spec.nodeName === metadata.name) queue.add(pod)
    },
  })

  /** A pod that did not succeed fails first, because its controller may wait for a final phase. */
  async function end(pod: Pod, conditions: Pod['status']['conditions']): Promise<void> {
    if (!hasEnded(pod.status)) await cluster.setStatus(pods, pod, { ...pod.status, phase: 'Failed', conditions })
    await cluster.remove(pods, pod, { graceSeconds: 0 })
  }

  function disrupted({ status }: Pod): Pod['status']['conditions'] {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: cluster.now,
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    }
    return [...(status.conditions ?? []).filter(({ type }) => type !== condition.type), condition]
  }
}
