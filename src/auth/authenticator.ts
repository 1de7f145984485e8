// Authenticates requests. A method passes on a credential that it does not know. It rejects a credential that it knows to be
// invalid, and then the request never becomes anonymous (P-012).
import type { User } from '../api/user.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { asAuthenticated } from './user.ts'

export interface Credentials {
  /** The text after `Bearer `, never empty. */
  readonly bearerToken: string | undefined
  readonly certificate: CertificateCredential | undefined
  readonly sent: SentHeaders
}

/** The headers of the request, for authenticating proxies. Names are in lower case. */
export interface SentHeaders {
  readonly headers: Readonly<Record<string, unknown>>
  /** Removes a header from the request, and returns its values. */
  takeHeader(name: string): readonly string[]
}

export interface CertificateCredential {
  readonly der: Buffer
  /** The intermediate certificates that the client sent. */
  readonly chain: readonly Buffer[]
  /**
   * The TLS layer has verified the certificate: it chains to one of our authorities, was valid at that time, and may be used by clients.
   */
  readonly trusted: boolean
  readonly subject: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type Authentication =
  | {
      readonly kind: 'user'
      readonly user: User
      /** The server sends these to the client. */
      readonly warnings?: readonly string[]
      /** For the audit log. */
      readonly annotations?: Readonly<Record<string, string>>
    }
  /** The request has no credential for this method. */
  | { readonly kind: 'none' }
  /** The credential is invalid. `problem` is for the log, never for the client. */
  | { readonly kind: 'refused'; readonly problem: string }

export interface Authenticator {
  authenticate(credentials: Credentials, signal: AbortSignal): MaybePromise<Authentication>
}

/**
 * Tries the methods in order. The first method that authenticates wins. If no method does, the first refusal is reported (P-010, P-011).
 */
export function firstOf(methods: readonly Authenticator[]): Authenticator {
  const ask = (at: number, refusal: Authentication, asked: Question): MaybePromise<Authentication> => {
    const method = methods[at]
    if (method === undefined) return refusal
    return whenKnown(method.authenticate(asked.credentials, asked.signal), (result) => {
      if (result.kind === 'user') {
        const user = asAuthenticated(result.user)
        return user === result.user ? result : { ...result, user }
      }
      return ask(at + 1, refusal.kind === 'none' ? result : refusal, asked)
    })
  }
  return { authenticate: (credentials, signal) => ask(0, { kind: 'none' }, { credentials, signal }) }
}

interface Question {
  readonly credentials: Credentials
  readonly signal: AbortSignal
}
