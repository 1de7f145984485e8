// The tables of what makes pods: apps, batch, autoscaling, replication controllers and pod templates.
import type { Value, ValueMap } from '../../api/value.ts'
import {
  AGE,
  boolean,
  column,
  count,
  integer,
  length,
  NAME,
  NAME_DESCRIPTION,
  nameOf,
  tableOf,
  type TableShapes,
  text,
  wide,
} from '../../codec/tables/column.ts'
import { ageOf, humanDuration, type Now } from '../../codec/tables/elapsed.ts'
import {
  at,
  conditionHolds,
  firstOf,
  labelText,
  listAt,
  mapAt,
  numberAt,
  orNone,
  textAt,
} from '../../codec/tables/reading.ts'
import {
  containerColumns,
  eachContainer,
  REPLICA_COLUMNS,
  selectorColumn,
} from '../shared/pod-spec/template-columns.ts'

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

function suspended(cronJob: ValueMap): string {
  const suspend = at(cronJob, 'spec', 'suspend')
  return suspend === undefined ? '<unset>' : suspend === true ? 'True' : 'False'
}

/** Where each type of metric has its target and its current value. */
const METRICS: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
}

function metricText(metric: Value, current: Value | undefined): string {
  const member = METRICS[textAt(metric, 'type')]
  if (member === undefined) return '<unknown type>'
  const target = mapAt(metric, member, 'target')
  const now = mapAt(current, member, 'current')
  const orUnknown = (value: string): string => (value === '' ? '<unknown>' : value)
  const average = textAt(target, 'averageValue')
  if (member === 'resource' || member === 'containerResource') {
    const percent = (value: ValueMap, absent: string): string =>
      at(value, 'averageUtilization') === undefined ? absent : `${numberAt(value, 'averageUtilization')}%`
    const name = textAt(metric, member, 'name')
    return average !== ''
      ? `${name}: ${orUnknown(textAt(now, 'averageValue'))}/${average}`
      : `${name}: ${percent(now, '<unknown>')}/${percent(target, '<auto>')}`
  }
  if (member === 'pods') return `${orUnknown(textAt(now, 'averageValue'))}/${average}`
  return average !== ''
    ? `${orUnknown(textAt(now, 'averageValue'))}/${average} (avg)`
    : `${orUnknown(textAt(now, 'value'))}/${textAt(target, 'value')}`
}

/** The first version of the API knows only the use of the processor. */
function targets(autoscaler: ValueMap): string {
  const metrics = listAt(autoscaler, 'spec', 'metrics')
  const current = listAt(autoscaler, 'status', 'currentMetrics')
  const target = at(autoscaler, 'spec', 'targetCPUUtilizationPercentage')
  if (metrics.length === 0 && target !== undefined) {
    const used = at(autoscaler, 'status', 'currentCPUUtilizationPercentage')
    return `cpu: ${used === undefined ? '<unknown>' : `${numberAt(used)}%`}/${numberAt(target)}%`
  }
  const texts = metrics.map((metric, index) => metricText(metric, current[index]))
  return orNone(firstOf(texts, 2, ', '))
}

function minimum(autoscaler: ValueMap): string {
  const replicas = at(autoscaler, 'spec', 'minReplicas')
  return replicas === undefined ? '<unset>' : String(numberAt(replicas))
}

export const WORKLOAD_TABLES: TableShapes = {
  ' PodTemplate': tableOf([
    NAME,
    column('Containers', 'The names of the containers in the template.', eachContainer('name', 'template')),
    column('Images', 'The images of the containers in the template.', eachContainer('image', 'template')),
    column('Pod Labels', 'The labels of pods made from it.', (template) =>
      labelText(mapAt(template, 'template', 'metadata', 'labels')),
    ),
  ]),
  ' ReplicationController': tableOf([
    ...REPLICA_COLUMNS,
    wide('Selector', 'Which pods belong to it.', (object) => labelText(mapAt(object, 'spec', 'selector'))),
  ]),
  'batch Job': tableOf([
    NAME,
    column('Status', 'How far the job has come.', jobStatus),
    column('Completions', 'How many pods succeeded, of how many that must.', completions),
    column('Duration', 'How long it ran, or has been running.', jobDuration),
    AGE,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ]),
  'batch CronJob': tableOf([
    NAME,
    column('Schedule', 'When jobs are made, in the format of cron.', text('spec', 'schedule')),
    column('Timezone', 'The time zone of the schedule.', (job) => orNone(textAt(job, 'spec', 'timeZone'))),
    boolean('Suspend', 'Whether no more jobs are made.', suspended),
    integer('Active', 'How many of its jobs are running.', length('status', 'active')),
    column('Last Schedule', 'How long ago a job was made last.', (job, now) => {
      const last = textAt(job, 'status', 'lastScheduleTime')
      return last === '' ? '<none>' : ageOf(last, now)
    }),
    AGE,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
  ]),
  'autoscaling HorizontalPodAutoscaler': tableOf([
    NAME,
    column('Reference', 'What is scaled.', (object) =>
      [textAt(object, 'spec', 'scaleTargetRef', 'kind'), textAt(object, 'spec', 'scaleTargetRef', 'name')].join('/'),
    ),
    column('Targets', 'The metrics, as they are and as they should be.', targets),
    column('MinPods', 'How many pods there are at least.', minimum),
    column('MaxPods', 'How many pods there are at most.', count('spec', 'maxReplicas')),
    column('Replicas', 'How many pods there are.', count('status', 'currentReplicas')),
    AGE,
  ]),
  'autoscaling Scale': tableOf([
    column('Name', NAME_DESCRIPTION, nameOf),
    integer('Desired', 'How many pods are wanted.', count('spec', 'replicas')),
    integer('Available', 'How many pods there are.', count('status', 'replicas')),
    AGE,
  ]),
}
