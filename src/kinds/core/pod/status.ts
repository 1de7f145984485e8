// Checks updates of a pod's status: transitions must be possible, and addresses must be valid.
import type { Container, ContainerRestartRule, Pod, PodSpec, PodStatus } from '../../../api/gen/kinds.ts'
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkIp, isDualStack } from '../../shared/ip-address.ts'
import { checkVolumeHealth } from '../../shared/volume-health.ts'

const STATUS = FieldPath.root<PodStatus>('status')
const SYSTEM_CONDITIONS: readonly string[] = ['PodScheduled', 'Ready', 'Initialized']
const NOT_RUNNING_AGAIN = 'may not be transitioned to non-terminated state'

export function checkPodStatus(object: Pod, stored: Pod, check: Check): void {
  const [status, old] = [object.status, stored.status]
  const { spec } = stored
  checkConditions(status, check)
  if (object.spec.nodeName !== spec.nodeName) {
    check.forbidden(STATUS.place('nodeName'), 'may not be changed directly')
  }
  checkNominatedNode(status, old, spec.nodeName !== undefined, check)
  check.fields(status, STATUS, 'core_v1.PodStatus')
  const { qosClass: qos = '' } = status
  if (qos !== (old.qosClass ?? '')) check.invalid(STATUS.child('qosClass'), qos, IMMUTABLE)
  checkTransitions(status, old, spec, check)
  checkClaimStatuses(status, object.spec, check)
  checkHealth(status, object.spec, check)
  checkAddresses(status, old, 'podIPs', check)
  checkHostAddresses(status, old, check)
}

function checkConditions(status: PodStatus, check: Check): void {
  check.each(status, 'conditions', STATUS, (condition, at) => {
    check.fields(condition, at, 'core_v1.PodCondition')
    const { type } = condition
    if (!SYSTEM_CONDITIONS.includes(type)) check.format(at.place('Type'), type, qualifiedName(type))
  })
}

function checkNominatedNode(status: PodStatus, old: PodStatus, isBound: boolean, check: Check): void {
  const { nominatedNodeName: node } = status
  if (node === undefined || node === old.nominatedNodeName) return
  const at = STATUS.child('nominatedNodeName')
  check.format(at, node, dns1123Subdomain(node))
  if (isBound && check.gate('ClearingNominatedNodeNameAfterBinding')) {
    check.forbidden(at, 'may not be set on pods that are already bound to a node')
  }
}

const LISTS = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
] as const

type StatusList = 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses'

/** A terminated container may only run again if its restart policy allows it. */
function checkTransitions(status: PodStatus, old: PodStatus, spec: PodSpec, check: Check): void {
  const checkEnded = (field: StatusList, mayRestart: (name: string, exitCode: number) => boolean): void => {
    const now = new Map((status[field] ?? []).toReversed().map((entry) => [entry.name, entry]))
    check.each(old, field, STATUS, (before, at) => {
      const { name, state } = before
      const entry = now.get(name)
      if (state.terminated === undefined || entry === undefined || entry.state.terminated !== undefined) return
      if (!mayRestart(name, state.terminated.exitCode)) check.forbidden(at.child('state'), NOT_RUNNING_AGAIN)
    })
  }
  for (const [field, list] of allRestart(spec, check) ? [] : LISTS) {
    const containers = new Map((spec[list] ?? []).map((container) => [container.name, container]))
    checkEnded(field, (name, code) => restarts(containers.get(name), spec, code, check))
  }
  checkEnded('ephemeralContainerStatuses', () => false)
}

function allRestart(spec: PodSpec, check: Check): boolean {
  if (!check.gate('RestartAllContainersOnContainerExits')) return false
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  )
}

function restarts(container: Container | undefined, spec: PodSpec, code: number, check: Check): boolean {
  const own = container?.restartPolicy
  if (container !== undefined && own !== undefined && check.gate('ContainerRestartRules')) {
    if ((container.restartPolicyRules ?? []).some((rule) => applies(rule, code))) return true
    return policyRestarts(own, code)
  }
  if (own === 'Always') return true
  if (container === undefined && check.gate('ContainerRestartRules')) return false
  return policyRestarts(spec.restartPolicy ?? '', code)
}

function policyRestarts(policy: string, code: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && code !== 0)
}

function applies({ action, exitCodes: codes }: ContainerRestartRule, code: number): boolean {
  if (codes === undefined || action !== 'Restart') return false
  const listed = (codes.values ?? []).includes(code)
  return codes.operator === 'In' ? listed : !listed
}

function checkClaimStatuses(status: PodStatus, spec: PodSpec, check: Check): void {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const seen = new Set<string>()
  check.each(status, 'resourceClaimStatuses', STATUS, (entry, at) => {
    const { name } = entry
    if (!known.has(name)) {
      check.invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')
    }
    check.unique(seen, name, at.child('name'))
    check.fields(entry, at, 'core_v1.PodResourceClaimStatus')
  })
}

function checkHealth(status: PodStatus, spec: PodSpec, check: Check): void {
  const names = new Set((spec.volumes ?? []).map(({ name }) => name))
  const seen = new Set<string>()
  check.each(status, 'volumeHealth', STATUS, (health, at) => {
    const { name } = health
    if (name === '') check.required(at.child('name'))
    else if (!names.has(name)) check.notFound(at.child('name'), name)
    checkVolumeHealth(health, at, check)
    if (seen.has(name)) check.duplicate(at, shownJson(health))
    seen.add(name)
  })
}

function checkAddresses(status: PodStatus, old: PodStatus, list: 'podIPs' | 'hostIPs', check: Check): void {
  const at = STATUS.child(list)
  const addresses = (status[list] ?? []).map(({ ip }) => ip)
  const stored = new Set((old[list] ?? []).map(({ ip }) => ip))
  for (const [i, address] of addresses.entries()) checkIp(address, at.index(i), check, { stored })
  if (addresses.length <= 1) return
  if (isDualStack(addresses) !== true || addresses.length > 2) {
    const shown = shownJson(addresses.map((IP) => ({ IP })))
    check.invalid(at, shown, 'may specify no more than one IP for each IP family')
  }
}

function checkHostAddresses(status: PodStatus, old: PodStatus, check: Check): void {
  const [first] = status.hostIPs ?? []
  if (first === undefined) return
  if (first.ip !== (status.hostIP ?? '')) {
    check.invalid(STATUS.child('hostIPs').index(0).child('ip'), first.ip, 'must be equal to `hostIP`')
  }
  checkAddresses(status, old, 'hostIPs', check)
}
