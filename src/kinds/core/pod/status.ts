// Updates of a pod's status: no impossible transitions, no invalid addresses.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  isGiven,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  numberOrZero,
  textOfEach,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import { specOf, statusOf } from '../../../api/object-members.ts'
import type { ValueMap } from '../../../api/value.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkIp, isDualStack } from '../../shared/ip-address.ts'

const STATUS = FieldPath.root('status')
const SYSTEM_CONDITIONS: readonly string[] = ['PodScheduled', 'Ready', 'Initialized']
const NOT_RUNNING_AGAIN = 'may not be transitioned to non-terminated state'

export function checkPodStatus(object: ValueMap, stored: ValueMap, check: Check): void {
  const [status, old] = [statusOf(object), statusOf(stored)]
  const spec = specOf(stored)
  const node = textOrEmpty(spec, 'nodeName')
  checkConditions(status, check)
  if (textOrEmpty(specOf(object), 'nodeName') !== node) {
    check.forbidden(STATUS.child('nodeName'), 'may not be changed directly')
  }
  checkNominatedNode(status, old, node !== '', check)
  check.fields(status, STATUS, 'core_v1.PodStatus')
  const qos = textOrEmpty(status, 'qosClass')
  if (qos !== textOrEmpty(old, 'qosClass')) check.invalid(STATUS.child('qosClass'), qos, IMMUTABLE)
  checkTransitions(status, old, spec, check)
  checkClaimStatuses(status, specOf(object), check)
  checkAddresses(status, old, 'podIPs', check)
  checkHostAddresses(status, old, check)
}

function checkConditions(status: ValueMap, check: Check): void {
  check.each(status, 'conditions', STATUS, (condition, at) => {
    check.fields(condition, at, 'core_v1.PodCondition')
    const type = textOrEmpty(condition, 'type')
    if (!SYSTEM_CONDITIONS.includes(type)) check.format(at.child('Type'), type, qualifiedName(type))
  })
}

function checkNominatedNode(status: ValueMap, old: ValueMap, isBound: boolean, check: Check): void {
  const node = textOrEmpty(status, 'nominatedNodeName')
  if (node === '' || node === textOrEmpty(old, 'nominatedNodeName')) return
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

/** A terminated container may only run again where its restart policy says so. */
function checkTransitions(status: ValueMap, old: ValueMap, spec: ValueMap, check: Check): void {
  const checkEnded = (field: string, mayRestart: (name: string, exitCode: number) => boolean): void => {
    const now = new Map(
      mapsInPlace(status, field)
        .toReversed()
        .map((entry) => [textOrEmpty(entry, 'name'), entry]),
    )
    check.each(old, field, STATUS, (before, at) => {
      const terminated = mapOrAbsent(mapOrEmpty(before, 'state'), 'terminated')
      const name = textOrEmpty(before, 'name')
      const entry = now.get(name)
      if (terminated === undefined || entry === undefined || isGiven(mapOrEmpty(entry, 'state'), 'terminated')) return
      if (!mayRestart(name, numberOrZero(terminated, 'exitCode'))) check.forbidden(at.child('state'), NOT_RUNNING_AGAIN)
    })
  }
  for (const [field, list] of allRestart(spec, check) ? [] : LISTS) {
    const containers = new Map(mapsInPlace(spec, list).map((container) => [textOrEmpty(container, 'name'), container]))
    checkEnded(field, (name, code) => restarts(containers.get(name), spec, code, check))
  }
  checkEnded('ephemeralContainerStatuses', () => false)
}

function allRestart(spec: ValueMap, check: Check): boolean {
  if (!check.gate('RestartAllContainersOnContainerExits')) return false
  return [...mapsInPlace(spec, 'containers'), ...mapsInPlace(spec, 'initContainers')].some((container) =>
    mapsInPlace(container, 'restartPolicyRules').some((rule) => textOrEmpty(rule, 'action') === 'RestartAllContainers'),
  )
}

function restarts(container: ValueMap | undefined, spec: ValueMap, code: number, check: Check): boolean {
  const own = container === undefined ? undefined : textOrAbsent(container, 'restartPolicy')
  if (container !== undefined && own !== undefined && check.gate('ContainerRestartRules')) {
    if (mapsInPlace(container, 'restartPolicyRules').some((rule) => applies(rule, code))) return true
    return policyRestarts(own, code)
  }
  if (own === 'Always') return true
  if (container === undefined && check.gate('ContainerRestartRules')) return false
  return policyRestarts(textOrEmpty(spec, 'restartPolicy'), code)
}

function policyRestarts(policy: string, code: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && code !== 0)
}

function applies(rule: ValueMap, code: number): boolean {
  const codes = mapOrAbsent(rule, 'exitCodes')
  if (codes === undefined || textOrEmpty(rule, 'action') !== 'Restart') return false
  const listed = listOrEmpty(codes, 'values').some((value) => Number(value) === code)
  return textOrEmpty(codes, 'operator') === 'In' ? listed : !listed
}

function checkClaimStatuses(status: ValueMap, spec: ValueMap, check: Check): void {
  const known = new Set(textOfEach(spec, 'resourceClaims', 'name'))
  const seen = new Set<string>()
  check.each(status, 'resourceClaimStatuses', STATUS, (entry, at) => {
    const name = textOrEmpty(entry, 'name')
    if (!known.has(name)) {
      check.invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')
    }
    check.unique(seen, name, at.child('name'))
    check.fields(entry, at, 'core_v1.PodResourceClaimStatus')
  })
}

function checkAddresses(status: ValueMap, old: ValueMap, list: string, check: Check): void {
  const at = STATUS.child(list)
  const addresses = textOfEach(status, list, 'ip')
  const stored = new Set(textOfEach(old, list, 'ip'))
  for (const [i, address] of addresses.entries()) checkIp(address, at.index(i), check, { stored })
  if (addresses.length <= 1) return
  if (isDualStack(addresses) !== true || addresses.length > 2) {
    const shown = shownJson(addresses.map((IP) => ({ IP })))
    check.invalid(at, shown, 'may specify no more than one IP for each IP family')
  }
}

function checkHostAddresses(status: ValueMap, old: ValueMap, check: Check): void {
  const [first] = mapsInPlace(status, 'hostIPs')
  if (first === undefined) return
  const ip = textOrEmpty(first, 'ip')
  if (ip !== textOrEmpty(status, 'hostIP')) {
    check.invalid(STATUS.child('hostIPs').index(0).child('ip'), ip, 'must be equal to `hostIP`')
  }
  checkAddresses(status, old, 'hostIPs', check)
}
