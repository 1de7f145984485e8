// Users by client certificate: the common name is the user, each organization a group (P-020 to P-023). Whether the
// certificate chains to the client CA was found out by the TLS layer, which lets the bad ones through to be told so.
import { hash } from 'node:crypto'
import type { Authenticator } from './authenticator.ts'

export function clientCertificates(): Authenticator {
  return {
    authenticate({ certificate }) {
      if (certificate === undefined) return { kind: 'none' }
      if (!certificate.trusted) return { kind: 'refused', problem: 'client certificate is not trusted' }
      const [name] = valuesOf(certificate.subject['CN'])
      if (name === undefined || name === '') return { kind: 'none' }
      const fingerprint = hash('sha256', certificate.der, 'hex')
      const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] }
      return { kind: 'user', user: { name, uid: undefined, groups: valuesOf(certificate.subject['O']), extra } }
    },
  }
}

function valuesOf(attribute: string | readonly string[] | undefined): readonly string[] {
  if (attribute === undefined) return []
  return typeof attribute === 'string' ? [attribute] : attribute
}
