// Network policies: traffic from and to the selected pods.
import { FieldPath } from '../../api/field-path.ts'
import { integerOrAbsent, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, selectorText } from '../../codec/tables/reading.ts'
import { absent, always, each, isEmpty, type Rule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { portName, portNumber } from '../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkCidr, parseCidr } from '../shared/ip-address.ts'
import { placedMaps, placedTexts } from '../shared/placed-items.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root('spec')

const DIRECTIONS: readonly (readonly [rules: string, peers: string])[] = [
  ['ingress', 'from'],
  ['egress', 'to'],
]

/** CIDRs of the stored policy, which are not validated again. */
function rangesIn(spec: ValueMap): ReadonlySet<string> {
  const rules = [...mapsInPlace(spec, 'ingress'), ...mapsInPlace(spec, 'egress')]
  const peers = rules.flatMap((rule) => [...mapsInPlace(rule, 'from'), ...mapsInPlace(rule, 'to')])
  const blocks = peers.map((peer) => mapOrAbsent(peer, 'ipBlock')).filter((block) => block !== undefined)
  return new Set(blocks.flatMap((block) => [textOrEmpty(block, 'cidr'), ...textsInPlace(block, 'except')]))
}

interface PolicyScope {
  readonly check: Check
  readonly stored: ReadonlySet<string>
}

function checkPolicy(spec: ValueMap, scope: PolicyScope): void {
  const { check } = scope
  checkLabelSelector(mapOrEmpty(spec, 'podSelector'), SPEC.child('podSelector'), check)
  for (const [direction, peers] of DIRECTIONS) {
    for (const [rule, at] of placedMaps(spec, direction, SPEC)) {
      for (const [port, place] of placedMaps(rule, 'ports', at)) checkPolicyPort(port, place, check)
      for (const [peer, place] of placedMaps(rule, peers, at)) checkPeer(peer, place, scope)
    }
  }
  const types = textsInPlace(spec, 'policyTypes')
  const at = SPEC.child('policyTypes')
  if (types.length > 2) check.invalid(at, types, 'may not specify more than two policyTypes')
  else check.fields(spec, SPEC, 'networking.k8s.io_v1.NetworkPolicySpec')
}

function checkPolicyPort(port: ValueMap, at: FieldPath, check: Check): void {
  check.fields(port, at, 'networking.k8s.io_v1.NetworkPolicyPort', 'protocol')
  const { port: number } = port
  const end = integerOrAbsent(port, 'endPort')
  const endAt = at.child('endPort')
  if (typeof number === 'number') {
    check.format(at.child('port'), number, portNumber(number))
    if (end === undefined) return
    if (end < number) check.invalid(endAt, number, 'must be greater than or equal to `port`')
    check.fields(port, at, 'networking.k8s.io_v1.NetworkPolicyPort', 'endPort')
  } else if (typeof number === 'string') {
    if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is non-numeric')
    check.format(at.child('port'), number, portName(number))
  } else if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is not specified')
}

function checkPeer(peer: ValueMap, at: FieldPath, scope: PolicyScope): void {
  const { check } = scope
  let found = 0
  for (const field of ['podSelector', 'namespaceSelector']) {
    const selector = mapOrAbsent(peer, field)
    if (selector === undefined) continue
    found++
    checkLabelSelector(selector, at.child(field), check)
  }
  const block = mapOrAbsent(peer, 'ipBlock')
  if (block !== undefined) checkBlock(block, at.child('ipBlock'), scope)
  if (found === 0 && block === undefined) check.required(at, 'must specify a peer')
  else if (found > 0 && block !== undefined) check.forbidden(at, 'may not specify both ipBlock and another peer')
}

function checkBlock(block: ValueMap, at: FieldPath, { check, stored }: PolicyScope): void {
  check.fields(block, at, 'networking.k8s.io_v1.IPBlock')
  const text = textOrEmpty(block, 'cidr')
  if (text === '') return
  checkCidr(text, at.child('cidr'), check, { stored })
  const range = parseCidr(text)
  if (range === undefined) return
  const width = range.address.family === 'IPv4' ? 32 : 128
  for (const [except, place] of placedTexts(block, 'except', at)) {
    checkCidr(except, place, check, { stored })
    const inner = parseCidr(except)
    if (inner === undefined) continue
    const shift = BigInt(width - range.prefixLength)
    const inside = inner.address.family === range.address.family && inner.base >> shift === range.base >> shift
    if (!inside || range.prefixLength >= inner.prefixLength) {
      check.invalid(place, except, 'must be a strict subset of `cidr`')
    }
  }
}

const ports = each(within({ protocol: absent('TCP') }))

const peers = each(within({ ports }))

/** Ingress, and Egress where there are egress rules. */
const policyTypes: Rule = (given, _, parent) => {
  if (!isEmpty(given)) return given
  return isEmpty(parent['egress']) ? ['Ingress'] : ['Ingress', 'Egress']
}

function blockWarnings(block: ValueMap, path: string): readonly string[] {
  return [
    ...addressWarnings(`${path}.cidr`, own(block, 'cidr'), 'CIDR value'),
    ...textsInPlace(block, 'except').flatMap((cidr, k) => addressWarnings(`${path}.except[${k}]`, cidr, 'CIDR value')),
  ]
}

export const NETWORK_POLICY: Kind = {
  validation: builtInRules({
    object: (object, check, stored) =>
      checkPolicy(specOf(object), { check, stored: stored === undefined ? new Set() : rangesIn(specOf(stored)) }),
  }),
  defaults: within({ spec: always({ policyTypes, ingress: peers, egress: peers }) }),
  strategy: {
    generation: GENERATION_OF_SPEC,
    warnings: (object) =>
      DIRECTIONS.flatMap(([rules, peers]) =>
        mapsInPlace(specOf(object), rules).flatMap((rule, i) =>
          mapsInPlace(rule, peers).flatMap((peer, j) =>
            blockWarnings(mapOrEmpty(peer, 'ipBlock'), `spec.${rules}[${i}].${peers}[${j}].ipBlock`),
          ),
        ),
      ),
  },
  columns: tableOf([
    NAME,
    column('Pod-Selector', 'The pods that it is about.', (policy) => selectorText(at(policy, 'spec', 'podSelector'))),
    AGE,
  ]),
  olderVersions: { 'extensions/v1beta1': 'same' },
}
