// What nodes report of pods: transitions that cannot happen and addresses that are none are refused.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'
import { qualifiedName } from '../../../schema/validation/formats.ts'
import { subdomainName } from '../../../schema/validation/object-meta.ts'
import { checkIp, isDualStack } from '../../shared/ip-address.ts'

const STATUS = FieldPath.root('status')
const SYSTEM_CONDITIONS: readonly string[] = ['PodScheduled', 'Ready', 'Initialized']
const NOT_BACK = 'may not be transitioned to non-terminated state'

export function checkPodStatus(object: ValueMap, stored: ValueMap, check: Check): void {
  const status = mapOrEmpty(object, 'status')
  const old = mapOrEmpty(stored, 'status')
  const spec = mapOrEmpty(stored, 'spec')
  checkConditions(status, check)
  if (textOrEmpty(mapOrEmpty(object, 'spec'), 'nodeName') !== textOrEmpty(spec, 'nodeName')) {
    check.forbidden(STATUS.child('nodeName'), 'may not be changed directly')
  }
  checkNominatedNode(status, old, { bound: textOrEmpty(spec, 'nodeName') !== '', check })
  const generation = integerOrZero(status, 'observedGeneration')
  if (generation < 0) check.invalid(STATUS.child('observedGeneration'), generation, 'must be a non-negative integer')
  const qos = textOrEmpty(status, 'qosClass')
  if (qos !== textOrEmpty(old, 'qosClass')) check.invalid(STATUS.child('qosClass'), qos, IMMUTABLE)
  checkTransitions(status, old, { spec, check })
  checkClaimStatuses(status, mapsInPlace(mapOrEmpty(object, 'spec'), 'resourceClaims'), check)
  checkAddresses(status, old, { list: 'podIPs', check })
  checkHostAddresses(status, old, check)
}

function checkConditions(status: ValueMap, check: Check): void {
  for (const [i, condition] of mapsInPlace(status, 'conditions').entries()) {
    const at = STATUS.child('conditions').index(i)
    const generation = integerOrZero(condition, 'observedGeneration')
    if (generation < 0) check.invalid(at.child('observedGeneration'), generation, 'must be a non-negative integer')
    const type = textOrEmpty(condition, 'type')
    if (!SYSTEM_CONDITIONS.includes(type)) check.format(at.child('Type'), type, qualifiedName(type))
  }
}

interface Nomination {
  readonly bound: boolean
  readonly check: Check
}

function checkNominatedNode(status: ValueMap, old: ValueMap, { bound, check }: Nomination): void {
  const node = textOrEmpty(status, 'nominatedNodeName')
  if (node === '' || node === textOrEmpty(old, 'nominatedNodeName')) return
  const at = STATUS.child('nominatedNodeName')
  check.format(at, node, subdomainName(node, false))
  if (bound && check.gate('ClearingNominatedNodeNameAfterBinding')) {
    check.forbidden(at, 'may not be set on pods that are already bound to a node')
  }
}

interface Transition {
  /** The spec as stored. */
  readonly spec: ValueMap
  readonly check: Check
}

const LISTS = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
] as const

/** A container that ended runs again only where its policy says so. */
function checkTransitions(status: ValueMap, old: ValueMap, { spec, check }: Transition): void {
  const everyOne = allRestart(spec, check)
  for (const [field, list] of LISTS) {
    if (everyOne) break
    const containers = new Map(mapsInPlace(spec, list).map((container) => [textOrEmpty(container, 'name'), container]))
    checkEnded(status, old, {
      field,
      check,
      restarts: (name, code) => restarts(containers.get(name), { spec, code, check }),
    })
  }
  checkEnded(status, old, { field: 'ephemeralContainerStatuses', check, restarts: () => false })
}

interface Ended {
  readonly field: string
  readonly check: Check
  readonly restarts: (name: string, exitCode: number) => boolean
}

function checkEnded(status: ValueMap, old: ValueMap, { field, check, restarts }: Ended): void {
  const now = new Map(
    mapsInPlace(status, field)
      .toReversed()
      .map((entry) => [textOrEmpty(entry, 'name'), entry]),
  )
  for (const [i, before] of mapsInPlace(old, field).entries()) {
    const terminated = mapOrAbsent(mapOrEmpty(before, 'state'), 'terminated')
    const name = textOrEmpty(before, 'name')
    const entry = now.get(name)
    if (terminated === undefined || entry === undefined || isGiven(mapOrEmpty(entry, 'state'), 'terminated')) continue
    if (!restarts(name, Number(integerOrZero(terminated, 'exitCode')))) {
      check.forbidden(STATUS.child(field).index(i).child('state'), NOT_BACK)
    }
  }
}

function allRestart(spec: ValueMap, check: Check): boolean {
  if (!check.gate('RestartAllContainersOnContainerExits')) return false
  return [...mapsInPlace(spec, 'containers'), ...mapsInPlace(spec, 'initContainers')].some((container) =>
    mapsInPlace(container, 'restartPolicyRules').some((rule) => textOrEmpty(rule, 'action') === 'RestartAllContainers'),
  )
}

interface Exit {
  readonly spec: ValueMap
  readonly code: number
  readonly check: Check
}

function restarts(container: ValueMap | undefined, { spec, code, check }: Exit): boolean {
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

function checkClaimStatuses(status: ValueMap, claims: readonly ValueMap[], check: Check): void {
  const known = new Set(claims.map((claim) => textOrEmpty(claim, 'name')))
  const seen = new Set<string>()
  for (const [i, entry] of mapsInPlace(status, 'resourceClaimStatuses').entries()) {
    const at = STATUS.child('resourceClaimStatuses').index(i)
    const name = textOrEmpty(entry, 'name')
    if (!known.has(name)) {
      check.invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')
    }
    check.unique(seen, name, at.child('name'))
    check.fields(entry, at, 'core_v1.PodResourceClaimStatus')
  }
}

interface Addresses {
  readonly list: string
  readonly check: Check
}

function checkAddresses(status: ValueMap, old: ValueMap, { list, check }: Addresses): void {
  const at = STATUS.child(list)
  const addresses = mapsInPlace(status, list).map((entry) => textOrEmpty(entry, 'ip'))
  const stored = new Set(mapsInPlace(old, list).map((entry) => textOrEmpty(entry, 'ip')))
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
  checkAddresses(status, old, { list: 'hostIPs', check })
}
