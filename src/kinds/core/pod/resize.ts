// In-place resize: only cpu and memory may change, and never the QoS class.
import { FieldPath } from '../../../api/field-path.ts'
import { isGiven, mapOrEmpty, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import { membersOf, specOf, statusOf, withMembers } from '../../../api/object-members.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { equalValues, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { NOWHERE } from '../../../schema/validation/object-meta.ts'

const SPEC = FieldPath.root('spec')
const KINDS: readonly string[] = ['requests', 'limits']
const RESIZABLE: readonly string[] = ['cpu', 'memory']
const ONLY_THESE = 'only cpu and memory resources are mutable'

export function checkResize(object: ValueMap, stored: ValueMap, check: Check): void {
  const [spec, old] = [specOf(object), specOf(stored)]
  const before = textOrEmpty(statusOf(stored), 'qosClass') || qosOf(old)
  if (before !== qosOf(spec)) {
    const shown = textOrEmpty(statusOf(object), 'qosClass')
    check.invalid(SPEC, shown, 'Pod QOS Class may not change as a result of resizing')
  }
  if (!canResize(stored)) check.forbidden(SPEC, 'Pod running on node without support for resize')
  if (!checkPodLevel(spec, old, check) || !checkOrder(spec, old, check)) return
  for (const field of ['initContainers', 'containers']) checkNothingRemoved(spec, old, field, check)
  for (const field of ['containers', 'initContainers']) checkOnlyAmounts(spec, old, field, check)
  const rest = withMembers(spec, membersOf(old, 'containers', 'initContainers', 'resources'))
  if (check.errors.length === 0 && !equalValues(rest, old)) check.forbidden(SPEC, ONLY_THESE)
}

/** Nodes that cannot resize do not report resources of running containers. */
function canResize(stored: ValueMap): boolean {
  const running = mapsInPlace(statusOf(stored), 'containerStatuses').find((status) =>
    isGiven(mapOrEmpty(status, 'state'), 'running'),
  )
  return running === undefined || isGiven(running, 'resources')
}

function resourcesOf(holder: ValueMap): ValueMap {
  return mapOrEmpty(holder, 'resources')
}

function hasResources(spec: ValueMap): boolean {
  return KINDS.some((kind) => Object.keys(mapOrEmpty(resourcesOf(spec), kind)).length > 0)
}

function checkPodLevel(spec: ValueMap, old: ValueMap, check: Check): boolean {
  if (!hasResources(spec) && !hasResources(old)) return true
  if (!check.gate('InPlacePodLevelResourcesVerticalScaling')) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled'
    const detail = `resize of pods with pod-level resources is forbidden when ${gate} feature gate is disabled`
    check.forbidden(NOWHERE, detail)
    return false
  }
  const at = SPEC.child('resources')
  if (isGiven(old, 'resources') && !isGiven(spec, 'resources')) {
    check.forbidden(at, 'pod-level resources cannot be removed')
    return true
  }
  for (const kind of KINDS) {
    if (isRemoved(spec, old, kind)) check.forbidden(at.child(kind), `pod-level resource ${kind} cannot be removed`)
  }
  const rest = { ...resourcesOf(spec), ...amountsAsBefore(spec, old) }
  if (!equalValues(withoutEmpty(rest), withoutEmpty(resourcesOf(old)))) {
    check.forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level')
  }
  return true
}

function checkOrder(spec: ValueMap, old: ValueMap, check: Check): boolean {
  const before = check.errors.length
  for (const field of ['containers', 'initContainers']) {
    const containers = mapsInPlace(spec, field)
    const stored = mapsInPlace(old, field)
    if (containers.length !== stored.length) {
      check.forbidden(SPEC.child(field), `${field} may not be added or removed on resize`)
      continue
    }
    for (const [i, container] of containers.entries()) {
      if (textOrEmpty(container, 'name') === textOrEmpty(stored[i] ?? {}, 'name')) continue
      check.forbidden(SPEC.child(field).index(i).child('name'), `${field} may not be renamed or reordered on resize`)
    }
  }
  return check.errors.length === before
}

function checkNothingRemoved(spec: ValueMap, old: ValueMap, field: string, check: Check): void {
  const stored = mapsInPlace(old, field)
  for (const [i, container] of mapsInPlace(spec, field).entries()) {
    const at = SPEC.child(field).index(i).child('resources')
    for (const kind of KINDS) {
      if (isRemoved(container, stored[i] ?? {}, kind))
        check.forbidden(at.child(kind), `resource ${kind} cannot be removed`)
    }
  }
}

function isRemoved(holder: ValueMap, old: ValueMap, kind: string): boolean {
  const now = mapOrEmpty(resourcesOf(holder), kind)
  return Object.keys(mapOrEmpty(resourcesOf(old), kind)).some((name) => !Object.hasOwn(now, name))
}

function checkOnlyAmounts(spec: ValueMap, old: ValueMap, field: string, check: Check): void {
  const stored = mapsInPlace(old, field)
  for (const [i, container] of mapsInPlace(spec, field).entries()) {
    const before = stored[i] ?? {}
    const compared = { ...container, resources: withoutEmpty(amountsAsBefore(container, before)) }
    if (equalValues(compared, { ...before, resources: withoutEmpty(resourcesOf(before)) })) continue
    const isSidecar = textOrAbsent(container, 'restartPolicy') === 'Always'
    if (field === 'containers') check.forbidden(SPEC, ONLY_THESE)
    else if (isSidecar || check.gate('InPlacePodVerticalScalingInitContainers')) {
      const detail = 'only cpu and memory resources for init or sidecar containers are mutable'
      check.forbidden(SPEC.child(field).index(i), detail)
    } else check.forbidden(SPEC, 'resources for non-sidecar init containers are immutable')
  }
}

/** The requests and limits of a container or pod, with cpu and memory as they were. */
function amountsAsBefore(holder: ValueMap, old: ValueMap): ValueMap {
  const kinds = KINDS.map((kind) => {
    const others = Object.entries(mapOrEmpty(resourcesOf(holder), kind)).filter(([name]) => !RESIZABLE.includes(name))
    const before = Object.entries(mapOrEmpty(resourcesOf(old), kind)).filter(([name]) => RESIZABLE.includes(name))
    return [kind, Object.fromEntries([...others, ...before])] as const
  })
  return Object.fromEntries(kinds)
}

function withoutEmpty(map: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(map).filter(([, value]) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0),
  )
}
