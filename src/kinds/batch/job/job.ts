// Jobs: pods that run to completion.
import type { ValueMap } from '../../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../../codec/tables/column.ts'
import { ageOf, humanDuration, type Now } from '../../../codec/tables/elapsed.ts'
import { at, conditionHolds, numberAt, textAt } from '../../../codec/tables/reading.ts'
import type { Kind } from '../../kind.ts'
import { containerColumns, selectorColumn } from '../../shared/pod-spec/template-columns.ts'
import { DEFAULTS } from './defaults.ts'
import { STRATEGY } from './strategy.ts'
import { VALIDATION } from './validation.ts'

function jobStatus(job: ValueMap): string {
  const holds = (type: string): boolean => conditionHolds(job, type, 'status', 'conditions')
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running'
}

function completions(job: ValueMap): string {
  const succeeded = numberAt(job, 'status', 'succeeded')
  const wanted = at(job, 'spec', 'completions')
  if (wanted !== undefined) return `${succeeded}/${numberAt(wanted)}`
  const parallelism = numberAt(job, 'spec', 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(job: ValueMap, now: Now): string {
  const start = textAt(job, 'status', 'startTime')
  if (start === '') return ''
  const end = textAt(job, 'status', 'completionTime')
  return end === '' ? ageOf(start, now) : humanDuration(Date.parse(end) - Date.parse(start))
}

export const JOB: Kind = {
  validation: VALIDATION,
  defaults: DEFAULTS,
  strategy: STRATEGY,
  columns: tableOf([
    NAME,
    column('Status', 'How far the job has come.', jobStatus),
    column('Completions', 'How many pods succeeded, of how many that must.', completions),
    column('Duration', 'How long it ran, or has been running.', jobDuration),
    AGE,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ]),
}
