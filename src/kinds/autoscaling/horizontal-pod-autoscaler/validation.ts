// Validation of autoscalers: the scaled object, the bounds, the metrics and the behavior.
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  integerOrZero,
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrEmpty,
} from '../../../api/members.ts'
import { statusOf } from '../../../api/object-members.ts'
import { parseGroupVersion } from '../../../api/object.ts'
import type { ValueMap } from '../../../api/value.ts'
import { signOfQuantity } from '../../../lib/quantity.ts'
import type { Check } from '../../../schema/validation/check.ts'
import type { KindRules } from '../../../schema/validation/rules.ts'
import { builtInRules } from '../../shared/built-in-rules.ts'
import { placedMaps } from '../../shared/placed-items.ts'
import { amountOf, checkContainerResourceName, checkNotNegativeAmount } from '../../shared/resource-names.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const METRIC_TYPES: readonly string[] = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const MAX_WINDOW_SECONDS = 3600
const MAX_PERIOD_SECONDS = 1800

/** The one metric of version 1 has a field of its own; it is validated as version 2 writes it. */
function specOf(object: ValueMap): ValueMap {
  const spec = mapOrEmpty(object, 'spec')
  const percent = integerOrAbsent(spec, 'targetCPUUtilizationPercentage')
  if (percent === undefined) return spec
  const target = { type: 'Utilization', averageUtilization: percent }
  return { ...spec, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] }
}

function checkSpec(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  const min = integerOrAbsent(spec, 'minReplicas')
  const max = integerOrZero(spec, 'maxReplicas')
  const lowest = check.gate('HPAScaleToZero') ? 0 : 1
  if (min !== undefined && min < lowest) {
    check.invalid(SPEC.child('minReplicas'), min, `must be greater than or equal to ${lowest}`)
  }
  const at = SPEC.child('maxReplicas')
  if (Number(max) === 0) check.required(at, 'must be set and greater than 0')
  else if (max < 0) check.invalid(at, max, 'must be greater than or equal to 1')
  if (min !== undefined && max < min) check.invalid(at, max, 'must be greater than or equal to `minReplicas`')
  checkReference(mapOrEmpty(spec, 'scaleTargetRef'), true, SPEC.child('scaleTargetRef'), check)
  checkMetrics(spec, check)
  const behavior = mapOrAbsent(spec, 'behavior')
  if (behavior === undefined) return
  for (const field of ['scaleUp', 'scaleDown']) {
    const rules = mapOrAbsent(behavior, field)
    if (rules !== undefined) checkScaling(rules, SPEC.child('behavior').child(field), check)
  }
}

function checkReference(reference: ValueMap, needsGroup: boolean, at: FieldPath, check: Check): void {
  check.fields(reference, at, 'autoscaling_v2.CrossVersionObjectReference')
  const version = textOrEmpty(reference, 'apiVersion')
  const parsed = parseGroupVersion(version)
  if (parsed === undefined) check.invalid(at.child('apiVersion'), version, `unexpected GroupVersion string: ${version}`)
  else if (
    needsGroup &&
    parsed.group === '' &&
    !(version === 'v1' && textOrEmpty(reference, 'kind') === 'ReplicationController')
  ) {
    check.invalid(at.child('apiVersion'), version, 'apiVersion must specify API group')
  }
}

