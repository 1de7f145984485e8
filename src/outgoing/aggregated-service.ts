// Groups that another server serves, as an APIService says it (P-380): where that server is, and whether it can be reached.
import type { OutgoingTls } from './connections.ts'
import type { ApiObject } from '../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { ServiceReference } from './webhook-client.ts'

/** Where a version of a group stands among the others. */
export interface RankedVersion {
  /** `v1.group`. */
  readonly name: string
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
}

export interface AggregatedService extends RankedVersion {
  readonly service: ServiceReference
  readonly tls: OutgoingTls
  readonly isAvailable: boolean
  /** Why it is available or not, in a word; empty where nobody has looked yet. */
  readonly reason: string
}

const DEFAULT_PORT = 443

/** Undefined where the group is served here. */
export function readAggregatedService(object: ApiObject): AggregatedService | undefined {
  const spec = mapOf(own(object, 'spec'))
  const service = own(spec, 'service')
  if (!isMap(service)) return undefined
  const bundle = textIn(spec, 'caBundle')
  const availability = availabilityOf(object) ?? {}
  const reference = {
    namespace: textIn(service, 'namespace'),
    name: textIn(service, 'name'),
    port: numberIn(service, 'port') ?? DEFAULT_PORT,
  }
  return {
    ...rankOf(object),
    service: reference,
    tls: {
      serverName: `${reference.name}.${reference.namespace}.svc`,
      ...(bundle === '' ? {} : { ca: Buffer.from(bundle, 'base64').toString() }),
      ...(own(spec, 'insecureSkipTLSVerify') === true ? { insecure: true } : {}),
    },
    isAvailable: own(availability, 'status') === 'True',
    reason: textIn(availability, 'reason'),
  }
}

/** A version that somebody says is served here, by his own word and not by the server's. Undefined for all others. */
export function readNamedVersion(object: ApiObject): RankedVersion | undefined {
  if (isMap(own(mapOf(own(object, 'spec')), 'service'))) return undefined
  const isOurs = own(mapOf(own(object.metadata, 'labels')), 'kube-aggregator.kubernetes.io/automanaged') !== undefined
  return isOurs ? undefined : rankOf(object)
}

function rankOf(object: ApiObject): RankedVersion {
  const spec = mapOf(own(object, 'spec'))
  return {
    name: textIn(object.metadata, 'name'),
    group: textIn(spec, 'group'),
    version: textIn(spec, 'version'),
    groupPriority: numberIn(spec, 'groupPriorityMinimum') ?? 0,
    versionPriority: numberIn(spec, 'versionPriority') ?? 0,
  }
}

/** The condition `Available`; undefined where nobody has looked yet. */
export function availabilityOf(object: ApiObject): ValueMap | undefined {
  const conditions = own(mapOf(own(object, 'status')), 'conditions')
  if (!isList(conditions)) return undefined
  return conditions.filter(isMap).find((condition) => own(condition, 'type') === 'Available')
}

function mapOf(value: Value | undefined): ValueMap {
  return isMap(value) ? value : {}
}

function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

function numberIn(map: ValueMap, name: string): number | undefined {
  const value = own(map, name)
  return typeof value === 'number' ? value : undefined
}
