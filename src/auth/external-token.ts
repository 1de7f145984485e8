// Verifies a token of an external issuer before its claims are used: its times, its audience, and its signature by a published
// key.
import { isList, own, type ValueMap } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { Jwt } from './jwt.ts'

export interface ExternalTokenParts {
  readonly rules: {
    /** The token must be meant for one of these audiences. */
    readonly audiences: readonly string[]
    readonly algorithms: readonly string[]
  }
  readonly keys: IssuerKeys
  readonly clock: Clock
}

/** The difference of clocks that the check of `nbf` allows. */
const LEEWAY_SECONDS = 300

/** Returns the expiry, in seconds since 1970. If the token is invalid, throws an `Error` with a message for the log. */
export async function checkExternalToken(
  jwt: Jwt,
  { rules, keys, clock }: ExternalTokenParts,
  signal: AbortSignal,
): Promise<number> {
  const expiresAt = checkTimes(jwt.claims, clock.now())
  checkAudience(jwt.claims, rules.audiences)
  if (!rules.algorithms.includes(jwt.algorithm)) {
    throw new Error(`oidc: id token signed with unsupported algorithm, expected ${JSON.stringify(rules.algorithms)}`)
  }
  if (!(await keys.isSigned(jwt, signal))) throw new Error('failed to verify signature: no key of the issuer fits')
  return expiresAt
}

function checkTimes(claims: ValueMap, nowMs: number): number {
  const [end, start] = [own(claims, 'exp'), own(claims, 'nbf')]
  const now = nowMs / 1000
  if (typeof end !== 'number' || now > end) throw new Error('oidc: token is expired')
  if (typeof start === 'number' && now + LEEWAY_SECONDS < start) throw new Error('oidc: token is not valid yet')
  return end
}

function checkAudience(claims: ValueMap, wanted: readonly string[]): void {
  const claim = own(claims, 'aud')
  const meantFor = typeof claim === 'string' ? [claim] : isList(claim) ? claim : []
  if (wanted.some((audience) => meantFor.includes(audience))) return
  throw new Error(`oidc: expected audience in ${JSON.stringify(wanted)} got ${JSON.stringify(meantFor)}`)
}
