// Where a service is reached by the server itself, which is no part of the cluster's network: at an address behind it where
// one is known, otherwise at the address of the service.
import { mapIn, mapsIn, textIn } from '../admission/members.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import type { LocateService, ServiceReference } from '../api/webhook-client.ts'
import type { Place } from '../lib/outgoing-connections.ts'
import { OutgoingCallError } from '../lib/outgoing-failure.ts'

export interface ServiceReaders {
  readonly services: ObjectReader
  readonly endpoints: ObjectReader
}

const LOOK_UP_MS = 5_000

export function servicePlaces({ services, endpoints }: ServiceReaders): LocateService {
  return async (reference) => {
    const { namespace, name } = reference
    const signal = AbortSignal.timeout(LOOK_UP_MS)
    const service = await services.find(namespace, name, signal)
    if (service === undefined) throw lost(`service ${JSON.stringify(name)} not found`)
    const spec = mapIn(service, 'spec')
    if (textIn(spec, 'type') === 'ExternalName') return { host: textIn(spec, 'externalName'), port: reference.port }
    const port = mapsIn(spec, 'ports').find((each) => own(each, 'port') === reference.port)
    if (port === undefined) {
      const why = `no service port ${reference.port} found for service ${JSON.stringify(name)}`
      throw lost(why)
    }
    const behind = await endpoints.find(namespace, name, signal)
    const place = behind === undefined ? undefined : placeBehind(behind, textIn(port, 'name'))
    return place ?? atServiceAddress(spec, reference)
  }
}

/** One of those that are ready, at random. */
function placeBehind(endpoints: ApiObject, portName: string): Place | undefined {
  const places = mapsIn(endpoints, 'subsets').flatMap((subset) => {
    const port = mapsIn(subset, 'ports').find((each) => textIn(each, 'name') === portName)
    const number = port === undefined ? undefined : own(port, 'port')
    if (typeof number !== 'number') return []
    return mapsIn(subset, 'addresses').map((address) => ({ host: textIn(address, 'ip'), port: number }))
  })
  return places[Math.floor(Math.random() * places.length)]
}

function atServiceAddress(spec: ValueMap, { name, port }: ServiceReference): Place {
  const host = textIn(spec, 'clusterIP')
  if (host === 'None') throw lost('cannot route to service with ClusterIP "None"')
  if (host === '') throw lost(`no endpoints available for service ${JSON.stringify(name)}`)
  return { host, port }
}

function lost(why: string): OutgoingCallError {
  return new OutgoingCallError('lookup', why)
}
