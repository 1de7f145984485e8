// Horizontal pod autoscalers. Both versions are stored as version 2.
import type { HorizontalPodAutoscaler } from '../../../api/gen/kinds.ts'
import type { Value, ValueMap } from '../../../api/value.ts'
import { AGE, column, count, NAME, tableOf } from '../../../codec/tables/column.ts'
import { at, firstOf, listAt, mapAt, numberAt, orNone, textAt } from '../../../codec/tables/reading.ts'
import { type Kind, typedKind } from '../../kind.ts'
import type { KindStrategy } from '../../strategy.ts'
import { WITH_STATUS } from '../../shared/strategies.ts'
import { DEFAULTS } from './defaults.ts'
import { AUTOSCALER_V1, withoutAnnotations } from './v1.ts'
import { VALIDATION } from './validation.ts'

/** The member of each type of metric that has the target and the current value. */
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

/** Version 1 has only the CPU utilization. */
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

const STRATEGY: KindStrategy = {
  status: WITH_STATUS,
  // The annotations of version 1 are not stored.
  prepareForCreate: withoutAnnotations,
  prepareForUpdate: withoutAnnotations,
}

export const HORIZONTAL_POD_AUTOSCALER: Kind = {
  ...typedKind<HorizontalPodAutoscaler>({ validation: VALIDATION }),
  defaults: DEFAULTS,
  strategy: STRATEGY,
  since: { '1.37': { strategy: { ...STRATEGY, generation: { first: 1, on: ['spec'], gate: 'HPAGeneration' } } } },
  columns: tableOf([
    NAME,
    column('Reference', 'The scaled object.', (object) =>
      [textAt(object, 'spec', 'scaleTargetRef', 'kind'), textAt(object, 'spec', 'scaleTargetRef', 'name')].join('/'),
    ),
    column('Targets', 'The current value and the target of each metric.', targets),
    column('MinPods', 'The smallest number of pods.', minimum),
    column('MaxPods', 'The largest number of pods.', count('spec', 'maxReplicas')),
    column('Replicas', 'The current number of pods.', count('status', 'currentReplicas')),
    AGE,
  ]),
  storedAs: {
    v1: {
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      conversion: AUTOSCALER_V1,
      mayBeMalformed: true,
    },
  },
}
