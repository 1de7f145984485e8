// Validation of autoscalers: the scaled object, the bounds, the metrics and the behavior.
import { FieldPath } from '../../../api/field-path.ts'
import type {
  AutoscalingV1HorizontalPodAutoscaler,
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../api/gen/kinds.ts'
import { parseGroupVersion } from '../../../api/object.ts'
import { signOfQuantity } from '../../../lib/quantity.ts'
import type { Check } from '../../../schema/validation/check.ts'
import type { KindRules } from '../../../schema/validation/rules.ts'
import { builtInRules } from '../../shared/built-in-rules.ts'
import { amountOf, checkContainerResourceName, checkNotNegativeAmount } from '../../shared/resource-names.ts'

type Autoscaler = HorizontalPodAutoscaler | AutoscalingV1HorizontalPodAutoscaler
type Spec = HorizontalPodAutoscalerSpec
type Reference = CrossVersionObjectReference

const SPEC = FieldPath.root<Spec>('spec')
const STATUS = FieldPath.root('status')
const METRIC_TYPES: readonly string[] = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const MAX_WINDOW_SECONDS = 3600
const MAX_PERIOD_SECONDS = 1800

/** The spec in the form of version 2. The one metric of version 1 has a field of its own, and is validated like a metric of version 2. */
function specOf({ spec }: Autoscaler): Spec {
  const percent = 'targetCPUUtilizationPercentage' in spec ? spec.targetCPUUtilizationPercentage : undefined
  if (percent === undefined) return spec
  const target = { type: 'Utilization', averageUtilization: percent }
  return { ...spec, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] }
}

function checkSpec(object: Autoscaler, check: Check): void {
  const spec = specOf(object)
  const { minReplicas: min, maxReplicas: max } = spec
  const lowest = check.gate('HPAScaleToZero') ? 0 : 1
  if (min !== undefined && min < lowest) {
    check.invalid(SPEC.child('minReplicas'), min, `must be greater than or equal to ${lowest}`)
  }
  const at = SPEC.child('maxReplicas')
  if (max === 0) check.required(at, 'must be set and greater than 0')
  else if (max < 0) check.invalid(at, max, 'must be greater than or equal to 1')
  if (min !== undefined && max < min) check.invalid(at, max, 'must be greater than or equal to `minReplicas`')
  checkReference(spec.scaleTargetRef, true, SPEC.child('scaleTargetRef'), check)
  checkMetrics(spec, check)
  check.part(spec, 'behavior', SPEC, (behavior, at) => {
    check.part(behavior, 'scaleUp', at, checkScaling)
    check.part(behavior, 'scaleDown', at, checkScaling)
  })
}

function checkReference(reference: Reference, needsGroup: boolean, at: FieldPath<Reference>, check: Check): void {
  check.fields(reference, at, 'autoscaling_v2.CrossVersionObjectReference')
  const { apiVersion: version = '', kind } = reference
  const parsed = parseGroupVersion(version)
  if (parsed === undefined) check.invalid(at.child('apiVersion'), version, `unexpected GroupVersion string: ${version}`)
  else if (needsGroup && parsed.group === '' && !(version === 'v1' && kind === 'ReplicationController')) {
    check.invalid(at.child('apiVersion'), version, 'apiVersion must specify API group')
  }
}

