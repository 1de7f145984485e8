// Warnings about services: deprecated fields, fields that the type ignores, and addresses that are not canonical.
import { mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../../api/members.ts'
import { annotationsOf, specOf, statusOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { own } from '../../../api/value.ts'
import { addressWarnings } from '../../shared/warnings.ts'
import { isExternalName, NO_ADDRESS, typeOf } from './fields.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const HINTS_NOW = 'service.kubernetes.io/topology-mode'

export function serviceWarnings(service: ApiObject): readonly string[] {
  const spec = specOf(service)
  const outside = textsInPlace(spec, 'externalIPs')
  const isHeadless = typeOf(spec) === 'ClusterIP' && textOrEmpty(spec, 'clusterIP') === NO_ADDRESS
  const hasOutside = outside.length > 0
  const told = (is: boolean, text: string): readonly string[] => (is ? [text] : [])
  const addresses = (field: string, what: 'address' | 'CIDR value'): readonly string[] =>
    textsInPlace(spec, field).flatMap((value, i) => addressWarnings(`spec.${field}[${i}]`, value, what))
  return [
    ...told(
      Object.hasOwn(annotationsOf(service), HINTS),
      `annotation ${HINTS} is deprecated, please use ${HINTS_NOW} instead`,
    ),
    ...addresses('clusterIPs', 'address'),
    ...(isHeadless
      ? [
          ...told(textOrEmpty(spec, 'loadBalancerIP') !== '', 'spec.loadBalancerIP is ignored for headless services'),
          ...told(hasOutside, 'spec.externalIPs is ignored for headless services'),
          ...told(
            textOrEmpty(spec, 'sessionAffinity') !== 'None',
            'spec.SessionAffinity is ignored for headless services',
          ),
        ]
      : []),
    ...addresses('externalIPs', 'address'),
    ...told(
      hasOutside && !isHeadless && !isExternalName(spec),
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...addressWarnings('spec.loadBalancerIP', own(spec, 'loadBalancerIP'), 'address'),
    ...addresses('loadBalancerSourceRanges', 'CIDR value'),
    ...told(hasOutside && isExternalName(spec), 'spec.externalIPs is ignored when spec.type is "ExternalName"'),
    ...told(
      textOrEmpty(spec, 'externalName') !== '' && !isExternalName(spec),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...told(
      textOrEmpty(spec, 'trafficDistribution') === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ]
}

export function serviceStatusWarnings(service: ApiObject): readonly string[] {
  return mapsInPlace(mapOrEmpty(statusOf(service), 'loadBalancer'), 'ingress').flatMap((ingress, i) =>
    addressWarnings(`status.loadBalancer.ingress[${i}]`, own(ingress, 'ip'), 'address'),
  )
}
