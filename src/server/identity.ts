// Authentication, from the configuration: the methods in order, and the issuer of service account tokens.
import { type Authenticator, firstOf } from '../auth/authenticator.ts'
import { type BearerTokens, bearerTokens, type TokenMethod } from '../auth/bearer-tokens.ts'
import { bootstrapTokens } from '../auth/bootstrap-token.ts'
import type { LiveObject, LiveObjects } from '../auth/live-objects.ts'
import { issueToken, serviceAccountTokens } from '../auth/service-account-token.ts'
import type { AuthMeasures } from '../auth/measures.ts'
import { jsonWebKeys, type SigningKeys } from '../auth/signing-keys.ts'
import { parseTokenFile, staticTokens } from '../auth/token-file.ts'
import type { PublishedAuthentication } from '../controllers/extension-authentication.ts'
import { openIdRoutes } from '../handlers/openid.ts'
import type { TlsFiles } from '../http/tls-server.ts'
import type { Route } from '../http/router.ts'
import type { Clock } from '../lib/clock.ts'
import { InvariantError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { OutgoingMeasures } from '../outgoing/measures.ts'
import type { TokenRequestOptions } from '../kinds/kinds.ts'
import { ADMIN } from '../config/admin.ts'
import { PROBE, probeToken } from '../telemetry/client-path.ts'
import type { AnonymousConfig } from '../config/authentication-file.ts'
import { modesOf } from '../config/authorization-config.ts'
import type { Config } from '../config/config.ts'
import { readFileAs } from '../config/files.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import { openTokenIssuers } from '../config/token-issuers.ts'
import { openTrust } from './trust.ts'

export interface Identity {
  readonly authenticator: Authenticator
  readonly tokens: BearerTokens
  readonly tokenRequests: TokenRequestOptions
  readonly keys: SigningKeys
  /** Whether requests without credentials have a user, and on which paths. */
  readonly anonymous: AnonymousConfig
  /** Follows the changes of token issuers. Resolves when the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** The data about authentication for other servers. */
  readonly trust: () => PublishedAuthentication
  /** Call this when the certificate authorities were replaced. */
  readonly renewTrust: (tls: TlsFiles) => void
}

export interface IdentityParts {
  readonly config: Config
  readonly adminToken: string
  readonly clock: Clock
  /** The source of token ids. */
  readonly random: Random
  readonly log: Log
  readonly live: LiveObjects
  /** Called when the legacy token of this secret was used. */
  readonly onLegacyUse: (secret: LiveObject) => void
  readonly measures: { readonly auth: AuthMeasures; readonly outgoing: OutgoingMeasures }
  readonly tls: TlsFiles
  readonly reloads: ReloadRequests
  readonly moreTokens: readonly TokenMethod[]
  /** The keys of service accounts. */
  readonly keys: SigningKeys
}

export function openIdentity(parts: IdentityParts): Identity {
  const { config, adminToken, clock, log, live, tls, onLegacyUse, reloads, keys } = parts
  const { auth: measures, outgoing } = parts.measures
  const uses = {
    valid: measures.validTokens.of(),
    stale: measures.staleTokens.of(),
    legacy: measures.legacyTokens.of(),
  }
  const onUse = (kind: keyof typeof uses): void => void uses[kind].value++
  const { issuers, apiAudiences, maxTokenSeconds, extendTokens } = config.identity
  const onReload = (status: string): void => void measures.configReloads.of(status, '').value++
  const issuersOfOthers = openTokenIssuers({ config, clock, log, outgoing, onReload, reloads })
  const tokens = bearerTokens(
    [
      staticTokens(new Map([[adminToken, ADMIN]])),
      ...(config.management.length > 0 ? [staticTokens(new Map([[probeToken(adminToken), PROBE]]))] : []),
      ...fileTokens(parts),
      ...parts.moreTokens,
      serviceAccountTokens({ issuers, keys: keys.verification, apiAudiences, live, clock, onUse, onLegacyUse }),
      ...(config.identity.bootstrapTokens ? [bootstrapTokens(live, clock)] : []),
      ...issuersOfOthers.methods,
    ],
    apiAudiences,
    { hits: measures.tokenCache.of('hit'), misses: measures.tokenCache.of('miss') },
  )
  const trust = openTrust(config, tls)
  return {
    authenticator: firstOf([...trust.methods, tokens.authenticator]),
    renewTrust: trust.renew,
    trust: trust.published,
    anonymous: anonymousOf(config, issuersOfOthers.anonymous),
    run: issuersOfOthers.run,
    tokens,
    keys,
    tokenRequests: {
      apiAudiences,
      maxLifetimeSeconds: maxTokenSeconds,
      extend: extendTokens,
      issue: (order) => {
        const [url] = issuers
        const key = keys.signing
        if (key === undefined || url === undefined)
          throw new InvariantError('no service account signing key is configured')
        return issueToken({ url, key }, order, { nowMs: clock.now(), random: parts.random })
      },
    },
  }
}

/** `address`: the address of the server, once it listens. */
export function openIdOf(config: Config, { keys }: Identity, address: () => string): readonly Route[] {
  const { issuers, jwksUri } = config.identity
  return openIdRoutes({
    issuer: issuers[0] ?? '',
    jwksUri: () => jwksUri ?? `https://${address()}/openid/v1/jwks`,
    algorithms: keys.verification.map(({ algorithm }) => algorithm),
    jwks: jsonWebKeys(keys.verification),
  })
}

/** With AlwaysAllow, anonymous requests count as authenticated: no rule could tell them apart (P-080). */
function anonymousOf(config: Config, inFile: AnonymousConfig | undefined): AnonymousConfig {
  if (inFile !== undefined && config.identity.anonymousByFlag) {
    throw new StartError('--anonymous-auth and the anonymous section of --authentication-config are mutually exclusive')
  }
  const isOpen = modesOf(config.authorization).every((mode) => mode === 'AlwaysAllow')
  const { enabled, paths } = inFile ?? { enabled: config.anonymousRequests, paths: undefined }
  return { enabled: enabled && !isOpen, paths }
}

/** The file is read again only at a SIGHUP: a half-written file must not lock out all users. */
function fileTokens({ config, log, reloads }: IdentityParts): readonly TokenMethod[] {
  const { tokenFile: file } = config
  if (file === undefined) return []
  const read = (): TokenMethod => {
    const { users, skippedLines } = readFileAs(file, '--token-auth-file', parseTokenFile)
    for (const line of skippedLines) log.warn({ file, line }, 'skipped empty token')
    return staticTokens(users)
  }
  let current = read()
  log.warn(
    { file },
    'tokens of --token-auth-file never expire; remove them from the file and send SIGHUP to revoke them',
  )
  reloads.listen(() => {
    try {
      current = read()
      log.info({ file }, 'reloaded --token-auth-file')
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'could not reload --token-auth-file; keeping the previous tokens')
    }
  })
  return [(presented, signal) => current(presented, signal)]
}