function checkMetrics(spec: Spec, check: Check): void {
  check.each(spec, 'metrics', SPEC, checkMetric)
  const types = new Set(spec.metrics?.map(({ type }) => type))
  if (spec.minReplicas === 0 && !types.has('Object') && !types.has('External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    check.forbidden(SPEC.child('metrics'), detail)
  }
}

type SourceRule<S> = (source: S, at: FieldPath<S>, check: Check) => void

const named: SourceRule<PodsMetricSource> = ({ metric }, at, check) =>
  check.fields(metric, at.child('metric'), 'autoscaling_v2.MetricIdentifier')

const objectSource: SourceRule<ObjectMetricSource> = (source, at, check) => {
  checkReference(source.describedObject, false, at.child('describedObject'), check)
  named(source, at, check)
  const none = 'must set either a target value or averageValue'
  checkTarget(source, { either: ['averageValue', 'value'], none }, at, check)
}

const externalSource: SourceRule<ExternalMetricSource> = (source, at, check) => {
  named(source, at, check)
  const none = 'must set either a target value for metric or a per-pod target'
  const both = 'may not set both a target value for metric and a per-pod target'
  checkTarget(source, { either: ['averageValue', 'value'], none, both }, at, check)
}

const podsSource: SourceRule<PodsMetricSource> = (source, at, check) => {
  named(source, at, check)
  checkTarget(source, { either: ['averageValue'], none: 'must specify a positive target averageValue' }, at, check)
}

const resourceSource: SourceRule<ResourceMetricSource> = (source, at, check) => {
  check.fields(source, at, 'autoscaling_v2.ResourceMetricSource')
  const none = 'must set either a target raw value or a target utilization'
  const both = 'may not set both a target raw value and a target utilization'
  checkTarget(source, { either: ['averageUtilization', 'averageValue'], none, both }, at, check)
}

const containerSource: SourceRule<ContainerResourceMetricSource> = (source, at, check) => {
  const { name } = source
  if (name !== '') checkContainerResourceName(name, at.child('name'), check)
  check.fields(source, at, 'autoscaling_v2.ContainerResourceMetricSource')
  resourceSource(source, at, check)
}

const SOURCES: readonly (readonly [Exclude<keyof MetricSpec, 'type'>, string, SourceRule<MetricSpec>])[] = [
  ['object', 'Object', (metric, at, check) => check.part(metric, 'object', at, objectSource)],
  ['external', 'External', (metric, at, check) => check.part(metric, 'external', at, externalSource)],
  ['pods', 'Pods', (metric, at, check) => check.part(metric, 'pods', at, podsSource)],
  ['resource', 'Resource', (metric, at, check) => check.part(metric, 'resource', at, resourceSource)],
  [
    'containerResource',
    'ContainerResource',
    (metric, at, check) => check.part(metric, 'containerResource', at, containerSource),
  ],
]

function checkMetric(metric: MetricSpec, at: FieldPath<MetricSpec>, check: Check): void {
  const { type } = metric
  if (type === '') check.required(at.child('type'), 'must specify a metric source type')
  const expected = SOURCES.find(([, name]) => name === type)
  if (expected === undefined) check.notSupported(at.child('type'), type, METRIC_TYPES)
  const present = SOURCES.filter(([field]) => metric[field] !== undefined)
  present[0]?.[2](metric, at, check)
  // The reference reports this fault twice.
  if (expected === undefined) check.notSupported(at.child('type'), type, METRIC_TYPES)
  else if (metric[expected[0]] === undefined) {
    check.required(at.child(expected[0]), 'must populate information for the given metric source')
  }
  if (present.length === 1) return
  for (const [field] of present) {
    if (field !== expected?.[0]) check.forbidden(at.child(field), 'must populate the given metric source only')
  }
}

interface TargetRule {
  /** One of these members is required. If both are missing, the fault is at the first. If both are given, the fault is at the second. */
  readonly either: readonly [keyof MetricTarget, (keyof MetricTarget)?]
  readonly none: string
  /** Absent: both may be given. */
  readonly both?: string
}

type Aimed = Pick<ResourceMetricSource, 'target'>

function checkTarget({ target }: Aimed, { either, none, both }: TargetRule, at: FieldPath<Aimed>, check: Check): void {
  const place = at.child('target')
  const { type } = target
  if (type === '') check.required(place.child('type'), 'must specify a metric target type')
  if (type !== 'Utilization' && type !== 'Value' && type !== 'AverageValue') {
    check.invalid(place.child('type'), type, 'must be either Utilization, Value, or AverageValue')
  }
  for (const field of ['value', 'averageValue'] as const) {
    const amount = amountOf(target[field])
    if (amount !== undefined && signOfQuantity(amount) <= 0) {
      check.invalid(place.child(field), target[field], 'must be positive')
    }
  }
  check.fields(target, place, 'autoscaling_v2.MetricTarget')
  const [first, second = first] = either
  const given = [target[first] !== undefined, target[second] !== undefined]
  if (!given.includes(true)) check.required(place.child(first), none)
  if (both !== undefined && !given.includes(false)) check.forbidden(place.child(second), both)
}

function checkScaling(rules: HPAScalingRules, at: FieldPath<HPAScalingRules>, check: Check): void {
  const { stabilizationWindowSeconds: seconds } = rules
  const place = at.child('stabilizationWindowSeconds')
  if (seconds !== undefined && seconds < 0) check.invalid(place, seconds, 'must be greater than or equal to zero')
  if (seconds !== undefined && seconds > MAX_WINDOW_SECONDS) {
    check.invalid(place, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)
  }
  check.fields(rules, at, 'autoscaling_v2.HPAScalingRules')
  check.each(rules, 'policies', at, checkPolicy)
  checkNotNegativeAmount(rules.tolerance, at.child('tolerance'), check)
}

function checkPolicy(policy: HPAScalingPolicy, at: FieldPath<HPAScalingPolicy>, check: Check): void {
  check.fields(policy, at, 'autoscaling_v2.HPAScalingPolicy')
  const { periodSeconds: period } = policy
  if (period <= 0) check.invalid(at.child('periodSeconds'), period, 'must be greater than zero')
  if (period > MAX_PERIOD_SECONDS) {
    check.invalid(at.child('periodSeconds'), period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`)
  }
}

export const VALIDATION: KindRules<Autoscaler> = builtInRules({
  object: checkSpec,
  status: ({ status }, _stored, check) => {
    if ('conditions' in status) {
      check.each(status, 'conditions', STATUS, (condition, at) =>
        check.fields(condition, at, 'autoscaling_v2.HorizontalPodAutoscalerCondition'),
      )
    }
    check.fields(status, STATUS, 'autoscaling_v2.HorizontalPodAutoscalerStatus')
  },
})
