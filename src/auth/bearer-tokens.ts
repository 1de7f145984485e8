// Authenticates bearer tokens with several methods in order, and checks audiences. A request with a token that no method knows is refused,
// and never becomes anonymous (P-010, P-012, P-017, P-032).
import { hash } from 'node:crypto'
import type { User } from '../api/user.ts'
import { Count } from '../lib/measure.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Authenticator } from './authenticator.ts'
import { asAuthenticated } from './user.ts'

/** A token, and the audiences that it is presented to. */
export interface PresentedToken {
  readonly token: string
  /** The SHA-256 of the token. Lookups use it, so that their duration reveals nothing about known tokens. */
  readonly digest: string
  /** The token must be meant for one of these audiences. */
  readonly audiences: readonly string[]
}

export type TokenAnswer =
  | {
      readonly kind: 'user'
      readonly user: User
      /** The wanted audiences for which the token is valid. Absent: the token has no audiences. */
      readonly audiences?: readonly string[]
      readonly warnings?: readonly string[]
      readonly annotations?: Readonly<Record<string, string>>
    }
  /** The method does not know the token. */
  | { readonly kind: 'unknown' }
  /** The method knows the token, and it is invalid. */
  | { readonly kind: 'refused'; readonly problem: string }

export type TokenMethod = (presented: PresentedToken, signal: AbortSignal) => MaybePromise<TokenAnswer>

export type TokenReview =
  | { readonly kind: 'user'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: 'refused'; readonly problem: string }

export interface BearerTokens {
  readonly authenticator: Authenticator
  /** For TokenReview. If `audiences` is empty, the audiences of the server apply. */
  readonly review: (token: string, audiences: readonly string[], signal: AbortSignal) => MaybePromise<TokenReview>
}

const UNKNOWN = 'invalid bearer token'

/** The digests of this many valid tokens are cached: a digest costs more than all other work for a known caller. */
const REMEMBERED = 1_000

/** Hits and misses of the token cache. */
export interface TokenLookups {
  readonly hits: Count
  readonly misses: Count
}

/** `apiAudiences`: the audiences of this server. */
export function bearerTokens(
  methods: readonly TokenMethod[],
  apiAudiences: readonly string[],
  lookups: TokenLookups = { hits: new Count(), misses: new Count() },
): BearerTokens {
  const seen = new Map<string, PresentedToken>()
  const remember = (presented: PresentedToken): void => {
    if (seen.size >= REMEMBERED) seen.clear()
    seen.set(presented.token, presented)
  }
  return {
    authenticator: {
      authenticate({ bearerToken }, signal) {
        if (bearerToken === undefined) return { kind: 'none' }
        const known = seen.get(bearerToken)
        const presented = known ?? presentedAs(bearerToken, apiAudiences)
        if (known === undefined) lookups.misses.value++
        else lookups.hits.value++
        return whenKnown(askAll(methods, presented, signal), (answer) => {
          if (answer.kind === 'user' && !seen.has(bearerToken)) remember(presented)
          return answer.kind === 'unknown' ? { kind: 'refused', problem: UNKNOWN } : answer
        })
      },
    },
    review: (token, audiences, signal) => {
      const wanted = audiences.length === 0 ? apiAudiences : audiences
      return whenKnown(askAll(methods, presentedAs(token, wanted), signal), (answer) =>
        reviewOf(answer, { wanted, apiAudiences }),
      )
    },
  }
}

function presentedAs(token: string, audiences: readonly string[]): PresentedToken {
  return { token, digest: hash('sha256', token, 'base64'), audiences }
}

/** The first method that authenticates wins. If no method does, the problems of all methods are joined. */
function askAll(
  methods: readonly TokenMethod[],
  presented: PresentedToken,
  signal: AbortSignal,
): MaybePromise<TokenAnswer> {
  const ask = (at: number, problems: readonly string[]): MaybePromise<TokenAnswer> => {
    const method = methods[at]
    if (method === undefined) {
      return problems.length === 0 ? { kind: 'unknown' } : { kind: 'refused', problem: aggregate(problems) }
    }
    return whenKnown(method(presented, signal), (answer) => {
      if (answer.kind === 'user') return answer
      return ask(at + 1, answer.kind === 'unknown' ? problems : [...problems, answer.problem])
    })
  }
  return ask(0, [])
}

function aggregate(problems: readonly string[]): string {
  return `[${[UNKNOWN, ...new Set(problems)].join(', ')}]`
}

function reviewOf(
  answer: TokenAnswer,
  { wanted, apiAudiences }: { readonly wanted: readonly string[]; readonly apiAudiences: readonly string[] },
): TokenReview {
  if (answer.kind === 'unknown') return { kind: 'refused', problem: UNKNOWN }
  if (answer.kind === 'refused') return answer
  const audiences = answer.audiences ?? wanted.filter((audience) => apiAudiences.includes(audience))
  if (audiences.length === 0 && wanted.length > 0) return { kind: 'refused', problem: UNKNOWN }
  return { kind: 'user', user: asAuthenticated(answer.user), audiences }
}
