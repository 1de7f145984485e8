// Nodes are created with the status that the kubelet sends (W-089). Dynamic kubelet configuration, which is gone, is kept where it is
// stored and dropped elsewhere.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { integerOrAbsent, listOrEmpty, mapOrEmpty, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { specOf, statusOf, withMembers, withSpec } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, isList, isMap, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text, wide } from '../../codec/tables/column.ts'
import { booleanAt, listAt, mapAt, orNone, textAt } from '../../codec/tables/reading.ts'
import { both, type Rule, within, withMember } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { UpdateRule } from '../../schema/validation/rules.ts'
import type { Kind } from '../kind.ts'
import { checkCidr, parseCidr } from '../shared/ip-address.ts'
import { checkTaints } from '../shared/pod-spec/tolerations.ts'
import { rounded } from '../shared/resource-list.ts'
import { checkAmount } from '../shared/resource-names.ts'
import { WITH_STATUS } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z0-9]+)*$/

function checkCreate(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = specOf(object)
  const status = statusOf(object)
  checkTaints(spec, METADATA, check)
  checkResources(status, check)
  const swap = integerOrAbsent(mapOrEmpty(mapOrEmpty(status, 'nodeInfo'), 'swap'), 'capacity')
  if (swap !== undefined && swap <= 0) {
    check.invalid(METADATA.child('nodeSwapStatus').child('capacity'), swap, 'must be greater than zero')
  }
  checkFeatures(textsInPlace(status, 'declaredFeatures'), check)
  const ranges = textsInPlace(spec, 'podCIDRs')
  const at = SPEC.child('podCIDRs')
  for (const [i, range] of ranges.entries()) checkCidr(range, at.index(i), check)
  if (ranges.length < 2) return
  const families = ranges.map((range) => parseCidr(range)?.address.family)
  const odd = families.indexOf(undefined)
  if (odd >= 0) {
    const fault = `invalid CIDR[${odd}]: <nil> (invalid CIDR address: ${ranges[odd]})`
    check.internal(at, `invalid PodCIDRs. failed to check with dual stack with error:${fault}`)
  }
  if (odd >= 0 || ranges.length > 2 || families[0] === families[1]) {
    check.invalid(at, ranges, 'may specify no more than one CIDR for each IP family')
  }
}

function checkResources(status: ValueMap, check: Check): void {
  for (const field of ['capacity', 'allocatable']) {
    const at = STATUS.child(field)
    check.members(mapOrEmpty(status, field), (name, amount) => checkAmount(name, amount, at.child(name), check))
  }
}

function checkFeatures(features: readonly string[], check: Check): void {
  const list = STATUS.child('declaredFeatures')
  for (const [i, feature] of features.entries()) {
    const named = `invalid feature name "${feature}"`
    if (longerThan(feature, 253)) check.invalid(list.index(i), feature, `${named}: must be no more than 253 characters`)
    else if (!FEATURE.test(feature)) {
      const form =
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
      check.invalid(list.index(i), feature, `${named}: ${form}`)
    }
    const next = features[i + 1]
    if (next === feature) check.duplicate(list.index(i + 1), next)
    else if (next !== undefined && feature > next) {
      check.invalid(list.index(i + 1), next, 'list must be sorted alphabetically')
    }
  }
}

const ONCE = 'except from "" to valid'

const checkUpdate: UpdateRule = (object, stored, check) => {
  checkBuiltInMetaUpdate(object, stored, check)
  const spec = specOf(object)
  const old = specOf(stored)
  const status = statusOf(object)
  checkResources(status, check)
  checkFeatures(textsInPlace(status, 'declaredFeatures'), check)
  checkAddresses(status, check)
  const ranges = textsInPlace(old, 'podCIDRs')
  if (ranges.length > 0 && !equalValues(ranges, textsInPlace(spec, 'podCIDRs'))) {
    check.forbidden(SPEC.child('podCIDRs'), `node updates may not change podCIDR ${ONCE}`)
  }
  const provider = textOrEmpty(old, 'providerID')
  if (provider !== '' && provider !== textOrEmpty(spec, 'providerID')) {
    check.forbidden(SPEC.child('providerID'), `node updates may not change providerID ${ONCE}`)
  }
  checkTaints(spec, METADATA, check)
  if (textOrEmpty(spec, 'externalID') !== textOrEmpty(old, 'externalID')) {
    check.forbidden(SPEC.child('externalID'), 'may not be updated')
  }
}

