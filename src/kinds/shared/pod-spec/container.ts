// The containers of a pod: regular, init and ephemeral ones.
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOfEach,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { portName } from '../../../schema/validation/formats.ts'
import { checkContainerResourceName } from '../resource-names.ts'
import type { ContainerScope } from './container-scope.ts'
import { checkEnvironment } from './environment.ts'
import { checkLifecycle, checkProbes, PROBES, refuseProbes } from './probes.ts'
import { checkRequirements } from './resource-requirements.ts'
import { checkContainerSecurity } from './security-context.ts'
import { checkMounts } from './volume-mounts.ts'

export function checkContainers(spec: ValueMap, list: FieldPath, scope: ContainerScope): void {
  const { check } = scope
  const containers = mapsInPlace(spec, 'containers')
  if (containers.length === 0) {
    check.required(list)
    return
  }
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    check.unique(names, textOrEmpty(container, 'name'), at.child('name'))
    checkHooks(container, at, scope)
    if (check.gate('ContainerRestartRules')) checkRestartRules(container, at, check)
    else if (isGiven(container, 'restartPolicy')) {
      check.forbidden(at.child('restartPolicy'), 'may not be set for non-init containers')
    }
  }
  checkHostPorts(containers, list, check)
}

/** The lifecycle hooks and probes of a container that runs as long as its pod. */
function checkHooks(container: ValueMap, at: FieldPath, scope: ContainerScope): void {
  const lifecycle = mapOrAbsent(container, 'lifecycle')
  if (lifecycle !== undefined) checkLifecycle(lifecycle, at.child('lifecycle'), scope)
  checkProbes(container, at, scope)
}

export function checkInitContainers(spec: ValueMap, list: FieldPath, scope: ContainerScope): void {
  const { check } = scope
  const names = new Set(textOfEach(spec, 'containers', 'name'))
  for (const [i, container] of mapsInPlace(spec, 'initContainers').entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    checkInitRestart(container, at, check)
    const name = textOrEmpty(container, 'name')
    if (names.has(name)) check.duplicate(at.child('name'), name)
    else if (name !== '') names.add(name)
    checkHostPorts([container], list, check)
    const isSidecar = textOrAbsent(container, 'restartPolicy') === 'Always'
    if (isSidecar) checkHooks(container, at, scope)
    else {
      refuseProbes(container, at, check)
      refuseRestartOnResize(container, at, check)
    }
  }
}

function checkInitRestart(container: ValueMap, at: FieldPath, check: Check): void {
  const policy = textOrAbsent(container, 'restartPolicy')
  const rules = listOrEmpty(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length > 0) {
      check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
    }
  } else if (!check.gate('ContainerRestartRules')) check.oneOf(at.child('restartPolicy'), policy, ['Always'])
  else if (policy !== 'Always' || check.gate('RestartAllContainersOnContainerExits')) {
    checkRestartRules(container, at, check)
  } else if (rules.length > 0) {
    const detail = 'restartPolicyRules are not allowed for init containers with restart policy Always'
    check.forbidden(at.child('restartPolicyRules'), detail)
  }
}

function checkRestartRules(container: ValueMap, at: FieldPath, check: Check): void {
  const policy = textOrAbsent(container, 'restartPolicy')
  const rules = listOrEmpty(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return
    check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  } else check.oneOf(at.child('restartPolicy'), policy, ['Always', 'Never', 'OnFailure'])
  check.fields(container, at, 'core_v1.Container', 'restartPolicyRules')
  check.each(container, 'restartPolicyRules', at, checkRestartRule)
}

function checkRestartRule(rule: ValueMap, at: FieldPath, check: Check): void {
  const all = check.gate('RestartAllContainersOnContainerExits')
  check.oneOf(at.child('action'), textOrEmpty(rule, 'action'), all ? ['Restart', 'RestartAllContainers'] : ['Restart'])
  check.fields(rule, at, 'core_v1.ContainerRestartRule')
  check.part(rule, 'exitCodes', at, (codes, place) =>
    check.fields(codes, place, 'core_v1.ContainerRestartRuleOnExitCodes'),
  )
}

function refuseRestartOnResize(container: ValueMap, at: FieldPath, check: Check): void {
  check.each(container, 'resizePolicy', at, (policy, place) => {
    if (textOrEmpty(policy, 'restartPolicy') !== 'RestartContainer') return
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
    check.invalid(place.child('restartPolicy'), 'RestartContainer', detail)
  })
}

