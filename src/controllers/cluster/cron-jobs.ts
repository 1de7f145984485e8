// CronJobs: a Job for each time of their schedule.
import type { CronJob, Job } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { isReason } from '../writes.ts'
import { type Cluster, refusalOf } from './cluster-state.ts'
import { nextTime } from './cron-times.ts'
import { controllerOf } from './followed.ts'
import { isFinished } from './jobs.ts'
import { byAge, ownerReference } from './ownership.ts'

const COMPONENT = 'cronjob-controller'
const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
const MANY_MISSED = 100
/** If more times were missed, they are not examined one by one. */
const MOST_MISSED = 1000
const LATE_MS = 100

export function cronJobs(cluster: Cluster): void {
  const jobs = cluster.follow('batch_v1.Job')
  const followed = cluster.follow('batch_v1.CronJob')
  const queue = cluster.queue('cronjob', followed, sync)
  const tell = (job: Job): void => {
    const owner = controllerOf(job)
    if (owner?.kind !== 'CronJob') return
    const cron = followed.get(job.metadata.namespace ?? '', owner.name)
    if (cron?.metadata.uid === owner.uid) queue.add(cron)
  }
  jobs.listen({ changed: tell, gone: tell })

  /** Resolves to true if a Job was refused. */
  async function sync(found: CronJob): Promise<boolean> {
    const cron = await withFinished(found)
    if (cron === undefined || cron.metadata.deletionTimestamp !== undefined) return false
    await trim(cron)
    if (cron.spec.suspend === true) return false
    const due = dueTime(cron)
    const isRefused = due !== undefined && (await start(cron, due))
    const next = nextTime(cron.spec.schedule, cron.spec.timeZone, cluster.nowMs)
    if (next !== undefined) queue.addAfter(cron, next - cluster.nowMs + LATE_MS)
    return isRefused
  }

  const ownedBy = (cron: CronJob): readonly Job[] => jobs.ownedBy(cron.metadata.uid ?? '').toSorted(byAge)

  /** Removes finished and missing Jobs from the list of active Jobs. */
  async function withFinished(cron: CronJob): Promise<CronJob | undefined> {
    const { active = [] } = cron.status
    let { lastSuccessfulTime } = cron.status
    const left = active.filter(({ uid, name }) => {
      const job = ownedBy(cron).find(({ metadata }) => metadata.uid === uid)
      if (job !== undefined && !isFinished(job)) return true
      if (job === undefined) {
        tellOf(cron, 'MissingJob', `Active job went missing: ${name}`)
        return false
      }
      const isComplete = job.status.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True')
      tellOf(
        cron,
        'SawCompletedJob',
        `Saw completed job: ${name}, condition: ${isComplete === true ? 'Complete' : 'Failed'}`,
      )
      const { completionTime = '' } = job.status
      if (isComplete === true && completionTime > (lastSuccessfulTime ?? '')) lastSuccessfulTime = completionTime
      return false
    })
    if (left.length === active.length) return cron
    return cluster.setStatus(followed, cron, { ...cron.status, active: left, lastSuccessfulTime })
  }

  /** Deletes the oldest finished Jobs beyond the limits. */
  async function trim(cron: CronJob): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec
    const finished = ownedBy(cron).filter(isFinished)
    const isComplete = ({ status }: Job): boolean =>
      status.conditions?.some((one) => one.type === 'Complete' && one.status === 'True') === true
    const groups = [
      [finished.filter(isComplete), successfulJobsHistoryLimit],
      [finished.filter((job) => !isComplete(job)), failedJobsHistoryLimit],
    ] as const
    for (const [all, limit] of groups) {
      for (const job of all.slice(0, Math.max(0, all.length - limit))) await removeJob(cron, job)
    }
  }

  async function removeJob(cron: CronJob, job: Job): Promise<void> {
    if (await cluster.remove(jobs, job)) tellOf(cron, 'SuccessfulDelete', `Deleted job ${job.metadata.name}`)
  }

  /** The newest missed time. Earlier missed times are skipped. Undefined: no time was missed. */
  function dueTime(cron: CronJob): number | undefined {
    const { metadata, spec, status } = cron
    const { nowMs } = cluster
    const { schedule, timeZone, startingDeadlineSeconds: deadline } = spec
    const since = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp ?? '')
    const earliest = deadline === undefined ? since : Math.max(since, nowMs - Number(deadline) * 1000)
    let due: number | undefined
    let missed = 0
    for (
      let at = nextTime(schedule, timeZone, earliest);
      at !== undefined && at <= nowMs;
      at = nextTime(schedule, timeZone, at)
    ) {
      due = at
      missed += 1
      // A schedule with this many missed times is due at least once a day, so one day before now is enough.
      if (missed === MOST_MISSED) at = Math.max(at, nowMs - 24 * 3_600_000)
    }
    if (missed > MANY_MISSED) {
      const message = `too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew`
      cluster.events.record({
        about: cron,
        component: COMPONENT,
        type: 'Warning',
        reason: 'TooManyMissedTimes',
        message,
      })
    }
    return due
  }

  /** Starts the Job of a time, if the policies of the CronJob allow it. Resolves to true if the Job was refused. */
  async function start(cron: CronJob, dueMs: number): Promise<boolean> {
    const { concurrencyPolicy, startingDeadlineSeconds: deadline } = cron.spec
    const active = (cron.status.active ?? []).flatMap(({ uid }) =>
      ownedBy(cron).filter(({ metadata }) => metadata.uid === uid),
    )
    if (deadline !== undefined && dueMs + Number(deadline) * 1000 < cluster.nowMs) {
      const message = `Missed scheduled time to start a job: ${new Date(dueMs).toUTCString()}`
      tellOf(cron, 'MissSchedule', message, 'Warning')
      return false
    }
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
      tellOf(cron, 'JobAlreadyActive', message)
      return false
    }
    if (concurrencyPolicy === 'Replace') for (const job of active) await removeJob(cron, job)
    const job = await makeJob(cron, dueMs)
    if (job === 'refused' || job === 'taken') return job === 'refused'
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = job.metadata
    const kept = concurrencyPolicy === 'Replace' ? [] : (cron.status.active ?? [])
    const reference = { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid, resourceVersion }
    const lastScheduleTime = `${new Date(dueMs).toISOString().slice(0, 19)}Z`
    await cluster.setStatus(followed, cron, { ...cron.status, active: [...kept, reference], lastScheduleTime })
    return false
  }

  /** `taken`: a Job of another owner has the name. */
  async function makeJob(cron: CronJob, dueMs: number): Promise<Job | 'refused' | 'taken'> {
    const { jobTemplate } = cron.spec
    const { namespace = '' } = cron.metadata
    const name = `${cron.metadata.name}-${Math.floor(dueMs / 60_000)}`
    const annotations: Record<string, string> = {
      ...annotationsOf(jobTemplate),
      [SCHEDULED]: `${new Date(dueMs).toISOString().slice(0, 19)}Z`,
    }
    const meta = {
      namespace,
      name,
      labels: labelsOf(jobTemplate),
      annotations,
      ownerReferences: [ownerReference(cron)],
    }
    try {
      const job = await cluster.create(jobs, meta, { spec: jobTemplate.spec })
      tellOf(cron, 'SuccessfulCreate', `Created job ${name}`)
      return job
    } catch (error) {
      const known = jobs.get(namespace, name)
      if (isReason(error, 'AlreadyExists'))
        return known !== undefined && controllerOf(known)?.uid === cron.metadata.uid ? known : 'taken'
      tellOf(cron, 'FailedCreate', `Error creating job: ${refusalOf(error)}`, 'Warning')
      return 'refused'
    }
  }

  function tellOf(cron: CronJob, reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    cluster.events.record({ about: cron, component: COMPONENT, type, reason, message })
  }
}
