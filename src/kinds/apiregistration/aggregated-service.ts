// What an APIService says (P-380): which version of a group it is for, where the server of it is, and whether that is available.
import {
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsOnly,
  numberOrAbsent,
  numberOrZero,
  textOrEmpty,
} from '../../api/members.ts'
import type { OutgoingTls } from '../../outgoing/connections.ts'
import type { ApiObject } from '../../api/object.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { ServiceReference } from '../../outgoing/webhook-client.ts'

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
  const spec = mapOrEmpty(object, 'spec')
  const service = mapOrAbsent(spec, 'service')
  if (service === undefined) return undefined
  const bundle = textOrEmpty(spec, 'caBundle')
  const availability = availabilityOf(object) ?? {}
  const reference = {
    namespace: textOrEmpty(service, 'namespace'),
    name: textOrEmpty(service, 'name'),
    port: numberOrAbsent(service, 'port') ?? DEFAULT_PORT,
  }
  return {
    ...rankOf(object),
    service: reference,
    tls: {
      serverName: `${reference.name}.${reference.namespace}.svc`,
      ...(bundle === '' ? {} : { ca: Buffer.from(bundle, 'base64').toString() }),
      ...(isTrue(spec, 'insecureSkipTLSVerify') ? { insecure: true } : {}),
    },
    isAvailable: own(availability, 'status') === 'True',
    reason: textOrEmpty(availability, 'reason'),
  }
}

/** A version that somebody says is served here, by his own word and not by the server's. Undefined for all others. */
export function readNamedVersion(object: ApiObject): RankedVersion | undefined {
  if (mapOrAbsent(mapOrEmpty(object, 'spec'), 'service') !== undefined) return undefined
  const isOurs = own(mapOrEmpty(object.metadata, 'labels'), 'kube-aggregator.kubernetes.io/automanaged') !== undefined
  return isOurs ? undefined : rankOf(object)
}

function rankOf(object: ApiObject): RankedVersion {
  const spec = mapOrEmpty(object, 'spec')
  return {
    name: textOrEmpty(object.metadata, 'name'),
    group: textOrEmpty(spec, 'group'),
    version: textOrEmpty(spec, 'version'),
    groupPriority: numberOrZero(spec, 'groupPriorityMinimum'),
    versionPriority: numberOrZero(spec, 'versionPriority'),
  }
}

/** The condition `Available`; undefined where nobody has looked yet. */
export function availabilityOf(object: ApiObject): ValueMap | undefined {
  const conditions = mapsOnly(mapOrEmpty(object, 'status'), 'conditions')
  return conditions.find((condition) => own(condition, 'type') === 'Available')
}
