// Where services lead: end points in their old form, and in slices.
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { PROTOCOLS } from '../shared/pod-spec/container.ts'
import {
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  portNumber,
  qualifiedName,
} from '../../schema/validation/formats.ts'
import { canonicalIpFaults, checkEndpointIp, checkIp, parseIp } from '../shared/ip-address.ts'
import { checkLabels } from '../../schema/validation/labels.ts'
import { listOf, numberOf, partIn, partsOf, textIn, textOf, textsOf } from '../../schema/validation/members.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { KindRules } from '../../schema/validation/rules.ts'

const SUBSETS = FieldPath.root('subsets')

export const endpoints: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkSubsets(object, check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkBuiltInMeta(object, subdomainName, check)
    if (!equalValues(object['subsets'], stored['subsets'])) checkSubsets(object, check)
  },
}

function checkSubsets(object: ValueMap, check: Check): void {
  for (const [i, subset] of partsOf(object, 'subsets').entries()) {
    const at = SUBSETS.index(i)
    const lists = ['addresses', 'notReadyAddresses']
    if (lists.every((field) => listOf(subset, field).length === 0)) {
      check.required(at, 'must specify `addresses` or `notReadyAddresses`')
    }
    for (const field of lists) {
      check.items(partsOf(subset, field), (address, a) => checkAddress(address, at.child(field).index(a), check))
    }
    const ports = partsOf(subset, 'ports')
    for (const [p, port] of ports.entries()) {
      const place = at.child('ports').index(p)
      const name = textOf(port, 'name')
      if (name !== '') check.format(place.child('name'), name, dns1123Label(name))
      else if (ports.length > 1) check.required(place.child('name'))
      const number = numberOf(port, 'port')
      check.format(place.child('port'), number, portNumber(number))
      checkProtocol(port, place, check)
    }
  }
}

function checkAddress(address: ValueMap, at: FieldPath, check: Check): void {
  const ip = textOf(address, 'ip')
  checkIp(ip, at.child('ip'), check)
  const hostname = textOf(address, 'hostname')
  if (hostname !== '') check.format(at.child('hostname'), hostname, dns1123Label(hostname))
  const node = textIn(address, 'nodeName')
  if (node !== undefined) check.format(at.child('nodeName'), node, subdomainName(node, false))
  checkEndpointIp(ip, at.child('ip'), check)
}

function checkProtocol(port: ValueMap, at: FieldPath, check: Check): void {
  const protocol = textOf(port, 'protocol')
  if (protocol === '') check.required(at.child('protocol'))
  else check.oneOf(at.child('protocol'), protocol, PROTOCOLS)
  const application = textIn(port, 'appProtocol')
  if (application !== undefined) check.format(at.child('appProtocol'), application, qualifiedName(application))
}

const ADDRESS_TYPE = FieldPath.root('addressType')
const TYPES: readonly string[] = ['FQDN', 'IPv4', 'IPv6']
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20000
const MAX_TOPOLOGY = 16
const MAX_HINTS = 8

export const endpointSlice: KindRules = {
  create: checkSlice,
  update: (object, stored, check) => {
    checkSlice(object, check, stored)
    const type = textOf(object, 'addressType')
    if (type !== textOf(stored, 'addressType')) check.invalid(ADDRESS_TYPE, type, IMMUTABLE)
  },
}

/** Endpoints that stay as they are were good enough once. */
function checkSlice(object: ValueMap, check: Check, stored?: ValueMap): void {
  checkBuiltInMeta(object, subdomainName, check)
  const type = textOf(object, 'addressType')
  if (type === '') check.required(ADDRESS_TYPE)
  else check.oneOf(ADDRESS_TYPE, type, TYPES)
  checkSlicePorts(partsOf(object, 'ports'), check)
  if (stored === undefined || !equalValues(object['endpoints'] ?? null, stored['endpoints'] ?? null)) {
    checkSliceEndpoints(partsOf(object, 'endpoints'), type, check)
  }
}

