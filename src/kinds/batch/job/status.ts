// What the controller of jobs reports: counts that make sense, and ends that are not taken back.
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
import { equalValues, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { overlap, parseIndexes } from './indexes.ts'

const STATUS = FieldPath.root('status')
const CONDITIONS = STATUS.child('conditions')

interface Job {
  readonly spec: ValueMap
  readonly status: ValueMap
  readonly is: (type: string) => boolean
}

function jobOf(object: ValueMap): Job {
  const status = mapOrEmpty(object, 'status')
  const held = new Set(
    mapsInPlace(status, 'conditions')
      .filter((condition) => textOrEmpty(condition, 'status') === 'True')
      .map((condition) => textOrEmpty(condition, 'type')),
  )
  return { spec: mapOrEmpty(object, 'spec'), status, is: (type) => held.has(type) }
}

/** Rules that were not always there hold only where what they speak of changed. */
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
    const list = STATUS.child('uncountedTerminatedPods').child(field)
    for (const [i, uid] of textsInPlace(uncounted, field).entries()) {
      if (uid === '') check.invalid(list.index(i), uid, 'must not be empty')
      else if (seen.has(uid)) check.duplicate(list.index(i), uid)
      seen.add(uid)
    }
  }
}

function refuse(detail: string, check: Check): void {
  check.invalid(CONDITIONS, OMITTED, detail)
}

function checkEnds(job: Job, changed: Changed, check: Check): void {
  const { status, is } = job
  const complete = is('Complete')
  const failed = is('Failed')
  const ended = changed.complete || changed.failed
  const done = status['completionTime'] ?? undefined
  const doneAt = STATUS.child('completionTime')
  if (ended && complete && failed) refuse('cannot set Complete=True and Failed=true conditions', check)
  if (changed.complete && complete && is('FailureTarget')) {
    refuse('cannot set Complete=True and FailureTarget=true conditions', check)
  }
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
  if (changed.failed && failed && !is('FailureTarget')) {
    refuse('cannot set Failed=True condition without the FailureTarget=true condition', check)
  }
  if (changed.complete && complete && !is('SuccessCriteriaMet')) {
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition', check)
  }
  if (isFinished(job)) checkFinished(job, changed, check)
  const ready = integerOrAbsent(status, 'ready')
  if (ready !== undefined && ready > integerOrZero(status, 'active') && changed.member('ready')) {
    check.invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active')
  }
}

function checkFinished({ status }: Job, changed: Changed, check: Check): void {
  const active = integerOrZero(status, 'active')
  if (active > 0 && (changed.finished || changed.member('active'))) {
    check.invalid(STATUS.child('active'), active, 'active>0 is invalid for finished job')
  }
  if (!isGiven(status, 'startTime') && (changed.finished || changed.member('startTime'))) {
    check.required(STATUS.child('startTime'), 'startTime is required for finished job')
  }
  const uncounted = mapOrEmpty(status, 'uncountedTerminatedPods')
  const pending = textsInPlace(uncounted, 'succeeded').length + textsInPlace(uncounted, 'failed').length
  if (pending > 0 && (changed.finished || changed.member('uncountedTerminatedPods'))) {
    check.invalid(STATUS.child('uncountedTerminatedPods'), shownJson(uncounted), 'must be empty for finished job')
  }
  const terminating = integerOrZero(status, 'terminating')
  if (terminating > 0 && (changed.finished || changed.member('terminating'))) {
    check.invalid(STATUS.child('terminating'), terminating, 'terminating>0 is invalid for finished job')
  }
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

function checkCriteria({ spec, is }: Job, check: Check): void {
  const met = is('SuccessCriteriaMet')
  if (met && is('Failed')) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions', check)
  if (met && is('FailureTarget')) refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions', check)
  if (isGiven(spec, 'successPolicy') && !met && is('Complete')) {
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
  if (done !== undefined && before !== undefined && done !== before) {
    check.invalid(STATUS.child('completionTime'), done, 'field is immutable')
  }
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
