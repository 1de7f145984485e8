// Parts of slices and of allocated devices that belong to gates: skipped operations, the attribute with the type of a partition, and the
// resources of nodes that devices use.
import { FieldPath } from '../../api/field-path.ts'
import type {
  Device,
  NodeAllocatableMapping,
  NodeAllocatableOverhead,
  NodeAllocatableResource,
  ResourceSliceSpec,
} from '../../api/gen/kinds.ts'
import { shownJson } from '../../api/field-error.ts'
import { entriesOf, own } from '../../api/value.ts'
import { signOfQuantity } from '../../lib/quantity.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkChoice } from '../shared/choice.ts'
import { amountOf, isHugePages } from '../shared/resource-names.ts'
import { checkFullAttributeName } from './device-names.ts'

const SPEC = FieldPath.root<ResourceSliceSpec>('spec')

type Skipping = Pick<ResourceSliceSpec, 'skipNodeOperations'>

type SkippingType = 'resource.k8s.io_v1.ResourceSliceSpec' | 'resource.k8s.io_v1.DeviceRequestAllocationResult'

export function checkSkipped(part: Skipping, type: SkippingType, at: FieldPath<Skipping>, check: Check): void {
  const { skipNodeOperations: skipped = [] } = part
  const isAlone = skipped.includes('NodePrepareResources') && !skipped.includes('NodeUnprepareResources')
  if (isAlone && !skipped.includes('*')) {
    const detail = 'NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped'
    check.invalid(at.child('skipNodeOperations'), skipped, detail)
  }
  check.fields(part, at, type, 'skipNodeOperations')
}

/** Every device that consumes counters must have the attribute, with a text. A name without a domain has the domain of the driver. */
export function checkPartitionType(spec: ResourceSliceSpec, check: Check): void {
  const { partitionTypeAttribute: name, driver, devices = [] } = spec
  if (name === undefined) return
  const at = SPEC.child('partitionTypeAttribute')
  const consumes = ({ consumesCounters = [] }: Device): boolean => consumesCounters.length > 0
  if (!devices.some(consumes)) {
    check.invalid(at, name, 'may only be set on a slice which declares devices that consume counters')
  }
  const before = check.errors.length
  checkFullAttributeName(name, at, check)
  if (check.errors.length > before) return
  const bare = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name
  for (const [i, device] of devices.entries()) {
    if (!consumes(device)) continue
    const { attributes = {} } = device
    const attribute = own(attributes, name) ?? own(attributes, bare)
    const place = SPEC.child('devices').index(i).child('attributes').key(name)
    if (attribute === undefined) {
      const why = 'device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set'
      check.required(place, why)
    } else if (attribute.string === undefined) {
      const why = 'must be a string value because `partitionTypeAttribute` names this attribute'
      check.invalid(place, shownJson(attribute), why)
    }
  }
}

export function checkNodeResources(device: Device, at: FieldPath<Device>, check: Check): void {
  for (const [name, resource] of entriesOf(device.nodeAllocatableResources ?? {})) {
    const place = at.child('nodeAllocatableResources').key(name) as FieldPath<NodeAllocatableResource>
    if (name !== 'cpu' && name !== 'memory' && !isHugePages(name)) {
      check.invalid(place, name, 'must be a node allocatable resource name')
    }
    if (resource.mapping === undefined && resource.overhead === undefined) {
      check.required(place, 'at least one of mapping or overhead must be set')
    }
    check.part(resource, 'mapping', place, (mapping, where) => checkMapping(mapping, device, where, check))
    check.part(resource, 'overhead', place, checkOverhead)
  }
}

const MULTIPLIED = ['capacityKey', 'deviceMultiplier'] as const

function checkMapping(
  mapping: NodeAllocatableMapping,
  { capacity = {} }: Device,
  at: FieldPath<NodeAllocatableMapping>,
  check: Check,
): void {
  const { capacityKey: key, capacityMultiplier, deviceMultiplier } = mapping
  const keyAt = at.child('capacityKey')
  if (key === '') check.invalid(keyAt, '', 'capacityKey must not be an empty string')
  else if (key !== undefined && !Object.hasOwn(capacity, key)) check.notFound(keyAt, key)
  if (key !== undefined && capacityMultiplier === undefined) {
    check.required(at.child('capacityMultiplier'), 'capacityMultiplier is required when capacityKey is set')
  }
  if (key === undefined && capacityMultiplier !== undefined) {
    check.required(keyAt, 'capacityKey is required when capacityMultiplier is set')
  }
  const multipliers = [
    ['capacityMultiplier', capacityMultiplier],
    ['deviceMultiplier', deviceMultiplier],
  ] as const
  for (const [field, multiplier] of multipliers) {
    const amount = amountOf(multiplier)
    if (amount !== undefined && signOfQuantity(amount) <= 0) {
      check.invalid(at.child(field), multiplier, 'must be positive')
    }
  }
  checkChoice({ part: mapping, members: MULTIPLIED }, at, check)
}

function checkOverhead(overhead: NodeAllocatableOverhead, at: FieldPath<NodeAllocatableOverhead>, check: Check): void {
  const { perPod, perContainer } = overhead
  if (perPod === undefined && perContainer === undefined) {
    check.invalid(at, '', 'at least one of perPod or perContainer must be set')
  }
  const amounts = [
    ['perPod', perPod],
    ['perContainer', perContainer],
  ] as const
  for (const [field, given] of amounts) {
    const amount = amountOf(given)
    if (amount !== undefined && signOfQuantity(amount) < 0)
      check.invalid(at.child(field), given, 'must be non-negative')
  }
}
