// Validation of the status of jobs: consistent counts, and terminal conditions that are not reverted.
import { OMITTED, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Job, JobStatus } from '../../../api/gen/kinds.ts'
import { equalValues } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { overlap, parseIndexes } from './indexes.ts'

const STATUS = FieldPath.root<JobStatus>('status')
const CONDITIONS = STATUS.child('conditions')

/** A job whose conditions are looked up by type. */
interface AskedJob extends Pick<Job, 'spec' | 'status'> {
  readonly is: (type: string) => boolean
}

function asked({ spec, status }: Job): AskedJob {
  const held = new Set(status.conditions?.filter((one) => one.status === 'True').map(({ type }) => type))
  return { spec, status, is: (type) => held.has(type) }
}

/** The parts of the status that an update changed. Newer rules are only enforced on these parts. */
interface Changed {
  readonly finished: boolean
  readonly complete: boolean
  readonly failed: boolean
  readonly failureTarget: boolean
  readonly criteriaMet: boolean
  readonly member: (name: keyof JobStatus) => boolean
}

export function checkJobStatus(object: Job, stored: Job, check: Check): void {
  const job = asked(object)
  const old = asked(stored)
  const changed: Changed = {
    complete: job.is('Complete') !== old.is('Complete'),
    failed: job.is('Failed') !== old.is('Failed'),
    failureTarget: job.is('FailureTarget') !== old.is('FailureTarget'),
    criteriaMet: job.is('SuccessCriteriaMet') !== old.is('SuccessCriteriaMet'),
    finished: isFinished(job) !== isFinished(old),
    member: (name) => !equalValues(job.status[name] ?? null, old.status[name] ?? null),
  }
  checkCounts(job, check)
  checkEnds(job, changed, check)
  checkIndexSets(job, changed, check)
  checkCriteria(job, check)
  checkTransitions(job, old, check)
}

function isFinished({ is }: AskedJob): boolean {
  return is('Complete') || is('Failed')
}

function checkCounts({ status }: AskedJob, check: Check): void {
  check.fields(status, STATUS, 'batch_v1.JobStatus', 'active', 'succeeded', 'failed', 'ready', 'terminating')
  check.part(status, 'uncountedTerminatedPods', STATUS, (uncounted, place) => {
    const seen = new Set<string>()
    for (const field of ['succeeded', 'failed'] as const) {
      for (const [i, uid] of (uncounted[field] ?? []).entries()) {
        const at = place.child(field).index(i)
        if (uid === '') check.invalid(at, uid, 'must not be empty')
        else check.unique(seen, uid, at)
      }
    }
  })
}

function refuse(detail: string, check: Check): void {
  check.invalid(CONDITIONS, OMITTED, detail)
}

function checkNotBoth({ is }: AskedJob, one: string, other: string, check: Check): void {
  if (is(one) && is(other)) refuse(`cannot set ${one}=True and ${other}=true conditions`, check)
}

function checkNeeds({ is }: AskedJob, one: string, other: string, check: Check): void {
  if (is(one) && !is(other)) refuse(`cannot set ${one}=True condition without the ${other}=true condition`, check)
}

function checkEnds(job: AskedJob, changed: Changed, check: Check): void {
  const { status, is } = job
  const complete = is('Complete')
  const { completionTime: done, startTime: started, active = 0, ready } = status
  const doneAt = STATUS.child('completionTime')
  if (changed.complete || changed.failed) checkNotBoth(job, 'Complete', 'Failed', check)
  if (changed.complete || changed.failureTarget) checkNotBoth(job, 'Complete', 'FailureTarget', check)
  const timed = changed.complete || changed.member('completionTime')
  if (timed && done !== undefined && !complete) {
    check.invalid(doneAt, done, 'cannot set completionTime when there is no Complete=True condition')
  }
  if (timed && done === undefined && complete) check.required(doneAt, 'completionTime is required for Complete jobs')
  if (changed.member('completionTime') || changed.member('startTime')) {
    if (started !== undefined && done !== undefined && Date.parse(done) < Date.parse(started)) {
      check.invalid(doneAt, done, 'must be equal to or after `startTime`')
    }
  }
  if (changed.failed || changed.member('failedIndexes')) checkNeeds(job, 'Failed', 'FailureTarget', check)
  if (changed.complete || changed.criteriaMet) checkNeeds(job, 'Complete', 'SuccessCriteriaMet', check)
  if (isFinished(job)) checkFinished(job, changed, check)
  if (ready !== undefined && ready > active && (changed.member('ready') || changed.member('active'))) {
    check.invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active')
  }
}

