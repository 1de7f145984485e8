// TLS versions, cipher suites and curves, by the names of the reference, which come from Go.
import type { Setting } from './flag.ts'
import { usageError } from './start-error.ts'

export interface TlsRules {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** OpenSSL's names of the cipher suites. */
  readonly ciphers: string
  /** OpenSSL's names of the groups for key agreement. Undefined: OpenSSL's default. */
  readonly curves: string | undefined
}

const VERSIONS: Readonly<Record<string, TlsRules['minVersion']>> = {
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
}

/** Cipher suites with new keys for every connection and with authenticated encryption. Other suites are not offered. */
const SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
}

/** The suites of TLS 1.3 cannot be chosen. */
const SUITES_OF_13: readonly string[] = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]

/** OpenSSL's names of curves by their numbers in TLS. Go uses the same numbers. */
const CURVES: Readonly<Record<string, string>> = {
  '23': 'P-256',
  '24': 'P-384',
  '25': 'P-521',
  '29': 'X25519',
  '4588': 'X25519MLKEM768',
}

export const TLS_VERSIONS: readonly string[] = Object.keys(VERSIONS)
export const TLS_SUITES: readonly string[] = Object.keys(SUITES)
export const TLS_CURVES: readonly string[] = Object.keys(CURVES)

export function tlsRules(version: Setting, suites: readonly string[], curves: readonly string[] = []): TlsRules {
  const minVersion = Object.hasOwn(VERSIONS, version.text) ? VERSIONS[version.text] : undefined
  if (minVersion === undefined) {
    throw usageError(`${version.source}: "${version.text}" is not one of ${TLS_VERSIONS.join(', ')}`)
  }
  const chosen = suites.filter((name) => !SUITES_OF_13.includes(name)).map(suiteOf)
  const of12 = chosen.length > 0 || suites.length > 0 ? chosen : Object.values(SUITES)
  const groups = curves.length === 0 ? undefined : curves.map(curveOf).join(':')
  return { minVersion, ciphers: [...SUITES_OF_13, ...of12].join(':'), curves: groups }
}

function curveOf(number: string): string {
  const curve = Object.hasOwn(CURVES, number) ? CURVES[number] : undefined
  if (curve !== undefined) return curve
  throw usageError(`--tls-curve-preferences: "${number}" is not one of ${TLS_CURVES.join(', ')}`)
}

function suiteOf(name: string): string {
  const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined
  if (suite !== undefined) return suite
  throw usageError(`--tls-cipher-suites: "${name}" is not one of ${TLS_SUITES.join(', ')}`)
}
