// The configuration of authentication, from flags.
import path from 'node:path'
import { SIGNATURE_ALGORITHMS } from '../auth/jwt.ts'
import { AUTHENTICATION_FLAGS } from './flags-access.ts'
import type { FlagName } from './flags.ts'
import { duration, oneOf, type SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

export interface IdentityConfig {
  /** The first issuer is in the tokens that the server makes. The list is never empty. */
  readonly issuers: readonly string[]
  readonly apiAudiences: readonly string[]
  /** Undefined: the server's own key in the data directory. */
  readonly signingKeyFile: string | undefined
  readonly keyFiles: readonly string[]
  readonly maxTokenSeconds: number | undefined
  readonly extendTokens: boolean
  readonly jwksUri: string | undefined
  readonly bootstrapTokens: boolean
  /** Undefined: no authenticating proxies. */
  readonly frontProxy: FrontProxyConfig | undefined
  /** Excludes `oidc`. */
  readonly authenticationFile: string | undefined
  readonly oidc: OidcConfig | undefined
  readonly tokenWebhook: TokenWebhookConfig | undefined
  /** Whether `--anonymous-auth` is set. If it is set, the file must not have an anonymous section. */
  readonly anonymousByFlag: boolean
}

export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly caFile: string | undefined
  readonly usernameClaim: string
  /** `-` stands for no prefix. */
  readonly usernamePrefix: string | undefined
  readonly groupsClaim: string | undefined
  readonly groupsPrefix: string | undefined
  readonly requiredClaims: readonly (readonly [claim: string, value: string])[]
  readonly algorithms: readonly string[]
}

export interface TokenWebhookConfig {
  readonly file: string
  readonly version: 'v1' | 'v1beta1'
  readonly keepMs: number
}

export interface FrontProxyConfig {
  readonly caFile: string
  readonly allowedNames: readonly string[]
  readonly userHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

const LEAST_MAX_SECONDS = 3600
const MOST_MAX_SECONDS = 2 ** 32

export function identityConfig(read: SettingReader): IdentityConfig {
  const issuers = issuersOf(read)
  const audiences = read.list('api-audiences')
  if (!read.switch('service-account-lookup')) {
    throw usageError('--service-account-lookup: cannot be disabled')
  }
  return {
    issuers,
    apiAudiences: audiences.length === 0 ? issuers : audiences,
    signingKeyFile: read.file('service-account-signing-key-file'),
    keyFiles: read.list('service-account-key-file').map((file) => path.resolve(file)),
    maxTokenSeconds: maxSeconds(read),
    extendTokens: read.switch('service-account-extend-token-expiration'),
    jwksUri: jwksUri(read),
    bootstrapTokens: read.switch('enable-bootstrap-token-auth'),
    frontProxy: frontProxyConfig(read),
    ...issuersOfOthers(read),
    tokenWebhook: tokenWebhook(read),
    anonymousByFlag: read.isSet('anonymous-auth'),
  }
}

function frontProxyConfig(read: SettingReader): FrontProxyConfig | undefined {
  const caFile = read.file('requestheader-client-ca-file')
  if (caFile === undefined) return undefined
  return {
    caFile,
    allowedNames: read.list('requestheader-allowed-names'),
    userHeaders: read.list('requestheader-username-headers'),
    uidHeaders: read.list('requestheader-uid-headers'),
    groupHeaders: read.list('requestheader-group-headers'),
    extraPrefixes: read.list('requestheader-extra-headers-prefix'),
  }
}

function issuersOfOthers(read: SettingReader): Pick<IdentityConfig, 'authenticationFile' | 'oidc'> {
  const authenticationFile = read.file('authentication-config')
  const set = AUTHENTICATION_FLAGS.find(({ name }) => name.startsWith('oidc-') && read.isSet(name))?.name
  if (authenticationFile !== undefined && set !== undefined) {
    throw usageError(`--authentication-config and --${set} are mutually exclusive`)
  }
  if (set === undefined) return { authenticationFile, oidc: undefined }
  const text = (name: FlagName): string | undefined => read.optional(name)?.text
  const [issuer, clientId] = [text('oidc-issuer-url') ?? '', text('oidc-client-id') ?? '']
  if (issuer === '' || clientId === '') {
    throw usageError(
      '--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* flags are set',
    )
  }
  if (!URL.canParse(issuer) || !issuer.startsWith('https://')) {
    throw usageError(`--oidc-issuer-url: "${issuer}" is not an https URL`)
  }
  return {
    authenticationFile,
    oidc: {
      issuer,
      clientId,
      caFile: read.file('oidc-ca-file'),
      usernameClaim: read.required('oidc-username-claim').text,
      usernamePrefix: text('oidc-username-prefix'),
      groupsClaim: text('oidc-groups-claim'),
      groupsPrefix: text('oidc-groups-prefix'),
      requiredClaims: read.list('oidc-required-claim').map(requiredClaim),
      algorithms: read.list('oidc-signing-algs').map(signingAlgorithm),
    },
  }
}

function requiredClaim(text: string): readonly [string, string] {
  const [claim = '', ...value] = text.split('=')
  if (claim === '' || value.length === 0) throw usageError(`--oidc-required-claim: "${text}" is not claim=value`)
  return [claim, value.join('=')]
}

function signingAlgorithm(name: string): string {
  if (SIGNATURE_ALGORITHMS.includes(name)) return name
  throw usageError(`--oidc-signing-algs: "${name}" is not one of ${SIGNATURE_ALGORITHMS.join(', ')}`)
}

function tokenWebhook(read: SettingReader): TokenWebhookConfig | undefined {
  const file = read.file('authentication-token-webhook-config-file')
  const version = oneOf(read.required('authentication-token-webhook-version'), ['v1', 'v1beta1'])
  const keepMs = duration(read.required('authentication-token-webhook-cache-ttl'))
  return file === undefined ? undefined : { file, version, keepMs }
}

function issuersOf(read: SettingReader): readonly string[] {
  const issuers = read.list('service-account-issuer')
  if (issuers.length === 0) throw usageError('--service-account-issuer needs a value')
  for (const issuer of issuers) {
    // An issuer with a colon must be a URL (RFC 7519, section 4.1.1).
    if (issuer.includes(':') && !URL.canParse(issuer)) {
      throw usageError(`--service-account-issuer: "${issuer}" contains a ':' but is not a URL`)
    }
  }
  const repeated = issuers.find((issuer, i) => issuers.indexOf(issuer) !== i)
  if (repeated !== undefined) throw usageError(`--service-account-issuer: "${repeated}" is listed twice`)
  return issuers
}

function maxSeconds(read: SettingReader): number | undefined {
  const setting = read.required('service-account-max-token-expiration')
  const seconds = Math.floor(duration(setting) / 1000)
  if (seconds === 0) return undefined
  if (seconds < LEAST_MAX_SECONDS || seconds > MOST_MAX_SECONDS) {
    throw usageError(`${setting.source}: must be between 1 hour and 2^32 seconds`)
  }
  return seconds
}

function jwksUri(read: SettingReader): string | undefined {
  const setting = read.optional('service-account-jwks-uri')
  if (setting === undefined || setting.text === '') return undefined
  if (!URL.canParse(setting.text) || !setting.text.startsWith('https://')) {
    throw usageError(`${setting.source}: "${setting.text}" is not an https URL`)
  }
  return setting.text
}
