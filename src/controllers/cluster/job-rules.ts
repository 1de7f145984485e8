// The effect of ended pods on a Job: its policies for failures and success.
import type { Job, JobStatus, Pod } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { indexesIn } from './index-set.ts'

export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index'
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count'

/** The reason why a Job is over. */
export interface JobEnd {
  readonly isFailure: boolean
  readonly reason: string
  readonly message: string
}

export interface FailureAction {
  readonly action: string
  readonly message: string
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed'
}

export function indexOf(pod: Pod): number | undefined {
  const text = own(annotationsOf(pod), COMPLETION_INDEX) ?? own(labelsOf(pod), COMPLETION_INDEX)
  return text === undefined ? undefined : Number(text)
}

export function hasFailed(pod: Pod, { spec }: Job): boolean {
  const { phase } = pod.status
  if (phase === 'Failed') return true
  // With these policies, a pod counts as failed when it has ended, and not when it is deleted.
  if (spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined) return false
  return pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded'
}

/** The action of the first rule that matches a failed pod. */
export function failureAction({ metadata, status }: Pod, { spec }: Job): FailureAction {
  for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const { action, onExitCodes, onPodConditions = [] } = rule
    if (onExitCodes !== undefined) {
      const { containerName, operator, values } = onExitCodes
      const ended = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(
        ({ name, state }) => {
          const code = state.terminated?.exitCode ?? 0
          if (code === 0 || (containerName !== undefined && containerName !== name)) return false
          return (values ?? []).includes(code) === (operator === 'In')
        },
      )
      if (ended !== undefined) {
        const code = ended.state.terminated?.exitCode
        const message = `Container ${ended.name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${code} matching ${action} rule at index ${i}`
        return { action, message }
      }
      continue
    }
    for (const pattern of onPodConditions) {
      const found = status.conditions?.find((one) => one.type === pattern.type && one.status === pattern.status)
      if (found !== undefined) {
        const message = `Pod ${metadata.namespace}/${metadata.name} has condition ${pattern.type} matching ${action} rule at index ${i}`
        return { action, message }
      }
    }
  }
  return { action: 'Count', message: '' }
}

/** The end of the Job by the first satisfied rule of its success policy. Undefined: no rule is satisfied. */
export function successRule({ spec }: Job, { completedIndexes }: JobStatus): JobEnd | undefined {
  const done = indexesIn(completedIndexes)
  for (const [i, { succeededIndexes, succeededCount }] of (spec.successPolicy?.rules ?? []).entries()) {
    const wanted = succeededIndexes === undefined ? undefined : indexesIn(succeededIndexes)
    const matched = wanted === undefined ? done.size : [...wanted].filter((index) => done.has(index)).length
    if (matched < (succeededCount ?? wanted?.size ?? 0)) continue
    return { isFailure: false, reason: 'SuccessPolicy', message: `Matched rules at index ${i}` }
  }
  return undefined
}

/** The end of the Job by its counts of pods. Undefined: the Job goes on. */
export function endByCounts(job: Job, status: JobStatus, active: readonly Pod[], nowMs: number): JobEnd | undefined {
  const { spec } = job
  const { succeeded = 0, failed = 0, startTime } = status
  const byPolicy = successRule(job, status)
  if (byPolicy !== undefined) return byPolicy
  const fail = (reason: string, message: string): JobEnd => ({ isFailure: true, reason, message })
  const limit = spec.backoffLimit ?? 6
  const restarts = active
    .filter(({ status: { phase } }) => phase === 'Running' || phase === 'Pending')
    .flatMap(({ status: { initContainerStatuses = [], containerStatuses = [] } }) => [
      ...initContainerStatuses,
      ...containerStatuses,
    ])
    .reduce((sum, { restartCount }) => sum + restartCount, 0)
  const isRestartedTooOften =
    spec.template.spec.restartPolicy === 'OnFailure' && (limit === 0 ? restarts > 0 : restarts >= limit)
  if (failed > limit || isRestartedTooOften) {
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const { activeDeadlineSeconds: deadline, suspend } = spec
  if (deadline !== undefined && startTime !== undefined && suspend !== true) {
    if (nowMs >= Date.parse(startTime) + Number(deadline) * 1000) {
      return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
    }
  }
  const failedIndexes = indexesIn(status.failedIndexes)
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  }
  const { completions } = spec
  if (completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions) {
    return { isFailure: false, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
  }
  if (failedIndexes.size > 0 && failedIndexes.size + succeeded >= (completions ?? 0)) {
    return fail('FailedIndexes', 'Job has failed indexes')
  }
  return undefined
}
