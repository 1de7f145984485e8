// Fetches distributed claims (OpenID Connect Core, 5.6.2). If a user has too many groups for a token, the token names an endpoint that has
// the claim. The endpoint responds with a token of its own issuer, which is verified too (P-068).
import { textOrEmpty } from '../api/members.ts'
import { isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import { checkExternalToken, type ExternalTokenParts } from './external-token.ts'
import { type FetchJson, IssuerKeys } from './issuer-keys.ts'
import { parseJwt } from './jwt.ts'

/** Fetches a text from a URL, with the access token if there is one. Throws an `Error` with a message for the log. */
export type FetchText = (url: string, accessToken: string | undefined, signal: AbortSignal) => Promise<string>

export interface DistributedClaimsOptions {
  readonly rules: ExternalTokenParts['rules']
  readonly fetchText: FetchText
  readonly fetchJson: FetchJson
  readonly clock: Clock
}

/** The number of other issuers whose keys are kept. */
const REMEMBERED_ISSUERS = 16

export class DistributedClaims {
  readonly #options: DistributedClaimsOptions
  readonly #keys = new BoundedMap<string, IssuerKeys>(REMEMBERED_ISSUERS)

  constructor(options: DistributedClaimsOptions) {
    this.#options = options
  }

  /** The claims with the fetched value of `claim`. Undefined: `claim` is not distributed. Throws if its value cannot be fetched. */
  async expand(claims: ValueMap, claim: string, signal: AbortSignal): Promise<ValueMap | undefined> {
    const source = sourceOf(claims, claim)
    if (source === undefined) return undefined
    try {
      return { ...claims, [claim]: await this.#resolve(source, claim, signal) }
    } catch (error) {
      throw new Error(`oidc: could not expand distributed claims: ${(error as Error).message}`, { cause: error })
    }
  }

  async #resolve({ endpoint, accessToken }: ClaimSource, claim: string, signal: AbortSignal): Promise<Value> {
    const jwt = parseJwt((await this.#options.fetchText(endpoint, accessToken, signal)).trim())
    const issuer = jwt === undefined ? undefined : own(jwt.claims, 'iss')
    if (jwt === undefined || typeof issuer !== 'string' || !issuer.startsWith('https://')) {
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${JSON.stringify(claim)}`)
    }
    const { rules, clock } = this.#options
    await checkExternalToken(jwt, { rules, keys: await this.#keysOf(issuer, signal), clock }, signal)
    const value = own(jwt.claims, claim)
    if (value !== undefined) return value
    throw new Error(`jwt returned by distributed claim endpoint ${endpoint} did not contain claim: ${claim}`)
  }

  async #keysOf(issuer: string, signal: AbortSignal): Promise<IssuerKeys> {
    const { fetchJson, clock } = this.#options
    const known = this.#keys.get(issuer)
    if (known !== undefined) return known
    const keys = new IssuerKeys({ issuer, discoveryUrl: undefined, fetch: fetchJson, clock })
    await keys.tryOnce(signal)
    if (!keys.isReady) throw new Error(`verifier not initialized for issuer ${issuer}: ${keys.problem}`)
    this.#keys.set(issuer, keys)
    return keys
  }
}

interface ClaimSource {
  readonly endpoint: string
  readonly accessToken: string | undefined
}

/**
 * The endpoint that has the claim. Undefined: the token itself has the claim, or the claim is not distributed. An aggregated claim has no
 * endpoint.
 */
function sourceOf(claims: ValueMap, claim: string): ClaimSource | undefined {
  const names = own(claims, '_claim_names')
  if (own(claims, claim) !== undefined || names === undefined) return undefined
  const sources = own(claims, '_claim_sources')
  if (!isMap(names)) throw new Error('oidc: error parsing distributed claim names')
  if (!isMap(sources)) throw new Error('oidc: no claim sources')
  const name = own(names, claim)
  if (name === undefined) return undefined
  const source = typeof name === 'string' ? own(sources, name) : undefined
  if (!isMap(source)) {
    throw new Error(`id token _claim_names contained a source ${JSON.stringify(name)} missing in _claims_sources`)
  }
  const [endpoint, accessToken] = [textOrEmpty(source, 'endpoint'), textOrEmpty(source, 'access_token')]
  return endpoint === '' ? undefined : { endpoint, accessToken: accessToken === '' ? undefined : accessToken }
}
