// Checks the containers of a pod: regular, init and ephemeral containers.
import type {
  Container,
  ContainerPort,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
} from '../../../api/gen/kinds.ts'
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { portName } from '../../../schema/validation/formats.ts'
import { checkContainerResourceName } from '../resource-names.ts'
import type { ContainerScope } from './container-scope.ts'
import { checkEnvironment } from './environment.ts'
import { checkLifecycle, checkProbes, PROBES, refuseProbes } from './probes.ts'
import { checkRequirements } from './resource-requirements.ts'
import { checkContainerSecurity } from './security-context.ts'
import { checkMounts } from './volume-mounts.ts'

export function checkContainers(spec: PodSpec, list: FieldPath<readonly Container[]>, scope: ContainerScope): void {
  const { check } = scope
  const containers = spec.containers ?? []
  if (containers.length === 0) {
    check.required(list)
    return
  }
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    check.unique(names, container.name, at.child('name'))
    checkHooks(container, at, scope)
    if (check.gate('ContainerRestartRules')) checkRestartRules(container, at, check)
    else if (container.restartPolicy !== undefined) {
      check.forbidden(at.child('restartPolicy'), 'may not be set for non-init containers')
    }
  }
  checkHostPorts(containers, list, check)
}

/** The lifecycle hooks and probes of a container that runs as long as its pod. */
function checkHooks(container: Container, at: FieldPath<Container>, scope: ContainerScope): void {
  if (container.lifecycle !== undefined) checkLifecycle(container.lifecycle, at.child('lifecycle'), scope)
  checkProbes(container, at, scope)
}

export function checkInitContainers(spec: PodSpec, list: FieldPath<readonly Container[]>, scope: ContainerScope): void {
  const { check } = scope
  const names = new Set((spec.containers ?? []).map(({ name }) => name))
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    checkInitRestart(container, at, check)
    const { name } = container
    if (names.has(name)) check.duplicate(at.child('name'), name)
    else if (name !== '') names.add(name)
    checkHostPorts([container], list, check)
    const isSidecar = container.restartPolicy === 'Always'
    if (isSidecar) checkHooks(container, at, scope)
    else {
      refuseProbes(container, at, check)
      refuseRestartOnResize(container, at, check)
    }
  }
}

function checkInitRestart(container: Container, at: FieldPath<Container>, check: Check): void {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container
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

function checkRestartRules(container: Container, at: FieldPath<Container>, check: Check): void {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container
  if (policy === undefined) {
    if (rules.length === 0) return
    check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  } else check.oneOf(at.child('restartPolicy'), policy, ['Always', 'Never', 'OnFailure'])
  check.fields(container, at, 'core_v1.Container', 'restartPolicyRules')
  check.each(container, 'restartPolicyRules', at, checkRestartRule)
}

function checkRestartRule(rule: ContainerRestartRule, at: FieldPath<ContainerRestartRule>, check: Check): void {
  const all = check.gate('RestartAllContainersOnContainerExits')
  check.oneOf(at.child('action'), rule.action ?? '', all ? ['Restart', 'RestartAllContainers'] : ['Restart'])
  check.fields(rule, at, 'core_v1.ContainerRestartRule')
  check.part(rule, 'exitCodes', at, (codes, place) =>
    check.fields(codes, place, 'core_v1.ContainerRestartRuleOnExitCodes'),
  )
}

function refuseRestartOnResize(container: Container, at: FieldPath<Container>, check: Check): void {
  check.each(container, 'resizePolicy', at, (policy, place) => {
    if (policy.restartPolicy !== 'RestartContainer') return
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
    check.invalid(place.child('restartPolicy'), 'RestartContainer', detail)
  })
}

/** In the order of the reference. */
const NOT_IN_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  ...PROBES,
  'lifecycle',
] as const

const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container'