function checkAddresses(status: ValueMap, check: Check): void {
  const seen = new Set<string>()
  check.each(status, 'addresses', STATUS, (entry, at) => {
    const shown = { Type: textOrEmpty(entry, 'type'), Address: textOrEmpty(entry, 'address') }
    const key = `${shown.Type}\0${shown.Address}`
    if (seen.has(key)) check.duplicate(at, shownJson(shown))
    seen.add(key)
  })
}

function nodeWarnings(object: ApiObject): readonly string[] {
  const spec = specOf(object)
  const isNamed = textOrEmpty(spec, 'externalID') !== ''
  return [
    ...(Object.hasOwn(spec, 'configSource') ? ['spec.configSource: the feature is no longer available'] : []),
    ...(isNamed ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...listOrEmpty(spec, 'podCIDRs').flatMap((cidr, i) => addressWarnings(`spec.podCIDRs[${i}]`, cidr, 'CIDR value')),
  ]
}

/** `podCIDR` is the first of `podCIDRs`. */
const podRanges: Rule = (given) => {
  if (!isMap(given)) return given
  const { podCIDR, podCIDRs } = given
  const first: Value | undefined = isList(podCIDRs) ? podCIDRs[0] : undefined
  if (typeof podCIDR === 'string' && podCIDR !== '' && podCIDR !== first)
    return withMember(given, 'podCIDRs', [podCIDR])
  return first === undefined || first === '' || first === podCIDR ? given : withMember(given, 'podCIDR', first)
}

function nodeStatus(node: ValueMap): string {
  // Unlike elsewhere, the last condition of a type counts.
  const ready = listAt(node, 'status', 'conditions').findLast((condition) => textAt(condition, 'type') === 'Ready')
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return booleanAt(node, 'spec', 'unschedulable') ? `${status},SchedulingDisabled` : status
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles(node: ValueMap): string {
  const labels = mapAt(node, 'metadata', 'labels')
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length))
  const known = new Set([...roles, textAt(labels, 'kubernetes.io/role')])
  known.delete('')
  return orNone([...known].sort().join(','))
}

function nodeAddress(type: string): (node: ValueMap) => string {
  return (node) => {
    const found = listAt(node, 'status', 'addresses').find((address) => textAt(address, 'type') === type)
    return orNone(textAt(found, 'address'))
  }
}

function nodeInfo(node: ValueMap, field: string): string {
  return textAt(node, 'status', 'nodeInfo', field) || '<unknown>'
}

function kernel(node: ValueMap): string {
  const architecture = textAt(node, 'status', 'nodeInfo', 'architecture')
  const version = nodeInfo(node, 'kernelVersion')
  return architecture === '' ? version : `${version} (${architecture})`
}

export const NODE: Kind = {
  validation: {
    create: checkCreate,
    // The reference checks a changed node as a new one first.
    update: (object, stored, check) => {
      checkCreate(object, check)
      checkUpdate(object, stored, check)
    },
    subresources: { status: checkUpdate },
  },
  defaults: within({
    spec: podRanges,
    status: within({
      allocatable: both((given, _, { capacity }) => given ?? capacity, rounded),
      capacity: rounded,
    }),
  }),
  strategy: {
    status: WITH_STATUS,
    prepareForCreate: (object) => withSpec(object, { configSource: undefined }),
    firstStatus: (object) => withMembers(statusOf(object), { config: undefined }),
    prepareForUpdate: (object, stored) =>
      Object.hasOwn(specOf(stored), 'configSource') ? object : withSpec(object, { configSource: undefined }),
    prepareStatus: (object, stored) =>
      Object.hasOwn(statusOf(stored), 'config')
        ? object
        : { ...object, status: withMembers(statusOf(object), { config: undefined }) },
    warnings: nodeWarnings,
  },
  columns: tableOf([
    NAME,
    column('Status', 'Whether the node is ready.', nodeStatus),
    column('Roles', 'What the node is for.', nodeRoles),
    AGE,
    column('Version', 'The version of the node agent.', text('status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', 'Its address within the cluster.', nodeAddress('InternalIP')),
    wide('External-IP', 'Its address from outside.', nodeAddress('ExternalIP')),
    wide('OS-Image', 'Its operating system.', (node) => nodeInfo(node, 'osImage')),
    wide('Kernel-Version', 'Its kernel.', kernel),
    wide('Container-Runtime', 'What runs its containers.', (node) => nodeInfo(node, 'containerRuntimeVersion')),
  ]),
  storagePrefix: 'minions',
}
