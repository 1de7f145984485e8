// Converts autoscalers from and to version 1, which has one metric. Annotations of version 1 keep the other metrics, the conditions and the
// behavior (W-594).
import { jsonOrAbsent } from '../../../api/json-text.ts'
import { mapOrAbsent, mapOrEmpty, mapsOnly, numberOrAbsent, textOrEmpty } from '../../../api/members.ts'
import { annotationsOf, specOf, statusOf, withMembers, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../../api/value.ts'
import type { Conversion } from '../../../registry/registry.ts'
import { METRIC_SPECS, METRIC_STATUSES } from './metrics.ts'

const PREFIX = 'autoscaling.alpha.kubernetes.io/'
const METRICS = `${PREFIX}metrics`
const CURRENT_METRICS = `${PREFIX}current-metrics`
const CONDITIONS = `${PREFIX}conditions`
const BEHAVIOR = `${PREFIX}behavior`
const DEFAULT_CPU_PERCENT = 80

export const AUTOSCALER_V1: Conversion = {
  isIdentity: false,
  toStored: (object) => {
    const spec = specOf(object)
    const percent = numberOrAbsent(spec, 'targetCPUUtilizationPercentage')
    const cpu = percent === undefined ? [] : [cpuMetric(percent)]
    const metrics = [...listIn(object, METRICS).map(METRIC_SPECS.fromV1), ...cpu]
    const stored = {
      ...object,
      apiVersion: 'autoscaling/v2',
      spec: withMembers(spec, {
        targetCPUUtilizationPercentage: undefined,
        metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_PERCENT)] : metrics,
        behavior: withLowerNames(mapIn(object, BEHAVIOR)),
      }),
    }
    return withoutAnnotations(Object.hasOwn(object, 'status') ? { ...stored, status: storedStatus(object) } : stored)
  },
  fromStored: (stored) => {
    const [spec, status] = [specOf(stored), statusOf(stored)]
    const metrics = mapsOnly(spec, 'metrics')
    const cpu = metrics.find(isCpu)
    const percent = cpu === undefined ? undefined : own(targetOf(cpu), 'averageUtilization')
    const others = metrics.filter((metric) => !isCpuUtilization(metric))
    const plain = withoutAnnotations({
      ...stored,
      apiVersion: 'autoscaling/v1',
      spec: withMembers(spec, { metrics: undefined, behavior: undefined, targetCPUUtilizationPercentage: percent }),
      ...(Object.hasOwn(stored, 'status') ? { status: shownStatus(status) } : {}),
    })
    return withAnnotations(plain, {
      [METRICS]: listText(others.map(METRIC_SPECS.toV1)),
      [CURRENT_METRICS]: listText(mapsOnly(status, 'currentMetrics').map(METRIC_STATUSES.toV1)),
      [BEHAVIOR]: behaviorText(mapOrAbsent(spec, 'behavior')),
      [CONDITIONS]: listText(mapsOnly(status, 'conditions')),
    })
  },
}

function cpuMetric(percent: number): ValueMap {
  const target = { type: 'Utilization', averageUtilization: percent }
  return { type: 'Resource', resource: { name: 'cpu', target } }
}

function isCpu(metric: ValueMap): boolean {
  return textOrEmpty(metric, 'type') === 'Resource' && textOrEmpty(mapOrEmpty(metric, 'resource'), 'name') === 'cpu'
}

function targetOf(metric: ValueMap): ValueMap {
  return mapOrEmpty(mapOrEmpty(metric, 'resource'), 'target')
}

function isCpuUtilization(metric: ValueMap): boolean {
  return isCpu(metric) && typeof own(targetOf(metric), 'averageUtilization') === 'number'
}

function storedStatus(object: ApiObject): ValueMap {
  const status = statusOf(object)
  const percent = own(status, 'currentCPUUtilizationPercentage')
  const current = parsed(object, CURRENT_METRICS)
  const cpu = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent ?? null } } }
  const fromPercent = typeof percent === 'number' ? [cpu] : null
  const conditions = listIn(object, CONDITIONS)
  return withMembers(status, {
    currentCPUUtilizationPercentage: undefined,
    currentMetrics: isList(current) ? current.filter(isMap).map(METRIC_STATUSES.fromV1) : fromPercent,
    conditions: conditions.length === 0 ? undefined : conditions,
  })
}

function shownStatus(status: ValueMap): ValueMap {
  const cpu = mapsOnly(status, 'currentMetrics').filter(isCpu)
  const percents = cpu.map((metric) => own(mapOrEmpty(mapOrEmpty(metric, 'resource'), 'current'), 'averageUtilization'))
  return withMembers<ValueMap>(
    { currentReplicas: 0, desiredReplicas: 0, ...status },
    {
      currentMetrics: undefined,
      conditions: undefined,
      currentCPUUtilizationPercentage: percents.findLast((percent) => typeof percent === 'number'),
    },
  )
}

/** The value in an annotation. Undefined: it is absent, or not JSON. */
function parsed(object: ApiObject, annotation: string): Value | undefined {
  return jsonOrAbsent(textOrEmpty(annotationsOf(object), annotation))
}

function mapIn(object: ApiObject, annotation: string): ValueMap | undefined {
  const value = parsed(object, annotation)
  return isMap(value) ? value : undefined
}

function listIn(object: ApiObject, annotation: string): readonly ValueMap[] {
  const value = parsed(object, annotation)
  return isList(value) ? value.filter(isMap) : []
}

function listText(items: readonly ValueMap[]): string | undefined {
  return items.length === 0 ? undefined : JSON.stringify(items)
}

export function withoutAnnotations(object: ApiObject): ApiObject {
  return withAnnotations(object, {
    [METRICS]: undefined,
    [CURRENT_METRICS]: undefined,
    [CONDITIONS]: undefined,
    [BEHAVIOR]: undefined,
  })
}

function withAnnotations(object: ApiObject, members: Readonly<Record<string, string | undefined>>): ApiObject {
  const before = annotationsOf(object)
  const after = withMembers(before, members)
  if (Object.keys(after).length === 0) {
    return Object.keys(before).length === 0 ? object : withMeta(object, { annotations: undefined })
  }
  return withMeta(object, { annotations: after })
}

/** The reference writes the behavior with Go's field names, absent fields included. */
function behaviorText(behavior: ValueMap | undefined): string | undefined {
  if (behavior === undefined) return undefined
  const rules = (name: string): ValueMap | null => {
    const given = mapOrAbsent(behavior, name)
    if (given === undefined) return null
    return {
      StabilizationWindowSeconds: own(given, 'stabilizationWindowSeconds') ?? null,
      SelectPolicy: own(given, 'selectPolicy') ?? null,
      Policies: isList(own(given, 'policies')) ? mapsOnly(given, 'policies').map(policyInGoNames) : null,
      Tolerance: own(given, 'tolerance') ?? null,
    }
  }
  return JSON.stringify({ ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') })
}

function policyInGoNames(policy: ValueMap): ValueMap {
  return {
    Type: textOrEmpty(policy, 'type'),
    Value: own(policy, 'value') ?? 0,
    PeriodSeconds: own(policy, 'periodSeconds') ?? 0,
  }
}

/** Reads a behavior with Go's field names. Undefined: the behavior is empty. */
function withLowerNames(value: Value | undefined): Value | undefined {
  if (isList(value)) return value.map((item) => withLowerNames(item) ?? null)
  if (!isMap(value)) return value
  const members = Object.entries(value).flatMap(([name, member]): [string, Value][] =>
    member === null ? [] : [[name.charAt(0).toLowerCase() + name.slice(1), withLowerNames(member) ?? null]],
  )
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
