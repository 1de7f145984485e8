// Reads an APIService (P-380): its group version, the address of its server, and whether that server is available.
import type { APIService, APIServiceCondition } from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import { labelsOf } from '../../api/object-members.ts'
import type { OutgoingTls } from '../../outgoing/connections.ts'
import type { ApiObject } from '../../api/object.ts'
import { own } from '../../api/value.ts'
import type { ServiceReference } from '../../outgoing/webhook-client.ts'

/** The priority of a group version among other group versions. */
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
  /** The reason of the condition `Available`. Empty: the service was not checked yet. */
  readonly reason: string
}

const API_SERVICE = 'apiregistration.k8s.io_v1.APIService'
const DEFAULT_PORT = 443

/** Undefined: the object is not an APIService, or this server serves the group. */
export function readAggregatedService(object: ApiObject): AggregatedService | undefined {
  if (!isKind(object, API_SERVICE)) return undefined
  const { service, caBundle = '', insecureSkipTLSVerify } = object.spec
  if (service == null) return undefined
  const { namespace = '', name = '', port = DEFAULT_PORT } = service
  const availability = availabilityOf(object)
  return {
    ...rankOf(object),
    service: { namespace, name, port },
    tls: {
      serverName: `${name}.${namespace}.svc`,
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() }),
      ...(insecureSkipTLSVerify === true ? { insecure: true } : {}),
    },
    isAvailable: availability?.status === 'True',
    reason: availability?.reason ?? '',
  }
}

/** The group version of an APIService that a user made without a service. Undefined for all other objects. */
export function readNamedVersion(object: ApiObject): RankedVersion | undefined {
  if (!isKind(object, API_SERVICE) || object.spec.service != null) return undefined
  return own(labelsOf(object), 'kube-aggregator.kubernetes.io/automanaged') === undefined ? rankOf(object) : undefined
}

function rankOf({ metadata, spec }: APIService): RankedVersion {
  return {
    name: metadata.name ?? '',
    group: spec.group ?? '',
    version: spec.version ?? '',
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
  }
}

/** The condition `Available`. Undefined: the service was not checked yet. */
export function availabilityOf({ status }: APIService): APIServiceCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Available')
}
