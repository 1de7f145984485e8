// Events of the core group and of events.k8s.io. Faults name fields as the core group does.
import type { Shown } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { integerOrZero, isGiven, mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import { metaText } from '../../api/object-members.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { dns1123Subdomain, longerThan, qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { KindRules } from '../../schema/validation/rules.ts'
import type { KindNeeds } from '../needs.ts'
import type { KindStrategy } from '../strategy.ts'
import { formOf, shownAs } from './internal-form.ts'

const MAX_WORD = 128
const MAX_NOTE = 1024
const MISMATCH = 'does not match event.namespace'

/** Fields that events.k8s.io names differently. */
const CORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingComponent', 'reportingController'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
])

function inCoreNames(event: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [CORE_NAMES.get(name) ?? name, value]))
}

/** `reporter`: the field of the reporting controller. */
function checkEvent(event: ValueMap, reporter: string, check: Check): void {
  const namespace = metaText(event, 'namespace')
  const involved = textOrEmpty(mapOrEmpty(event, 'involvedObject'), 'namespace')
  const at = FieldPath.root('involvedObject').child('namespace')
  if (!isGiven(event, 'eventTime')) {
    const agree = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved
    if (!agree) check.invalid(at, involved, MISMATCH)
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') check.invalid(at, involved, MISMATCH)
    checkReport(event, FieldPath.root(reporter), check)
  }
  check.format(FieldPath.root('namespace'), namespace, dns1123Subdomain(namespace))
}

function checkReport(event: ValueMap, reporterAt: FieldPath, check: Check): void {
  const controller = textOrEmpty(event, 'reportingController') || textOrEmpty(event, 'reportingComponent')
  if (controller === '') check.required(reporterAt)
  check.format(reporterAt, controller, qualifiedName(controller))
  const checkLength = (field: string, max: number): void => {
    if (!longerThan(textOrEmpty(event, field), max)) return
    check.invalid(FieldPath.root(field), '', `can have at most ${max} characters`)
  }
  for (const field of ['reportingInstance', 'action', 'reason']) {
    if (textOrEmpty(event, field) === '') check.required(FieldPath.root(field))
    checkLength(field, MAX_WORD)
  }
  checkLength('message', MAX_NOTE)
}

/** The rules for events of the core group. */
export const CORE_VALIDATION: KindRules = {
  create: (object, check) => checkEvent(object, 'reportingComponent', check),
  update: (object, _stored, check) => checkEvent(object, 'reportingComponent', check),
}

function checkSeries(event: ValueMap, check: Check): void {
  const series = mapOrAbsent(event, 'series')
  if (series === undefined) return
  if (integerOrZero(series, 'count') < 2) check.invalid(FieldPath.root('series.count'), '', 'should be at least 2')
  if (!isGiven(series, 'lastObservedTime')) check.required(FieldPath.root('series.lastObservedTime'))
}

const UNSET: readonly string[] = ['firstTimestamp', 'lastTimestamp']
const TIMES: readonly string[] = [...UNSET, 'eventTime']

/** `reason` is here twice because the reference reports it twice. */
const IMMUTABLE_FIELDS: readonly string[] = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
]

export const VALIDATION: KindRules = {
  create: (object, check) => {
    const named = inCoreNames(object)
    checkEvent(named, 'reportingController', check)
    checkBuiltInMeta(object, subdomainName, check)
    checkSeries(named, check)
    if (!isGiven(named, 'eventTime')) check.required(FieldPath.root('eventTime'))
    const type = textOrEmpty(named, 'type')
    if (type !== 'Normal' && type !== 'Warning') {
      check.invalid(FieldPath.root('type'), '', `has invalid value: ${type}`)
    }
    for (const field of UNSET) if (isGiven(named, field)) check.invalid(FieldPath.root(field), '', 'needs to be unset')
    if (Number(integerOrZero(named, 'count')) !== 0) check.invalid(FieldPath.root('count'), '', 'needs to be unset')
    const source = mapOrEmpty(named, 'source')
    if (textOrEmpty(source, 'component') !== '' || textOrEmpty(source, 'host') !== '') {
      check.invalid(FieldPath.root('source'), '', 'needs to be unset')
    }
  },
  update: (object, stored, check) => {
    const named = inCoreNames(object)
    const old = inCoreNames(stored)
    checkEvent(named, 'reportingController', check)
    checkBuiltInMetaUpdate(object, stored, check)
    if (!equalValues(named['series'], old['series'])) checkSeries(named, check)
    for (const field of IMMUTABLE_FIELDS) {
      if (equalValues(zeroed(named[field]), zeroed(old[field]))) continue
      check.invalid(FieldPath.root(field), shownIn(field, named[field], old[field]), IMMUTABLE)
    }
  },
}

/** References are shown in full. */
function shownIn(field: string, value: Value | undefined, old: Value | undefined): Value | Shown | undefined {
  if (field === 'involvedObject') return shownAs(value ?? {}, formOf('core_v1.ObjectReference'))
  if (field === 'related') return shownAs(value, formOf('core_v1.ObjectReference'))
  return value ?? (typeof old === 'string' && !TIMES.includes(field) ? '' : undefined)
}

/** Absent and empty are the same. */
function zeroed(value: Value | undefined): Value | undefined {
  const empty = value === '' || value === 0 || value === null
  const noMembers = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return empty || noMembers ? undefined : value
}

/** The strategy of events, in the core group and in events.k8s.io. */
export function eventStrategy({ eventTtlSeconds }: KindNeeds): KindStrategy {
  return { createOnUpdate: true, propagation: 'none', ttlSeconds: eventTtlSeconds }
}
