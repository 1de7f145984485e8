// The defaults of services, most of which depend on the type.
import type {
  LoadBalancerIngress,
  Service,
  ServicePort,
  ServiceSpec,
  SessionAffinityConfig,
} from '../../../api/gen/kinds.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  type OwnRule,
  type Rule,
  where,
  within,
} from '../../../schema/defaults/rule.ts'
import { isExternal } from './fields.ts'

const AFFINITY_SECONDS = 3 * 60 * 60

const isType =
  (...types: readonly string[]) =>
  ({ type }: ServiceSpec): boolean =>
    type !== undefined && types.includes(type)

/** The config is dropped if there is no session affinity, and filled in if there is. */
const sessionAffinityConfig: Rule<SessionAffinityConfig, ServiceSpec> = (given, _, { sessionAffinity }) => {
  if (sessionAffinity === 'None') return undefined
  if (sessionAffinity !== 'ClientIP' || given?.clientIP?.timeoutSeconds !== undefined) return given
  return { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
}

/** The target port defaults to the port. */
const targetPort: Rule<number | string, ServicePort> = (given, _, { port }) => given || port

const spec = always<ServiceSpec>({
  sessionAffinity: blank('None'),
  sessionAffinityConfig,
  type: blank('ClusterIP'),
  ports: each(within({ protocol: blank('TCP'), targetPort })),
  externalTrafficPolicy: where(isExternal, blank('Cluster')),
  internalTrafficPolicy: where(isType('ClusterIP', 'NodePort', 'LoadBalancer'), absent('Cluster')),
  allocateLoadBalancerNodePorts: where(isType('LoadBalancer'), absent(true)),
})

const ipMode: Rule<string, LoadBalancerIngress> = where(({ ip = '' }) => ip !== '', absent('VIP'))

const modes = within<Service['status']>({ loadBalancer: within({ ingress: each(within({ ipMode })) }) })

const ingressModes: OwnRule<Service> = (given, context) => {
  if (given?.spec.type !== 'LoadBalancer') return given
  const status = modes(given.status, context, given) ?? given.status
  return status === given.status ? given : { ...given, status }
}

export const DEFAULTS = both<Service, unknown>(within({ spec }), ingressModes)
