// The tables of what makes pods: apps, batch, autoscaling, replication controllers and pod templates.
import { parseGroupVersion } from '../../api/object.ts'
import type { Value, ValueMap } from '../../api/value.ts'
import {
  AGE,
  boolean,
  column,
  count,
  integer,
  length,
  NAME,
  nameOf,
  NAME_DESCRIPTION,
  tableOf,
  text,
  wide,
} from '../../codec/tables/column.ts'
import type { Cell, Column, TableShapes } from '../../codec/tables/column.ts'
import { ageOf, humanDuration } from '../../codec/tables/elapsed.ts'
import type { Now } from '../../codec/tables/elapsed.ts'
import {
  at,
  conditionHolds,
  firstOf,
  labelText,
  listAt,
  mapAt,
  numberAt,
  orNone,
  selectorText,
  textAt,
} from '../../codec/tables/reading.ts'

function each(member: string, ...path: readonly string[]): Cell {
  return (object) =>
    listAt(object, ...path, 'spec', 'containers')
      .map((container) => textAt(container, member))
      .join(',')
}

/** The wide columns of everything with a pod template. */
function containers(...template: readonly string[]): readonly Column[] {
  return [
    wide('Containers', 'The names of the containers in the template.', each('name', ...template)),
    wide('Images', 'The images of the containers in the template.', each('image', ...template)),
  ]
}

function selector(...path: readonly string[]): Column {
  return wide('Selector', 'Which pods belong to it.', (object) => selectorText(at(object, ...path)))
}

/** `ready/wanted`. */
const readyOfWanted: Cell = (object) =>
  `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`

const REPLICAS: readonly Column[] = [
  NAME,
  integer('Desired', 'How many pods are wanted.', count('spec', 'replicas')),
  integer('Current', 'How many pods there are.', count('status', 'replicas')),
  integer('Ready', 'How many of them are ready.', count('status', 'readyReplicas')),
  AGE,
  ...containers('spec', 'template'),
]

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

function controller(revision: ValueMap): string {
  const owner = listAt(revision, 'metadata', 'ownerReferences').find((one) => at(one, 'controller') === true)
  if (owner === undefined) return '<none>'
  const group = parseGroupVersion(textAt(owner, 'apiVersion'))?.group ?? ''
  const kind = textAt(owner, 'kind')
  return `${(group === '' ? kind : `${kind}.${group}`).toLowerCase()}/${textAt(owner, 'name')}`
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
    column('Containers', 'The names of the containers in the template.', each('name', 'template')),
    column('Images', 'The images of the containers in the template.', each('image', 'template')),
    column('Pod Labels', 'The labels of pods made from it.', (template) =>
      labelText(mapAt(template, 'template', 'metadata', 'labels')),
    ),
  ]),
  ' ReplicationController': tableOf([
    ...REPLICAS,
    wide('Selector', 'Which pods belong to it.', (object) => labelText(mapAt(object, 'spec', 'selector'))),
  ]),
  'apps ReplicaSet': tableOf([...REPLICAS, selector('spec', 'selector')]),
  'apps Deployment': tableOf([
    NAME,
    column('Ready', 'How many pods are ready, of how many wanted.', readyOfWanted),
    column('Up-to-date', 'How many pods are of the newest template.', count('status', 'updatedReplicas')),
    column('Available', 'How many pods have been ready for long enough.', count('status', 'availableReplicas')),
    AGE,
    ...containers('spec', 'template'),
    selector('spec', 'selector'),
  ]),
  'apps StatefulSet': tableOf([
    NAME,
    column('Ready', 'How many pods are ready, of how many wanted.', readyOfWanted),
    AGE,
    ...containers('spec', 'template'),
  ]),
  'apps DaemonSet': tableOf([
    NAME,
    integer('Desired', 'How many nodes should run its pod.', count('status', 'desiredNumberScheduled')),
    integer('Current', 'How many of them do.', count('status', 'currentNumberScheduled')),
    integer('Ready', 'On how many nodes the pod is ready.', count('status', 'numberReady')),
    integer(
      'Up-to-date',
      'On how many nodes the pod is of the newest template.',
      count('status', 'updatedNumberScheduled'),
    ),
    integer(
      'Available',
      'On how many nodes the pod has been ready for long enough.',
      count('status', 'numberAvailable'),
    ),
    column('Node Selector', 'Which nodes are meant.', (set) =>
      labelText(mapAt(set, 'spec', 'template', 'spec', 'nodeSelector')),
    ),
    AGE,
    ...containers('spec', 'template'),
    selector('spec', 'selector'),
  ]),
  'apps ControllerRevision': tableOf([
    NAME,
    column('Controller', 'Whose state it keeps.', controller),
    column('Revision', 'The number of the state.', count('revision')),
    AGE,
  ]),
  'batch Job': tableOf([
    NAME,
    column('Status', 'How far the job has come.', jobStatus),
    column('Completions', 'How many pods succeeded, of how many that must.', completions),
    column('Duration', 'How long it ran, or has been running.', jobDuration),
    AGE,
    ...containers('spec', 'template'),
    selector('spec', 'selector'),
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
    ...containers('spec', 'jobTemplate', 'spec', 'template'),
    selector('spec', 'jobTemplate', 'spec', 'selector'),
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
