// Authenticates users by client certificate: the common name is the user, and each organization is a group (P-020 to P-024). The TLS layer
// accepts invalid certificates, and this method rejects them.
import { hash } from 'node:crypto'
import { subjectOfCertificate } from '../pki/certificate-names.ts'
import type { Clock } from '../lib/clock.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import type { Authentication, Authenticator, CertificateCredential } from './authenticator.ts'
import type { CertificateAuthorities } from './certificate-authorities.ts'
import { asAuthenticated } from './user.ts'

const UID = '1.3.6.1.4.1.57683.2'

export function clientCertificates(authorities: CertificateAuthorities, clock: Clock): Authenticator {
  const known = new WeakMap<CertificateCredential, Authentication>()
  return {
    authenticate({ certificate }) {
      if (certificate === undefined) return { kind: 'none' }
      const problem = authorities.problemWith(certificate, clock.now())
      if (problem !== undefined) return { kind: 'refused', problem }
      return getOrInsert(known, certificate, userOf)
    },
  }
}

function userOf({ der, subject }: CertificateCredential): Authentication {
  const name = commonNameOf(subject)
  if (name === undefined || name === '') return { kind: 'none' }
  const uids = (subjectOfCertificate(der) ?? []).filter(({ type }) => type === UID)
  const [uid] = uids
  if (uids.length > 1) return { kind: 'refused', problem: `expected 1 UID, but found multiple: ${uids.length}` }
  if (uid !== undefined && (uid.text === undefined || uid.text === '')) {
    return { kind: 'refused', problem: 'the UID in the certificate is not a string or is empty' }
  }
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash('sha256', der, 'hex')}`] }
  return { kind: 'user', user: asAuthenticated({ name, uid: uid?.text, groups: valuesOf(subject['O']), extra }) }
}

/** If a subject has several common names, the last one counts, as in the reference. */
export function commonNameOf(subject: CertificateCredential['subject']): string | undefined {
  return valuesOf(subject['CN']).at(-1)
}

function valuesOf(attribute: string | readonly string[] | undefined): readonly string[] {
  if (attribute === undefined) return []
  return typeof attribute === 'string' ? [attribute] : attribute
}
