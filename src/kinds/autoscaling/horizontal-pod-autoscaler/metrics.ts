// The metrics of autoscalers in the form that the first version keeps them in, and back.
import { mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import { own, type Value, type ValueMap } from '../../../api/value.ts'

/** A metric of one kind, between the part of today's form and that of the old one. */
interface Part {
  readonly member: string
  readonly toOld: (part: ValueMap) => Members
  readonly fromOld: (old: ValueMap) => Members
}

type Members = Readonly<Record<string, Value | undefined>>

const ZERO = '0'

const SPECS: Readonly<Record<string, Part>> = {
  Object: {
    member: 'object',
    toOld: (part) => ({
      target: mapOrEmpty(part, 'describedObject'),
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      targetValue: own(mapOrEmpty(part, 'target'), 'value') ?? ZERO,
      selector: own(mapOrEmpty(part, 'metric'), 'selector'),
      averageValue: own(mapOrEmpty(part, 'target'), 'averageValue'),
    }),
    fromOld: (old) => {
      const averageValue = own(old, 'averageValue')
      return {
        describedObject: mapOrEmpty(old, 'target'),
        target: given({
          type: averageValue === undefined ? 'Value' : 'AverageValue',
          value: own(old, 'targetValue'),
          averageValue,
        }),
        metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'selector') }),
      }
    },
  },
  Pods: {
    member: 'pods',
    toOld: (part) => ({
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      targetAverageValue: own(mapOrEmpty(part, 'target'), 'averageValue') ?? ZERO,
      selector: own(mapOrEmpty(part, 'metric'), 'selector'),
    }),
    fromOld: (old) => ({
      metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'selector') }),
      target: given({ type: 'AverageValue', averageValue: own(old, 'targetAverageValue') }),
    }),
  },
  Resource: {
    member: 'resource',
    toOld: resourceToOld,
    fromOld: resourceFromOld,
  },
  ContainerResource: {
    member: 'containerResource',
    toOld: (part) => ({ ...resourceToOld(part), container: textOrEmpty(part, 'container') }),
    fromOld: (old) => ({ ...resourceFromOld(old), container: textOrEmpty(old, 'container') }),
  },
  External: {
    member: 'external',
    toOld: (part) => ({
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      metricSelector: own(mapOrEmpty(part, 'metric'), 'selector'),
      targetValue: own(mapOrEmpty(part, 'target'), 'value'),
      targetAverageValue: own(mapOrEmpty(part, 'target'), 'averageValue'),
    }),
    fromOld: (old) => {
      const value = own(old, 'targetValue')
      return {
        metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'metricSelector') }),
        target: given({
          type: value === undefined ? 'AverageValue' : 'Value',
          value,
          averageValue: own(old, 'targetAverageValue'),
        }),
      }
    },
  },
}

function resourceToOld(part: ValueMap): Members {
  const target = mapOrEmpty(part, 'target')
  return {
    name: textOrEmpty(part, 'name'),
    targetAverageUtilization: own(target, 'averageUtilization'),
    targetAverageValue: own(target, 'averageValue'),
  }
}

function resourceFromOld(old: ValueMap): Members {
  const averageUtilization = own(old, 'targetAverageUtilization')
  return {
    name: textOrEmpty(old, 'name'),
    target: given({
      type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
      averageValue: own(old, 'targetAverageValue'),
      averageUtilization,
    }),
  }
}

const STATUSES: Readonly<Record<string, Part>> = {
  Object: {
    member: 'object',
    toOld: (part) => ({
      target: mapOrEmpty(part, 'describedObject'),
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      currentValue: own(mapOrEmpty(part, 'current'), 'value') ?? ZERO,
      selector: own(mapOrEmpty(part, 'metric'), 'selector'),
      averageValue: own(mapOrEmpty(part, 'current'), 'averageValue'),
    }),
    fromOld: (old) => ({
      metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'selector') }),
      current: given({ value: own(old, 'currentValue'), averageValue: own(old, 'averageValue') }),
      describedObject: mapOrEmpty(old, 'target'),
    }),
  },
  Pods: {
    member: 'pods',
    toOld: (part) => ({
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      currentAverageValue: own(mapOrEmpty(part, 'current'), 'averageValue') ?? ZERO,
      selector: own(mapOrEmpty(part, 'metric'), 'selector'),
    }),
    fromOld: (old) => ({
      metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'selector') }),
      current: given({ averageValue: own(old, 'currentAverageValue') }),
    }),
  },
  Resource: {
    member: 'resource',
    toOld: currentToOld,
    fromOld: currentFromOld,
  },
  ContainerResource: {
    member: 'containerResource',
    toOld: (part) => ({ ...currentToOld(part), container: textOrEmpty(part, 'container') }),
    fromOld: (old) => ({ ...currentFromOld(old), container: textOrEmpty(old, 'container') }),
  },
  External: {
    member: 'external',
    toOld: (part) => ({
      metricName: textOrEmpty(mapOrEmpty(part, 'metric'), 'name'),
      metricSelector: own(mapOrEmpty(part, 'metric'), 'selector'),
      currentValue: own(mapOrEmpty(part, 'current'), 'value') ?? ZERO,
      currentAverageValue: own(mapOrEmpty(part, 'current'), 'averageValue'),
    }),
    fromOld: (old) => ({
      metric: given({ name: textOrEmpty(old, 'metricName'), selector: own(old, 'metricSelector') }),
      current: given({ value: own(old, 'currentValue'), averageValue: own(old, 'currentAverageValue') }),
    }),
  },
}

function currentToOld(part: ValueMap): Members {
  const current = mapOrEmpty(part, 'current')
  return {
    name: textOrEmpty(part, 'name'),
    currentAverageUtilization: own(current, 'averageUtilization'),
    currentAverageValue: own(current, 'averageValue') ?? ZERO,
  }
}

function currentFromOld(old: ValueMap): Members {
  return {
    name: textOrEmpty(old, 'name'),
    current: given({
      averageValue: own(old, 'currentAverageValue'),
      averageUtilization: own(old, 'currentAverageUtilization'),
    }),
  }
}

export const metricToV1 = (metric: ValueMap): ValueMap => converted(metric, SPECS, 'toOld')
export const metricFromV1 = (metric: ValueMap): ValueMap => converted(metric, SPECS, 'fromOld')
export const metricStatusToV1 = (metric: ValueMap): ValueMap => converted(metric, STATUSES, 'toOld')
export const metricStatusFromV1 = (metric: ValueMap): ValueMap => converted(metric, STATUSES, 'fromOld')

function converted(metric: ValueMap, parts: Readonly<Record<string, Part>>, way: 'toOld' | 'fromOld'): ValueMap {
  const type = textOrEmpty(metric, 'type')
  const part = Object.hasOwn(parts, type) ? parts[type] : undefined
  if (part === undefined || !Object.hasOwn(metric, part.member)) return { type }
  return { type, [part.member]: given(part[way](mapOrEmpty(metric, part.member))) }
}

/** Only what is there. */
function given(members: Members): ValueMap {
  const present = Object.entries(members).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined && entry[1] !== null,
  )
  return Object.fromEntries(present)
}
