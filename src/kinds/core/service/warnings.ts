// Warnings about services: deprecated fields, fields that the type ignores, and addresses that are not canonical.
import type { Service } from '../../../api/gen/kinds.ts'
import { annotationsOf } from '../../../api/object-members.ts'
import { addressWarnings } from '../../shared/warnings.ts'
import { isExternalName, NO_ADDRESS, typeOf } from './fields.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const HINTS_NOW = 'service.kubernetes.io/topology-mode'

export function serviceWarnings(service: Service): readonly string[] {
  const spec = service.spec
  const outside = spec.externalIPs ?? []
  const isHeadless = typeOf(spec) === 'ClusterIP' && (spec.clusterIP ?? '') === NO_ADDRESS
  const hasOutside = outside.length > 0
  const told = (is: boolean, text: string): readonly string[] => (is ? [text] : [])
  type Addresses = 'clusterIPs' | 'externalIPs' | 'loadBalancerSourceRanges'
  const addresses = (field: Addresses, what: 'address' | 'CIDR value'): readonly string[] =>
    (spec[field] ?? []).flatMap((value, i) => addressWarnings(`spec.${field}[${i}]`, value, what))
  return [
    ...told(
      Object.hasOwn(annotationsOf(service), HINTS),
      `annotation ${HINTS} is deprecated, please use ${HINTS_NOW} instead`,
    ),
    ...addresses('clusterIPs', 'address'),
    ...(isHeadless
      ? [
          ...told((spec.loadBalancerIP ?? '') !== '', 'spec.loadBalancerIP is ignored for headless services'),
          ...told(hasOutside, 'spec.externalIPs is ignored for headless services'),
          ...told((spec.sessionAffinity ?? '') !== 'None', 'spec.SessionAffinity is ignored for headless services'),
        ]
      : []),
    ...addresses('externalIPs', 'address'),
    ...told(
      hasOutside && !isHeadless && !isExternalName(spec),
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...addressWarnings('spec.loadBalancerIP', spec.loadBalancerIP, 'address'),
    ...addresses('loadBalancerSourceRanges', 'CIDR value'),
    ...told(hasOutside && isExternalName(spec), 'spec.externalIPs is ignored when spec.type is "ExternalName"'),
    ...told(
      (spec.externalName ?? '') !== '' && !isExternalName(spec),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...told(
      (spec.trafficDistribution ?? '') === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ]
}

export function serviceStatusWarnings(service: Service): readonly string[] {
  return (service.status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
    addressWarnings(`status.loadBalancer.ingress[${i}]`, ip, 'address'),
  )
}
