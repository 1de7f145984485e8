// Fetches the public keys of a token issuer from the URL in its discovery document. The keys are fetched again when a token names an
// unknown key, at most every ten seconds (P-070).
import { createPublicKey, type KeyObject } from 'node:crypto'
import { asMap, textOrAbsent, textOrEmpty } from '../api/members.ts'
import { isList, isMap, own, type Value } from '../api/value.ts'
import { cancellable } from '../lib/cancellable.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Jwt } from './jwt.ts'
import { isSignedBy } from './jwt.ts'

/** Fetches JSON from a URL. Throws an `Error` with a message for the log. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>

export interface IssuerKeysOptions {
  readonly issuer: string
  /** The URL of the discovery document, if it is not below the issuer's URL. */
  readonly discoveryUrl: string | undefined
  readonly fetch: FetchJson
  readonly clock: Clock
}

interface PublishedKey {
  readonly id: string
  readonly key: KeyObject
}

const RETRY_MS = 10_000
const FETCH_WITHIN_MS = 30_000

export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  #jwksUri: string | undefined
  #keys: readonly PublishedKey[] | undefined
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #problem = 'the keys have not been fetched'
  #underWay: Promise<void> | undefined

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  get isReady(): boolean {
    return this.#keys !== undefined
  }

  /** The reason why the last fetch failed. Empty: it succeeded. */
  get problem(): string {
    return this.#problem
  }

  /** Tries until the keys are fetched. Resolves then, or when the signal fires. */
  async load(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.tryOnce(signal).catch(() => {})
      if (this.isReady || signal.aborted || !(await pause(this.#options.clock, RETRY_MS, signal))) return
    }
  }

  /** Tries once. `isReady` tells whether there are keys. Throws only a `CancelledError`. */
  tryOnce(signal: AbortSignal): Promise<void> {
    return this.#refresh(signal)
  }

  /** Whether one of the issuer's keys signed the token. */
  async isSigned(jwt: Jwt, signal: AbortSignal): Promise<boolean> {
    if (this.#isSigned(jwt)) return true
    const isNamed = this.#keys?.some(({ id }) => id === jwt.keyId) ?? false
    const isTooSoon = this.#underWay === undefined && this.#options.clock.now() - this.#fetchedAtMs < RETRY_MS
    if (isNamed || isTooSoon) return false
    await this.#refresh(signal)
    return this.#isSigned(jwt)
  }

  #isSigned(jwt: Jwt): boolean {
    const keys = this.#keys ?? []
    const named = jwt.keyId === '' ? keys : keys.filter(({ id }) => id === jwt.keyId || id === '')
    return named.some(({ key }) => isSignedBy(jwt, key))
  }

  /** Concurrent callers share one fetch. The fetch has its own signal, so a caller that gives up does not end it for the others. */
  #refresh(signal: AbortSignal): Promise<void> {
    this.#underWay ??= this.#fetch(AbortSignal.timeout(FETCH_WITHIN_MS)).finally(() => (this.#underWay = undefined))
    return cancellable(this.#underWay, signal)
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    this.#fetchedAtMs = this.#options.clock.now()
    try {
      this.#jwksUri ??= await this.#discover(signal)
      this.#keys = keysIn(await this.#options.fetch(this.#jwksUri, signal))
      this.#problem = ''
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
    }
  }

  async #discover(signal: AbortSignal): Promise<string> {
    const { issuer, discoveryUrl, fetch } = this.#options
    const url = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const document = asMap((await fetch(url, signal)) as Value)
    const [named, uri] = [textOrAbsent(document, 'issuer'), textOrAbsent(document, 'jwks_uri')]
    if (named !== issuer) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(named)}`,
      )
    }
    if (uri === undefined || !uri.startsWith('https://')) throw new Error('oidc: the provider names no https jwks_uri')
    return uri
  }
}

/** Keys of kinds that we do not know are skipped: issuers publish new kinds before they use them. */
function keysIn(document: unknown): readonly PublishedKey[] {
  const list = own(asMap(document as Value), 'keys')
  if (!isList(list)) throw new Error('oidc: the provider’s keys are not a key set')
  return list.filter(isMap).flatMap((jwk) => {
    if (own(jwk, 'use') !== undefined && own(jwk, 'use') !== 'sig') return []
    try {
      const key = createPublicKey({ key: jwk, format: 'jwk' })
      return [{ id: textOrEmpty(jwk, 'kid'), key }]
    } catch {
      return []
    }
  })
}
