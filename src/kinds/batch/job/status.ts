// Validation of the status of jobs: consistent counts, and terminal conditions that are not reverted.
import { OMITTED, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  integerOrZero,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../../api/members.ts'
import { specOf, statusOf } from '../../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { placedTexts } from '../../shared/placed-items.ts'
import { overlap, parseIndexes } from './indexes.ts'

const STATUS = FieldPath.root('status')
const CONDITIONS = STATUS.child('conditions')

interface Job {
  readonly spec: ValueMap
  readonly status: ValueMap
  readonly is: (type: string) => boolean
}

function jobOf(object: ValueMap): Job {
  const status = statusOf(object)
  const holding = mapsInPlace(status, 'conditions').filter((condition) => textOrEmpty(condition, 'status') === 'True')
  const held = new Set(holding.map((condition) => textOrEmpty(condition, 'type')))
  return { spec: specOf(object), status, is: (type) => held.has(type) }
}

/** Newer rules are only enforced on fields that changed. */
interface Changed {
  readonly finished: boolean
  readonly complete: boolean
  readonly failed: boolean
  readonly member: (name: string) => boolean
}

export function checkJobStatus(object: ValueMap, stored: ValueMap, check: Check): void {
  const job = jobOf(object)
  const old = jobOf(stored)
  const changed: Changed = {
    complete: job.is('Complete') !== old.is('Complete'),
    failed: job.is('Failed') !== old.is('Failed'),
    finished: isFinished(job) !== isFinished(old),
    member: (name) => !equalValues(job.status[name] ?? null, old.status[name] ?? null),
  }
  checkCounts(job, check)
  checkEnds(job, changed, check)
  checkIndexSets(job, changed, check)
  checkCriteria(job, check)
  checkTransitions(job, old, check)
}

function isFinished({ is }: Job): boolean {
  return is('Complete') || is('Failed')
}

function checkCounts({ status }: Job, check: Check): void {
  check.fields(status, STATUS, 'batch_v1.JobStatus', 'active', 'succeeded', 'failed', 'ready', 'terminating')
  const uncounted = mapOrAbsent(status, 'uncountedTerminatedPods')
  if (uncounted === undefined) return
  const seen = new Set<string>()
  for (const field of ['succeeded', 'failed']) {
    for (const [uid, at] of placedTexts(uncounted, field, STATUS.child('uncountedTerminatedPods'))) {
      if (uid === '') check.invalid(at, uid, 'must not be empty')
      else check.unique(seen, uid, at)
    }
  }
}

function refuse(detail: string, check: Check): void {
  check.invalid(CONDITIONS, OMITTED, detail)
}

function checkNotBoth({ is }: Job, one: string, other: string, check: Check): void {
  if (is(one) && is(other)) refuse(`cannot set ${one}=True and ${other}=true conditions`, check)
}

function checkNeeds({ is }: Job, one: string, other: string, check: Check): void {
  if (is(one) && !is(other)) refuse(`cannot set ${one}=True condition without the ${other}=true condition`, check)
}

function checkEnds(job: Job, changed: Changed, check: Check): void {
  const { status, is } = job
  const complete = is('Complete')
  const done = status['completionTime'] ?? undefined
  const doneAt = STATUS.child('completionTime')
  if (changed.complete || changed.failed) checkNotBoth(job, 'Complete', 'Failed', check)
  if (changed.complete) checkNotBoth(job, 'Complete', 'FailureTarget', check)
  const timed = changed.complete || changed.member('completionTime')
  if (timed && done !== undefined && !complete) {
    check.invalid(doneAt, done, 'cannot set completionTime when there is no Complete=True condition')
  }
  if (timed && done === undefined && complete) check.required(doneAt, 'completionTime is required for Complete jobs')
  const started = textOrAbsent(status, 'startTime')
  if (changed.member('completionTime') || changed.member('startTime')) {
    if (started !== undefined && typeof done === 'string' && Date.parse(done) < Date.parse(started)) {
      check.invalid(doneAt, done, 'must be equal to or after `startTime`')
    }
  }
  if (changed.failed) checkNeeds(job, 'Failed', 'FailureTarget', check)
  if (changed.complete) checkNeeds(job, 'Complete', 'SuccessCriteriaMet', check)
  if (isFinished(job)) checkFinished(job, changed, check)
  const ready = integerOrAbsent(status, 'ready')
  if (ready !== undefined && ready > integerOrZero(status, 'active') && changed.member('ready')) {
    check.invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active')
  }
}

function checkFinished({ status }: Job, changed: Changed, check: Check): void {
  const checkNone = (field: string): void => {
    const count = integerOrZero(status, field)
    if (count > 0 && (changed.finished || changed.member(field))) {
      check.invalid(STATUS.child(field), count, `${field}>0 is invalid for finished job`)
    }
  }
  checkNone('active')
  if (!isGiven(status, 'startTime') && (changed.finished || changed.member('startTime'))) {
    check.required(STATUS.child('startTime'), 'startTime is required for finished job')
  }
  const uncounted = mapOrEmpty(status, 'uncountedTerminatedPods')
  const pending = textsInPlace(uncounted, 'succeeded').length + textsInPlace(uncounted, 'failed').length
  if (pending > 0 && (changed.finished || changed.member('uncountedTerminatedPods'))) {
    check.invalid(STATUS.child('uncountedTerminatedPods'), shownJson(uncounted), 'must be empty for finished job')
  }
  checkNone('terminating')
}

function checkIndexSets({ spec, status }: Job, changed: Changed, check: Check): void {
  const completions = integerOrAbsent(spec, 'completions')
  const completed = textOrEmpty(status, 'completedIndexes')
  const failed = textOrAbsent(status, 'failedIndexes')
  const completedAt = STATUS.child('completedIndexes')
  const failedAt = STATUS.child('failedIndexes')
  const newCompleted = changed.member('completedIndexes')
  const newFailed = changed.member('failedIndexes')
  if (!newCompleted && !newFailed) return
  const done = completions === undefined ? undefined : parseIndexes(completed, Number(completions))
  const lost = completions === undefined || failed === undefined ? undefined : parseIndexes(failed, Number(completions))
  if (newCompleted && done?.ok === false) {
    check.invalid(completedAt, completed, `error parsing completedIndexes: ${done.message}`)
  }
  if (newFailed && lost?.ok === false && isGiven(spec, 'backoffLimitPerIndex')) {
    check.invalid(failedAt, failed, `error parsing failedIndexes: ${lost.message}`)
  }
  if (newCompleted && completed !== '' && textOrAbsent(spec, 'completionMode') !== 'Indexed') {
    check.invalid(completedAt, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode')
  }
  if (newFailed && failed !== undefined && !isGiven(spec, 'backoffLimitPerIndex')) {
    check.invalid(failedAt, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')
  }
  if (done?.ok === true && lost?.ok === true && overlap(done.intervals, lost.intervals)) {
    check.invalid(failedAt, failed, 'failedIndexes and completedIndexes overlap')
  }
}

function checkCriteria(job: Job, check: Check): void {
  const { spec, is } = job
  checkNotBoth(job, 'SuccessCriteriaMet', 'Failed', check)
  checkNotBoth(job, 'SuccessCriteriaMet', 'FailureTarget', check)
  if (isGiven(spec, 'successPolicy') && !is('SuccessCriteriaMet') && is('Complete')) {
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True', check)
  }
}

function checkTransitions(job: Job, old: Job, check: Check): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (old.is(type) && !job.is(type)) refuse(`cannot disable the terminal ${type}=True condition`, check)
  }
  for (const field of ['failed', 'succeeded']) {
    const count = integerOrZero(job.status, field)
    if (count < integerOrZero(old.status, field)) {
      check.invalid(STATUS.child(field), count, `cannot decrease the ${field} counter`)
    }
  }
  const done = textOrAbsent(job.status, 'completionTime')
  const before = textOrAbsent(old.status, 'completionTime')
  if (done !== undefined && before !== undefined) check.unchanged(STATUS.child('completionTime'), done, before)
  const started = textOrAbsent(job.status, 'startTime')
  const startedBefore = textOrAbsent(old.status, 'startTime')
  if (startedBefore !== undefined && startedBefore !== started && !isTrue(job.spec, 'suspend')) {
    check.invalid(STATUS.child('startTime'), started, 'field is immutable for unsuspended job once set')
  }
  if (old.is('SuccessCriteriaMet') && !job.is('SuccessCriteriaMet')) {
    refuse('cannot disable the SuccessCriteriaMet=True condition', check)
  }
  if (old.is('Complete') && !old.is('SuccessCriteriaMet') && job.is('SuccessCriteriaMet')) {
    refuse('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions', check)
  }
}
