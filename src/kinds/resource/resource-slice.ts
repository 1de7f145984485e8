// Resource slices: the devices that a driver offers on one node or several.
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { isMap, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { absent, each, type Rule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkMaps, checkPoolName } from './device-names.ts'
import { checkCounters, checkDevices, checkTrue, chosenBy } from './slice-devices.ts'

const SPEC = FieldPath.root('spec')
const MAX_COUNTER_SETS = 8

function checkSlice(object: ValueMap, check: Check, stored?: ValueMap): void {
  const spec = specOf(object)
  const pool = mapOrEmpty(spec, 'pool')
  const poolAt = SPEC.child('pool')
  checkDriverName(textOrEmpty(spec, 'driver'), SPEC.child('driver'), check)
  checkPoolName(textOrEmpty(pool, 'name'), poolAt.child('name'), check)
  check.fields(pool, poolAt, 'resource.k8s.io_v1.ResourcePool', 'resourceSliceCount', 'generation')
  const old = stored === undefined ? undefined : specOf(stored)
  if (old !== undefined) {
    check.unchanged(poolAt.child('name'), textOrEmpty(pool, 'name'), textOrEmpty(mapOrEmpty(old, 'pool'), 'name'))
    for (const field of ['driver', 'nodeName']) check.unchanged(SPEC.child(field), spec[field], old[field])
  }
  checkNodes(spec, check)
  if (isGiven(spec, 'sharedCounters') && isGiven(spec, 'devices')) {
    check.invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed')
  }
  checkDevices(spec, old, check)
  checkMaps(spec, 'sharedCounters', SPEC, {
    check,
    max: MAX_COUNTER_SETS,
    item: (set, path) => checkCounters(set, 'name', path, check),
    key: 'name',
  })
}

function checkNodes(spec: ValueMap, check: Check): void {
  const chosen = chosenBy(spec, 'must be either unset or set to a non-empty string', SPEC, check)
  const selector = mapOrAbsent(spec, 'nodeSelector')
  if (selector !== undefined && mapsInPlace(selector, 'nodeSelectorTerms').length !== 1) {
    const at = SPEC.child('nodeSelector').child('nodeSelectorTerms')
    const shown = shownAs(selector['nodeSelectorTerms'], formOf('core_v1.NodeSelectorTerm'))
    check.invalid(at, shown, 'must have exactly one node selector term')
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection']) chosen.push(...checkTrue(spec, field, SPEC, check))
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (chosen.length === 0) check.required(SPEC, detail)
  else if (chosen.length > 1) {
    check.invalid(SPEC, `{${chosen.join(', ')}}`, `${detail}, but multiple fields are set`)
  }
}

function sliceWarnings(object: ApiObject): readonly string[] {
  const driver = textOrEmpty(specOf(object), 'driver')
  if (driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`]
}

/** Every value of a map. */
const eachValue =
  (rule: Rule): Rule =>
  (given, context, parent) => {
    if (!isMap(given)) return given
    const entries = Object.entries(given).map(([key, value]) => [key, rule(value, context, parent) ?? value] as const)
    return entries.some(([key, value]) => given[key] !== value) ? Object.fromEntries(entries) : given
  }

export const RESOURCE_SLICE: Kind = {
  validation: builtInRules({ object: checkSlice }),
  defaults: within({
    spec: within({
      devices: each(
        within({
          nodeAllocatableResourceMappings: eachValue(within({ allocationMultiplier: absent('1') })),
          taints: each(within({ timeAdded: (given, { now }) => given ?? now() })),
        }),
      ),
    }),
  }),
  strategy: withGatedFields(
    gatedFields(
      'resource.k8s.io_v1.ResourceSlice',
      ...['bools', 'ints', 'strings', 'versions'].map((list) => `spec/devices/*/attributes/*/${list}`),
    ),
    { generation: GENERATION_OF_SPEC, answersDeleteWithObject: true, warnings: sliceWarnings },
  ),
  columns: tableOf([
    NAME,
    column('Node', 'The node that has the devices.', text('spec', 'nodeName')),
    column('Driver', 'The driver of the devices.', text('spec', 'driver')),
    column('Pool', 'The pool that the devices are in.', text('spec', 'pool', 'name')),
    AGE,
  ]),
  olderVersions: { 'resource.k8s.io/v1beta2': 'same' },
}
