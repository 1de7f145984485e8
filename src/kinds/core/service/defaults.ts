// The defaults of services, most of which depend on the type.
import { isMap, type ValueMap } from '../../../api/value.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  isAbsent,
  type Rule,
  where,
  within,
  withMember,
} from '../../../schema/defaults/rule.ts'
import { isExternal } from './fields.ts'

const AFFINITY_SECONDS = 3 * 60 * 60

const isType =
  (...types: readonly string[]) =>
  ({ type }: ValueMap): boolean =>
    typeof type === 'string' && types.includes(type)

/** Dropped without session affinity, filled in with it. */
const sessionAffinityConfig: Rule = (given, _, { sessionAffinity }) => {
  if (sessionAffinity === 'None') return undefined
  if (sessionAffinity !== 'ClientIP') return given
  const client = isMap(given) ? given['clientIP'] : undefined
  return isMap(client) && !isAbsent(client['timeoutSeconds'])
    ? given
    : { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
}

/** The target port defaults to the port. */
const targetPort: Rule = (given, _, { port }) => (isAbsent(given) || given === 0 || given === '' ? (port ?? 0) : given)

const spec = always({
  sessionAffinity: blank('None'),
  sessionAffinityConfig,
  type: blank('ClusterIP'),
  ports: each(within({ protocol: blank('TCP'), targetPort })),
  externalTrafficPolicy: where(isExternal, blank('Cluster')),
  internalTrafficPolicy: where(isType('ClusterIP', 'NodePort', 'LoadBalancer'), absent('Cluster')),
  allocateLoadBalancerNodePorts: where(isType('LoadBalancer'), absent(true)),
})

const ipMode: Rule = where(({ ip }) => typeof ip === 'string' && ip !== '', absent('VIP'))

const ingressModes: Rule = (given, context, parent) => {
  if (!isMap(given) || !isMap(given['spec']) || !isType('LoadBalancer')(given['spec'])) return given
  const status = within({ loadBalancer: within({ ingress: each(within({ ipMode })) }) })(
    given['status'],
    context,
    parent,
  )
  return status === undefined ? given : withMember(given, 'status', status)
}

export const DEFAULTS: Rule = both(within({ spec }), ingressModes)
