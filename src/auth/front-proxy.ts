// Authenticating proxies: they present a client certificate, and name the user in request headers (P-076, P-077). The same headers of
// other clients are ignored.
import type { Clock } from '../lib/clock.ts'
import { readHeaderText, unescapeHeaderName } from '../lib/header-text.ts'
import type { Authenticator, CertificateCredential, SentHeaders } from './authenticator.ts'
import type { CertificateAuthorities } from './certificate-authorities.ts'
import { commonNameOf } from './client-certificate.ts'

export interface FrontProxyOptions {
  readonly authorities: CertificateAuthorities
  /** The common names that proxies may have. Empty: any. */
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
      // The headers are removed from the request in any case, so that no later code trusts them.
      const claimed = claimedUser(headers, sent)
      if (certificate === undefined) return { kind: 'none' }
      const problem = authorities.problemWith(certificate, clock.now()) ?? nameProblem(certificate, allowedNames)
      if (problem !== undefined) return { kind: 'refused', problem }
      if (claimed === undefined) return { kind: 'refused', problem: 'the user name is not valid UTF-8' }
      return claimed.name === '' ? { kind: 'none' } : { kind: 'user', user: claimed }
    },
  }
}

function nameProblem({ subject }: CertificateCredential, allowed: readonly string[]): string | undefined {
  const name = commonNameOf(subject) ?? ''
  if (allowed.length === 0 || allowed.includes(name)) return undefined
  return `certificate with common name ${JSON.stringify(name)} is not in --requestheader-allowed-names`
}

interface ClaimedUser {
  readonly name: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Removes the headers, and returns the user that they name. Undefined: a header is malformed, and could name any user. */
function claimedUser(names: FrontProxyHeaders, sent: SentHeaders): ClaimedUser | undefined {
  let isReadable = true
  const take = (header: string): readonly string[] =>
    sent.takeHeader(header).map((value) => {
      const text = readHeaderText(value)
      if (text === undefined) isReadable = false
      return text ?? ''
    })
  const firstOf = (headers: readonly string[]): string => {
    const firsts = headers.map((header) => take(header)[0] ?? '')
    return firsts.find((value) => value !== '') ?? ''
  }
  const uid = firstOf(names.uid)
  const claimed = {
    name: firstOf(names.user),
    uid: uid === '' ? undefined : uid,
    groups: names.group.flatMap(take).filter((group) => group !== ''),
    extra: extraOf(names.extraPrefix, Object.keys(sent.headers), take),
  }
  return isReadable ? claimed : undefined
}

function extraOf(
  prefixes: readonly string[],
  headers: readonly string[],
  take: (header: string) => readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>()
  for (const prefix of prefixes) {
    for (const name of headers.filter((header) => header.startsWith(prefix))) {
      const key = unescapeHeaderName(name.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...take(name)])
    }
  }
  return Object.fromEntries(extra)
}
