// Jobs: pods that run to completion.
import type { Job } from '../../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../../codec/tables/column.ts'
import { ageOf, humanDuration, type Now } from '../../../codec/tables/elapsed.ts'
import { conditionHolds } from '../../../codec/tables/reading.ts'
import { type Kind, typedKind } from '../../kind.ts'
import { containerColumns, selectorColumn } from '../../shared/pod-spec/template-columns.ts'
import { DEFAULTS } from './defaults.ts'
import { STRATEGY } from './strategy.ts'
import { checkGenerated, rulesWith } from './validation.ts'

function jobStatus(job: Job): string {
  const holds = (type: string): boolean => conditionHolds(job, type, 'status', 'conditions')
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running'
}

function completions({ spec: { completions: wanted, parallelism = 0 }, status: { succeeded = 0 } }: Job): string {
  if (wanted !== undefined) return `${succeeded}/${wanted}`
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration({ status: { startTime: start, completionTime: end } }: Job, now: Now): string {
  if (start === undefined) return ''
  return end === undefined ? ageOf(start, now) : humanDuration(Date.parse(end) - Date.parse(start))
}

export const JOB: Kind = typedKind<Job>({
  validation: rulesWith(checkGenerated),
  // From 1.37 on, updates do not check the generated selector and labels: they cannot change anyway.
  since: { '1.37': { validation: rulesWith(() => {}) } },
  defaults: DEFAULTS,
  strategy: STRATEGY,
  columns: tableOf([
    NAME,
    column('Status', 'The state of the job.', jobStatus),
    column('Completions', 'The number of succeeded pods and the number of required pods.', completions),
    column('Duration', 'The time for which the job ran, or has been running.', jobDuration),
    AGE,
    ...containerColumns<Job>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ]),
})
