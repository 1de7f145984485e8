// Deletes finished Jobs after their time to live.
import type { Cluster } from './cluster-state.ts'
import { isFinished } from './jobs.ts'

export function finishedJobs(cluster: Cluster): void {
  const followed = cluster.follow('batch_v1.Job')
  const queue = cluster.queue('ttl-after-finished', followed, async (job) => {
    const { ttlSecondsAfterFinished: seconds } = job.spec
    if (seconds === undefined || !isFinished(job) || job.metadata.deletionTimestamp !== undefined) return
    const end = job.status.conditions?.find(
      ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
    )
    const left = Date.parse(end?.lastTransitionTime ?? '') + seconds * 1000 - cluster.nowMs
    if (left > 0) queue.addAfter(job, left)
    else await cluster.remove(followed, job, { propagation: 'Foreground' })
  })
}
