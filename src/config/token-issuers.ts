// External token authenticators, from the configuration: JWT issuers by flags or by file, and the token webhook.
import type { TokenMethod } from '../auth/bearer-tokens.ts'
import { webhookTokens } from '../auth/webhook-token.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { egressPolicy } from '../outgoing/egress-policy.ts'
import type { Log } from '../lib/log.ts'
import { OutgoingCaller } from '../outgoing/call.ts'
import type { OutgoingMeasures } from '../outgoing/measures.ts'
import {
  type AnonymousConfig,
  type AuthenticationConfig,
  type JwtIssuerConfig,
  readAuthenticationConfig,
} from './authentication-file.ts'
import type { Config } from './config.ts'
import { readAuthorities, readDocument } from './files.ts'
import type { OidcConfig } from './authentication-config.ts'
import { type JwtIssuers, openJwtIssuers } from './jwt-issuers.ts'
import type { ReloadRequests } from './reload-requests.ts'
import type { OnReload } from './reloaded-files.ts'
import { reviewCalls } from '../auth/review-calls.ts'
import { readWebhookKubeconfig } from './webhook-kubeconfig.ts'

export interface TokenIssuers {
  readonly methods: readonly TokenMethod[]
  /** The file's setting for anonymous requests. Undefined: it has none. */
  readonly anonymous: AnonymousConfig | undefined
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface TokenIssuersParts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly outgoing: OutgoingMeasures
  readonly onReload: OnReload
  readonly reloads: ReloadRequests
}

const FLAG = '--authentication-config'
const WEBHOOK_FLAG = '--authentication-token-webhook-config-file'
const WEBHOOK_TIMEOUT_MS = 30_000

/** Opens the issuers. An address from the operator may be on this machine. An address from a token must obey the egress policy. */
export function openTokenIssuers(parts: TokenIssuersParts): TokenIssuers {
  const { config, clock, log, outgoing: measures, onReload, reloads } = parts
  const caller = new OutgoingCaller({ egress: egressPolicy({ ...config.egress, loopback: true }), measures })
  const strictCaller = new OutgoingCaller({ egress: egressPolicy(config.egress), measures })
  const file = config.identity.authenticationFile
  const read = (): AuthenticationConfig | undefined =>
    file === undefined
      ? undefined
      : readDocument(file, FLAG, (document) => readAuthenticationConfig(document, config.identity.issuers))
  const fromFile = read()
  const issuers = fromFile?.issuers ?? (config.identity.oidc === undefined ? [] : [issuerOfFlags(config.identity.oidc)])
  const jwt: JwtIssuers | undefined =
    file === undefined && issuers.length === 0
      ? undefined
      : openJwtIssuers({ issuers, file, reread: read, caller, strictCaller, clock, log, onReload, reloads })
  return {
    methods: [...(jwt === undefined ? [] : [jwt.method]), ...webhook(config, caller)],
    anonymous: fromFile?.anonymous,
    run: async (signal) => {
      await jwt?.run(signal)
      if (!signal.aborted) return
      caller[Symbol.dispose]()
      strictCaller[Symbol.dispose]()
    },
  }
}

/** The issuer of the `--oidc-*` flags (P-071). */
function issuerOfFlags(oidc: OidcConfig): JwtIssuerConfig {
  const prefixed = (given: string | undefined, fallback: string): string => (given === '-' ? '' : (given ?? fallback))
  const { usernameClaim, groupsClaim } = oidc
  return {
    discoveryUrl: undefined,
    authority: readAuthorities(oidc.caFile, '--oidc-ca-file'),
    source: 'flags',
    rules: {
      issuer: oidc.issuer,
      audiences: [oidc.clientId],
      algorithms: oidc.algorithms,
      username: {
        kind: 'claim',
        claim: usernameClaim,
        prefix: prefixed(oidc.usernamePrefix, usernameClaim === 'email' ? '' : `${oidc.issuer}#`),
      },
      groups:
        groupsClaim === undefined ? undefined : { kind: 'claim', claim: groupsClaim, prefix: oidc.groupsPrefix ?? '' },
      uid: undefined,
      extra: [],
      claimRules: oidc.requiredClaims.map(([claim, requiredValue]) => ({ kind: 'claim', claim, requiredValue })),
      userRules: [],
    },
  }
}

function webhook({ identity }: Config, caller: OutgoingCaller): readonly TokenMethod[] {
  const { tokenWebhook, apiAudiences } = identity
  if (tokenWebhook === undefined) return []
  const target = readWebhookKubeconfig(tokenWebhook.file, WEBHOOK_FLAG)
  const method = webhookTokens({
    version: tokenWebhook.version,
    keepMs: tokenWebhook.keepMs,
    apiAudiences,
    clock: systemClock,
    ask: reviewCalls(caller, target, WEBHOOK_TIMEOUT_MS),
  })
  return [method]
}
