// Secrets: limited in size, possibly immutable, and of types that each need their own keys.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { FieldPath } from '../../api/field-path.ts'
import type { Secret } from '../../api/gen/kinds.ts'
import { entriesOf, type MapOf, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { jsonObjectFault } from '../../lib/json-fault.ts'
import { blank, both, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkImmutable, checkKey, decodedLength, MAX_DATA_BYTES } from './config-map.ts'

const DATA = FieldPath.root('data')
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'

function checkSecret(object: Secret, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  let bytes = 0
  for (const [key, value] of entriesOf(object.data ?? {})) {
    checkKey(key, DATA, check)
    bytes += decodedLength(value)
  }
  if (bytes > MAX_DATA_BYTES) check.tooLong(DATA, MAX_DATA_BYTES)
  checkByType(object, check)
}

function checkByType({ metadata: { annotations = {} }, type, data = {} }: Secret, check: Check): void {
  switch (type) {
    case 'kubernetes.io/service-account-token':
      if ((own(annotations, ACCOUNT_NAME) ?? '') === '') check.required(METADATA.child('annotations').key(ACCOUNT_NAME))
      break
    case 'kubernetes.io/dockercfg':
      checkJson(data, '.dockercfg', check)
      break
    case 'kubernetes.io/dockerconfigjson':
      checkJson(data, '.dockerconfigjson', check)
      break
    case 'kubernetes.io/basic-auth':
      if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) break
      check.required(DATA.key('username'))
      check.required(DATA.key('password'))
      break
    case 'kubernetes.io/ssh-auth':
      if ((own(data, 'ssh-privatekey') ?? '') === '') check.required(DATA.key('ssh-privatekey'))
      break
    case 'kubernetes.io/tls':
      for (const key of ['tls.crt', 'tls.key']) if (!Object.hasOwn(data, key)) check.required(DATA.key(key))
      break
    default:
  }
}

function checkJson(data: MapOf<string | null>, key: string, check: Check): void {
  const encoded = own(data, key)
  if (encoded === undefined) {
    check.required(DATA.key(key))
    return
  }
  const fault = jsonObjectFault(Buffer.from(encoded ?? '', 'base64').toString('utf8'))
  if (fault !== undefined) check.invalid(DATA.key(key), '<secret contents redacted>', fault)
}

/** `stringData` becomes `data`. */
const stringData: OwnRule<Secret> = (given) => {
  if (given?.stringData === undefined) return given
  const { stringData: texts, ...rest } = given
  const bytes = entriesOf(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return bytes.length === 0 ? rest : { ...rest, data: { ...given.data, ...Object.fromEntries(bytes) } }
}

/** The reason why the certificate and the key do not belong together. Undefined: they do. */
function pairFault(data: MapOf<string | null>): string | undefined {
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
    return `tls: private key ${isOfType ? 'does not match public key' : 'type does not match public key type'}`
  } catch {
    return 'tls: failed to parse private key'
  }
}

function pemIn(data: MapOf<string | null>, name: string): string {
  return Buffer.from(own(data, name) ?? '', 'base64').toString('latin1')
}

function typesIn(pem: string): readonly string[] {
  return [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]{1,60})-----/g)].map((match) => match[1]!)
}

export const SECRET: Kind = typedKind<Secret>({
  validation: {
    create: checkSecret,
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      check.unchangedFields({ object, stored }, 'core_v1.Secret')
      checkImmutable(object, stored, check)
      checkSecret(object, check)
    },
  },
  defaults: both(within({ type: blank('Opaque') }), stringData),
  strategy: {
    // An update that leaves out the type keeps the stored type (W-568).
    prepareForUpdate: (object, stored) => (object.type === undefined ? { ...object, type: stored.type ?? '' } : object),
    warnings: ({ type, data = {} }) => {
      if (type !== 'kubernetes.io/tls') return []
      const fault = pairFault(data)
      return fault === undefined ? [] : [fault]
    },
  },
  columns: tableOf([
    NAME,
    column('Type', 'The type of the secret.', ({ type }) => type ?? ''),
    column('Data', 'The number of entries.', ({ data = {} }) => Object.keys(data).length),
    AGE,
  ]),
})