function checkMetrics(spec: ValueMap, check: Check): void {
  for (const [metric, at] of placedMaps(spec, 'metrics', SPEC)) checkMetric(metric, at, check)
  const types = new Set(mapsInPlace(spec, 'metrics').map((metric) => textOrEmpty(metric, 'type')))
  if (Number(integerOrAbsent(spec, 'minReplicas') ?? 1) === 0 && !types.has('Object') && !types.has('External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    check.forbidden(SPEC.child('metrics'), detail)
  }
}

type SourceRule = (source: ValueMap, at: FieldPath, check: Check) => void

const named: SourceRule = (source, at, check) =>
  check.fields(mapOrEmpty(source, 'metric'), at.child('metric'), 'autoscaling_v2.MetricIdentifier')

const objectSource: SourceRule = (source, at, check) => {
  checkReference(mapOrEmpty(source, 'describedObject'), false, at.child('describedObject'), check)
  named(source, at, check)
  const none = 'must set either a target value or averageValue'
  checkTarget(source, { either: ['averageValue', 'value'], none }, at, check)
}

const externalSource: SourceRule = (source, at, check) => {
  named(source, at, check)
  const none = 'must set either a target value for metric or a per-pod target'
  const both = 'may not set both a target value for metric and a per-pod target'
  checkTarget(source, { either: ['averageValue', 'value'], none, both }, at, check)
}

const podsSource: SourceRule = (source, at, check) => {
  named(source, at, check)
  checkTarget(source, { either: ['averageValue'], none: 'must specify a positive target averageValue' }, at, check)
}

const resourceSource: SourceRule = (source, at, check) => {
  check.fields(source, at, 'autoscaling_v2.ResourceMetricSource')
  const none = 'must set either a target raw value or a target utilization'
  const both = 'may not set both a target raw value and a target utilization'
  checkTarget(source, { either: ['averageUtilization', 'averageValue'], none, both }, at, check)
}

const containerSource: SourceRule = (source, at, check) => {
  const name = textOrEmpty(source, 'name')
  if (name !== '') checkContainerResourceName(name, at.child('name'), check)
  check.fields(source, at, 'autoscaling_v2.ContainerResourceMetricSource')
  resourceSource(source, at, check)
}

const SOURCES: readonly (readonly [string, string, SourceRule])[] = [
  ['object', 'Object', objectSource],
  ['external', 'External', externalSource],
  ['pods', 'Pods', podsSource],
  ['resource', 'Resource', resourceSource],
  ['containerResource', 'ContainerResource', containerSource],
]

function checkMetric(metric: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(metric, 'type')
  if (type === '') check.required(at.child('type'), 'must specify a metric source type')
  const expected = SOURCES.find(([, name]) => name === type)
  if (expected === undefined) check.notSupported(at.child('type'), type, METRIC_TYPES)
  const present = SOURCES.filter(([field]) => isGiven(metric, field))
  const [first] = present
  if (first !== undefined) first[2](mapOrEmpty(metric, first[0]), at.child(first[0]), check)
  // The reference says this twice.
  if (expected === undefined) check.notSupported(at.child('type'), type, METRIC_TYPES)
  else if (!isGiven(metric, expected[0])) {
    check.required(at.child(expected[0]), 'must populate information for the given metric source')
  }
  if (present.length === 1) return
  for (const [field] of present) {
    if (field !== expected?.[0]) check.forbidden(at.child(field), 'must populate the given metric source only')
  }
}

interface TargetRule {
  /** Members of which one is required: a missing one is reported at the first, both at the second. */
  readonly either: readonly [string, string?]
  readonly none: string
  /** Absent where both are allowed. */
  readonly both?: string
}

function checkTarget(source: ValueMap, { either, none, both }: TargetRule, at: FieldPath, check: Check): void {
  const target = mapOrEmpty(source, 'target')
  const place = at.child('target')
  const type = textOrEmpty(target, 'type')
  if (type === '') check.required(place.child('type'), 'must specify a metric target type')
  if (type !== 'Utilization' && type !== 'Value' && type !== 'AverageValue') {
    check.invalid(place.child('type'), type, 'must be either Utilization, Value, or AverageValue')
  }
  for (const field of ['value', 'averageValue']) {
    const amount = amountOf(target[field])
    if (amount !== undefined && signOfQuantity(amount) <= 0) {
      check.invalid(place.child(field), target[field], 'must be positive')
    }
  }
  check.fields(target, place, 'autoscaling_v2.MetricTarget')
  const [first, second = first] = either
  const given = [isGiven(target, first), isGiven(target, second)]
  if (!given.includes(true)) check.required(place.child(first), none)
  if (both !== undefined && !given.includes(false)) check.forbidden(place.child(second), both)
}

function checkScaling(rules: ValueMap, at: FieldPath, check: Check): void {
  const seconds = integerOrAbsent(rules, 'stabilizationWindowSeconds')
  const place = at.child('stabilizationWindowSeconds')
  if (seconds !== undefined && seconds < 0) check.invalid(place, seconds, 'must be greater than or equal to zero')
  if (seconds !== undefined && seconds > MAX_WINDOW_SECONDS) {
    check.invalid(place, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)
  }
  check.fields(rules, at, 'autoscaling_v2.HPAScalingRules')
  for (const [policy, place] of placedMaps(rules, 'policies', at)) checkPolicy(policy, place, check)
  checkNotNegativeAmount(rules['tolerance'], at.child('tolerance'), check)
}

function checkPolicy(policy: ValueMap, at: FieldPath, check: Check): void {
  check.fields(policy, at, 'autoscaling_v2.HPAScalingPolicy')
  const period = integerOrZero(policy, 'periodSeconds')
  if (period <= 0) check.invalid(at.child('periodSeconds'), period, 'must be greater than zero')
  if (period > MAX_PERIOD_SECONDS) {
    check.invalid(at.child('periodSeconds'), period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`)
  }
}

export const VALIDATION: KindRules = builtInRules({
  object: checkSpec,
  status: (object, _stored, check) =>
    check.fields(statusOf(object), STATUS, 'autoscaling_v2.HorizontalPodAutoscalerStatus'),
})
