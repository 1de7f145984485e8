// Resolves a service to an address for outgoing calls: a ready endpoint if one is known, because the server may not be part of
// the cluster network, otherwise the cluster IP.
import type { ObjectReader } from '../admission/object-reader.ts'
import type { Endpoints, EndpointSlice, Service, ServiceSpec } from '../api/gen/kinds.ts'
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own } from '../api/value.ts'
import type { ResolveService, ServiceReference } from '../outgoing/webhook-client.ts'
import type { Place } from '../outgoing/connections.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import { readThrough } from './read-through.ts'
import { servedResource } from '../registry/served-resource.ts'

export interface ServiceReaders {
  readonly services: ObjectReader<Service>
  readonly endpoints: ObjectReader<Endpoints>
  readonly slices: ObjectReader<EndpointSlice>
}

const LOOK_UP_MS = 5_000

export function openServiceResolver(store: Store, resources: ResourceTable): ResolveService {
  const read = <T extends ApiObject>(resource: string, group?: string): ObjectReader<T> =>
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
    const { spec } = service
    if (spec.type === 'ExternalName') return { host: spec.externalName ?? '', port: reference.port }
    const port = spec.ports?.find((each) => each.port === reference.port)
    if (port === undefined) {
      const why = `no service port ${reference.port} found for service ${JSON.stringify(name)}`
      throw lost(why)
    }
    const { name: portName = '' } = port
    const behind = await endpoints.find(namespace, name, signal)
    const places =
      behind === undefined
        ? placesInSlices(await slices.list(namespace, signal), { service: name, portName })
        : placesIn(behind, portName)
    return places[Math.floor(Math.random() * places.length)] ?? atServiceAddress(spec, reference)
  }
}

/** The addresses of the ready endpoints. */
function placesIn({ subsets = [] }: Endpoints, portName: string): readonly Place[] {
  return subsets.flatMap(({ addresses = [], ports }) => addresses.flatMap(({ ip }) => placesAt(ip, ports, portName)))
}

function placesInSlices(
  slices: readonly EndpointSlice[],
  { service, portName }: { readonly service: string; readonly portName: string },
): readonly Place[] {
  return slices
    .filter((slice) => own(labelsOf(slice), 'kubernetes.io/service-name') === service)
    .flatMap(({ endpoints, ports }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions.ready !== false)
        .flatMap(({ addresses }) => addresses?.slice(0, 1) ?? [])
        .flatMap((host) => placesAt(host, ports, portName)),
    )
}

type Ports = readonly { readonly name?: string; readonly port?: number }[]

function placesAt(host: string, ports: Ports | null | undefined, portName: string): readonly Place[] {
  const port = ports?.find(({ name = '' }) => name === portName)?.port
  return port === undefined ? [] : [{ host, port }]
}

function atServiceAddress({ clusterIP: host = '' }: ServiceSpec, { name, port }: ServiceReference): Place {
  if (host === 'None') throw lost('cannot route to service with ClusterIP "None"')
  if (host === '') throw lost(`no endpoints available for service ${JSON.stringify(name)}`)
  return { host, port }
}

function lost(why: string): OutgoingCallError {
  return new OutgoingCallError('lookup', why)
}
