// Cron jobs: jobs that are created on a schedule.
import { FieldPath } from '../../api/field-path.ts'
import type { CronJob, CronJobSpec, JobSpec } from '../../api/gen/kinds.ts'
import { AGE, boolean, column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import { orNone } from '../../codec/tables/reading.ts'
import { absent, always, blank, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import { shownSelector } from '../../schema/validation/labels.ts'
import { METADATA } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { type GatedField, gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { containerColumns, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { jobWarnings } from '../shared/pod-spec/template-warnings.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { withNameWarnings } from '../shared/warnings.ts'
import { scheduleFault } from './cron-schedule.ts'
import { podFailurePolicy } from './job/defaults.ts'
import { checkJobSpec } from './job/validation.ts'

const SPEC = FieldPath.root<CronJobSpec>('spec')

/** The longest name: a label value, minus the timestamp suffix that job names get. */
const MAX_NAME = 52
/** The reference has no limit. A longer schedule can only repeat its minutes, hours, days and months. */
const MAX_SCHEDULE_BYTES = 64 * 1024

function checkCronJob({ metadata, spec }: CronJob, check: Check, stored?: CronJob): void {
  const { schedule, timeZone: zone } = spec
  check.fields(spec, SPEC, 'batch_v1.CronJobSpec', 'schedule')
  // The schedule may have been stored with a zone, before zones in schedules were refused.
  const keepsZone = stored?.spec.schedule.includes('TZ') === true
  if (longerThan(schedule, MAX_SCHEDULE_BYTES)) check.tooLong(SPEC.child('schedule'), MAX_SCHEDULE_BYTES)
  else if (schedule !== '') checkSchedule(schedule, zone, keepsZone, check)
  check.fields(spec, SPEC, 'batch_v1.CronJobSpec', 'startingDeadlineSeconds')
  if (zone !== undefined && zone !== stored?.spec.timeZone) checkZone(zone, check)
  check.fields(spec, SPEC, 'batch_v1.CronJobSpec', 'concurrencyPolicy')
  checkTemplate(spec.jobTemplate.spec, check, stored?.spec.jobTemplate.spec)
  check.fields(spec, SPEC, 'batch_v1.CronJobSpec', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit')
  const { name = '' } = metadata
  if (stored === undefined && longerThan(name, MAX_NAME)) {
    check.invalid(METADATA.child('name'), name, `must be no more than ${MAX_NAME} characters`)
  }
}

function checkSchedule(schedule: string, zone: string | undefined, keepsZone: boolean, check: Check): void {
  const at = SPEC.child('schedule')
  const fault = scheduleFault(schedule)
  if (fault !== undefined) check.invalid(at, schedule, fault)
  if (!schedule.includes('TZ')) return
  if (!keepsZone) check.invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')
  else if (zone !== undefined) {
    check.invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')
  }
}

function checkZone(zone: string, check: Check): void {
  const at = SPEC.child('timeZone')
  if (zone === '') check.invalid(at, zone, 'timeZone must be nil or non-empty string')
  else if (!zone.split('/').every(isZonePart)) check.invalid(at, zone, `unknown time zone ${zone}`)
  else if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    check.invalid(at, zone, detail)
  } else if (!isZone(zone)) check.invalid(at, zone, `unknown time zone ${zone}`)
}

function isZonePart(part: string): boolean {
  return part !== '.' && part !== '..' && !part.startsWith('-') && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part)
}

function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The selector of a job is generated, so the template must have no selector. */
function checkTemplate(spec: JobSpec, check: Check, stored: JobSpec | undefined): void {
  const at = SPEC.child('jobTemplate').child('spec')
  checkJobSpec(spec, at, check, stored)
  const { selector, manualSelector } = spec
  if (selector !== undefined) {
    check.invalid(at.child('selector'), shownSelector(selector), '`selector` will be auto-generated')
  }
  if (manualSelector === true) check.notSupported(at.child('manualSelector'), true, ['nil', 'false'])
}

const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

function suspended({ spec: { suspend } }: CronJob): string {
  return suspend === undefined ? '<unset>' : suspend ? 'True' : 'False'
}

const GATED: readonly GatedField[] = [
  ...gatedPodFields('spec/jobTemplate/spec/template/spec'),
  ...gatedFields('batch_v1.CronJob', 'spec/jobTemplate/spec/scheduling'),
]

export const CRON_JOB: Kind = typedKind<CronJob>({
  validation: { ...builtInRules({ object: checkCronJob }), subresources: { status: () => undefined } },
  defaults: within({
    spec: always({
      concurrencyPolicy: blank('Allow'),
      suspend: absent(false),
      successfulJobsHistoryLimit: absent(3),
      failedJobsHistoryLimit: absent(1),
      jobTemplate: always({ spec: always({ podFailurePolicy, template: always(podTemplate) }) }),
    }),
  }),
  strategy: withGatedFields(GATED, {
    ...WORKLOAD,
    warnings: (object, stored, context) => [
      ...withNameWarnings(jobWarnings<CronJob>('spec.jobTemplate.spec', ({ spec }) => spec.jobTemplate.spec))(
        object,
        stored,
        context,
      ),
      ...(object.spec.schedule.includes('TZ') ? [ZONE_IN_SCHEDULE] : []),
    ],
  }),
  columns: tableOf([
    NAME,
    column('Schedule', 'The schedule of the jobs, in the format of cron.', ({ spec }) => spec.schedule),
    column('Timezone', 'The time zone of the schedule.', ({ spec }) => orNone(spec.timeZone ?? '')),
    boolean('Suspend', 'Whether the schedule is suspended.', suspended),
    integer('Active', 'The number of running jobs.', ({ status }) => status.active?.length ?? 0),
    column('Last Schedule', 'The time since the last job was made.', ({ status: { lastScheduleTime: last } }, now) =>
      last === undefined ? '<none>' : ageOf(last, now),
    ),
    AGE,
    ...containerColumns<CronJob>(({ spec }) => spec.jobTemplate.spec.template),
    selectorColumn(({ spec }) => spec.jobTemplate.spec.selector),
  ]),
  olderVersions: { 'batch/v1beta1': 'same' },
})
