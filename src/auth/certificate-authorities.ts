// A CA bundle that can be reloaded while the server runs. Certificates are verified at every request, so that a removed
// authority or an expired certificate takes effect at once (P-021, P-025).
import { X509Certificate } from 'node:crypto'
import { getOrInsert } from '../lib/map-entries.ts'
import type { CertificateCredential } from './authenticator.ts'

/** Longer chains are rejected. */
const MAX_DEPTH = 8

type Verdict =
  | { readonly kind: 'vouched'; readonly fromMs: number; readonly untilMs: number }
  | { readonly kind: 'problem'; readonly problem: string }

export class CertificateAuthorities {
  #authorities: readonly X509Certificate[]
  /** The verdict about each credential. Every connection has a credential of its own. */
  #verdicts = new WeakMap<CertificateCredential, Verdict>()

  /** Reads the authorities in PEM. Throws an `Error` with a message for the operator. */
  constructor(pem: string) {
    this.#authorities = certificatesIn(pem)
  }

  /** Throws the errors of the constructor. Then nothing has changed. */
  replace(pem: string): void {
    this.#authorities = certificatesIn(pem)
    this.#verdicts = new WeakMap()
  }

  has(certificate: X509Certificate): boolean {
    return this.#authorities.some(({ raw }) => raw.equals(certificate.raw))
  }

  /** Whether both bundles have an authority in common. */
  overlaps(others: CertificateAuthorities): boolean {
    return this.#authorities.some((authority) => others.has(authority))
  }

  /** The reason why no authority verifies the certificate now. Undefined: an authority verifies it. */
  problemWith(credential: CertificateCredential, nowMs: number): string | undefined {
    const verdict = getOrInsert(this.#verdicts, credential, () => this.#judge(credential))
    if (verdict.kind === 'problem') return verdict.problem
    return nowMs < verdict.fromMs || nowMs > verdict.untilMs
      ? 'client certificate has expired or is not yet valid'
      : undefined
  }

  /** Finds the authority of a chain that the TLS layer has verified. */
  #judge({ der, chain, trusted }: CertificateCredential): Verdict {
    const untrusted = { kind: 'problem', problem: 'client certificate is not signed by a trusted authority' } as const
    if (!trusted) return untrusted
    const between = chain.map((bytes) => new X509Certificate(bytes))
    let certificate = new X509Certificate(der)
    let fromMs = certificate.validFromDate.getTime()
    let untilMs = certificate.validToDate.getTime()
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      if (this.has(certificate) || this.#authorities.some((authority) => isIssuedBy(certificate, authority))) {
        return { kind: 'vouched', fromMs, untilMs }
      }
      const issuer = between.find((candidate) => candidate.ca && isIssuedBy(certificate, candidate))
      if (issuer === undefined || issuer.raw.equals(certificate.raw)) return untrusted
      certificate = issuer
      fromMs = Math.max(fromMs, issuer.validFromDate.getTime())
      untilMs = Math.min(untilMs, issuer.validToDate.getTime())
    }
    return untrusted
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('does not hold a certificate in PEM form')
  return blocks.map((block) => {
    try {
      return new X509Certificate(block)
    } catch (error) {
      throw new Error('holds a certificate that cannot be read', { cause: error })
    }
  })
}
