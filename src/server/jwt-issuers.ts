// Those whose tokens are good here, put together: their keys are fetched in the background, and the operator's file about them is
// read again while the server runs. A set that cannot be reached does not replace one that works (P-070, P-072).
import type { TokenAnswer, TokenMethod } from '../auth/bearer-tokens.ts'
import { type FetchJson, IssuerKeys } from '../auth/issuer-keys.ts'
import { jwtIssuer } from '../auth/jwt-issuer.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { answerValue } from '../lib/outgoing-answer.ts'
import type { OutgoingCaller } from '../lib/outgoing-call.ts'
import { pause } from '../lib/pause.ts'
import type { AuthenticationConfig, JwtIssuerConfig } from './authentication-config.ts'
import { reasonOf } from './start-error.ts'

export interface JwtIssuers {
  readonly method: TokenMethod
  /** Fetches keys, and goes by the new file where there is one; resolves when the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** A new configuration is in use, or is not good enough. */
export type OnReload = (status: 'success' | 'failure') => void

export interface JwtIssuersParts {
  readonly issuers: readonly JwtIssuerConfig[]
  /** The file as it is now; undefined: there is none. Throws what is wrong with it. */
  readonly reread: () => AuthenticationConfig | undefined
  readonly caller: OutgoingCaller
  readonly log: Log
  readonly onReload: OnReload
  readonly everyMs?: number
}

const REREAD_EVERY_MS = 60_000
const READY_WITHIN_MS = 60_000
const FETCH_TIMEOUT_MS = 10_000
const MAX_DOCUMENT_BYTES = 1024 * 1024

interface IssuerSet {
  readonly issuers: readonly JwtIssuerConfig[]
  readonly methods: readonly TokenMethod[]
  readonly keys: readonly IssuerKeys[]
}

export function openJwtIssuers(parts: JwtIssuersParts): JwtIssuers {
  let current = makeSet(parts.issuers, parts.caller)
  const method: TokenMethod = (presented, signal) => {
    const { methods } = current
    const ask = (at: number): MaybePromise<TokenAnswer> => {
      const next = methods[at]
      if (next === undefined) return { kind: 'unknown' }
      return whenKnown(next(presented, signal), (answer) => (answer.kind === 'unknown' ? ask(at + 1) : answer))
    }
    return ask(0)
  }
  const load = async (set: IssuerSet, signal: AbortSignal): Promise<void> => {
    await Promise.all(set.keys.map((keys) => keys.load(signal)))
    for (const keys of set.keys) if (!keys.isReady) parts.log.warn({ reason: keys.problem }, 'an issuer has no keys')
  }
  const renew = async (signal: AbortSignal): Promise<void> => {
    const config = parts.reread()
    if (config === undefined || isSame(config.issuers, current.issuers)) return
    const next = makeSet(config.issuers, parts.caller)
    await load(next, AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]))
    if (next.keys.some((keys) => !keys.isReady)) throw new Error('an issuer of the new configuration cannot be reached')
    current = next
    parts.onReload('success')
    parts.log.info({}, 'tokens of issuers are good by a new configuration')
  }
  return {
    method,
    run: async (signal) => {
      const loading = load(current, signal)
      while (await pause(systemClock, parts.everyMs ?? REREAD_EVERY_MS, signal)) {
        try {
          await renew(signal)
        } catch (error) {
          if (signal.aborted) break
          parts.onReload('failure')
          parts.log.error({ reason: reasonOf(error) }, 'the issuers of tokens stay as they were')
        }
      }
      await loading
    },
  }
}

function makeSet(issuers: readonly JwtIssuerConfig[], caller: OutgoingCaller): IssuerSet {
  const keys = issuers.map(({ rules, discoveryUrl, authority }) => {
    const fetch = fetchWith(caller, authority)
    return new IssuerKeys({ issuer: rules.issuer, discoveryUrl, fetch, clock: systemClock })
  })
  const methods = issuers.map(({ rules }, i) => jwtIssuer(rules, keys[i]!, systemClock))
  return { issuers, methods, keys }
}

function fetchWith(caller: OutgoingCaller, authority: string | undefined): FetchJson {
  const tls = authority === undefined ? {} : { tls: { ca: authority } }
  const call = {
    userAgent: 'quarterdeck',
    timeoutMs: FETCH_TIMEOUT_MS,
    tellTimeout: false,
    maxAnswerBytes: MAX_DOCUMENT_BYTES,
  }
  return async (url, signal) => answerValue(await caller.call({ url, ...tls }, call, signal))
}

/** Functions are made anew at every reading: what they were made of is compared. */
function isSame(one: readonly JwtIssuerConfig[], other: readonly JwtIssuerConfig[]): boolean {
  return one.length === other.length && one.every(({ source }, i) => source === other[i]?.source)
}
