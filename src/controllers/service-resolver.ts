// Resolves a service to an address for outgoing calls: a ready endpoint where one is known, as the server may not be part of the
// cluster network, otherwise the cluster IP.
import type { ObjectReader } from '../admission/object-reader.ts'
import { mapOrEmpty, mapsOnly, numberOrAbsent, textOrEmpty, textsOnly } from '../api/members.ts'
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import type { ResolveService, ServiceReference } from '../outgoing/webhook-client.ts'
import type { Place } from '../outgoing/connections.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import { readThrough } from './read-through.ts'
import { servedResource } from '../registry/served-resource.ts'

export interface ServiceReaders {
  readonly services: ObjectReader
  readonly endpoints: ObjectReader
  readonly slices: ObjectReader
}

const LOOK_UP_MS = 5_000

export function openServiceResolver(store: Store, resources: ResourceTable): ResolveService {
  const read = (resource: string, group?: string): ObjectReader =>
    readThrough(store, servedResource(resources, resource, group).stored)
  return serviceResolver({
    services: read('services'),
    endpoints: read('endpoints'),
    slices: read('endpointslices', 'discovery.k8s.io'),
  })
}

export function serviceResolver({ services, endpoints, slices }: ServiceReaders): ResolveService {
  return async (reference) => {
    const { namespace, name } = reference
    const signal = AbortSignal.timeout(LOOK_UP_MS)
    const service = await services.find(namespace, name, signal)
    if (service === undefined) throw lost(`service ${JSON.stringify(name)} not found`)
    const spec = mapOrEmpty(service, 'spec')
    if (textOrEmpty(spec, 'type') === 'ExternalName')
      return { host: textOrEmpty(spec, 'externalName'), port: reference.port }
    const port = mapsOnly(spec, 'ports').find((each) => own(each, 'port') === reference.port)
    if (port === undefined) {
      const why = `no service port ${reference.port} found for service ${JSON.stringify(name)}`
      throw lost(why)
    }
    const portName = textOrEmpty(port, 'name')
    const behind = await endpoints.find(namespace, name, signal)
    const places =
      behind === undefined
        ? placesInSlices(await slices.list(namespace, signal), { service: name, portName })
        : placesIn(behind, portName)
    return places[Math.floor(Math.random() * places.length)] ?? atServiceAddress(spec, reference)
  }
}

/** Those that are ready. */
function placesIn(endpoints: ApiObject, portName: string): readonly Place[] {
  return mapsOnly(endpoints, 'subsets').flatMap((subset) =>
    textsOf(mapsOnly(subset, 'addresses'), 'ip').flatMap((host) => placesAt(host, mapsOnly(subset, 'ports'), portName)),
  )
}

function placesInSlices(
  slices: readonly ApiObject[],
  { service, portName }: { readonly service: string; readonly portName: string },
): readonly Place[] {
  return slices
    .filter((slice) => textOrEmpty(labelsOf(slice), 'kubernetes.io/service-name') === service)
    .flatMap((slice) =>
      mapsOnly(slice, 'endpoints')
        .filter((endpoint) => own(mapOrEmpty(endpoint, 'conditions'), 'ready') !== false)
        .flatMap((endpoint) => textsOnly(endpoint, 'addresses').slice(0, 1))
        .flatMap((host) => placesAt(host, mapsOnly(slice, 'ports'), portName)),
    )
}

function placesAt(host: string, ports: readonly ValueMap[], portName: string): readonly Place[] {
  const found = ports.find((each) => textOrEmpty(each, 'name') === portName)
  const port = numberOrAbsent(found ?? {}, 'port')
  return port === undefined ? [] : [{ host, port }]
}

function textsOf(maps: readonly ValueMap[], name: string): readonly string[] {
  return maps.map((map) => textOrEmpty(map, name))
}

function atServiceAddress(spec: ValueMap, { name, port }: ServiceReference): Place {
  const host = textOrEmpty(spec, 'clusterIP')
  if (host === 'None') throw lost('cannot route to service with ClusterIP "None"')
  if (host === '') throw lost(`no endpoints available for service ${JSON.stringify(name)}`)
  return { host, port }
}

function lost(why: string): OutgoingCallError {
  return new OutgoingCallError('lookup', why)
}
