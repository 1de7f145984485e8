// Authenticates tokens of an external issuer (OpenID Connect). The operator's rules map claims to the user. If a token violates a rule, the
// client only sees 401 (P-065 to P-071).
import { textOrEmpty } from '../api/members.ts'
import type { User } from '../api/user.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, own } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import type { PresentedToken, TokenAnswer, TokenMethod } from './bearer-tokens.ts'
import type { DistributedClaims } from './distributed-claims.ts'
import { checkExternalToken } from './external-token.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { Jwt } from './jwt.ts'
import { parseJwt } from './jwt.ts'

/** The result of an expression: JSON, or a problem. */
export type Evaluated =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'problem'; readonly problem: string }
export type Expression = (subject: ValueMap) => Evaluated

export type ClaimMapping =
  | { readonly kind: 'claim'; readonly claim: string; readonly prefix: string }
  | { readonly kind: 'expression'; readonly evaluate: Expression }

export type ClaimRule =
  | { readonly kind: 'claim'; readonly claim: string; readonly requiredValue: string }
  | { readonly kind: 'expression'; readonly evaluate: Expression; readonly message: string }

export interface JwtIssuerRules {
  readonly issuer: string
  /** The token must be meant for one of these audiences. */
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  readonly username: ClaimMapping
  readonly groups: ClaimMapping | undefined
  readonly uid: ClaimMapping | undefined
  readonly extra: readonly { readonly key: string; readonly evaluate: Expression }[]
  readonly claimRules: readonly ClaimRule[]
  readonly userRules: readonly { readonly evaluate: Expression; readonly message: string }[]
}

export interface JwtIssuerParts {
  readonly keys: IssuerKeys
  readonly clock: Clock
  /** Absent: distributed claims are not fetched. */
  readonly distributedClaims?: DistributedClaims | undefined
}

const REMEMBERED = 4_096
/** Distributed claims are fetched again after this time, for which the reference caches tokens (P-033). */
const DISTRIBUTED_CLAIMS_TTL_SECONDS = 10
const UNKNOWN: TokenAnswer = { kind: 'unknown' }

interface Verified {
  readonly user: User
  readonly expiresAt: number
}

export function jwtIssuer(rules: JwtIssuerRules, { keys, clock, distributedClaims }: JwtIssuerParts): TokenMethod {
  const verified = new BoundedMap<string, Verified>(REMEMBERED)
  const groupsClaim = rules.groups?.kind === 'claim' ? rules.groups.claim : undefined
  const verify = async (presented: PresentedToken, jwt: Jwt, signal: AbortSignal): Promise<TokenAnswer> => {
    try {
      if (!keys.isReady) throw new Error('oidc: authenticator not initialized')
      const expiresAt = await checkExternalToken(jwt, { rules, keys, clock }, signal)
      const expanded = groupsClaim && (await distributedClaims?.expand(jwt.claims, groupsClaim, signal))
      const user = userOf(rules, expanded || jwt.claims)
      const until = expanded ? Math.min(expiresAt, clock.now() / 1000 + DISTRIBUTED_CLAIMS_TTL_SECONDS) : expiresAt
      verified.set(presented.digest, { user, expiresAt: until })
      return { kind: 'user', user }
    } catch (error) {
      return { kind: 'refused', problem: `oidc: verify token: ${(error as Error).message}` }
    }
  }
  return (presented, signal) => {
    const known = verified.get(presented.digest)
    if (known !== undefined && clock.now() / 1000 <= known.expiresAt) return { kind: 'user', user: known.user }
    const jwt = parseJwt(presented.token)
    return jwt === undefined || own(jwt.claims, 'iss') !== rules.issuer ? UNKNOWN : verify(presented, jwt, signal)
  }
}

function userOf(rules: JwtIssuerRules, claims: ValueMap): User {
  for (const rule of rules.claimRules) checkClaimRule(rule, claims)
  const name = nameOf(rules.username, claims)
  const uid = rules.uid === undefined ? undefined : textOf(rules.uid, claims, 'uid')
  const groups = rules.groups === undefined ? [] : groupsOf(rules.groups, claims)
  const id = textOrEmpty(claims, 'jti')
  const extra: Record<string, readonly string[]> = {}
  if (id !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${id}`]
  for (const { key, evaluate } of rules.extra) {
    const values = checkedTexts(valueOf(evaluate, claims, `extra ${key}`), `extra ${key}`).filter(
      (value) => value !== '',
    )
    if (values.length > 0) extra[key] = values
  }
  const user: User = { name, uid: uid === '' ? undefined : uid, groups, extra }
  const shown = { username: name, uid: uid ?? '', groups, extra }
  for (const { evaluate, message } of rules.userRules) {
    if (valueOf(evaluate, shown, 'user validation rule') !== true) {
      throw new Error(message === '' ? 'validation expression failed' : message)
    }
  }
  return user
}

function checkClaimRule(rule: ClaimRule, claims: ValueMap): void {
  if (rule.kind === 'expression') {
    if (valueOf(rule.evaluate, claims, 'claim validation rule') === true) return
    throw new Error(rule.message === '' ? 'validation expression failed' : rule.message)
  }
  const value = own(claims, rule.claim)
  if (value === undefined) throw new Error(`oidc: required claim ${rule.claim} not present in ID token`)
  if (value === rule.requiredValue) return
  throw new Error(`oidc: required claim ${rule.claim} value does not match`)
}

function nameOf(mapping: ClaimMapping, claims: ValueMap): string {
  if (mapping.kind === 'claim' && mapping.claim === 'email') {
    const isVerified = own(claims, 'email_verified')
    if (isVerified !== undefined && isVerified !== true) throw new Error('oidc: email not verified')
  }
  const name = textOf(mapping, claims, 'username')
  if (name === '' && mapping.kind === 'expression') {
    throw new Error('username claim expression evaluated to an empty string')
  }
  return name
}

function textOf(mapping: ClaimMapping, claims: ValueMap, what: string): string {
  if (mapping.kind === 'expression') {
    const value = valueOf(mapping.evaluate, claims, what)
    if (typeof value === 'string') return value
    throw new Error(`${what} expression must evaluate to a string`)
  }
  const value = own(claims, mapping.claim)
  if (typeof value === 'string') return mapping.prefix + value
  throw new Error(
    `parse ${what} claim ${JSON.stringify(mapping.claim)}: ${value === undefined ? 'claim not present' : 'not a string'}`,
  )
}

function groupsOf(mapping: ClaimMapping, claims: ValueMap): readonly string[] {
  if (mapping.kind === 'expression') return checkedTexts(valueOf(mapping.evaluate, claims, 'groups'), 'groups')
  const value = own(claims, mapping.claim)
  if (value === undefined || value === null) return []
  return checkedTexts(value, 'groups').map((group) => mapping.prefix + group)
}

/** The texts of a string or of a list of strings. Null and an empty string give none. Throws for other values. */
function checkedTexts(value: Value, what: string): readonly string[] {
  if (value === null) return []
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (isList(value) && value.every((item) => typeof item === 'string')) return value
  throw new Error(`${what} must be a string or an array of strings`)
}

function valueOf(evaluate: Expression, subject: ValueMap, what: string): Value {
  const evaluated = evaluate(subject)
  if (evaluated.kind === 'value') return evaluated.value
  throw new Error(`${what}: ${evaluated.problem}`)
}
