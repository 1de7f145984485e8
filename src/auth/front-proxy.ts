// Users that a proxy in front of us speaks for: it shows a certificate of its own, and says in headers whose request it is
// (P-076, P-077). From anybody else these headers mean nothing.
import type { Clock } from '../lib/clock.ts'
import type { Authenticator, CertificateCredential, SentHeaders } from './authenticator.ts'
import type { CertificateAuthorities } from './certificate-authorities.ts'
import { valuesOf } from './client-certificate.ts'

export interface FrontProxyOptions {
  readonly authorities: CertificateAuthorities
  /** The common names that proxies may have; none: any. */
  readonly allowedNames: readonly string[]
  readonly headers: FrontProxyHeaders
  readonly clock: Clock
}

/** Names of headers, in lower case. */
export interface FrontProxyHeaders {
  readonly user: readonly string[]
  readonly uid: readonly string[]
  readonly group: readonly string[]
  readonly extraPrefix: readonly string[]
}

export function frontProxy({ authorities, allowedNames, headers, clock }: FrontProxyOptions): Authenticator {
  return {
    authenticate({ certificate, sent }) {
      // Whoever sent them, nobody further in is to take them for true.
      const claimed = claimedUser(headers, sent)
      if (certificate === undefined) return { kind: 'none' }
      const problem = authorities.problemWith(certificate, clock.now()) ?? nameProblem(certificate, allowedNames)
      if (problem !== undefined) return { kind: 'refused', problem }
      return claimed.name === '' ? { kind: 'none' } : { kind: 'user', user: claimed }
    },
  }
}

function nameProblem({ subject }: CertificateCredential, allowed: readonly string[]): string | undefined {
  const [name = ''] = valuesOf(subject['CN'])
  if (allowed.length === 0 || allowed.includes(name)) return undefined
  return `certificate with common name ${JSON.stringify(name)} is not allowed to speak for others`
}

interface ClaimedUser {
  readonly name: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

function claimedUser(names: FrontProxyHeaders, sent: SentHeaders): ClaimedUser {
  const firstOf = (headers: readonly string[]): string => {
    const values = headers.flatMap((name) => sent.takeHeader(name))
    return values.find((value) => value !== '') ?? ''
  }
  const uid = firstOf(names.uid)
  return {
    name: firstOf(names.user),
    uid: uid === '' ? undefined : uid,
    groups: names.group.flatMap((name) => sent.takeHeader(name)),
    extra: extraOf(names.extraPrefix, sent),
  }
}

function extraOf(prefixes: readonly string[], sent: SentHeaders): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>()
  for (const prefix of prefixes) {
    for (const name of Object.keys(sent.headers).filter((header) => header.startsWith(prefix))) {
      const key = unescaped(name.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...sent.takeHeader(name)])
    }
  }
  return Object.fromEntries(extra)
}

/** What is not well encoded is meant as it stands. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase()
  } catch {
    return key
  }
}
