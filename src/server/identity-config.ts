// The part of the configuration that says who is asking: where tokens come from and which are good.
import path from 'node:path'
import { duration, type SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

export interface IdentityConfig {
  /** The first is named in the tokens that we make; never empty. */
  readonly issuers: readonly string[]
  readonly apiAudiences: readonly string[]
  /** Undefined: our own, in the data directory. */
  readonly signingKeyFile: string | undefined
  readonly keyFiles: readonly string[]
  readonly maxTokenSeconds: number | undefined
  readonly extendTokens: boolean
  readonly jwksUri: string | undefined
  readonly bootstrapTokens: boolean
  /** Undefined: nobody speaks for others. */
  readonly frontProxy: FrontProxyConfig | undefined
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

function issuersOf(read: SettingReader): readonly string[] {
  const issuers = read.list('service-account-issuer')
  if (issuers.length === 0) throw usageError('--service-account-issuer needs a value')
  for (const issuer of issuers) {
    // With a colon it claims to be a URL, and has to be one (RFC 7519, section 4.1.1).
    if (issuer.includes(':') && !URL.canParse(issuer)) {
      throw usageError(`--service-account-issuer: "${issuer}" contains a ':' but is not a URL`)
    }
  }
  const repeated = issuers.find((issuer, i) => issuers.indexOf(issuer) !== i)
  if (repeated !== undefined) throw usageError(`--service-account-issuer: "${repeated}" is there twice`)
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
