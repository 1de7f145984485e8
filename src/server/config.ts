// The one frozen record that the server is started with. Everything is read and checked here, once; in the code every
// value has its unit in its name.
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { parseDuration } from '../lib/duration.ts'
import { type EgressRules, isAddressRange } from '../lib/egress-policy.ts'
import { type AdmissionPluginName, enabledPlugins } from './admission-plugins.ts'
import { readConfigFile } from './config-file.ts'
import { type FeatureGates, parseFeatureGates } from './feature-gates.ts'
import { type Flag, FLAGS, type FlagName } from './flags.ts'
import { type Range, parseCidr } from './ip-range.ts'
import { mergeSettings, readArguments, readEnvironment, type Setting, type Settings } from './settings.ts'
import { usageError } from './start-error.ts'

export interface Config {
  readonly storage: StorageConfig
  /** Every key of the store begins with it; ends in `/`. */
  readonly storagePrefix: string
  /** How long the store's history is kept; zero: it is not ours to forget. */
  readonly compactionIntervalMs: number
  readonly eventTtlMs: number
  /** Certificates and credentials are kept here; undefined: in memory only. */
  readonly dataDirectory: string | undefined
  readonly bindAddress: string
  readonly securePort: number
  /** Undefined: the server makes its own. */
  readonly servingCertificate: CertificatePair | undefined
  readonly maxStreamsPerConnection: number
  readonly allowedOrigins: readonly RegExp[]
  readonly tokenFile: string | undefined
  readonly clientCaFile: string | undefined
  readonly anonymousRequests: boolean
  readonly anonymousHealth: boolean
  readonly authorizationModes: readonly AuthorizationMode[]
  /** The admission plugins that are on. */
  readonly admissionPlugins: ReadonlySet<AdmissionPluginName>
  readonly admissionFile: string | undefined
  readonly kubeconfigFile: string | undefined
  readonly requestTimeoutMs: number
  readonly livezGraceMs: number
  readonly shutdownDelayMs: number
  readonly serviceAccountIssuer: string
  readonly serviceIpRange: Range
  /** Where webhooks may be. */
  readonly egress: EgressRules
  readonly featureGates: FeatureGates
  readonly logLevel: LogLevel
}

export type StorageConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'embedded'; readonly directory: string }
  | EtcdConfig

export interface EtcdConfig {
  readonly kind: 'etcd'
  readonly endpoints: readonly string[]
  readonly caFile: string | undefined
  readonly client: CertificatePair | undefined
}

export interface CertificatePair {
  readonly certificateFile: string
  readonly keyFile: string
}

