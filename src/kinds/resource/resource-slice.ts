// Resource slices: the devices that a driver offers on one node or several.
import { FieldPath } from '../../api/field-path.ts'
import type { ResourceSlice, ResourceSliceSpec } from '../../api/gen/kinds.ts'
import { entriesOf, type MapOf, own, type Value } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, each, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkList, checkPoolName } from './device-names.ts'
import { checkCounters, checkDevices, checkTrue, chosenBy } from './slice-devices.ts'
import { checkPartitionType, checkSkipped } from './slice-options.ts'
import { SLICE_V1BETA1 } from './v1beta1.ts'

const SPEC = FieldPath.root<ResourceSliceSpec>('spec')
const MAX_COUNTER_SETS = 8

function checkSlice({ spec }: ResourceSlice, check: Check, stored?: ResourceSlice): void {
  const { driver, pool, sharedCounters } = spec
  const poolAt = SPEC.child('pool')
  checkDriverName(driver, SPEC.child('driver'), check)
  checkPoolName(pool.name, poolAt.child('name'), check)
  check.fields(pool, poolAt, 'resource.k8s.io_v1.ResourcePool', 'resourceSliceCount', 'generation')
  const old = stored?.spec
  if (old !== undefined) {
    check.unchanged(poolAt.child('name'), pool.name, old.pool.name)
    for (const field of ['driver', 'nodeName'] as const) check.unchanged(SPEC.child(field), spec[field], old[field])
  }
  checkNodes(spec, check)
  if (sharedCounters !== undefined && spec.devices !== undefined) {
    check.invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed')
  }
  checkDevices(spec, old, check)
  checkList(sharedCounters ?? [], SPEC.child('sharedCounters'), {
    check,
    max: MAX_COUNTER_SETS,
    item: checkCounters,
    key: ({ name }) => name,
  })
  checkPartitionType(spec, check)
  checkSkipped(spec, 'resource.k8s.io_v1.ResourceSliceSpec', SPEC, check)
}

function checkNodes(spec: ResourceSliceSpec, check: Check): void {
  const chosen = chosenBy(spec, 'must be either unset or set to a non-empty string', SPEC, check)
  const { nodeSelector: selector } = spec
  if (selector !== undefined && selector.nodeSelectorTerms?.length !== 1) {
    const at = SPEC.child('nodeSelector').child('nodeSelectorTerms')
    const shown = shownAs(selector.nodeSelectorTerms, formOf('core_v1.NodeSelectorTerm'))
    check.invalid(at, shown, 'must have exactly one node selector term')
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const)
    chosen.push(...checkTrue(spec, field, SPEC, check))
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (chosen.length === 0) check.required(SPEC, detail)
  else if (chosen.length > 1) {
    check.invalid(SPEC, `{${chosen.join(', ')}}`, `${detail}, but multiple fields are set`)
  }
}

function sliceWarnings({ spec: { driver } }: ResourceSlice): readonly string[] {
  if (driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`]
}

/** Applies the rule to every value of a map. */
const eachValue =
  <T extends Value>(rule: OwnRule<T>): OwnRule<MapOf<T>> =>
  (given, context, parent) => {
    if (given === undefined) return given
    const entries = entriesOf(given).map(([key, value]) => [key, rule(value, context, parent) ?? value] as const)
    return entries.some(([key, value]) => own(given, key) !== value) ? Object.fromEntries(entries) : given
  }

export const RESOURCE_SLICE: Kind = typedKind<ResourceSlice>({
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
      'spec/partitionTypeAttribute',
      'spec/skipNodeOperations',
      'spec/devices/*/nodeAllocatableResources',
      'spec/devices/*/nodeAllocatableResourceMappings',
      'spec/devices/*/consumesCounters/*/compatibilityGroups',
    ),
    { generation: GENERATION_OF_SPEC, answersDeleteWithObject: true, warnings: sliceWarnings },
  ),
  columns: tableOf([
    NAME,
    column('Node', 'The node that has the devices.', ({ spec }) => spec.nodeName ?? ''),
    column('Driver', 'The driver of the devices.', ({ spec }) => spec.driver),
    column('Pool', 'The pool that the devices are in.', ({ spec }) => spec.pool.name),
    AGE,
  ]),
  storedAs: SLICE_V1BETA1,
})
