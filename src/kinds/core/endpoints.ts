// Endpoints: the addresses behind a service, in one object. EndpointSlices have replaced them.
import { FieldPath } from '../../api/field-path.ts'
import { listOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import { labelsOf } from '../../api/object-members.ts'
import { equalValues, own, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { firstOf, listAt, numberAt, textAt } from '../../codec/tables/reading.ts'
import { blank, each, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { checkEndpointIp, checkIp } from '../shared/ip-address.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SUBSETS = FieldPath.root('subsets')
const LISTS: readonly string[] = ['addresses', 'notReadyAddresses']

function checkSubsets(object: ValueMap, check: Check): void {
  for (const [i, subset] of mapsInPlace(object, 'subsets').entries()) {
    const at = SUBSETS.index(i)
    if (LISTS.every((field) => listOrEmpty(subset, field).length === 0)) {
      check.required(at, 'must specify `addresses` or `notReadyAddresses`')
    }
    for (const field of LISTS) {
      check.items(mapsInPlace(subset, field), (address, a) => checkAddress(address, at.child(field).index(a), check))
    }
    const needNames = listOrEmpty(subset, 'ports').length > 1
    check.each(subset, 'ports', at, (port, place) => {
      if (needNames && textOrEmpty(port, 'name') === '') check.required(place.child('name'))
      check.fields(port, place, 'core_v1.EndpointPort')
    })
  }
}

function checkAddress(address: ValueMap, at: FieldPath, check: Check): void {
  const ip = textOrEmpty(address, 'ip')
  checkIp(ip, at.child('ip'), check)
  check.fields(address, at, 'core_v1.EndpointAddress')
  checkEndpointIp(ip, at.child('ip'), check)
}

/** An IPv6 address needs brackets before a port. */
function hostPort(ip: string, port: Value): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${numberAt(port, 'port')}`
}

function endpoints(object: ValueMap): string {
  const subsets = listAt(object, 'subsets')
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'))
    const ports = listAt(subset, 'ports')
    return ports.length === 0 ? addresses : ports.flatMap((port) => addresses.map((ip) => hostPort(ip, port)))
  })
  return firstOf(all, 3)
}

export const ENDPOINTS: Kind = {
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkSubsets(object, check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkBuiltInMeta(object, subdomainName, check)
      if (!equalValues(object['subsets'], stored['subsets'])) checkSubsets(object, check)
    },
  },
  defaults: within({ subsets: each(within({ ports: each(within({ protocol: blank('TCP') })) })) }),
  strategy: {
    createOnUpdate: true,
    warnings: (object) => {
      const manager = textOrEmpty(labelsOf(object), 'endpoints.kubernetes.io/managed-by')
      if (manager === 'endpoint-controller') return []
      return mapsInPlace(object, 'subsets').flatMap((subset, i) =>
        LISTS.flatMap((list) =>
          mapsInPlace(subset, list).flatMap((each, j) =>
            addressWarnings(`subsets[${i}].${list}[${j}].ip`, own(each, 'ip'), 'address'),
          ),
        ),
      )
    },
  },
  columns: tableOf([NAME, column('Endpoints', 'The addresses behind the service.', endpoints), AGE]),
  deprecations: ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  storagePrefix: 'services/endpoints',
}
