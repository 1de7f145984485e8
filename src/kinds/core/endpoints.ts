// Endpoints: the addresses behind a service, in one object. EndpointSlices have replaced them.
import { FieldPath } from '../../api/field-path.ts'
import type { EndpointAddress, Endpoints } from '../../api/gen/kinds.ts'
import { equalValues, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { firstOf } from '../../codec/tables/reading.ts'
import { blank, each, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkEndpointIp, checkIp } from '../shared/ip-address.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SUBSETS = FieldPath.root<Endpoints['subsets']>('subsets')
const LISTS = ['addresses', 'notReadyAddresses'] as const

function checkSubsets({ subsets = [] }: Endpoints, check: Check): void {
  for (const [i, subset] of subsets.entries()) {
    const at = SUBSETS.index(i)
    if (LISTS.every((field) => subset[field] === undefined)) {
      check.required(at, 'must specify `addresses` or `notReadyAddresses`')
    }
    for (const field of LISTS) check.each(subset, field, at, checkAddress)
    const needNames = (subset.ports ?? []).length > 1
    check.each(subset, 'ports', at, (port, place) => {
      if (needNames && port.name === undefined) check.required(place.child('name'))
      check.fields(port, place, 'core_v1.EndpointPort')
    })
  }
}

function checkAddress(address: EndpointAddress, at: FieldPath<EndpointAddress>, check: Check): void {
  checkIp(address.ip, at.child('ip'), check)
  check.fields(address, at, 'core_v1.EndpointAddress')
  checkEndpointIp(address.ip, at.child('ip'), check)
}

/** An IPv6 address needs brackets before a port. */
function hostPort(ip: string, port: number): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
}

function endpoints({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip }) => ip)
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)))
  })
  return firstOf(all, 3)
}

export const ENDPOINTS: Kind = typedKind<Endpoints>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkSubsets(object, check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkBuiltInMeta(object, subdomainName, check)
      if (!equalValues(object.subsets, stored.subsets)) checkSubsets(object, check)
    },
  },
  defaults: within({ subsets: each(within({ ports: each(within({ protocol: blank('TCP') })) })) }),
  strategy: {
    createOnUpdate: true,
    warnings: ({ metadata: { labels = {} }, subsets = [] }) => {
      if (own(labels, 'endpoints.kubernetes.io/managed-by') === 'endpoint-controller') return []
      return subsets.flatMap((subset, i) =>
        LISTS.flatMap((list) =>
          (subset[list] ?? []).flatMap(({ ip }, j) => addressWarnings(`subsets[${i}].${list}[${j}].ip`, ip, 'address')),
        ),
      )
    },
  },
  columns: tableOf([NAME, column('Endpoints', 'The addresses behind the service.', endpoints), AGE]),
  deprecations: ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  storagePrefix: 'services/endpoints',
})
