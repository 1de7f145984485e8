// The readiness check `client-path` sends one request to the address of the API, over TLS and through every filter, so that the check fails
// if clients would fail. The user of the check may send only this request.
import { createHmac } from 'node:crypto'
import type { User } from '../api/user.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { HealthCheck } from '../handlers/health.ts'

export const PROBE: User = { name: 'system:quarterdeck:probe', uid: '', groups: [], extra: {} }
const PATH = '/readyz/ping'
const WITHIN_MS = 5_000
/** Checks within this time share one request. */
const FRESH_MS = 1_000

export interface ClientPathParts {
  /** `host:port`, empty until the server listens. */
  readonly address: () => string
  /** The certificate that the server currently shows to clients, in PEM. */
  readonly certificate: () => string
  readonly adminToken: string
}

/** Options of a client that trusts only a server with this certificate. The names in the certificate are not checked. */
export function asOwnCertificate(certificate: string | undefined) {
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

/** The token of the check. All workers of a server can compute it. */
export function probeToken(adminToken: string): string {
  return createHmac('sha256', adminToken).update(PROBE.name).digest('base64url')
}

/** Decides for the user of the check, in place of the authorizers. */
export function confineProbe(authorizer: Authorizer): Authorizer {
  return {
    ...authorizer,
    authorize(access, signal) {
      if (access.user.name !== PROBE.name) return authorizer.authorize(access, signal)
      const isCheck = access.kind === 'path' && access.verb === 'get' && access.path === PATH
      return isCheck ? { kind: 'allow' } : { kind: 'deny', reason: `${PROBE.name} may only get ${PATH}` }
    },
  }
}

export function clientPathCheck({ address, certificate, adminToken }: ClientPathParts): HealthCheck {
  let asked = Number.NEGATIVE_INFINITY
  let answer = Promise.resolve()
  const headers = { authorization: `Bearer ${probeToken(adminToken)}` }
  return {
    name: 'client-path',
    check() {
      const now = performance.now()
      if (now - asked >= FRESH_MS) {
        asked = now
        answer = address() === '' ? Promise.reject(new Error('the server does not listen yet')) : ask()
        answer.catch(() => {})
      }
      return answer
    },
  }

  function ask(): Promise<void> {
    const { get } = process.getBuiltinModule('node:https')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const options = {
      agent: false,
      headers,
      signal: AbortSignal.timeout(WITHIN_MS),
      ...asOwnCertificate(certificate()),
    }
    get(`https://${address()}${PATH}`, options, (response) => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else reject(new Error(`${PATH} was answered with ${response.statusCode}`))
    }).on('error', reject)
    return promise
  }
}
