// Warnings of kinds that have no other character: quotas, ingresses, slices of endpoints, pairs of certificate and key.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ValueMap } from '../api/value.ts'
import { isList, own } from '../api/value.ts'
import { compareQuantities, parseQuantity } from '../lib/quantity.ts'
import type { CharacterTraits } from './character.ts'
import { annotationOf, mapIn, mapsIn, textIn } from './members.ts'
import { addressWarnings } from './warnings.ts'

export const RESOURCE_QUOTA: CharacterTraits = {
  warnings: (object) => {
    const hard = mapIn(mapIn(object, 'spec'), 'hard')
    return ['cpu', 'memory'].flatMap((name) => {
      const [requests, limits] = [textIn(hard, `requests.${name}`), textIn(hard, `limits.${name}`)]
      const [left, right] = [parseQuantity(requests), parseQuantity(limits)]
      if (!left.ok || !right.ok || compareQuantities(left.quantity, right.quantity) <= 0) return []
      return [`ResourceQuota requests.${name} (${requests}) should be less than limits.${name} (${limits})`]
    })
  },
}

const INGRESS_CLASS = 'kubernetes.io/ingress.class'

export const INGRESS: CharacterTraits = {
  warnings: (object, stored) =>
    stored === undefined && annotationOf(object, INGRESS_CLASS) !== ''
      ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
}

export const ENDPOINT_SLICE: CharacterTraits = {
  warnings: (object) => {
    if (textIn(object, 'addressType') === 'FQDN') return ['spec.addressType: FQDN endpoints are deprecated']
    return mapsIn(object, 'endpoints').flatMap((endpoint, i) => {
      const addresses = own(endpoint, 'addresses')
      const path = `endpoints[${i}].addresses`
      return isList(addresses) ? addresses.flatMap((each, j) => addressWarnings(`${path}[${j}]`, each, 'address')) : []
    })
  },
}

/** The type is kept where an update does not say it (W-568). */
export const SECRET: CharacterTraits = {
  prepareForUpdate: (object, stored) =>
    textIn(object, 'type') === '' ? { ...object, type: own(stored, 'type') ?? '' } : object,
  warnings: (object) => {
    if (textIn(object, 'type') !== 'kubernetes.io/tls') return []
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
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.certificate.join(' ')}]`
  }
  if (types.key.length === 0) return 'tls: failed to find any PEM data in key input'
  if (!types.key.some((type) => type.endsWith('PRIVATE KEY'))) {
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
    return leaf.checkPrivateKey(createPrivateKey(key)) ? undefined : 'tls: private key does not match public key'
  } catch {
    return 'tls: failed to parse private key'
  }
}

function pemIn(data: ValueMap, name: string): string {
  return Buffer.from(textIn(data, name), 'base64').toString('latin1')
}

function typesIn(pem: string): readonly string[] {
  return [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]{1,60})-----/g)].map((match) => match[1]!)
}