function checkFinished({ spec, status }: AskedJob, changed: Changed, check: Check): void {
  const checkNone = (field: 'active' | 'terminating'): void => {
    const count = status[field] ?? 0
    if (count > 0 && (changed.finished || changed.member(field))) {
      check.invalid(STATUS.child(field), count, `${field}>0 is invalid for finished job`)
    }
  }
  checkNone('active')
  const neverStarts = spec.suspend === true && spec.completions === 0
  if (status.startTime === undefined && !neverStarts && (changed.finished || changed.member('startTime'))) {
    check.required(STATUS.child('startTime'), 'startTime is required for finished job')
  }
  const { uncountedTerminatedPods: uncounted = {} } = status
  const pending = (uncounted.succeeded?.length ?? 0) + (uncounted.failed?.length ?? 0)
  if (pending > 0 && (changed.finished || changed.member('uncountedTerminatedPods'))) {
    check.invalid(STATUS.child('uncountedTerminatedPods'), shownJson(uncounted), 'must be empty for finished job')
  }
  checkNone('terminating')
}

function checkIndexSets({ spec, status }: AskedJob, changed: Changed, check: Check): void {
  const { completions, completionMode, backoffLimitPerIndex } = spec
  const { completedIndexes: completed = '', failedIndexes: failed } = status
  const completedAt = STATUS.child('completedIndexes')
  const failedAt = STATUS.child('failedIndexes')
  const newCompleted = changed.member('completedIndexes')
  const newFailed = changed.member('failedIndexes')
  if (!newCompleted && !newFailed) return
  const done = completions === undefined ? undefined : parseIndexes(completed, completions)
  const lost = completions === undefined || failed === undefined ? undefined : parseIndexes(failed, completions)
  if (newCompleted && done?.ok === false) {
    check.invalid(completedAt, completed, `error parsing completedIndexes: ${done.message}`)
  }
  if (newFailed && lost?.ok === false && backoffLimitPerIndex !== undefined) {
    check.invalid(failedAt, failed, `error parsing failedIndexes: ${lost.message}`)
  }
  if (newCompleted && completed !== '' && completionMode !== 'Indexed') {
    check.invalid(completedAt, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode')
  }
  if (newFailed && failed !== undefined && backoffLimitPerIndex === undefined) {
    check.invalid(failedAt, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')
  }
  if (done?.ok === true && lost?.ok === true && overlap(done.intervals, lost.intervals)) {
    check.invalid(failedAt, failed, 'failedIndexes and completedIndexes overlap')
  }
}

function checkCriteria(job: AskedJob, check: Check): void {
  const { spec, is } = job
  checkNotBoth(job, 'SuccessCriteriaMet', 'Failed', check)
  checkNotBoth(job, 'SuccessCriteriaMet', 'FailureTarget', check)
  if (spec.successPolicy !== undefined && !is('SuccessCriteriaMet') && is('Complete')) {
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True', check)
  }
}

/** Users may take the last indexes away from such a Job. The counts of these indexes are then removed too. */
function isElastic({ spec: { completionMode, completions, parallelism } }: AskedJob): boolean {
  return completionMode === 'Indexed' && completions === parallelism
}

function isFalse({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === 'False')
}

function checkTransitions(job: AskedJob, old: AskedJob, check: Check): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (old.is(type) && !job.is(type)) refuse(`cannot disable the terminal ${type}=True condition`, check)
  }
  for (const field of ['failed', 'succeeded'] as const) {
    const count = job.status[field] ?? 0
    if (field === 'succeeded' && isElastic(job)) continue
    if (count < (old.status[field] ?? 0)) {
      check.invalid(STATUS.child(field), count, `cannot decrease the ${field} counter`)
    }
  }
  const { completionTime: done, startTime: started } = job.status
  const { completionTime: before, startTime: startedBefore } = old.status
  if (done !== undefined && before !== undefined) check.unchanged(STATUS.child('completionTime'), done, before)
  const isResuming = old.is('Suspended') && isFalse(job.status, 'Suspended')
  if (startedBefore !== undefined && startedBefore !== started && job.spec.suspend !== true && !isResuming) {
    check.invalid(STATUS.child('startTime'), started, 'field is immutable for unsuspended job once set')
  }
  if (old.is('SuccessCriteriaMet') && !job.is('SuccessCriteriaMet')) {
    refuse('cannot disable the SuccessCriteriaMet=True condition', check)
  }
  if (old.is('Complete') && !old.is('SuccessCriteriaMet') && job.is('SuccessCriteriaMet')) {
    refuse('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions', check)
  }
}
