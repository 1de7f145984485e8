// The server's own CA and the serving certificate that it signs: generated at the first start, kept in the data directory,
// renewed when they are about to expire or the names change.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { type KeyPair, makeAuthority, makeServing, type Names } from '../pki/certificate-maker.ts'
import { makePrivateDirectory, readOwnFile, writePrivateFile } from './files.ts'
import { StartError } from './start-error.ts'

/** PEM texts. */
export interface ServingCertificate {
  readonly certificate: string
  readonly key: string
  /** The authority with which clients verify the certificate. */
  readonly authority: string
}

const DAY_MS = 24 * 60 * 60 * 1000
const AUTHORITY_DAYS = 3650
const SERVING_DAYS = 365
/** A serving certificate with less time left is replaced at the next start or check. */
const RENEW_DAYS = 30

/** Returns the kept certificate if it still fits, or a new one. `folder` undefined: no certificate is read or kept. */
export function ownCertificate(folder: string | undefined, addresses: readonly string[]): ServingCertificate {
  const names = namesFor(addresses)
  if (folder === undefined) return issue(makeAuthority(AUTHORITY_DAYS * DAY_MS), names)
  makePrivateDirectory(folder, 'the certificate directory')
  const kept = readKept(folder)
  if (kept !== undefined && fits(kept, names)) return kept
  const authority = keptAuthority(folder) ?? makeAuthority(AUTHORITY_DAYS * DAY_MS)
  const made = issue(authority, names)
  writePrivateFile(path.join(folder, 'ca.key'), authority.key)
  writePrivateFile(path.join(folder, 'ca.crt'), authority.certificate)
  writePrivateFile(path.join(folder, 'server.key'), made.key)
  writePrivateFile(path.join(folder, 'server.crt'), made.certificate)
  return made
}

function issue(authority: KeyPair, names: Names): ServingCertificate {
  return { ...makeServing(authority, names, SERVING_DAYS * DAY_MS), authority: authority.certificate }
}

/** The names of the server for clients on this machine and in the cluster. */
function namesFor(addresses: readonly string[]): Names {
  const cluster = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  const unspecified = new Set(['0.0.0.0', '::'])
  return {
    dns: [...new Set(['localhost', hostname().toLowerCase(), ...cluster])],
    addresses: [...new Set(['127.0.0.1', '::1', ...addresses.filter((address) => !unspecified.has(address))])],
  }
}

function readKept(folder: string): ServingCertificate | undefined {
  const authority = readOwnFile(folder, 'ca.crt')
  const certificate = readOwnFile(folder, 'server.crt')
  const key = readOwnFile(folder, 'server.key')
  return authority === undefined || certificate === undefined || key === undefined
    ? undefined
    : { authority, certificate, key }
}

function keptAuthority(folder: string): KeyPair | undefined {
  const certificate = readOwnFile(folder, 'ca.crt')
  const key = readOwnFile(folder, 'ca.key')
  if (certificate === undefined || key === undefined) return undefined
  const parsed = parse(certificate)
  const good = parsed !== undefined && daysLeft(parsed) > SERVING_DAYS && matches(parsed, key)
  return good ? { certificate, key } : undefined
}

function fits(kept: ServingCertificate, names: Names): boolean {
  const certificate = parse(kept.certificate)
  const authority = parse(kept.authority)
  if (certificate === undefined || authority === undefined || !matches(certificate, kept.key)) return false
  return (
    daysLeft(certificate) > RENEW_DAYS &&
    daysLeft(authority) > RENEW_DAYS &&
    certificate.verify(authority.publicKey) &&
    names.dns.every((name) => certificate.checkHost(name) !== undefined) &&
    names.addresses.every((address) => certificate.checkIP(address) !== undefined)
  )
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function matches(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function daysLeft(certificate: X509Certificate): number {
  return (Date.parse(certificate.validTo) - Date.now()) / DAY_MS
}

/** Throws a `StartError` if the two given files do not belong together. */
export function checkPair(certificate: string, key: string, names: { certificate: string; key: string }): void {
  const parsed = parse(certificate)
  if (parsed === undefined) throw new StartError(`${names.certificate} does not hold a certificate in PEM form`)
  if (!matches(parsed, key)) throw new StartError(`${names.key} does not hold the private key of ${names.certificate}`)
}