/** In the order of the reference. */
const NOT_IN_EPHEMERAL: readonly string[] = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  ...PROBES,
  'lifecycle',
]

const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container'

export function checkEphemeralContainers(spec: ValueMap, list: FieldPath, scope: ContainerScope): void {
  const containers = mapsInPlace(spec, 'ephemeralContainers')
  if (containers.length === 0) return
  const { check } = scope
  const others = new Set([...textOfEach(spec, 'containers', 'name'), ...textOfEach(spec, 'initContainers', 'name')])
  const names = new Set(others)
  for (const [i, container] of containers.entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    checkImageOfPod(container, at, check)
    check.unique(names, textOrEmpty(container, 'name'), at.child('name'))
    const target = textOrEmpty(container, 'targetContainerName')
    if (target !== '' && !others.has(target)) check.notFound(at.child('targetContainerName'), target)
    for (const field of NOT_IN_EPHEMERAL) if (isSet(container, field)) check.forbidden(at.child(field), NOT_EPHEMERAL)
    check.each(container, 'volumeMounts', at, (mount, place) => {
      for (const field of ['subPath', 'subPathExpr']) {
        if (textOrEmpty(mount, field) !== '') check.forbidden(place.child(field), NOT_EPHEMERAL)
      }
    })
  }
}

/** Empty `resources` count as not set. */
function isSet(container: ValueMap, field: string): boolean {
  if (!isGiven(container, field)) return false
  return field !== 'resources' || Object.keys(mapOrEmpty(container, field)).length > 0
}

/** For pods; templates are not held to it. */
export function checkImageOfPod(container: ValueMap, at: FieldPath, check: Check): void {
  const image = textOrEmpty(container, 'image')
  if (image !== image.trim()) check.invalid(at.child('image'), image, 'must not have leading or trailing whitespace')
}

function checkCommon(container: ValueMap, at: FieldPath, scope: ContainerScope): void {
  const { check } = scope
  check.fields(container, at, 'core_v1.Container', 'name', 'image', 'terminationMessagePolicy')
  checkPorts(mapsInPlace(container, 'ports'), at.child('ports'), check)
  checkEnvironment(container, at, check)
  checkMounts(container, at, scope)
  check.fields(container, at, 'core_v1.Container', 'imagePullPolicy')
  const requirements = { check, name: checkContainerResourceName, claims: scope.claims }
  checkRequirements(mapOrEmpty(container, 'resources'), at.child('resources'), requirements)
  checkResizePolicy(container, at.child('resizePolicy'), scope)
  const context = mapOrAbsent(container, 'securityContext')
  if (context !== undefined) checkContainerSecurity(context, at.child('securityContext'), scope)
}

function checkPorts(ports: readonly ValueMap[], list: FieldPath, check: Check): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = list.index(i)
    const name = textOrEmpty(port, 'name')
    if (name !== '') {
      const faults = portName(name)
      if (faults.length > 0) check.format(at.child('name'), name, faults)
      else if (names.has(name)) check.duplicate(at.child('name'), name)
      else names.add(name)
    }
    check.fields(port, at, 'core_v1.ContainerPort', 'containerPort', 'hostPort', 'protocol')
  }
}

/** No two containers that run side by side use the same host port. */
function checkHostPorts(containers: readonly ValueMap[], list: FieldPath, check: Check): void {
  let used: Set<string> | undefined
  for (const [c, container] of containers.entries()) {
    for (const [p, port] of mapsInPlace(container, 'ports').entries()) {
      const number = integerOrZero(port, 'hostPort')
      if (Number(number) === 0) continue
      used ??= new Set()
      const key = `${textOrEmpty(port, 'protocol')}/${textOrEmpty(port, 'hostIP')}/${number}`
      check.unique(used, key, list.index(c).child('ports').index(p).child('hostPort'))
    }
  }
}

function checkResizePolicy(container: ValueMap, list: FieldPath, { check, restartPolicy }: ContainerScope): void {
  const seen = new Set<string>()
  for (const [i, policy] of mapsInPlace(container, 'resizePolicy').entries()) {
    const resource = textOrEmpty(policy, 'resourceName')
    if (seen.has(resource)) check.duplicate(list.index(i), shownJson(resource))
    seen.add(resource)
    if (resource === '') check.required(list)
    else check.oneOf(list, resource, ['cpu', 'memory'])
    const restart = textOrEmpty(policy, 'restartPolicy')
    if (restart === '') check.required(list)
    else check.oneOf(list, restart, ['NotRequired', 'RestartContainer'])
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      check.invalid(list, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  }
}
