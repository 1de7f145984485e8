// Endpoint slices. The deprecated topology labels of an endpoint are dropped (W-560).
import { FieldPath } from '../../api/field-path.ts'
import {
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  mapsOnly,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import { labelsOf, withMembers } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, own, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { at, firstOf, listAt, numberAt, orUnset, textAt, textsAt } from '../../codec/tables/reading.ts'
import { absent, each, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, labelValue } from '../../schema/validation/formats.ts'
import { checkLabels } from '../../schema/validation/labels.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { canonicalIpFaults, checkEndpointIp, checkIp, parseIp } from '../shared/ip-address.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { addressWarnings } from '../shared/warnings.ts'

const TOPOLOGY = 'deprecatedTopology'
const HOSTNAME = 'kubernetes.io/hostname'

function nodeIn(endpoint: ValueMap): string {
  return textOrEmpty(mapOrEmpty(endpoint, TOPOLOGY), HOSTNAME)
}

/** A node that an older client has set by its hostname label becomes the node name. */
function withoutTopology(slice: ApiObject, known: ReadonlySet<string>): ApiObject {
  const endpoints = mapsOnly(slice, 'endpoints')
  if (!endpoints.some((endpoint) => Object.hasOwn(endpoint, TOPOLOGY))) return slice
  return {
    ...slice,
    endpoints: endpoints.map((endpoint) => {
      const node = nodeIn(endpoint)
      const isMoved = node !== '' && known.has(node) && !Object.hasOwn(endpoint, 'nodeName')
      return withMembers(endpoint, { [TOPOLOGY]: undefined, ...(isMoved ? { nodeName: node } : {}) })
    }),
  }
}

const CONTROLLERS: ReadonlySet<string> = new Set([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
])

/** Slices of the cluster's own controllers are not warned about. */
function isOurs(slice: ApiObject): boolean {
  return CONTROLLERS.has(textOrEmpty(labelsOf(slice), 'endpointslice.kubernetes.io/managed-by'))
}

function addressesOf(endpoint: ValueMap, i: number): readonly string[] {
  return textsInPlace(endpoint, 'addresses').flatMap((address, j) =>
    addressWarnings(`endpoints[${i}].addresses[${j}]`, address, 'address'),
  )
}

const MAX_ENDPOINTS = 1000
const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP']
const MAX_PORTS = 20000
const MAX_TOPOLOGY = 16
const MAX_HINTS = 8

/** Unchanged endpoints are not validated again. */
function checkSlice(object: ValueMap, check: Check, stored?: ValueMap): void {
  checkBuiltInMeta(object, subdomainName, check)
  const type = textOrEmpty(object, 'addressType')
  check.fields(object, undefined, 'discovery.k8s.io_v1.EndpointSlice')
  checkSlicePorts(mapsInPlace(object, 'ports'), check)
  if (stored === undefined || !equalValues(object['endpoints'] ?? null, stored['endpoints'] ?? null)) {
    checkSliceEndpoints(mapsInPlace(object, 'endpoints'), type, check)
  }
}

function checkSliceEndpoints(endpoints: readonly ValueMap[], type: string, check: Check): void {
  const at = FieldPath.root('endpoints')
  if (endpoints.length > MAX_ENDPOINTS) {
    check.tooMany(at, endpoints.length, MAX_ENDPOINTS)
    return
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const place = at.index(i)
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'addresses')
    const list = place.child('addresses')
    check.items(textsInPlace(endpoint, 'addresses'), (address, index) =>
      checkSliceAddress(address, type, { list, index, check }),
    )
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'nodeName')
    checkTopology(mapOrAbsent(endpoint, TOPOLOGY), place.child(TOPOLOGY), check)
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'hostname')
    const hints = mapOrAbsent(endpoint, 'hints')
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
  // The reference reports this at the list.
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
  if (Object.hasOwn(topology, HOSTNAME)) {
    check.invalid(at.key(HOSTNAME), '', 'may not be set unless corresponding node name is set')
  }
}

const HINTS = [
  { field: 'forZones', format: labelValue },
  { field: 'forNodes', format: dns1123Subdomain },
] as const

function checkHints(hints: ValueMap, at: FieldPath, check: Check): void {
  for (const { field, format } of HINTS) {
    const list = placedMaps(hints, field, at)
    if (list.length > MAX_HINTS) {
      check.tooMany(at.child(field), list.length, MAX_HINTS)
      continue
    }
    const seen = new Set<string>()
    for (const [hint, place] of list) {
      const name = textOrEmpty(hint, 'name')
      if (!seen.has(name)) check.format(place.child('name'), name, format(name))
      check.unique(seen, name, place.child('name'))
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
    const name = textOrEmpty(port, 'name')
    if (name !== '') check.format(place.child('name'), name, dns1123Label(name))
    check.unique(names, name, place.child('name'))
    // Here an empty one is not an absent one.
    if (textOrAbsent(port, 'protocol') === '') check.notSupported(place.child('protocol'), '', PROTOCOLS)
    else check.fields(port, place, 'core_v1.EndpointPort', 'protocol')
    check.fields(port, place, 'core_v1.EndpointPort', 'appProtocol')
  }
}

function slicePort(port: Value): string {
  const number = at(port, 'port')
  const name = at(port, 'name')
  if (number !== undefined) return String(numberAt(number))
  return name === undefined ? '*' : textAt(name)
}

export const ENDPOINT_SLICE: Kind = {
  validation: {
    create: checkSlice,
    update: (object, stored, check) => {
      checkSlice(object, check, stored)
      check.unchangedFields({ object, stored }, 'discovery.k8s.io_v1.EndpointSlice')
    },
  },
  defaults: within({ ports: each(within({ name: absent(''), protocol: absent('TCP') })) }),
  strategy: {
    generation: { first: 1, on: ['*'], onMetadata: ['labels'] },
    prepareForCreate: (slice) => withoutTopology(slice, new Set()),
    prepareForUpdate: (slice, stored) =>
      semanticallyEqual(own(slice, 'endpoints'), own(stored, 'endpoints'))
        ? slice
        : withoutTopology(slice, new Set(mapsOnly(stored, 'endpoints').map(nodeIn))),
    warnings: (slice, stored) => [
      ...(stored === undefined && textOrEmpty(slice, 'addressType') === 'FQDN'
        ? ['spec.addressType: FQDN endpoints are deprecated']
        : []),
      ...(isOurs(slice) ? [] : mapsOnly(slice, 'endpoints').flatMap(addressesOf)),
    ],
  },
  columns: tableOf([
    NAME,
    column('AddressType', 'What kind of addresses it holds.', text('addressType')),
    column('Ports', 'The ports of each endpoint.', (slice) =>
      orUnset(firstOf(listAt(slice, 'ports').map(slicePort), 3)),
    ),
    column('Endpoints', 'The addresses of the endpoints.', (slice) => {
      const addresses = listAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'))
      return orUnset(firstOf(addresses, 3))
    }),
    AGE,
  ]),
}