const AUTHORIZATION_MODES = ['Node', 'RBAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number]

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type Environment = Readonly<Record<string, string | undefined>>

/** Throws a `StartError` of one line for the first thing that is wrong. */
export async function readConfig(args: readonly string[], environment: Environment): Promise<Config> {
  const given = mergeSettings(readArguments(args), readEnvironment(environment))
  const file = given.get('config')
  const settings = file === undefined ? given : mergeSettings(given, await readConfigFile(file.text))
  return buildConfig(new SettingReader(settings), environment)
}

function buildConfig(read: SettingReader, environment: Environment): Config {
  const inMemory = read.switch('in-memory')
  const endpoints = read.list('etcd-servers')
  const dataDirectory = path.resolve(read.optional('data-dir')?.text ?? defaultDataDirectory(environment))
  return Object.freeze<Config>({
    storage: storageOf(read, { inMemory, endpoints, dataDirectory }),
    storagePrefix: storagePrefix(read.required('etcd-prefix')),
    compactionIntervalMs: duration(read.required('etcd-compaction-interval')),
    eventTtlMs: duration(read.required('event-ttl')),
    dataDirectory: inMemory ? undefined : dataDirectory,
    bindAddress: address(read.required('bind-address')),
    securePort: integer(read.required('secure-port'), { least: 0, most: 65_535, what: 'a port number' }),
    servingCertificate: pair(read, 'tls-cert-file', 'tls-private-key-file'),
    maxStreamsPerConnection: integer(read.required('http2-max-streams-per-connection'), {
      least: 1,
      most: 1_000_000,
      what: 'a number of streams',
    }),
    allowedOrigins: read.list('cors-allowed-origins').map((text) => pattern(text, '--cors-allowed-origins')),
    tokenFile: read.file('token-auth-file'),
    clientCaFile: read.file('client-ca-file'),
    anonymousRequests: read.switch('anonymous-auth'),
    anonymousHealth: read.switch('anonymous-health'),
    authorizationModes: authorizationModes(read.required('authorization-mode')),
    admissionPlugins: enabledPlugins(read.list('enable-admission-plugins'), read.list('disable-admission-plugins')),
    admissionFile: read.file('admission-control-config-file'),
    kubeconfigFile: read.file('kubeconfig-out'),
    requestTimeoutMs: duration(read.required('request-timeout')),
    livezGraceMs: duration(read.required('livez-grace-period')),
    shutdownDelayMs: duration(read.required('shutdown-delay-duration')),
    serviceAccountIssuer: issuer(read.required('service-account-issuer')),
    serviceIpRange: ipRange(read.required('service-cluster-ip-range')),
    egress: egressRules(read),
    featureGates: gates(read.optional('feature-gates')),
    logLevel: oneOf(read.required('log-level'), LOG_LEVELS),
  })
}

/** The settings, with the defaults of the table behind them. */
class SettingReader {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  optional(name: FlagName): Setting | undefined {
    const set = this.#settings.get(name)
    if (set !== undefined) return set
    const flag: Flag | undefined = FLAGS.find((candidate) => candidate.name === name)
    return flag?.fallback === undefined ? undefined : { text: flag.fallback, source: `--${name}` }
  }

  required(name: FlagName): Setting {
    const setting = this.optional(name)
    if (setting === undefined || setting.text === '') throw usageError(`--${name} needs a value`)
    return setting
  }

  switch(name: FlagName): boolean {
    const { text, source } = this.required(name)
    if (/^(true|t|1)$/i.test(text)) return true
    if (/^(false|f|0)$/i.test(text)) return false
    throw usageError(`${source}: "${text}" is neither true nor false`)
  }

  list(name: FlagName): readonly string[] {
    const text = this.optional(name)?.text ?? ''
    return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  }

  file(name: FlagName): string | undefined {
    const text = this.optional(name)?.text ?? ''
    return text === '' ? undefined : path.resolve(text)
  }
}

interface StoragePlaces {
  readonly inMemory: boolean
  readonly endpoints: readonly string[]
  readonly dataDirectory: string
}

function storageOf(read: SettingReader, { inMemory, endpoints, dataDirectory }: StoragePlaces): StorageConfig {
  if (inMemory && endpoints.length > 0) throw usageError('--in-memory and --etcd-servers exclude each other')
  if (inMemory && read.optional('data-dir') !== undefined)
    throw usageError('--in-memory and --data-dir exclude each other')
  const caFile = read.file('etcd-cafile')
  const client = pair(read, 'etcd-certfile', 'etcd-keyfile')
  if (endpoints.length === 0) {
    const stray = caFile !== undefined ? '--etcd-cafile' : client !== undefined ? '--etcd-certfile' : undefined
    if (stray !== undefined) throw usageError(`${stray} means nothing without --etcd-servers`)
    return inMemory ? { kind: 'memory' } : { kind: 'embedded', directory: path.join(dataDirectory, 'store') }
  }
  for (const endpoint of endpoints) {
    if (!/^https?:\/\/[^/\s]+:\d+\/?$/.test(endpoint)) {
      throw usageError(`--etcd-servers: "${endpoint}" is not http://host:port or https://host:port`)
    }
  }
  return { kind: 'etcd', endpoints: endpoints.map((endpoint) => endpoint.replace(/\/$/, '')), caFile, client }
}

function defaultDataDirectory(environment: Environment): string {
  const home = environment['XDG_DATA_HOME']
  const base = home !== undefined && path.isAbsolute(home) ? home : path.join(homedir(), '.local/share')
  return path.join(base, 'quarterdeck')
}

function pair(read: SettingReader, certificate: FlagName, key: FlagName): CertificatePair | undefined {
  const certificateFile = read.file(certificate)
  const keyFile = read.file(key)
  if (certificateFile === undefined && keyFile === undefined) return undefined
  if (certificateFile === undefined || keyFile === undefined) {
    const [given, missing] = certificateFile === undefined ? [key, certificate] : [certificate, key]
    throw usageError(`--${given} needs --${missing} beside it`)
  }
  return { certificateFile, keyFile }
}

function storagePrefix({ text, source }: Setting): string {
  const prefix = `/${text.replace(/^\/+|\/+$/g, '')}/`
  if (prefix === '//' || prefix.includes('//') || /[^\x21-\x7e]/.test(prefix)) {
    throw usageError(`${source}: "${text}" is not a path like /registry`)
  }
  return prefix
}

function address({ text, source }: Setting): string {
  if (isIP(text) === 0) throw usageError(`${source}: "${text}" is not an IP address`)
  return text
}

function integer({ text, source }: Setting, limits: { least: number; most: number; what: string }): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= limits.least && number <= limits.most) return number
  throw usageError(`${source}: "${text}" is not ${limits.what} (${limits.least} to ${limits.most})`)
}

function duration({ text, source }: Setting): number {
  const parsed = parseDuration(text)
  if (!parsed.ok || parsed.nanoseconds < 0n)
    throw usageError(`${source}: "${text}" is not a duration like 90s or 1m30s`)
  return Number(parsed.nanoseconds) / 1e6
}

function pattern(text: string, source: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    throw usageError(`${source}: "${text}" is not a regular expression`)
  }
}

function authorizationModes({ text, source }: Setting): readonly AuthorizationMode[] {
  const modes = text.split(',').map((mode) => oneOf({ text: mode.trim(), source }, AUTHORIZATION_MODES))
  const repeated = modes.find((mode, i) => modes.indexOf(mode) !== i)
  if (repeated !== undefined) throw usageError(`${source}: ${repeated} is there twice`)
  return modes
}

function oneOf<T extends string>({ text, source }: Setting, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw usageError(`${source}: "${text}" is not one of ${words.join(', ')}`)
  return word
}

function issuer({ text, source }: Setting): string {
  if (!URL.canParse(text) || !text.startsWith('https://')) throw usageError(`${source}: "${text}" is not an https URL`)
  return text
}

function ipRange({ text, source }: Setting): Range {
  const range = parseCidr(text)
  if (range === undefined) throw usageError(`${source}: "${text}" is not a range like 10.96.0.0/16`)
  return range
}

/** Who can reach a server that listens on loopback alone can call what else listens there, without our help. */
function egressRules(read: SettingReader): EgressRules {
  const ranges = (name: FlagName): readonly string[] => {
    const wrong = read.list(name).find((text) => !isAddressRange(text))
    if (wrong !== undefined) throw usageError(`--${name}: "${wrong}" is not a range like 10.0.0.0/8`)
    return read.list(name)
  }
  const loopback = /^(127\.|::1$)/.test(read.required('bind-address').text)
  return { loopback, allow: ranges('egress-allow'), deny: ranges('egress-deny') }
}

function gates(setting: Setting | undefined): FeatureGates {
  return parseFeatureGates(setting?.text ?? '', setting?.source ?? '--feature-gates')
}