export function checkEphemeralContainers(
  { containers: regular, initContainers = [], ephemeralContainers: containers = [] }: PodSpec,
  list: FieldPath<readonly EphemeralContainer[]>,
  scope: ContainerScope,
): void {
  if (containers.length === 0) return
  const { check } = scope
  const others = new Set([...(regular ?? []), ...initContainers].map(({ name }) => name))
  const names = new Set(others)
  for (const [i, container] of containers.entries()) {
    const at = list.index(i)
    checkCommon(container, at, scope)
    checkImageOfPod(container, at, check)
    check.unique(names, container.name, at.child('name'))
    const { targetContainerName: target } = container
    if (target !== undefined && !others.has(target)) check.notFound(at.child('targetContainerName'), target)
    for (const field of NOT_IN_EPHEMERAL) if (isSet(container[field])) check.forbidden(at.child(field), NOT_EPHEMERAL)
    check.each(container, 'volumeMounts', at, (mount, place) => {
      for (const field of ['subPath', 'subPathExpr'] as const) {
        if (mount[field] !== undefined) check.forbidden(place.child(field), NOT_EPHEMERAL)
      }
    })
  }
}

/** Empty `resources` count as not set. */
function isSet(value: EphemeralContainer[(typeof NOT_IN_EPHEMERAL)[number]]): boolean {
  return typeof value === 'object' ? Array.isArray(value) || Object.keys(value).length > 0 : value !== undefined
}

/** Checks the image of a container of a pod. Templates do not have this rule. */
export function checkImageOfPod(container: Container, at: FieldPath<Container>, check: Check): void {
  const { image = '' } = container
  if (image !== image.trim()) check.invalid(at.child('image'), image, 'must not have leading or trailing whitespace')
}

function checkCommon(container: Container, at: FieldPath<Container>, scope: ContainerScope): void {
  const { check } = scope
  check.fields(container, at, 'core_v1.Container', 'name', 'image', 'terminationMessagePolicy')
  checkPorts(container.ports ?? [], at.child('ports'), check)
  checkEnvironment(container, at, check)
  checkMounts(container, at, scope)
  check.fields(container, at, 'core_v1.Container', 'imagePullPolicy')
  const requirements = { check, name: checkContainerResourceName, claims: scope.claims }
  checkRequirements(container.resources, at.child('resources'), requirements)
  checkResizePolicy(container, at.child('resizePolicy'), scope)
  const { securityContext: context } = container
  if (context !== undefined) checkContainerSecurity(context, at.child('securityContext'), scope)
}

function checkPorts(ports: readonly ContainerPort[], list: FieldPath<readonly ContainerPort[]>, check: Check): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = list.index(i)
    const { name } = port
    if (name !== undefined) {
      const faults = portName(name)
      if (faults.length > 0) check.format(at.child('name'), name, faults)
      else if (names.has(name)) check.duplicate(at.child('name'), name)
      else names.add(name)
    }
    check.fields(port, at, 'core_v1.ContainerPort', 'containerPort', 'hostPort', 'protocol')
  }
}

/** Containers that run side by side must not use the same host port. */
function checkHostPorts(containers: readonly Container[], list: FieldPath<readonly Container[]>, check: Check): void {
  let used: Set<string> | undefined
  for (const [c, container] of containers.entries()) {
    for (const [p, { hostPort, protocol = '', hostIP = '' }] of (container.ports ?? []).entries()) {
      if (hostPort === undefined) continue
      used ??= new Set()
      const key = `${protocol}/${hostIP}/${hostPort}`
      check.unique(used, key, list.index(c).child('ports').index(p).child('hostPort'))
    }
  }
}

function checkResizePolicy(
  { resizePolicy = [] }: Container,
  list: FieldPath,
  { check, restartPolicy }: ContainerScope,
): void {
  const seen = new Set<string>()
  for (const [i, { resourceName: resource, restartPolicy: restart }] of resizePolicy.entries()) {
    if (seen.has(resource)) check.duplicate(list.index(i), shownJson(resource))
    seen.add(resource)
    if (resource === '') check.required(list)
    else check.oneOf(list, resource, ['cpu', 'memory'])
    if (restart === '') check.required(list)
    else check.oneOf(list, restart, ['NotRequired', 'RestartContainer'])
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      check.invalid(list, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  }
}
