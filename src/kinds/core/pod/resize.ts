// Changing the resources of a pod while it runs: processor and memory only, and never its class of service.
import { FieldPath } from '../../../api/field-path.ts'
import { isGiven, mapOrEmpty, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { equalValues, type Value, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { NOWHERE } from '../../../schema/validation/object-meta.ts'

const SPEC = FieldPath.root('spec')
const RESIZABLE: readonly string[] = ['cpu', 'memory']
const ONLY_THESE = 'only cpu and memory resources are mutable'

export function checkResize(object: ValueMap, stored: ValueMap, check: Check): void {
  const spec = mapOrEmpty(object, 'spec')
  const old = mapOrEmpty(stored, 'spec')
  const before = textOrEmpty(mapOrEmpty(stored, 'status'), 'qosClass') || qosOf(old)
  if (before !== qosOf(spec)) {
    const shown = textOrEmpty(mapOrEmpty(object, 'status'), 'qosClass')
    check.invalid(SPEC, shown, 'Pod QOS Class may not change as a result of resizing')
  }
  if (!canResize(stored)) check.forbidden(SPEC, 'Pod running on node without support for resize')
  if (!checkPodLevel(spec, old, check) || !checkOrder(spec, old, check)) return
  for (const field of ['initContainers', 'containers']) checkNothingRemoved(spec, old, { field, check })
  const rest = withOldAmounts(spec, old, check)
  if (check.errors.length === 0 && !equalValues(rest, old)) check.forbidden(SPEC, ONLY_THESE)
}

/** Nodes that cannot resize do not report resources of running containers. */
function canResize(stored: ValueMap): boolean {
  const running = mapsInPlace(mapOrEmpty(stored, 'status'), 'containerStatuses').find((status) =>
    isGiven(mapOrEmpty(status, 'state'), 'running'),
  )
  return running === undefined || isGiven(running, 'resources')
}

function hasResources(spec: ValueMap): boolean {
  const resources = mapOrEmpty(spec, 'resources')
  return ['requests', 'limits'].some((kind) => Object.keys(mapOrEmpty(resources, kind)).length > 0)
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
  for (const kind of ['requests', 'limits']) {
    if (isRemoved(mapOrEmpty(spec, 'resources'), mapOrEmpty(old, 'resources'), kind)) {
      check.forbidden(at.child(kind), `pod-level resource ${kind} cannot be removed`)
    }
  }
  const rest = amountsAsBefore(mapOrEmpty(spec, 'resources'), mapOrEmpty(old, 'resources'))
  if (!equalValues(tidy(rest), tidy(mapOrEmpty(old, 'resources')))) {
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

interface Containers {
  readonly field: string
  readonly check: Check
}

function checkNothingRemoved(spec: ValueMap, old: ValueMap, { field, check }: Containers): void {
  const stored = mapsInPlace(old, field)
  for (const [i, container] of mapsInPlace(spec, field).entries()) {
    const at = SPEC.child(field).index(i).child('resources')
    for (const kind of ['requests', 'limits']) {
      if (isRemoved(mapOrEmpty(container, 'resources'), mapOrEmpty(stored[i] ?? {}, 'resources'), kind)) {
        check.forbidden(at.child(kind), `resource ${kind} cannot be removed`)
      }
    }
  }
}

function isRemoved(resources: ValueMap, old: ValueMap, kind: string): boolean {
  const now = mapOrEmpty(resources, kind)
  return Object.keys(mapOrEmpty(old, kind)).some((name) => !Object.hasOwn(now, name))
}

/** The spec with processor and memory as they were; what else differs is told where it is. */
function withOldAmounts(spec: ValueMap, old: ValueMap, check: Check): ValueMap {
  const restored = (field: string): readonly ValueMap[] => {
    const stored = mapsInPlace(old, field)
    return mapsInPlace(spec, field).map((container, i) => {
      const before = stored[i] ?? {}
      const { requests = {}, limits = {} } = amountsAsBefore(
        mapOrEmpty(container, 'resources'),
        mapOrEmpty(before, 'resources'),
      )
      const resources: ValueMap = { requests, limits }
      const rest = withResources(container, resources)
      if (!equalValues(rest, withResources(before, mapOrEmpty(before, 'resources'))))
        tell(container, { field, i, check })
      return before
    })
  }
  const containers = restored('containers')
  const init = restored('initContainers')
  const rest: Record<string, Value> = { ...spec, containers }
  if (init.length > 0) rest['initContainers'] = init
  if (isGiven(old, 'resources')) rest['resources'] = mapOrEmpty(old, 'resources')
  else delete rest['resources']
  return rest
}

function tell(container: ValueMap, { field, i, check }: Containers & { readonly i: number }): void {
  if (field === 'containers') check.forbidden(SPEC, ONLY_THESE)
  else if (
    textOrAbsent(container, 'restartPolicy') === 'Always' ||
    check.gate('InPlacePodVerticalScalingInitContainers')
  ) {
    const detail = 'only cpu and memory resources for init or sidecar containers are mutable'
    check.forbidden(SPEC.child(field).index(i), detail)
  } else check.forbidden(SPEC, 'resources for non-sidecar init containers are immutable')
}

function withResources(container: ValueMap, resources: ValueMap): ValueMap {
  const { resources: _resources, ...rest } = container
  return { ...rest, resources: tidy(resources) }
}

function amountsAsBefore(resources: ValueMap, old: ValueMap): ValueMap {
  const kinds = ['requests', 'limits'].map((kind) => {
    const others = Object.entries(mapOrEmpty(resources, kind)).filter(([name]) => !RESIZABLE.includes(name))
    const before = Object.entries(mapOrEmpty(old, kind)).filter(([name]) => RESIZABLE.includes(name))
    return [kind, Object.fromEntries([...others, ...before])] as const
  })
  return { ...resources, ...Object.fromEntries(kinds) }
}

/** Without members that are empty. */
function tidy(map: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(map).filter(([, value]) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0),
  )
}
