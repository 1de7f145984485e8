// Warnings of kinds that have no other character: quotas, networks, classes, pairs of certificate and key.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { own } from '../../api/value.ts'
import { compareQuantities, parseQuantity } from '../../lib/quantity.ts'
import type { KindStrategy } from '../strategy.ts'
import { metaOf, metaText } from '../../registry/object-meta.ts'
import { mapIn, mapsIn, textsIn } from './members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { addressWarnings, nodeLabelFault, nodeTermWarnings } from './warnings.ts'

/** Only new quotas are looked at; the plain names of processors and memory stand for what is requested of them. */
export const RESOURCE_QUOTA: KindStrategy = {
  warnings: (object, stored) => {
    if (stored !== undefined) return []
    const hard = mapIn(mapIn(object, 'spec'), 'hard')
    return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
      const isPlain = !has(hard, `requests.${name}`) && (name === 'cpu' || name === 'memory')
      const [asked, limit] = [isPlain ? name : `requests.${name}`, `limits.${name}`]
      const [left, right] = [parseQuantity(textOf(hard, asked)), parseQuantity(textOf(hard, limit))]
      if (!left.ok || !right.ok || compareQuantities(left.quantity, right.quantity) <= 0) return []
      return [`ResourceQuota ${asked} (${textOf(hard, asked)}) should be less than ${limit} (${textOf(hard, limit)})`]
    })
  },
}

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

function has(map: ValueMap, name: string): boolean {
  return own(map, name) !== undefined
}

function hasAnnotation(object: ApiObject, name: string): boolean {
  return has(mapIn(metaOf(object), 'annotations'), name)
}

export const ENDPOINTS: KindStrategy = {
  warnings: (object) => {
    const manager = textOf(mapIn(metaOf(object), 'labels'), 'endpoints.kubernetes.io/managed-by')
    if (manager === 'endpoint-controller') return []
    return mapsIn(object, 'subsets').flatMap((subset, i) =>
      ['addresses', 'notReadyAddresses'].flatMap((list) =>
        mapsIn(subset, list).flatMap((each, j) =>
          addressWarnings(`subsets[${i}].${list}[${j}].ip`, own(each, 'ip'), 'address'),
        ),
      ),
    )
  },
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
      ...faultsOfLabels(mapIn(topology, 'matchLabels'), (label) => `nodeTopology.matchLabels.${label}`),
    ]
  },
}

export const RUNTIME_CLASS: KindStrategy = {
  warnings: (object) =>
    faultsOfLabels(mapIn(mapIn(object, 'scheduling'), 'nodeSelector'), () => 'scheduling.nodeSelector'),
}

function faultsOfLabels(labels: ValueMap, pathOf: (label: string) => string): readonly string[] {
  return Object.keys(labels)
    .toSorted()
    .flatMap((label) => {
      const fault = nodeLabelFault(label)
      return fault === undefined ? [] : [`${pathOf(label)}: ${fault}`]
    })
}

/** The type is kept where an update does not say it (W-568). */
export const SECRET: KindStrategy = {
  prepareForUpdate: (object, stored) =>
    textOf(object, 'type') === '' ? { ...object, type: own(stored, 'type') ?? '' } : object,
  warnings: (object) => {
    if (textOf(object, 'type') !== 'kubernetes.io/tls') return []
    const fault = pairFault(mapIn(object, 'data'))
    return fault === undefined ? [] : [fault]
  },
}

/** Why certificate and key are no pair; undefined where they are one. */
function pairFault(data: ValueMap): string | undefined {
  const [certificate, key] = [pemIn(data, 'tls.crt'), pemIn(data, 'tls.key')]
  const types = { certificate: typesIn(certificate), key: typesIn(key) }
  if (types.certificate.length === 0) return 'tls: failed to find any PEM data in certificate input'
  if (!types.certificate.includes('CERTIFICATE')) {
    if (types.certificate.length === 1 && types.certificate[0]!.endsWith('PRIVATE KEY')) {
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
    }
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.certificate.join(' ')}]`
  }
  if (types.key.length === 0) return 'tls: failed to find any PEM data in key input'
  if (!types.key.some((type) => type.endsWith('PRIVATE KEY'))) {
    if (types.key.length === 1 && types.key[0] === 'CERTIFICATE') {
      return 'tls: found a certificate rather than a key in the PEM for the private key'
    }
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.key.join(' ')}]`
  }
  return matchFault(certificate, key)
}

function matchFault(certificate: string, key: string): string | undefined {
  let leaf: X509Certificate
  try {
    leaf = new X509Certificate(certificate)
  } catch {
    return 'x509: malformed certificate'
  }
  try {
    const ours = createPrivateKey(key)
    if (leaf.checkPrivateKey(ours)) return undefined
    const isOfType = ours.asymmetricKeyType === leaf.publicKey.asymmetricKeyType
    return isOfType
      ? 'tls: private key does not match public key'
      : 'tls: private key type does not match public key type'
  } catch {
    return 'tls: failed to parse private key'
  }
}

function pemIn(data: ValueMap, name: string): string {
  return Buffer.from(textOf(data, name), 'base64').toString('latin1')
}

function typesIn(pem: string): readonly string[] {
  return [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]{1,60})-----/g)].map((match) => match[1]!)
}
