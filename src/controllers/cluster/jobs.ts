// Jobs: pods that run to their end. Each end is counted once: a finalizer keeps the pod until the status of the Job has its uid.
import type { Job, JobCondition, JobStatus, Pod } from '../../api/gen/kinds.ts'
import { annotationsOf, withMembers, withMeta } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { forEachAtOnce } from '../../lib/together.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import type { Cluster } from './cluster-state.ts'
import { controllerOf } from './followed.ts'
import { indexesIn, textOfIndexes } from './index-set.ts'
import { endByCounts, failureAction, hasFailed, indexOf, isIndexed, type JobEnd } from './job-rules.ts'
import { missingPods, surplusPods, TRACKING } from './job-pods.ts'
import { claimChildren, hasEnded, isReady, queueOwners } from './ownership.ts'
import { createPods, deletePods } from './pod-control.ts'

const COMPONENT = 'job-controller'
/** The largest number of pods that one step creates. */
const MOST_CREATED = 500
const FIRST_BACKOFF_MS = 10_000
const LONGEST_BACKOFF_MS = 600_000
const AT_ONCE = 16

const conditionOf = ({ conditions = [] }: JobStatus, type: string): JobCondition | undefined =>
  conditions.find((one) => one.type === type && one.status === 'True')

export function isFinished({ status }: Job): boolean {
  return conditionOf(status, 'Complete') !== undefined || conditionOf(status, 'Failed') !== undefined
}

const isTracked = ({ metadata }: Pod): boolean => (metadata.finalizers ?? []).includes(TRACKING)