function checkSliceEndpoints(list: readonly ValueMap[], type: string, check: Check): void {
  const at = FieldPath.root('endpoints')
  if (list.length > MAX_ENDPOINTS) {
    check.tooMany(at, list.length, MAX_ENDPOINTS)
    return
  }
  for (const [i, endpoint] of list.entries()) {
    const place = at.index(i)
    const addresses = textsOf(endpoint, 'addresses')
    if (addresses.length === 0) check.required(place.child('addresses'), 'must contain at least 1 address')
    else if (addresses.length > MAX_ADDRESSES) check.tooMany(place.child('addresses'), addresses.length, MAX_ADDRESSES)
    check.items(addresses, (address, a) =>
      checkSliceAddress(address, type, { list: place.child('addresses'), index: a, check }),
    )
    const node = textIn(endpoint, 'nodeName')
    if (node !== undefined) check.format(place.child('nodeName'), node, subdomainName(node, false))
    checkTopology(partIn(endpoint, 'deprecatedTopology'), place.child('deprecatedTopology'), check)
    const hostname = textIn(endpoint, 'hostname')
    if (hostname !== undefined) check.format(place.child('hostname'), hostname, dns1123Label(hostname))
    const hints = partIn(endpoint, 'hints')
    if (hints !== undefined) checkHints(hints, place.child('hints'), check)
  }
}

interface ListedAddress {
  readonly list: FieldPath
  readonly index: number
  readonly check: Check
}

function checkSliceAddress(address: string, type: string, { list, index, check }: ListedAddress): void {
  const at = list.index(index)
  if (type === 'FQDN') checkFullName(address, at, check)
  if (type !== 'IPv4' && type !== 'IPv6') return
  const before = check.errors.length
  if (type === 'IPv6') check.format(at, address, canonicalIpFaults(address))
  else checkIp(address, at, check)
  if (check.errors.length > before) return
  // The reference tells this of the list, not of the address.
  if (parseIp(address)?.family !== type) check.invalid(list, address, `must be an ${type} address`)
  checkEndpointIp(address, at, check)
}

/** A domain of at least two labels, with or without the dot at its end. */
function checkFullName(name: string, at: FieldPath, check: Check): void {
  const domain = name.endsWith('.') ? name.slice(0, -1) : name
  const faults = dns1123Subdomain(domain)
  const labels = domain.split('.')
  if (name === '') check.required(at)
  else if (faults.length > 0) check.invalid(at, domain, faults.join(','))
  else if (labels.length < 2)
    check.invalid(at, domain, 'should be a domain with at least two segments separated by dots')
  else {
    const bad = labels.find((label) => dns1123Label(label).length > 0)
    if (bad !== undefined) check.invalid(at, bad, dns1123Label(bad).join(','))
  }
}

function checkTopology(topology: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (topology === undefined) return
  const { length } = Object.keys(topology)
  if (length > MAX_TOPOLOGY) check.tooMany(at, length, MAX_TOPOLOGY)
  checkLabels(topology, at, check)
  if (Object.hasOwn(topology, 'kubernetes.io/hostname')) {
    check.invalid(at.key('kubernetes.io/hostname'), '', 'may not be set unless corresponding node name is set')
  }
}

const HINTS = [
  { field: 'forZones', format: labelValue },
  { field: 'forNodes', format: dns1123Subdomain },
] as const

function checkHints(hints: ValueMap, at: FieldPath, check: Check): void {
  for (const { field, format } of HINTS) {
    const list = partsOf(hints, field)
    const place = at.child(field)
    if (list.length > MAX_HINTS) {
      check.tooMany(place, list.length, MAX_HINTS)
      continue
    }
    const seen = new Set<string>()
    for (const [i, hint] of list.entries()) {
      const name = textOf(hint, 'name')
      if (seen.has(name)) check.duplicate(place.index(i).child('name'), name)
      else {
        seen.add(name)
        check.format(place.index(i).child('name'), name, format(name))
      }
    }
  }
}

function checkSlicePorts(ports: readonly ValueMap[], check: Check): void {
  const at = FieldPath.root('ports')
  if (ports.length > MAX_PORTS) {
    check.tooMany(at, ports.length, MAX_PORTS)
    return
  }
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const place = at.index(i)
    const name = textOf(port, 'name')
    if (name !== '') check.format(place.child('name'), name, dns1123Label(name))
    if (names.has(name)) check.duplicate(place.child('name'), name)
    else names.add(name)
    checkProtocol(port, place, check)
  }
}
