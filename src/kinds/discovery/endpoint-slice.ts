// Endpoint slices. The deprecated topology labels of an endpoint are dropped (W-560).
import { FieldPath } from '../../api/field-path.ts'
import type { DiscoveryV1EndpointPort, Endpoint, EndpointHints, EndpointSlice } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'
import { equalValues, type MapOf, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { firstOf, orUnset } from '../../codec/tables/reading.ts'
import { parseIp } from '../../lib/ip-bits.ts'
import { absent, each, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, labelValue } from '../../schema/validation/formats.ts'
import { checkLabels } from '../../schema/validation/labels.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { canonicalIpFaults, checkEndpointIp, checkIp } from '../shared/ip-address.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { addressWarnings } from '../shared/warnings.ts'

const TOPOLOGY = 'deprecatedTopology'
const HOSTNAME = 'kubernetes.io/hostname'

function nodeIn({ deprecatedTopology = {} }: Endpoint): string {
  return own(deprecatedTopology, HOSTNAME) ?? ''
}

/** A node that an older client has set as a hostname label becomes `nodeName`. */
function withoutTopology(slice: EndpointSlice, known: ReadonlySet<string>): EndpointSlice {
  const { endpoints } = slice
  if (endpoints?.some((endpoint) => endpoint[TOPOLOGY] !== undefined) !== true) return slice
  return {
    ...slice,
    endpoints: endpoints.map((endpoint) => {
      const node = nodeIn(endpoint)
      const isMoved = node !== '' && known.has(node) && endpoint.nodeName === undefined
      return withMembers(endpoint, { [TOPOLOGY]: undefined, ...(isMoved ? { nodeName: node } : {}) })
    }),
  }
}

const CONTROLLERS: ReadonlySet<string> = new Set([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
])

/** Whether a controller of the cluster made the slice. Such slices cause no warnings. */
function isOurs({ metadata: { labels = {} } }: EndpointSlice): boolean {
  return CONTROLLERS.has(own(labels, 'endpointslice.kubernetes.io/managed-by') ?? '')
}

function addressesOf({ addresses }: Endpoint, i: number): readonly string[] {
  return (addresses ?? []).flatMap((address, j) =>
    addressWarnings(`endpoints[${i}].addresses[${j}]`, address, 'address'),
  )
}

const MAX_ENDPOINTS = 1000
const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP']
const MAX_PORTS = 20000
const MAX_TOPOLOGY = 16
const MAX_HINTS = 8

/** Unchanged endpoints are not validated again. */
function checkSlice(object: EndpointSlice, check: Check, stored?: EndpointSlice): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { addressType, endpoints, ports } = object
  check.fields(object, undefined, 'discovery.k8s.io_v1.EndpointSlice')
  checkSlicePorts(ports ?? [], check)
  if (stored === undefined || !equalValues(endpoints, stored.endpoints)) {
    checkSliceEndpoints(endpoints ?? [], addressType, check)
  }
}

function checkSliceEndpoints(endpoints: readonly Endpoint[], type: string, check: Check): void {
  const at = FieldPath.root<readonly Endpoint[]>('endpoints')
  if (endpoints.length > MAX_ENDPOINTS) {
    check.tooMany(at, endpoints.length, MAX_ENDPOINTS)
    return
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const place = at.index(i)
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'addresses')
    const list = place.child('addresses')
    for (const [index, address] of (endpoint.addresses ?? []).entries()) {
      checkSliceAddress(address, type, { list, index, check })
    }
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'nodeName')
    checkTopology(endpoint[TOPOLOGY], place.child(TOPOLOGY), check)
    check.fields(endpoint, place, 'discovery.k8s.io_v1.Endpoint', 'hostname')
    check.part(endpoint, 'hints', place, checkHints)
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
  // The reference reports this fault at the list.
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

function checkTopology(topology: MapOf<string> | undefined, at: FieldPath, check: Check): void {
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

function checkHints(hints: EndpointHints, at: FieldPath<EndpointHints>, check: Check): void {
  for (const { field, format } of HINTS) {
    const list = hints[field] ?? []
    if (list.length > MAX_HINTS) {
      check.tooMany(at.child(field), list.length, MAX_HINTS)
      continue
    }
    const seen = new Set<string>()
    check.each(hints, field, at, ({ name }, place) => {
      if (!seen.has(name)) check.format(place.child('name'), name, format(name))
      check.unique(seen, name, place.child('name'))
    })
  }
}

function checkSlicePorts(ports: readonly DiscoveryV1EndpointPort[], check: Check): void {
  const at = FieldPath.root<readonly DiscoveryV1EndpointPort[]>('ports')
  if (ports.length > MAX_PORTS) {
    check.tooMany(at, ports.length, MAX_PORTS)
    return
  }
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const place = at.index(i)
    const { name = '', protocol } = port
    if (name !== '') check.format(place.child('name'), name, dns1123Label(name))
    check.unique(names, name, place.child('name'))
    // An empty protocol differs from an absent protocol here.
    if (protocol === '') check.notSupported(place.child('protocol'), '', PROTOCOLS)
    else check.fields(port, place, 'core_v1.EndpointPort', 'protocol')
    check.fields(port, place, 'core_v1.EndpointPort', 'appProtocol')
  }
}

function slicePort({ port, name = '*' }: DiscoveryV1EndpointPort): string {
  return port === undefined ? name : String(port)
}

export const ENDPOINT_SLICE: Kind = typedKind<EndpointSlice>({
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
      semanticallyEqual(slice.endpoints, stored.endpoints)
        ? slice
        : withoutTopology(slice, new Set(stored.endpoints?.map(nodeIn))),
    warnings: (slice, stored) => [
      ...(stored === undefined && slice.addressType === 'FQDN'
        ? ['spec.addressType: FQDN endpoints are deprecated']
        : []),
      ...(isOurs(slice) ? [] : (slice.endpoints ?? []).flatMap(addressesOf)),
    ],
  },
  columns: tableOf([
    NAME,
    column('AddressType', 'The type of the addresses.', ({ addressType }) => addressType),
    column('Ports', 'The ports of each endpoint.', ({ ports }) => orUnset(firstOf((ports ?? []).map(slicePort), 3))),
    column('Endpoints', 'The addresses of the endpoints.', ({ endpoints }) => {
      const all = (endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])
      return orUnset(firstOf(all, 3))
    }),
    AGE,
  ]),
})