export function jobs(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const followed = cluster.follow('batch_v1.Job')
  const queue = cluster.queue('job', followed, async (job) => {
    if (job.spec.managedBy !== undefined && job.spec.managedBy !== 'kubernetes.io/job-controller') return
    if (isFinished(job)) {
      await untrack(pods.ownedBy(job.metadata.uid ?? ''))
      return
    }
    await new JobSync(job, await claimChildren(cluster, pods, job)).run()
  })
  queueOwners(pods, followed, queue)

  // No Job counts these pods any more, because their Job is gone. So their finalizer is removed.
  const orphans = cluster.queue('job-orphans', pods, async (pod) => {
    const owner = controllerOf(pod)
    if (!isTracked(pod) || (owner !== undefined && owner.kind !== 'Job')) return
    const job = owner === undefined ? undefined : followed.get(pod.metadata.namespace ?? '', owner.name)
    if (job === undefined || job.metadata.uid !== owner?.uid) await untrack([pod])
  })
  followed.listen({
    changed: () => {},
    gone: ({ metadata }) => {
      for (const pod of pods.ownedBy(metadata.uid ?? '')) orphans.add(pod)
    },
  })

  async function untrack(all: readonly Pod[]): Promise<void> {
    const tracked = all.filter(isTracked)
    await forEachAtOnce(tracked, { most: AT_ONCE, signal: cluster.signal }, (pod) =>
      cluster.update(pods, pod, (live) => {
        const finalizers = (live.metadata.finalizers ?? []).filter((one) => one !== TRACKING)
        return withMeta(live, { finalizers: finalizers.length === 0 ? undefined : finalizers })
      }),
    )
  }

  class JobSync {
    readonly #job: Job
    readonly #pods: readonly Pod[]
    readonly #owner: { readonly object: Job; readonly component: string }
    #status: JobStatus

    constructor(job: Job, owned: readonly Pod[]) {
      this.#job = job
      this.#pods = owned
      this.#owner = { object: job, component: COMPONENT }
      this.#status = job.status
    }

    /** Counts ended pods, judges the Job, then makes or deletes pods. Each change that it makes leads to another call. */
    async run(): Promise<void> {
      const { spec } = this.#job
      const isSuspended = spec.suspend === true
      if (this.#status.startTime === undefined && !isSuspended) this.#set({ startTime: cluster.now })
      this.#count()
      const counted = this.#uncounted()
      const active = this.#pods.filter((pod) => !hasEnded(pod.status) && !isTerminating(pod))
      const end = this.#judge(active, counted)
      if (end !== undefined) await deletePods(cluster, pods, this.#owner, active)
      else if (isSuspended) await this.#suspend(active)
      else await this.#resume()
      this.#set(this.#figures(end !== undefined || isSuspended ? [] : active))
      const written = await cluster.setStatus(followed, this.#job, this.#status)
      if (written === undefined) return
      await untrack(counted)
      if (end === undefined && !isSuspended && !isTerminating(this.#job)) await this.#manage(active)
      this.#waitForDeadline()
    }

    #set(members: { readonly [K in keyof JobStatus]?: JobStatus[K] | undefined }): void {
      this.#status = withMembers(this.#status, members)
    }

    /** Counts the pods that are noted in the status, and have lost their finalizer since. */
    #count(): void {
      const { succeeded = [], failed = [] } = this.#status.uncountedTerminatedPods ?? {}
      const stillTracked = new Set(this.#pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ''))
      const left = (uids: readonly string[]): readonly string[] => uids.filter((uid) => stillTracked.has(uid))
      const [succeededLeft, failedLeft] = [left(succeeded), left(failed)]
      const more = (before = 0, uids: readonly string[], kept: readonly string[]): number | undefined =>
        before + uids.length - kept.length || undefined
      this.#set({
        succeeded: isIndexed(this.#job)
          ? this.#status.succeeded
          : more(this.#status.succeeded, succeeded, succeededLeft),
        failed: more(this.#status.failed, failed, failedLeft),
        uncountedTerminatedPods: listed(succeededLeft, failedLeft),
      })
    }

    /** Notes the ended pods in the status. Returns all noted pods, whose finalizers are removed next. */
    #uncounted(): readonly Pod[] {
      const { succeeded = [], failed = [] } = this.#status.uncountedTerminatedPods ?? {}
      const [newSucceeded, newFailed] = [[...succeeded], [...failed]]
      // Users may take the last indexes away from a Job: their results do not count any more.
      const { completions = 0 } = this.#job.spec
      const done = indexesIn(this.#status.completedIndexes, completions)
      const lost = indexesIn(this.#status.failedIndexes, completions)
      const noted: Pod[] = []
      for (const pod of this.#pods.filter(isTracked)) {
        const uid = pod.metadata.uid ?? ''
        const isDone = pod.status.phase === 'Succeeded'
        if (!isDone && !hasFailed(pod, this.#job)) continue
        noted.push(pod)
        if (succeeded.includes(uid) || failed.includes(uid)) continue
        const index = indexOf(pod)
        if (isDone && isIndexed(this.#job)) {
          if (index !== undefined && index < completions) done.add(index)
        } else if (isDone) newSucceeded.push(uid)
        else if (failureAction(pod, this.#job).action !== 'Ignore') {
          newFailed.push(uid)
          if (index !== undefined && this.#isIndexLost(pod)) lost.add(index)
        }
      }
      const hasLimitPerIndex = this.#job.spec.backoffLimitPerIndex !== undefined
      this.#set({
        uncountedTerminatedPods: listed(newSucceeded, newFailed),
        ...(isIndexed(this.#job)
          ? { completedIndexes: textOfIndexes(done) || undefined, succeeded: done.size || undefined }
          : {}),
        ...(hasLimitPerIndex ? { failedIndexes: textOfIndexes(lost) } : {}),
      })
      return noted
    }

    #isIndexLost(pod: Pod): boolean {
      const { backoffLimitPerIndex: limit } = this.#job.spec
      if (limit === undefined) return false
      const before = Number(own(annotationsOf(pod), 'batch.kubernetes.io/job-index-failure-count') ?? 0)
      return before >= limit || failureAction(pod, this.#job).action === 'FailIndex'
    }

    /** The reason why the Job ends. Undefined: the Job goes on. The Job is over when all of its pods have ended. */
    #judge(active: readonly Pod[], noted: readonly Pod[]): JobEnd | undefined {
      const found = this.#endFound() ?? this.#endNow(active)
      if (found === undefined) return undefined
      const { isFailure, reason, message } = found
      const target = isFailure ? 'FailureTarget' : 'SuccessCriteriaMet'
      this.#condition(target, reason, message)
      const isOver = active.length === 0 && noted.length === 0 && !this.#pods.some((pod) => !hasEnded(pod.status))
      if (isOver) {
        this.#condition(isFailure ? 'Failed' : 'Complete', reason, message)
        // A Job that was suspended from the start has no start time, which every ended Job needs.
        if (this.#status.startTime === undefined) this.#set({ startTime: cluster.now })
        if (!isFailure) this.#set({ completionTime: cluster.now })
        const type = isFailure ? 'Warning' : 'Normal'
        const event = isFailure ? { reason, message } : { reason: 'Completed', message: 'Job completed' }
        cluster.events.record({ about: this.#job, component: COMPONENT, type, ...event })
      }
      return found
    }

    #endFound(): JobEnd | undefined {
      const found = conditionOf(this.#status, 'FailureTarget') ?? conditionOf(this.#status, 'SuccessCriteriaMet')
      if (found === undefined) return undefined
      const { reason = '', message = '' } = found
      return { isFailure: found.type === 'FailureTarget', reason, message }
    }

    #endNow(active: readonly Pod[]): JobEnd | undefined {
      for (const pod of this.#pods) {
        const found = pod.status.phase === 'Failed' ? failureAction(pod, this.#job) : undefined
        if (found?.action === 'FailJob') return { isFailure: true, reason: 'PodFailurePolicy', message: found.message }
      }
      const { uncountedTerminatedPods: { succeeded = [], failed = [] } = {} } = this.#status
      const withNoted: JobStatus = {
        ...this.#status,
        succeeded: (this.#status.succeeded ?? 0) + succeeded.length,
        failed: (this.#status.failed ?? 0) + failed.length,
      }
      return endByCounts(this.#job, withNoted, active, cluster.nowMs)
    }

    #condition(type: string, reason: string, message: string, status = 'True'): void {
      const { conditions = [] } = this.#status
      const before = conditions.find((one) => one.type === type)
      if (before?.status === status) return
      const { now } = cluster
      const made = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message }
      this.#set({ conditions: [...conditions.filter((one) => one !== before), made] })
    }

    async #suspend(active: readonly Pod[]): Promise<void> {
      await this.#giveUp(active)
      if (conditionOf(this.#status, 'Suspended') !== undefined) return
      this.#condition('Suspended', 'JobSuspended', 'Job suspended')
      this.#set({ startTime: undefined })
      cluster.events.record({ about: this.#job, component: COMPONENT, reason: 'Suspended', message: 'Job suspended' })
    }

    /** Deletes the pods. Removes their finalizers first, so that their ends do not count as failures. */
    async #giveUp(active: readonly Pod[]): Promise<void> {
      await untrack(active)
      await deletePods(cluster, pods, this.#owner, active)
    }

    async #resume(): Promise<void> {
      if (conditionOf(this.#status, 'Suspended') === undefined) return
      this.#condition('Suspended', 'JobResumed', 'Job resumed', 'False')
      this.#set({ startTime: cluster.now })
      cluster.events.record({ about: this.#job, component: COMPONENT, reason: 'Resumed', message: 'Job resumed' })
    }

    #figures(active: readonly Pod[]): Partial<JobStatus> {
      const terminating = this.#pods.filter((pod) => isTerminating(pod) && !hasEnded(pod.status)).length
      return { active: active.length, ready: active.filter(isReady).length, terminating }
    }

    /** Makes missing pods and deletes surplus ones. Failed pods are replaced after a pause that grows. */
    async #manage(active: readonly Pod[]): Promise<void> {
      const { parallelism = 1, completions } = this.#job.spec
      const { succeeded = 0, uncountedTerminatedPods: { succeeded: noted = [] } = {} } = this.#status
      const done = succeeded + noted.length
      const wanted =
        completions === undefined
          ? done > 0
            ? active.length
            : parallelism
          : Math.min(parallelism, Math.max(0, completions - done))
      const surplus = surplusPods(this.#job, active, wanted, cluster.nowMs)
      if (surplus.length > 0) return this.#giveUp(surplus)
      const replaced =
        this.#job.spec.podReplacementPolicy === 'Failed' || this.#job.spec.podFailurePolicy !== undefined
          ? this.#pods.filter((pod) => !hasEnded(pod.status)).length
          : active.length
      if (replaced >= wanted) return
      const left = this.#backoffMs()
      if (left > 0) return queue.addAfter(this.#job, left)
      // The new pods lead to the next step.
      const count = Math.min(wanted - replaced, MOST_CREATED)
      const made = missingPods(this.#job, { status: this.#status, pods: this.#pods, active, count })
      if ((await createPods(cluster, pods, this.#owner, made)) !== undefined)
        queue.addAfter(this.#job, FIRST_BACKOFF_MS)
    }

    #backoffMs(): number {
      const ends = this.#pods
        .filter(({ status }) => hasEnded(status))
        .map((pod) => ({ isFailure: pod.status.phase === 'Failed', atMs: endOf(pod) }))
        .toSorted((a, b) => b.atMs - a.atMs)
      const last = ends.findIndex(({ isFailure }) => !isFailure)
      const failures = last === -1 ? ends.length : last
      if (failures === 0 || this.#job.spec.backoffLimitPerIndex !== undefined) return 0
      return ends[0]!.atMs + Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS) - cluster.nowMs
    }

    #waitForDeadline(): void {
      const { activeDeadlineSeconds: seconds } = this.#job.spec
      const { startTime } = this.#status
      if (seconds === undefined || startTime === undefined) return
      const left = Date.parse(startTime) + Number(seconds) * 1000 - cluster.nowMs
      if (left > 0) queue.addAfter(this.#job, left)
    }
  }
}

function listed(
  succeeded: readonly string[],
  failed: readonly string[],
): JobStatus['uncountedTerminatedPods'] & object {
  return { ...(succeeded.length === 0 ? {} : { succeeded }), ...(failed.length === 0 ? {} : { failed }) }
}

function endOf({ status, metadata }: Pod): number {
  const ends = (status.containerStatuses ?? []).map(({ state }) => Date.parse(state.terminated?.finishedAt ?? ''))
  const known = ends.filter((end) => !Number.isNaN(end))
  return known.length === 0
    ? Date.parse(metadata.deletionTimestamp ?? metadata.creationTimestamp ?? '')
    : Math.max(...known)
}
