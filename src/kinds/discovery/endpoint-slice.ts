// Slices of endpoints: where an endpoint is was once said in a map of labels, which is not taken any more (W-560).
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { own } from '../../api/value.ts'
import { metaOf } from '../../registry/object-meta.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, mapsIn, textsIn, withMembers } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { addressWarnings } from '../shared/warnings.ts'

const TOPOLOGY = 'deprecatedTopology'
const HOSTNAME = 'kubernetes.io/hostname'

export const ENDPOINT_SLICE: KindStrategy = {
  prepareForCreate: (slice) => withoutTopology(slice, new Set()),
  prepareForUpdate: (slice, stored) =>
    semanticallyEqual(own(slice, 'endpoints'), own(stored, 'endpoints'))
      ? slice
      : withoutTopology(slice, new Set(mapsIn(stored, 'endpoints').map(nodeIn))),
  warnings: (slice, stored) => [
    ...(stored === undefined && textOf(slice, 'addressType') === 'FQDN'
      ? ['spec.addressType: FQDN endpoints are deprecated']
      : []),
    ...(isOurs(slice) ? [] : mapsIn(slice, 'endpoints').flatMap(addressesOf)),
  ],
}

function nodeIn(endpoint: ValueMap): string {
  return textOf(mapIn(endpoint, TOPOLOGY), HOSTNAME)
}

/** A node that an older client has known by its label keeps its place. */
function withoutTopology(slice: ApiObject, known: ReadonlySet<string>): ApiObject {
  const endpoints = mapsIn(slice, 'endpoints')
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

/** What the cluster's own controllers write is in order. */
function isOurs(slice: ApiObject): boolean {
  return CONTROLLERS.has(textOf(mapIn(metaOf(slice), 'labels'), 'endpointslice.kubernetes.io/managed-by'))
}

function addressesOf(endpoint: ValueMap, i: number): readonly string[] {
  return textsIn(endpoint, 'addresses').flatMap((address, j) =>
    addressWarnings(`endpoints[${i}].addresses[${j}]`, address, 'address'),
  )
}
