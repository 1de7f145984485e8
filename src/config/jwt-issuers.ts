// The external JWT issuers: their keys are fetched in the background, and --authentication-config is reloaded. A new
// configuration takes effect once the keys of all of its issuers are fetched (P-070, P-072).
import type { TokenAnswer, TokenMethod } from '../auth/bearer-tokens.ts'
import { DistributedClaims, type FetchText } from '../auth/distributed-claims.ts'
import { type FetchJson, IssuerKeys } from '../auth/issuer-keys.ts'
import { jwtIssuer } from '../auth/jwt-issuer.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { answerValue, checkAnswer } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import type { AuthenticationConfig, JwtIssuerConfig } from './authentication-file.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { followContent, type OnReload } from './reloaded-files.ts'

export interface JwtIssuers {
  readonly method: TokenMethod
  /** Fetches keys, and applies a new file. Resolves when the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface JwtIssuersParts {
  readonly issuers: readonly JwtIssuerConfig[]
  readonly file: string | undefined
  /** Reads the file again. Undefined: there is no file. Throws an error for a fault in the file. */
  readonly reread: () => AuthenticationConfig | undefined
  /** Calls the servers of the operator's configuration. */
  readonly caller: OutgoingCaller
  /** Calls servers that tokens name. */
  readonly strictCaller: OutgoingCaller
  /** The clock for the expiry of tokens. */
  readonly clock: Clock
  readonly log: Log
  readonly onReload: OnReload
  readonly reloads: ReloadRequests
}

const RELOAD = { what: 'authentication configuration', everyMs: 60_000, level: 'error' } as const
const READY_WITHIN_MS = 60_000
const FETCH_TIMEOUT_MS = 10_000
const MAX_DOCUMENT_BYTES = 1024 * 1024

interface IssuerSet {
  readonly issuers: readonly JwtIssuerConfig[]
  readonly methods: readonly TokenMethod[]
  readonly keys: readonly IssuerKeys[]
}

export function openJwtIssuers(parts: JwtIssuersParts): JwtIssuers {
  let current = makeSet(parts.issuers, parts)
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
    for (const keys of set.keys)
      if (!keys.isReady) parts.log.warn({ reason: keys.problem }, 'OIDC issuer has no signing keys')
  }
  const renew = async (issuers: readonly JwtIssuerConfig[], signal: AbortSignal): Promise<void> => {
    const next = makeSet(issuers, parts)
    await load(next, AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]))
    if (next.keys.some((keys) => !keys.isReady))
      throw new Error('the keys of an issuer in the new configuration cannot be fetched')
    current = next
  }
  return {
    method,
    run: async (signal) => {
      const loading = load(current, signal)
      const { issuers, file, reread, onReload, reloads, log } = parts
      const files = file === undefined ? [] : [file]
      const read = (): readonly JwtIssuerConfig[] => reread()?.issuers ?? issuers
      await followContent({ ...RELOAD, files, current: issuers, read, use: renew, onReload, reloads, log }, signal)
      await loading
    },
  }
}

type SetParts = Pick<JwtIssuersParts, 'caller' | 'strictCaller' | 'clock'>

function makeSet(issuers: readonly JwtIssuerConfig[], { caller, strictCaller, clock }: SetParts): IssuerSet {
  const made = issuers.map(({ rules, discoveryUrl, authority }) => {
    const fetch = jsonFrom(caller, authority)
    const keys = new IssuerKeys({ issuer: rules.issuer, discoveryUrl, fetch, clock: systemClock })
    const [fetchText, fetchJson] = [textFrom(strictCaller, authority), jsonFrom(strictCaller, authority)]
    const distributedClaims = new DistributedClaims({ rules, fetchText, fetchJson, clock })
    return { keys, method: jwtIssuer(rules, { keys, clock, distributedClaims }) }
  })
  return { issuers, methods: made.map(({ method }) => method), keys: made.map(({ keys }) => keys) }
}

const CALL = {
  userAgent: 'quarterdeck',
  timeoutMs: FETCH_TIMEOUT_MS,
  tellTimeout: false,
  maxAnswerBytes: MAX_DOCUMENT_BYTES,
} as const

const trusting = (authority: string | undefined): Pick<OutgoingTarget, 'tls'> =>
  authority === undefined ? {} : { tls: { ca: authority } }

function jsonFrom(caller: OutgoingCaller, authority: string | undefined): FetchJson {
  return async (url, signal) => answerValue(await caller.call({ url, ...trusting(authority) }, CALL, signal))
}

/** A token is sent only over TLS: otherwise others could read it on the way. */
function textFrom(caller: OutgoingCaller, authority: string | undefined): FetchText {
  return async (url, accessToken, signal) => {
    if (!url.startsWith('https://')) throw new Error(`the endpoint ${JSON.stringify(url)} is not an https URL`)
    const headers = accessToken === undefined ? {} : { headers: { authorization: `Bearer ${accessToken}` } }
    const answer = await caller.call({ url, ...trusting(authority), ...headers }, CALL, signal)
    checkAnswer(answer)
    return answer.body.toString()
  }
}
