// Converts the metrics of autoscalers to the form that version 1 keeps in annotations, and back.
import { mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import { withMembers } from '../../../api/object-members.ts'
import { isMap, own, type Value, type ValueMap } from '../../../api/value.ts'

/** A member of the old form, its path in the current form (`metric.name`), and the value for an absent member. */
type Row = readonly [old: string, path: string, absent?: Value | undefined]

type Side = 'target' | 'current'

const ZERO = '0'

/** The rows, by the type of the metric. */
function rowsOf(side: Side): Readonly<Record<string, readonly Row[]>> {
  const zeroOfStatus = side === 'current' ? ZERO : undefined
  const resource: readonly Row[] = [
    ['name', 'name', ''],
    [`${side}AverageUtilization`, `${side}.averageUtilization`],
    [`${side}AverageValue`, `${side}.averageValue`, zeroOfStatus],
  ]
  return {
    Object: [
      ['target', 'describedObject', {}],
      ['metricName', 'metric.name', ''],
      [`${side}Value`, `${side}.value`, ZERO],
      ['selector', 'metric.selector'],
      ['averageValue', `${side}.averageValue`],
    ],
    Pods: [
      ['metricName', 'metric.name', ''],
      [`${side}AverageValue`, `${side}.averageValue`, ZERO],
      ['selector', 'metric.selector'],
    ],
    Resource: resource,
    ContainerResource: [...resource, ['container', 'container', '']],
    External: [
      ['metricName', 'metric.name', ''],
      ['metricSelector', 'metric.selector'],
      [`${side}Value`, `${side}.value`, zeroOfStatus],
      [`${side}AverageValue`, `${side}.averageValue`],
    ],
  }
}

export const METRIC_SPECS = conversionOf('target')
export const METRIC_STATUSES = conversionOf('current')

function conversionOf(side: Side): Readonly<Record<'toV1' | 'fromV1', (metric: ValueMap) => ValueMap>> {
  const rows = rowsOf(side)
  const converted = (metric: ValueMap, convert: (part: ValueMap, rows: readonly Row[]) => ValueMap): ValueMap => {
    const type = textOrEmpty(metric, 'type')
    const member = type.charAt(0).toLowerCase() + type.slice(1)
    if (!Object.hasOwn(rows, type) || !Object.hasOwn(metric, member)) return { type }
    return { type, [member]: convert(mapOrEmpty(metric, member), rows[type]!) }
  }
  return {
    toV1: (metric) => converted(metric, toOld),
    fromV1: (metric) =>
      converted(metric, (old, rows) => {
        const type = side === 'target' ? { type: targetType(textOrEmpty(metric, 'type'), old) } : {}
        return fromOld(old, rows, { [side]: type })
      }),
  }
}

function toOld(part: ValueMap, rows: readonly Row[]): ValueMap {
  const members = rows.map(([old, path, absent]): [string, Value | undefined] => {
    const [first = '', second] = path.split('.')
    const value = second === undefined ? own(part, first) : own(mapOrEmpty(part, first), second)
    return [old, value ?? absent]
  })
  return withMembers({}, Object.fromEntries(members))
}

function fromOld(old: ValueMap, rows: readonly Row[], empty: ValueMap): ValueMap {
  const part: Record<string, Value> = { ...empty }
  for (const [name, path, absent] of rows) {
    const given = own(old, name)
    const value = isOfKind(given, absent) ? given : absent
    if (value === undefined || value === null) continue
    const [first = '', second] = path.split('.')
    part[first] = second === undefined ? value : { ...mapOrEmpty(part, first), [second]: value }
  }
  return part
}

/** Annotations may hold anything: names must be strings, and references must be maps. */
function isOfKind(given: Value | undefined, absent: Value | undefined): boolean {
  if (absent === '') return typeof given === 'string'
  return isMap(absent) ? isMap(given) : true
}

/** The old form has no type of the target. */
function targetType(type: string, old: ValueMap): string {
  const has = (name: string): boolean => own(old, name) !== undefined
  switch (type) {
    case 'Object':
      return has('averageValue') ? 'AverageValue' : 'Value'
    case 'Pods':
      return 'AverageValue'
    case 'External':
      return has('targetValue') ? 'Value' : 'AverageValue'
    default:
      return has('targetAverageUtilization') ? 'Utilization' : 'AverageValue'
  }
}
