// In-place resize: only cpu and memory may change, and never the QoS class.
import type { Container, EmptyDirVolumeSource, Pod, PodSpec, ResourceRequirements } from '../../../api/gen/kinds.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { membersOf, withMembers } from '../../../api/object-members.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { entriesOf, equalValues } from '../../../api/value.ts'
import { compareQuantities, type Quantity, signOfQuantity } from '../../../lib/quantity.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { NOWHERE } from '../../../schema/validation/object-meta.ts'
import { amountOf } from '../../shared/resource-names.ts'

/** With this gate, volumes in memory can be resized too. */
export const RESIZES_VOLUMES = 'InPlacePodVerticalScalingMemoryBackedVolumes'

const SPEC = FieldPath.root<PodSpec>('spec')
const KINDS = ['requests', 'limits'] as const
const RESIZABLE: readonly string[] = ['cpu', 'memory']
/** The reference checks the lists in both orders. */
const INIT_FIRST = ['initContainers', 'containers'] as const
const INIT_LAST = ['containers', 'initContainers'] as const
type Field = (typeof INIT_FIRST)[number]
type Amounts = Pick<ResourceRequirements, 'requests' | 'limits'>
const ONLY_THESE = 'only cpu and memory resources are mutable'

/** `keepsClaims`: a container with claims can be resized if its claims stay the same. Otherwise it cannot be resized. */
export function checkResize(object: Pod, stored: Pod, check: Check, keepsClaims: boolean): void {
  const [spec, old] = [object.spec, stored.spec]
  const before = stored.status.qosClass ?? qosOf(old)
  if (before !== qosOf(spec)) {
    const shown = object.status.qosClass ?? ''
    check.invalid(SPEC, shown, 'Pod QOS Class may not change as a result of resizing')
  }
  if (!canResize(stored)) check.forbidden(SPEC, 'Pod running on node without support for resize')
  if (!checkPodLevel(spec, old, check) || !checkOrder(spec, old, check)) return
  for (const field of INIT_FIRST) checkNothingRemoved(spec, old, field, check)
  for (const field of INIT_LAST) checkOnlyAmounts({ spec, old, keepsClaims }, field, check)
  if (check.gate(RESIZES_VOLUMES)) checkVolumes(spec, old, check)
  const rest = withMembers(spec, membersOf(old, 'containers', 'initContainers', 'resources', 'volumes'))
  if (check.errors.length === 0 && !equalValues(rest, old)) check.forbidden(SPEC, ONLY_THESE)
}

/** Only the size limit of a volume in memory may change. A volume cannot get or lose its limit. */
function checkVolumes({ volumes = [] }: PodSpec, { volumes: stored = [] }: PodSpec, check: Check): void {
  const list = SPEC.child('volumes')
  if (volumes.length !== stored.length) return check.forbidden(list, 'volumes may not be added or removed on resize')
  for (const [i, volume] of volumes.entries()) {
    const before = stored[i]!
    const at = list.index(i)
    const { emptyDir: now } = volume
    const { emptyDir: old } = before
    const isDirectory = now !== undefined && old !== undefined
    const compared = isDirectory
      ? withMembers(volume, { emptyDir: withMembers(now, membersOf(old, 'sizeLimit')) })
      : volume
    if (volume.name !== before.name) {
      check.forbidden(at.child('name'), 'volumes may not be renamed or reordered on resize')
    } else if (!equalValues(compared, before)) {
      check.forbidden(at, 'only sizeLimit of memory-backed emptyDir volumes is mutable on resize')
    } else if (isDirectory) checkLimit(now, old, at.child('emptyDir').child('sizeLimit'), check)
  }
}

function checkLimit(now: EmptyDirVolumeSource, old: EmptyDirVolumeSource, at: FieldPath, check: Check): void {
  const [limit, before] = [now, old].map(({ sizeLimit }) => amountOf(sizeLimit))
  const isSet = (amount: Quantity | undefined): boolean => amount !== undefined && signOfQuantity(amount) !== 0
  if (isSet(limit) !== isSet(before)) {
    check.forbidden(at, 'adding or removing sizeLimit on an existing volume is not allowed')
  } else if (limit !== undefined && before !== undefined && compareQuantities(limit, before) !== 0) {
    if (now.medium !== 'Memory') {
      check.forbidden(at, 'sizeLimit is only mutable for memory-backed emptyDir volumes')
    }
  }
}

/** Whether the node can resize. Nodes that cannot resize do not report resources of running containers. */
function canResize(stored: Pod): boolean {
  const running = (stored.status.containerStatuses ?? []).find(({ state }) => state.running !== undefined)
  return running === undefined || running.resources !== undefined
}

