// Nodes are created with the status that the kubelet sends (W-089). The removed dynamic kubelet configuration is kept in stored objects and
// dropped from new objects.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { Node, NodeSpec, NodeStatus } from '../../api/gen/kinds.ts'
import { withMembers, withSpec } from '../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, wide } from '../../codec/tables/column.ts'
import { orNone } from '../../codec/tables/reading.ts'
import { parseCidr } from '../../lib/ip-bits.ts'
import { both, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { checkCidr } from '../shared/ip-address.ts'
import { checkTaints } from '../shared/pod-spec/tolerations.ts'
import { rounded } from '../shared/resource-list.ts'
import { checkAmount } from '../shared/resource-names.ts'
import { WITH_STATUS } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root<NodeSpec>('spec')
const STATUS = FieldPath.root<NodeStatus>('status')
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z0-9]+)*$/

function checkCreate(object: Node, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { spec, status } = object
  checkTaints(spec, METADATA, check)
  checkResources(status, check)
  const swap = status.nodeInfo.swap?.capacity
  if (swap !== undefined && swap <= 0) {
    check.invalid(METADATA.child('nodeSwapStatus').child('capacity'), swap, 'must be greater than zero')
  }
  checkFeatures(status, check)
  checkPreemption(spec, check)
  const { podCIDRs: ranges = [] } = spec
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

function checkPreemption(spec: NodeSpec, check: Check): void {
  check.part(spec, 'podPreemptionPolicy', SPEC, (policy, at) =>
    check.fields(policy, at, 'core_v1.NodePodPreemptionPolicy'),
  )
}

function checkResources(status: NodeStatus, check: Check): void {
  for (const field of ['capacity', 'allocatable'] as const) {
    const at: FieldPath = STATUS.child(field)
    for (const [name, amount] of entriesOf(status[field] ?? {})) checkAmount(name, amount, at.child(name), check)
  }
}

function checkFeatures({ declaredFeatures: features = [] }: NodeStatus, check: Check): void {
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

type ProviderRule = (now: string | undefined, check: Check) => void

const PROVIDER = SPEC.child('providerID')

const forbidProvider: ProviderRule = (_now, check) =>
  check.forbidden(PROVIDER, `node updates may not change providerID ${ONCE}`)

const refuseProvider: ProviderRule = (now, check) =>
  check.invalid(PROVIDER, undefined, `field cannot be ${now === undefined ? 'cleared' : 'modified'} once set`)

/** `tellProvider` is called when the provider ID of a node changes. */
function rulesWith(tellProvider: ProviderRule): KindRules<Node> {
  const change: UpdateRule<Node> = (object, stored, check) => checkUpdate(object, stored, tellProvider, check)
  return {
    create: checkCreate,
    // The reference first checks a changed node like a new node.
    update: (object, stored, check) => {
      checkCreate(object, check)
      change(object, stored, check)
    },
    subresources: { status: change },
  }
}

function checkUpdate(object: Node, stored: Node, tellProvider: ProviderRule, check: Check): void {
  checkBuiltInMetaUpdate(object, stored, check)
  const { spec, status } = object
  const old = stored.spec
  checkResources(status, check)
  checkFeatures(status, check)
  checkAddresses(status, check)
  if (old.podCIDRs !== undefined && !equalValues(old.podCIDRs, spec.podCIDRs)) {
    check.forbidden(SPEC.child('podCIDRs'), `node updates may not change podCIDR ${ONCE}`)
  }
  if (old.providerID !== undefined && old.providerID !== spec.providerID) {
    tellProvider(spec.providerID, check)
  }
  checkTaints(spec, METADATA, check)
  if (spec.externalID !== old.externalID) {
    check.forbidden(SPEC.child('externalID'), 'may not be updated')
  }
}

function checkAddresses(status: NodeStatus, check: Check): void {
  const seen = new Set<string>()
  check.each(status, 'addresses', STATUS, ({ type, address }, at) => {
    const key = `${type}\0${address}`
    if (seen.has(key)) check.duplicate(at, shownJson({ Type: type, Address: address }))
    seen.add(key)
  })
}

function nodeWarnings({ spec }: Node): readonly string[] {
  const { configSource, externalID, podCIDRs = [] } = spec
  return [
    ...(configSource === undefined ? [] : ['spec.configSource: the feature is no longer available']),
    ...(externalID === undefined ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...podCIDRs.flatMap((cidr, i) => addressWarnings(`spec.podCIDRs[${i}]`, cidr, 'CIDR value')),
  ]
}

/** Keeps `podCIDR` equal to the first of `podCIDRs`. */
const podRanges: OwnRule<NodeSpec> = (given) => {
  if (given === undefined) return given
  const { podCIDR, podCIDRs = [] } = given
  const [first] = podCIDRs
  if (podCIDR !== undefined && podCIDR !== first) return { ...given, podCIDRs: [podCIDR] }
  return first === undefined || first === '' || first === podCIDR ? given : { ...given, podCIDR: first }
}

function nodeStatus({ spec, status: { conditions = [] } }: Node): string {
  // Unlike elsewhere, the last condition of a type counts.
  const ready = conditions.findLast(({ type }) => type === 'Ready')
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec.unschedulable === true ? `${status},SchedulingDisabled` : status
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles({ metadata: { labels = {} } }: Node): string {
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length))
  const known = new Set([...roles, own(labels, 'kubernetes.io/role') ?? ''])
  known.delete('')
  return orNone([...known].sort().join(','))
}

function nodeAddress(wanted: string): (node: Node) => string {
  return ({ status }) => orNone(status.addresses?.find(({ type }) => type === wanted)?.address ?? '')
}

function nodeInfo({ status }: Node, field: 'osImage' | 'kernelVersion' | 'containerRuntimeVersion'): string {
  return status.nodeInfo[field] || '<unknown>'
}

function kernel(node: Node): string {
  const { architecture } = node.status.nodeInfo
  const version = nodeInfo(node, 'kernelVersion')
  return architecture === '' ? version : `${version} (${architecture})`
}

const GATED = gatedFields('core_v1.Node', 'spec/podPreemptionPolicy', 'status/nodeInfo/runningInUserNamespace')

export const NODE: Kind = typedKind<Node>({
  validation: rulesWith(forbidProvider),
  since: { '1.37': { validation: rulesWith(refuseProvider) } },
  defaults: within({
    spec: podRanges,
    status: within({
      allocatable: both((given, _, { capacity }) => given ?? capacity, rounded),
      capacity: rounded,
    }),
  }),
  strategy: withGatedFields(GATED, {
    status: WITH_STATUS,
    prepareForCreate: (object) => withSpec(object, { configSource: undefined }),
    firstStatus: (object) => withMembers(object.status, { config: undefined }),
    prepareForUpdate: (object, stored) =>
      stored.spec.configSource === undefined ? withSpec(object, { configSource: undefined }) : object,
    prepareStatus: (object, stored) =>
      stored.status.config === undefined
        ? { ...object, status: withMembers(object.status, { config: undefined }) }
        : object,
    warnings: nodeWarnings,
  }),
  columns: tableOf([
    NAME,
    column('Status', 'Whether the node is ready.', nodeStatus),
    column('Roles', 'The roles of the node.', nodeRoles),
    AGE,
    column('Version', 'The version of the node agent.', ({ status }) => status.nodeInfo.kubeletVersion),
    wide('Internal-IP', 'The address of the node within the cluster.', nodeAddress('InternalIP')),
    wide('External-IP', 'The address of the node from outside.', nodeAddress('ExternalIP')),
    wide('OS-Image', 'The operating system of the node.', (node) => nodeInfo(node, 'osImage')),
    wide('Kernel-Version', 'The kernel of the node.', kernel),
    wide('Container-Runtime', 'The container runtime of the node.', (node) =>
      nodeInfo(node, 'containerRuntimeVersion'),
    ),
  ]),
  storagePrefix: 'minions',
})
