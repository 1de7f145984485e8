// Who may talk to whom in the cluster's network, and which of its addresses are given to whom.
import { FieldPath } from '../../api/field-path.ts'
import { shownJson } from '../../api/field-error.ts'
import type { ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { dns1123Subdomain, pathSegment, portName, portNumber } from '../../schema/validation/formats.ts'
import { ingress, ingressClass } from './ingress.ts'
import { canonicalCidrFaults, canonicalIpFaults, checkCidr, parseCidr } from '../shared/ip-address.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { has, numberIn, partIn, partOf, partsOf, textIn, textOf, textsOf } from '../../schema/validation/members.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { GroupRules, KindRules } from '../../schema/validation/rules.ts'

const SPEC = FieldPath.root('spec')

/** Ranges that the stored policy has anywhere: they may stay. */
function rangesIn(spec: ValueMap): ReadonlySet<string> {
  const rules = [...partsOf(spec, 'ingress'), ...partsOf(spec, 'egress')]
  const blocks = rules
    .flatMap((rule) => [...partsOf(rule, 'from'), ...partsOf(rule, 'to')])
    .map((peer) => partOf(peer, 'ipBlock'))
  return new Set(blocks.flatMap((block) => [textOf(block, 'cidr'), ...textsOf(block, 'except')]))
}

interface PolicyScope {
  readonly check: Check
  readonly stored: ReadonlySet<string>
}

function checkPolicy(spec: ValueMap, scope: PolicyScope): void {
  const { check } = scope
  checkLabelSelector(partOf(spec, 'podSelector'), SPEC.child('podSelector'), check)
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of partsOf(spec, direction).entries()) {
      const at = SPEC.child(direction).index(i)
      for (const [p, port] of partsOf(rule, 'ports').entries()) checkPolicyPort(port, at.child('ports').index(p), check)
      for (const [p, peer] of partsOf(rule, peers).entries()) checkPeer(peer, at.child(peers).index(p), scope)
    }
  }
  const types = textsOf(spec, 'policyTypes')
  const at = SPEC.child('policyTypes')
  if (types.length > 2) check.invalid(at, types, 'may not specify more than two policyTypes')
  else for (const [i, type] of types.entries()) check.oneOf(at.index(i), type, ['Ingress', 'Egress'])
}

function checkPolicyPort(port: ValueMap, at: FieldPath, check: Check): void {
  const protocol = textIn(port, 'protocol')
  if (protocol !== undefined) check.oneOf(at.child('protocol'), protocol, ['TCP', 'UDP', 'SCTP'])
  const { port: number } = port
  const end = numberIn(port, 'endPort')
  const endAt = at.child('endPort')
  if (typeof number === 'number') {
    check.format(at.child('port'), number, portNumber(number))
    if (end === undefined) return
    if (end < number) check.invalid(endAt, number, 'must be greater than or equal to `port`')
    check.format(endAt, end, portNumber(end))
  } else if (typeof number === 'string') {
    if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is non-numeric')
    check.format(at.child('port'), number, portName(number))
  } else if (end !== undefined) check.invalid(endAt, end, 'may not be specified when `port` is not specified')
}

function checkPeer(peer: ValueMap, at: FieldPath, scope: PolicyScope): void {
  const { check } = scope
  let found = 0
  for (const field of ['podSelector', 'namespaceSelector']) {
    const selector = partIn(peer, field)
    if (selector === undefined) continue
    found++
    checkLabelSelector(selector, at.child(field), check)
  }
  const block = partIn(peer, 'ipBlock')
  if (block !== undefined) checkBlock(block, at.child('ipBlock'), scope)
  if (found === 0 && block === undefined) check.required(at, 'must specify a peer')
  else if (found > 0 && block !== undefined) check.forbidden(at, 'may not specify both ipBlock and another peer')
}

function checkBlock(block: ValueMap, at: FieldPath, { check, stored }: PolicyScope): void {
  const text = textOf(block, 'cidr')
  if (text === '') {
    check.required(at.child('cidr'))
    return
  }
  checkCidr(text, at.child('cidr'), check, { stored })
  const range = parseCidr(text)
  if (range === undefined) return
  const width = range.address.family === 'IPv4' ? 32 : 128
  for (const [i, except] of textsOf(block, 'except').entries()) {
    const place = at.child('except').index(i)
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

const networkPolicy: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkPolicy(partOf(object, 'spec'), { check, stored: new Set() })
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkPolicy(partOf(object, 'spec'), { check, stored: rangesIn(partOf(stored, 'spec')) })
  },
}

function checkParent(object: ValueMap, check: Check): void {
  const parent = partIn(partOf(object, 'spec'), 'parentRef')
  const at = SPEC.child('parentRef')
  if (parent === undefined) {
    check.required(at)
    return
  }
  const group = textOf(parent, 'group')
  if (group !== '') check.format(at.child('group'), group, dns1123Subdomain(group))
  for (const field of ['resource', 'name', 'namespace']) {
    const word = textOf(parent, field)
    if (word !== '') check.format(at.child(field), word, pathSegment(word))
    else if (field !== 'namespace') check.required(at.child(field))
  }
}

function checkAddress(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, canonicalIpFaults, check)
  checkParent(object, check)
}

const ipAddress: KindRules = {
  create: checkAddress,
  update: (object, stored, check) => {
    checkAddress(object, check)
    checkBuiltInMetaUpdate(object, stored, check)
    check.unchanged(SPEC.child('parentRef'), partOf(object, 'spec')['parentRef'], partOf(stored, 'spec')['parentRef'])
  },
}

const RANGES = SPEC.child('cidrs')

function checkRanges(spec: ValueMap, check: Check): void {
  const ranges = textsOf(spec, 'cidrs')
  const shown = shownJson({ CIDRs: ranges })
  if (ranges.length === 0) {
    check.required(RANGES, 'at least one CIDR required')
    return
  }
  if (ranges.length > 2) {
    check.invalid(RANGES, shown, 'may only hold up to 2 values')
    return
  }
  for (const [i, range] of ranges.entries()) {
    const before = check.errors.length
    checkCidr(range, RANGES.index(i), check)
    if (check.errors.length === before) check.format(RANGES.index(i), range, canonicalCidrFaults(range))
  }
  const [first, second] = ranges.map((range) => parseCidr(range)?.address.family)
  if (first !== undefined && first === second) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    check.invalid(RANGES, ranges, detail)
  }
}

const serviceCidr: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkRanges(partOf(object, 'spec'), check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const spec = partOf(object, 'spec')
    const ranges = textsOf(spec, 'cidrs')
    const old = textsOf(partOf(stored, 'spec'), 'cidrs')
    const grows = old.length === 1 && ranges.length === 2
    if (ranges.length !== old.length && !grows) {
      check.invalid(RANGES, has(spec, 'cidrs') ? ranges : undefined, IMMUTABLE)
      return
    }
    for (const [i, range] of old.entries()) {
      if (range !== ranges[i]) check.invalid(RANGES.index(i), ranges[i], IMMUTABLE)
    }
    if (grows) checkRanges(spec, check)
  },
  subresources: { status: checkBuiltInMetaUpdate },
}

export const NETWORKING_RULES: GroupRules = {
  IPAddress: ipAddress,
  Ingress: ingress,
  IngressClass: ingressClass,
  NetworkPolicy: networkPolicy,
  ServiceCIDR: serviceCidr,
}