function hasResources({ resources = {} }: PodSpec): boolean {
  return KINDS.some((kind) => Object.keys(resources[kind] ?? {}).length > 0)
}

function checkPodLevel(spec: PodSpec, old: PodSpec, check: Check): boolean {
  if (!hasResources(spec) && !hasResources(old)) return true
  if (!check.gate('InPlacePodLevelResourcesVerticalScaling')) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled'
    const detail = `resize of pods with pod-level resources is forbidden when ${gate} feature gate is disabled`
    check.forbidden(NOWHERE, detail)
    return false
  }
  const at = SPEC.child('resources')
  if (old.resources !== undefined && spec.resources === undefined) {
    check.forbidden(at, 'pod-level resources cannot be removed')
    return true
  }
  for (const kind of KINDS) {
    if (isRemoved(spec.resources, old.resources, kind))
      check.forbidden(at.child(kind), `pod-level resource ${kind} cannot be removed`)
  }
  const rest = { ...spec.resources, ...amountsAsBefore(spec.resources, old.resources) }
  if (!equalValues(withoutEmpty(rest), withoutEmpty(old.resources ?? {}))) {
    check.forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level')
  }
  return true
}

function checkOrder(spec: PodSpec, old: PodSpec, check: Check): boolean {
  const before = check.errors.length
  for (const field of INIT_LAST) {
    const containers = spec[field] ?? []
    const stored = old[field] ?? []
    if (containers.length !== stored.length) {
      check.forbidden(SPEC.child(field), `${field} may not be added or removed on resize`)
      continue
    }
    for (const [i, container] of containers.entries()) {
      if (container.name === stored[i]?.name) continue
      check.forbidden(SPEC.child(field).index(i).child('name'), `${field} may not be renamed or reordered on resize`)
    }
  }
  return check.errors.length === before
}

function checkNothingRemoved(spec: PodSpec, old: PodSpec, field: Field, check: Check): void {
  const stored = old[field] ?? []
  for (const [i, container] of (spec[field] ?? []).entries()) {
    const at = SPEC.child(field).index(i).child('resources')
    for (const kind of KINDS) {
      if (isRemoved(container.resources, stored[i]?.resources, kind))
        check.forbidden(at.child(kind), `resource ${kind} cannot be removed`)
    }
  }
}

function isRemoved(now: Amounts = {}, old: Amounts = {}, kind: keyof Amounts): boolean {
  return Object.keys(old[kind] ?? {}).some((name) => !Object.hasOwn(now[kind] ?? {}, name))
}

interface Resize {
  readonly spec: PodSpec
  readonly old: PodSpec
  readonly keepsClaims: boolean
}

function checkOnlyAmounts({ spec, old, keepsClaims }: Resize, field: Field, check: Check): void {
  const stored = old[field] ?? []
  for (const [i, container] of (spec[field] ?? []).entries()) {
    const before: Partial<Container> = stored[i] ?? {}
    const { claims } = container.resources ?? {}
    const amounts = amountsAsBefore(container.resources, before.resources)
    const resources = keepsClaims && claims !== undefined ? { ...amounts, claims } : amounts
    const compared = { ...container, resources: withoutEmpty(resources) }
    if (equalValues(compared, { ...before, resources: withoutEmpty(before.resources ?? {}) })) continue
    const isSidecar = container.restartPolicy === 'Always'
    if (field === 'containers') check.forbidden(SPEC, ONLY_THESE)
    else if (isSidecar || check.gate('InPlacePodVerticalScalingInitContainers')) {
      const detail = 'only cpu and memory resources for init or sidecar containers are mutable'
      check.forbidden(SPEC.child(field).index(i), detail)
    } else check.forbidden(SPEC, 'resources for non-sidecar init containers are immutable')
  }
}

/** The requests and limits of a container or pod, with the stored cpu and memory. */
function amountsAsBefore(now: Amounts = {}, old: Amounts = {}): Amounts {
  const kinds = KINDS.map((kind) => {
    const others = entriesOf(now[kind] ?? {}).filter(([name]) => !RESIZABLE.includes(name))
    const before = entriesOf(old[kind] ?? {}).filter(([name]) => RESIZABLE.includes(name))
    return [kind, Object.fromEntries([...others, ...before])] as const
  })
  return Object.fromEntries(kinds)
}

function withoutEmpty(resources: ResourceRequirements): ResourceRequirements {
  return Object.fromEntries(Object.entries(resources).filter(([, value]) => Object.keys(value).length > 0))
}
