// Warnings of kinds that have no other character: quotas, networks, classes, pairs of certificate and key.
import type { ApiObject } from '../../api/object.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { metaOf, metaText } from '../../registry/object-meta.ts'
import { has, textOf } from '../../schema/validation/members.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, mapsIn, textsIn } from './members.ts'
import { addressWarnings, nodeLabelFault, nodeLabelWarnings, nodeTermWarnings } from './warnings.ts'

const STATIC_SUFFIX = '.static.k8s.io'

/** Some names are kept for what comes from files. */
export const ADMISSION_OBJECT: KindStrategy = {
  warnings: (object) =>
    metaText(object, 'name').endsWith(STATIC_SUFFIX)
      ? [
          `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
}

/** For slices of devices. */
export function sliceWarnings(object: ApiObject): readonly string[] {
  const driver = textOf(mapIn(object, 'spec'), 'driver')
  if (driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`]
}

const INGRESS_CLASS = 'kubernetes.io/ingress.class'

export const INGRESS: KindStrategy = {
  warnings: (object, stored) =>
    stored === undefined && hasAnnotation(object, INGRESS_CLASS) && !has(mapIn(object, 'spec'), 'ingressClassName')
      ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  statusWarnings: (object) =>
    mapsIn(mapIn(mapIn(object, 'status'), 'loadBalancer'), 'ingress').flatMap((ingress, i) =>
      addressWarnings(`status.loadBalancer.ingress[${i}]`, own(ingress, 'ip'), 'address'),
    ),
}

function hasAnnotation(object: ApiObject, name: string): boolean {
  return has(mapIn(metaOf(object), 'annotations'), name)
}

export const NETWORK_POLICY: KindStrategy = {
  warnings: (object) =>
    [
      ['ingress', 'from'],
      ['egress', 'to'],
    ].flatMap(([rules = '', peers = '']) =>
      mapsIn(mapIn(object, 'spec'), rules).flatMap((rule, i) =>
        mapsIn(rule, peers).flatMap((peer, j) =>
          blockWarnings(mapIn(peer, 'ipBlock'), `spec.${rules}[${i}].${peers}[${j}].ipBlock`),
        ),
      ),
    ),
}

function blockWarnings(block: ValueMap, path: string): readonly string[] {
  return [
    ...addressWarnings(`${path}.cidr`, own(block, 'cidr'), 'CIDR value'),
    ...textsIn(block, 'except').flatMap((cidr, k) => addressWarnings(`${path}.except[${k}]`, cidr, 'CIDR value')),
  ]
}

/** Labels of nodes that have become others, wherever nodes are chosen by them. */
export const STORAGE_CLASS: KindStrategy = {
  warnings: (object) =>
    mapsIn(object, 'allowedTopologies').flatMap((term, i) =>
      mapsIn(term, 'matchLabelExpressions').flatMap((expression, j) => {
        const fault = nodeLabelFault(textOf(expression, 'key'))
        return fault === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${fault}`]
      }),
    ),
}

export const STORAGE_CAPACITY: KindStrategy = {
  warnings: (object) => {
    const topology = mapIn(object, 'nodeTopology')
    return [
      ...nodeTermWarnings(topology, 'nodeTopology'),
      ...nodeLabelWarnings(mapIn(topology, 'matchLabels'), (label) => `nodeTopology.matchLabels.${label}`),
    ]
  },
}
