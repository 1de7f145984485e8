// Network policies: traffic from and to the selected pods.
import { FieldPath } from '../../api/field-path.ts'
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { selectorText } from '../../codec/tables/reading.ts'
import { absent, always, each, isEmpty, type OwnRule, type Rule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { portName, portNumber } from '../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import type { KindRules } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkCidr } from '../shared/ip-address.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root<NetworkPolicySpec>('spec')

type ShownOf = (range: { readonly first: number; readonly end: number }) => number

/** The CIDRs of the stored policy, which are not validated again. */
function rangesIn({ ingress = [], egress = [] }: NetworkPolicySpec): ReadonlySet<string> {
  const peers = [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)]
  return new Set(
    peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])])),
  )
}

interface PolicyScope {
  readonly check: Check
  /** The number in the message about a range of ports that ends before it begins. */
  readonly shownOf: ShownOf
  readonly stored: ReadonlySet<string>
}

function checkPolicy(spec: NetworkPolicySpec, scope: PolicyScope): void {
  const { check } = scope
  checkLabelSelector(spec.podSelector, SPEC.child('podSelector'), check)
  check.each(spec, 'ingress', SPEC, (rule, at) => {
    check.each(rule, 'ports', at, (port, place) => checkPolicyPort(port, place, scope))
    check.each(rule, 'from', at, (peer, place) => checkPeer(peer, place, scope))
  })
  check.each(spec, 'egress', SPEC, (rule, at) => {
    check.each(rule, 'ports', at, (port, place) => checkPolicyPort(port, place, scope))
    check.each(rule, 'to', at, (peer, place) => checkPeer(peer, place, scope))
  })
  const { policyTypes: types = [] } = spec
  if (types.length > 2) check.invalid(SPEC.child('policyTypes'), types, 'may not specify more than two policyTypes')
  else check.fields(spec, SPEC, 'networking.k8s.io_v1.NetworkPolicySpec')
}

function checkPolicyPort(
  port: NetworkPolicyPort,
  at: FieldPath<NetworkPolicyPort>,
  { check, shownOf }: PolicyScope,
): void {
  check.fields(port, at, 'networking.k8s.io_v1.NetworkPolicyPort', 'protocol')
  const { port: number, endPort: end } = port
  const endAt = at.child('endPort')
  if (typeof number === 'number') {
    check.format(at.child('port'), number, portNumber(number))
    if (end === undefined) return
    if (end < number) check.invalid(endAt, shownOf({ first: number, end }), 'must be greater than or equal to `port`')
    check.fields(port, at, 'networking.k8s.io_v1.NetworkPolicyPort', 'endPort')
  } else if (typeof number === 'string') {
    if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is non-numeric')
    check.format(at.child('port'), number, portName(number))
  } else if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is not specified')
}

function checkPeer(peer: NetworkPolicyPeer, at: FieldPath<NetworkPolicyPeer>, scope: PolicyScope): void {
  const { check } = scope
  const { podSelector, namespaceSelector, ipBlock } = peer
  checkLabelSelector(podSelector, at.child('podSelector'), check)
  checkLabelSelector(namespaceSelector, at.child('namespaceSelector'), check)
  check.part(peer, 'ipBlock', at, (block, place) => checkBlock(block, place, scope))
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (!selects && ipBlock === undefined) check.required(at, 'must specify a peer')
  else if (selects && ipBlock !== undefined) check.forbidden(at, 'may not specify both ipBlock and another peer')
}

function checkBlock(block: IPBlock, at: FieldPath<IPBlock>, { check, stored }: PolicyScope): void {
  check.fields(block, at, 'networking.k8s.io_v1.IPBlock')
  const { cidr: text, except: excepted = [] } = block
  if (text === '') return
  const range = checkCidr(text, at.child('cidr'), check, { stored })
  if (range === undefined) return
  const width = range.address.family === 'IPv4' ? 32 : 128
  const shift = BigInt(width - range.prefixLength)
  const prefix = range.base >> shift
  for (const [i, except] of excepted.entries()) {
    const place = at.child('except').index(i)
    const inner = checkCidr(except, place, check, { stored })
    if (inner === undefined) continue
    const inside = inner.address.family === range.address.family && inner.base >> shift === prefix
    if (!inside || range.prefixLength >= inner.prefixLength) {
      check.invalid(place, except, 'must be a strict subset of `cidr`')
    }
  }
}

const ports: OwnRule<readonly NetworkPolicyPort[]> = each(within({ protocol: absent('TCP') }))

/** The default is Ingress, and also Egress if there are egress rules. */
const policyTypes: Rule<readonly string[], NetworkPolicySpec> = (given, _, { egress }) => {
  if (!isEmpty(given)) return given
  return isEmpty(egress) ? ['Ingress'] : ['Ingress', 'Egress']
}

const NO_WARNINGS: readonly string[] = []

function peerWarnings({ ipBlock }: NetworkPolicyPeer, peer: string): readonly string[] {
  if (ipBlock === undefined) return NO_WARNINGS
  const path = `${peer}.ipBlock`
  return [
    ...addressWarnings(`${path}.cidr`, ipBlock.cidr, 'CIDR value'),
    ...(ipBlock.except ?? []).flatMap((cidr, k) =>
      cidr.includes(':') ? addressWarnings(`${path}.except[${k}]`, cidr, 'CIDR value') : NO_WARNINGS,
    ),
  ]
}

function rulesWith(shownOf: ShownOf): KindRules<NetworkPolicy> {
  return builtInRules({
    object: (object, check, stored) =>
      checkPolicy(object.spec, { check, shownOf, stored: stored === undefined ? new Set() : rangesIn(stored.spec) }),
  })
}

export const NETWORK_POLICY: Kind = typedKind<NetworkPolicy>({
  validation: rulesWith(({ first }) => first),
  since: { '1.37': { validation: rulesWith(({ end }) => end) } },
  defaults: within({
    spec: always({ policyTypes, ingress: each(within({ ports })), egress: each(within({ ports })) }),
  }),
  strategy: {
    generation: GENERATION_OF_SPEC,
    warnings: ({ spec: { ingress = [], egress = [] } }) => [
      ...ingress.flatMap(({ from = [] }, i) =>
        from.flatMap((peer, j) => peerWarnings(peer, `spec.ingress[${i}].from[${j}]`)),
      ),
      ...egress.flatMap(({ to = [] }, i) => to.flatMap((peer, j) => peerWarnings(peer, `spec.egress[${i}].to[${j}]`))),
    ],
  },
  columns: tableOf([
    NAME,
    column('Pod-Selector', 'The selector of the pods.', ({ spec }) => selectorText(spec.podSelector)),
    AGE,
  ]),
  olderVersions: { 'extensions/v1beta1': 'same' },
})
