// The frozen configuration record of the server. All settings are read and checked here, once. In the code every
// value has its unit in its name.
import { isIP } from 'node:net'
import { availableParallelism, homedir } from 'node:os'
import path from 'node:path'
import { API_LEVELS, type ApiLevel, DEFAULT_LEVEL } from '../api/level.ts'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../lib/log.ts'
import { type EgressRules, isAddressRange } from '../outgoing/egress-policy.ts'
import { type AdmissionPluginName, enabledPlugins } from './admission-plugins.ts'
import { type AuditConfig, auditConfig } from './audit-config.ts'
import { type AuthorizationSettings, authorizationSettings } from './authorization-config.ts'
import { type TracingSettings, tracingSettings } from './tracing-file.ts'
import { type ClusterConfig, clusterConfig } from './cluster-config.ts'
import { readConfigFile } from './config-file.ts'
import { maxConnections, requestLimits, type UnfinishedLimits, unfinishedLimits } from './connection-budget.ts'
import { type ControllerName, switchedOff } from './controller-names.ts'
import { type FeatureGates, parseFeatureGates } from './feature-gates.ts'
import { type Flag, type FlagName, FLAGS } from './flags.ts'
import { type IdentityConfig, identityConfig } from './authentication-config.ts'
import { parseRange, type Range } from './ip-range.ts'
import { healthzConfig, type ManagementConfig, managementConfig } from './management-config.ts'
import {
  type CertificatePair,
  directoryPath,
  duration,
  integer,
  type NamedPair,
  namedPairs,
  oneOf,
  pair,
  pairIn,
  SettingReader,
} from './setting-reader.ts'
import { type QueryConfig, queryConfig } from './query-config.ts'
import type { ServedVersions } from './runtime-config.ts'
import { type EncryptionFile, encryptionFile, type StorageConfig, storageOf, storagePrefix } from './storage-config.ts'
import { mergeSettings, readArguments, readEnvironment, type Setting, type Settings } from './settings.ts'
import { usageError } from './start-error.ts'
import { type TlsRules, tlsRules } from './tls-config.ts'

export interface Config {
  readonly level: ApiLevel
  readonly storage: StorageConfig
  /** The prefix of every key in the store. It ends in `/`. */
  readonly storagePrefix: string
  /** The time for which the store's history is kept. Zero: another program compacts it. */
  readonly compactionIntervalMs: number
  readonly eventTtlMs: number
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean
  /** Undefined: no encryption. */
  readonly encryption: EncryptionFile | undefined
  /** The place of certificates and credentials. Undefined: memory only. */
  readonly dataDirectory: string | undefined
  /** The place of the server's own certificates. Undefined: memory only. */
  readonly certificateDirectory: string | undefined
  readonly bindAddress: string
  readonly securePort: number
  /** Undefined: the server makes its own. */
  readonly servingCertificate: CertificatePair | undefined
  readonly tlsRules: TlsRules
  /** The certificates for clients that ask for a server name (SNI). */
  readonly namedCertificates: readonly NamedPair[]
  readonly maxStreamsPerConnection: number
  readonly maxConnections: number
  /** The memory for incomplete requests and unread responses. */
  readonly unfinished: UnfinishedLimits
  readonly http2: boolean
  /** The listeners for operators. */
  readonly management: readonly ManagementConfig[]
  /** The number of processes that serve requests. 1: this process alone. */
  readonly workers: number
  readonly workerStallMs: number
  /** Whether other processes may share the port. */
  readonly sharesPort: boolean
  /** The place of the key for sessions of the console. */
  readonly console: 'off' | (typeof SESSION_KEYS)[number]
  readonly allowedOrigins: readonly RegExp[]
  readonly strictTransport: readonly string[]
  readonly identity: IdentityConfig
  readonly tokenFile: string | undefined
  readonly clientCaFile: string | undefined
  readonly anonymousRequests: boolean
  readonly anonymousHealth: boolean
  readonly authorization: AuthorizationSettings
  /** Undefined: no tracing. */
  readonly tracing: TracingSettings | undefined
  readonly admissionPlugins: ReadonlySet<AdmissionPluginName>
  readonly admissionFile: string | undefined
  /** The folder of functions that admit, convert and authorize. */
  readonly extensionsDirectory: string | undefined
  readonly extensionsNetwork: boolean
  /** The default tolerations of pods for failing nodes. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
  readonly kubeconfigFile: string | undefined
  readonly priorityAndFairness: boolean
  readonly maxReads: number
  readonly maxWrites: number
  readonly audit: AuditConfig
  readonly requestTimeoutMs: number
  readonly minRequestTimeoutMs: number
  /** Writes with a longer estimate run in a worker thread. */
  readonly inPlaceMs: number
  readonly queries: QueryConfig
  readonly livezGraceMs: number
  readonly shutdownDelayMs: number
  readonly sendRetryAfter: boolean
  readonly watchTerminationMs: number
  readonly goawayChance: number
  readonly serviceIpRange: Range
  readonly cluster: ClusterConfig
  /** The timeouts of the store for probes. */
  readonly probeMs: { readonly health: number; readonly readiness: number }
  readonly controllersOff: ReadonlySet<ControllerName>
  /** The allowed addresses of webhooks. */
  readonly egress: EgressRules
  /** The client certificate for aggregated servers. */
  readonly proxyCertificate: CertificatePair | undefined
  readonly featureGates: FeatureGates
  readonly logLevel: LogLevel
  /** Undefined: the format depends on whether standard error is a terminal. */
  readonly logFormat: LogFormat | undefined
  readonly hiddenMetrics: ReadonlySet<string>
  readonly profiling: boolean
  /** Allows options that are unsafe outside of development. */
  readonly dev: boolean
  /** The time stands still until a request moves it. */
  readonly virtualClock: boolean
  /** Whether the server does not rely on internals of Node, V8 and packages. */
  readonly plainRuntime: boolean
  /** Settings without effect, a line for each. */
  readonly notices: readonly string[]
  /** All flags as texts, for display. */
  readonly flags: Readonly<Record<string, string>>
}

const SESSION_KEYS = ['shared', 'memory'] as const

export type Environment = Readonly<Record<string, string | undefined>>

/** Throws a `StartError` of one line for the first fault. */
export async function readConfig(args: readonly string[], environment: Environment): Promise<Config> {
  const given = mergeSettings(readArguments(args), readEnvironment(environment))
  const file = given.get('config')
  const settings = file === undefined ? given : mergeSettings(given, await readConfigFile(file.text))
  const level = emulatedLevel(settings.get('emulated-version'))
  return buildConfig(new SettingReader(settings), environment, { level, served: await servedVersions(settings, level) })
}

/** Loads `runtime-config.ts` only if one of the flags is set. */
async function servedVersions(settings: Settings, level: ApiLevel): Promise<ServedVersions | undefined> {
  const setting = settings.get('runtime-config')
  const gatesSetting = settings.get('feature-gates')
  if (setting === undefined && gatesSetting === undefined) return undefined
  const { servedVersions: versionsOf } = await import('./runtime-config.ts')
  return versionsOf({ setting, level, gates: gates(gatesSetting, level) })
}

/** Reads `1.36`, and the reference's forms `kube=1.36` and `kube:1.36`. */
function emulatedLevel(setting: Setting | undefined): ApiLevel {
  const text = setting?.text.replace(/^kube[=:]/, '') ?? ''
  if (text === '') return DEFAULT_LEVEL
  const level = API_LEVELS.find((one) => one === text)
  if (level !== undefined) return level
  throw usageError(`${setting?.source}: "${text}" is not an API level that can be served: ${API_LEVELS.join(', ')}`)
}

/** The settings of the API that are needed before all others. */
interface AskedApi {
  readonly level: ApiLevel
  readonly served: ServedVersions | undefined
}

function buildConfig(read: SettingReader, environment: Environment, { level, served }: AskedApi): Config {
  // This checks flags that the current settings do not use, too.
  for (const { name, kind, values, ignored } of FLAGS as readonly (Flag & { readonly name: FlagName })[]) {
    if (kind === 'text' && values !== undefined && ignored === undefined) read.word(name)
    if (kind === 'file' || kind === 'directory') refuseEmpty(read.optional(name))
  }
  const inMemory = read.switch('in-memory')
  const endpoints = read.list('etcd-servers')
  const dataDirectory = read.isSet('data-dir')
    ? directoryPath(read.required('data-dir'))
    : defaultDataDirectory(environment)
  const cluster = clusterConfig(read, served)
  return Object.freeze<Config>({
    level,
    storage: storageOf(read, { inMemory, endpoints, dataDirectory }),
    storagePrefix: storagePrefix(read.required('etcd-prefix')),
    compactionIntervalMs: duration(read.required('etcd-compaction-interval')),
    eventTtlMs: duration(read.required('event-ttl')),
    allowPrivileged: read.switch('allow-privileged'),
    encryption: encryptionFile(read),
    dataDirectory: inMemory ? undefined : dataDirectory,
    certificateDirectory: read.directory('cert-dir') ?? (inMemory ? undefined : path.join(dataDirectory, 'pki')),
    bindAddress: address(read.required('bind-address')),
    securePort: integer(read.required('secure-port'), 0, 65_535),
    management: [managementConfig(read), healthzConfig(read.required('healthz-port'))].filter(
      (one) => one !== undefined,
    ),
    servingCertificate: pair(read, 'tls-cert-file', 'tls-private-key-file') ?? pairIn(read.directory('cert-dir')),
    tlsRules: tlsRules(
      read.required('tls-min-version'),
      read.list('tls-cipher-suites'),
      read.list('tls-curve-preferences'),
    ),
    namedCertificates: namedPairs(read.optional('tls-sni-cert-key')),
    http2: !read.switch('disable-http2-serving'),
    workers: workerCount(read),
    workerStallMs: duration(read.required('worker-stall-timeout')),
    sharesPort: read.switch('permit-port-sharing'),
    maxStreamsPerConnection: integer(read.required('http2-max-streams-per-connection'), 1, 1_000_000),
    maxConnections: maxConnections(read.optional('max-connections')),
    unfinished: unfinishedLimits(read.optional('max-unfinished-bytes')),
    console: read.switch('console') ? oneOf(read.required('console-session-key'), SESSION_KEYS) : 'off',
    allowedOrigins: read.list('cors-allowed-origins').map((text) => pattern(text, '--cors-allowed-origins')),
    strictTransport: read.list('strict-transport-security-directives').map(transportDirective),
    identity: identityConfig(read),
    tokenFile: read.file('token-auth-file'),
    clientCaFile: read.file('client-ca-file'),
    anonymousRequests: read.switch('anonymous-auth'),
    anonymousHealth: read.switch('anonymous-health'),
    authorization: authorizationSettings(read),
    tracing: tracingSettings(read),
    admissionPlugins: enabledPlugins(
      read.list('enable-admission-plugins'),
      read.list('disable-admission-plugins'),
      read.list('admission-control'),
    ),
    admissionFile: read.file('admission-control-config-file'),
    extensionsDirectory: read.isSet('extensions') ? directoryPath(read.required('extensions')) : undefined,
    extensionsNetwork: read.switch('extensions-network'),
    tolerationSeconds: {
      notReady: integer(read.required('default-not-ready-toleration-seconds')),
      unreachable: integer(read.required('default-unreachable-toleration-seconds')),
    },
    kubeconfigFile: read.file('kubeconfig-out'),
    ...requestLimits(read),
    audit: auditConfig(read),
    requestTimeoutMs: duration(read.required('request-timeout')),
    inPlaceMs: integer(read.required('in-place-milliseconds'), 0, 999_999),
    queries: queryConfig(read),
    minRequestTimeoutMs: 1000 * integer(read.required('min-request-timeout'), 1, 999_999),
    livezGraceMs: duration(read.required('livez-grace-period')),
    shutdownDelayMs: duration(read.required('shutdown-delay-duration')),
    sendRetryAfter: read.switch('shutdown-send-retry-after'),
    watchTerminationMs: duration(read.required('shutdown-watch-termination-grace-period')),
    goawayChance: goawayChance(read.required('goaway-chance')),
    serviceIpRange: ipRange(read.required('service-cluster-ip-range')),
    cluster,
    probeMs: {
      health: duration(read.required('etcd-healthcheck-timeout')),
      readiness: duration(read.required('etcd-readycheck-timeout')),
    },
    controllersOff: switchedOff(read.list('controllers')),
    egress: egressRules(read),
    proxyCertificate: pair(read, 'proxy-client-cert-file', 'proxy-client-key-file'),
    featureGates: gates(read.optional('feature-gates'), level),
    logLevel: logLevel(read),
    logFormat: logFormat(read.optional('logging-format')),
    hiddenMetrics: new Set(read.list('disabled-metrics')),
    profiling: read.switch('profiling'),
    dev: read.switch('dev'),
    virtualClock: virtualClock(read),
    plainRuntime: read.switch('plain-runtime'),
    notices: [...ignoredNotices(read), ...strayNotices(read), ...(served?.notices ?? [])],
    flags: read.texts(),
  })
}

/** Refuses an empty flag: the server would run without encryption or an audit log. An empty variable of the environment counts as unset. */
function refuseEmpty(setting: Setting | undefined): void {
  if (setting?.text.trim() === '' && !setting.source.startsWith('QUARTERDECK_'))
    throw usageError(`${setting.source} needs a value`)
}

function virtualClock(read: SettingReader): boolean {
  const isVirtual = read.switch('virtual-clock')
  if (isVirtual && !read.switch('dev')) throw usageError('--virtual-clock requires --dev')
  return isVirtual
}

function workerCount(read: SettingReader): number {
  const setting = read.required('workers')
  const count = setting.text === 'auto' ? availableParallelism() : integer(setting, 1, 1024, 'auto or ')
  if (count > 1 && read.switch('virtual-clock')) throw usageError('--virtual-clock requires --workers 1')
  return count
}

export function defaultDataDirectory(environment: Environment): string {
  const home = environment['XDG_DATA_HOME']
  const base = home !== undefined && path.isAbsolute(home) ? home : path.join(homedir(), '.local/share')
  return path.join(base, 'quarterdeck')
}

function address({ text, source }: Setting): string {
  if (isIP(text) === 0) throw usageError(`${source}: "${text}" is not an IP address`)
  return text
}

function goawayChance({ text, source }: Setting): number {
  const chance = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (chance >= 0 && chance <= 0.02) return chance
  throw usageError(`${source}: "${text}" is not a chance from 0 to 0.02`)
}

function pattern(text: string, source: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    throw usageError(`${source}: "${text}" is not a regular expression`)
  }
}

function ipRange({ text, source }: Setting): Range {
  const range = parseRange(text)
  if (range === undefined) throw usageError(`${source}: "${text}" is not a range like 10.96.0.0/16`)
  return range
}

/** A server that listens on loopback alone may call loopback addresses: its clients can reach these without its help. */
function egressRules(read: SettingReader): EgressRules {
  const ranges = (name: FlagName): readonly string[] => {
    const wrong = read.list(name).find((text) => !isAddressRange(text))
    if (wrong !== undefined) throw usageError(`--${name}: "${wrong}" is not a range like 10.0.0.0/8`)
    return read.list(name)
  }
  const loopback = /^(127\.|::1$)/.test(read.required('bind-address').text)
  return { loopback, allow: ranges('egress-allow'), deny: ranges('egress-deny') }
}

function logLevel(read: SettingReader): LogLevel {
  const number = read.optional('v')
  if (number === undefined || read.isSet('log-level')) return oneOf(read.required('log-level'), LOG_LEVELS)
  return levelOf(integer(number, 0, 99), 'info')
}

function logFormat(setting: Setting | undefined): LogFormat | undefined {
  return setting === undefined ? undefined : oneOf(setting, LOG_FORMATS)
}

/** The log level for a verbosity of the reference. The reference logs every request from 3 on. */
export function levelOf(number: number, otherwise: LogLevel): LogLevel {
  return number >= 3 ? 'debug' : otherwise
}

function gates(setting: Setting | undefined, level: ApiLevel): FeatureGates {
  return parseFeatureGates(setting?.text ?? '', setting?.source ?? '--feature-gates', level)
}

function transportDirective(text: string): string {
  if (/^(?:max-age=\d+|includeSubDomains|preload)$/.test(text)) return text
  const flag = '--strict-transport-security-directives'
  throw usageError(`${flag}: "${text}" is not one of max-age=SECONDS, includeSubDomains, preload`)
}

/** A line for each ignored flag whose value differs from the fixed behaviour. Throws a `StartError` for flags that reject it. */
function ignoredNotices(read: SettingReader): readonly string[] {
  return FLAGS.flatMap(({ name, kind, ignored, help }) => {
    const setting = ignored === undefined || !read.isSet(name) ? undefined : read.optional(name)
    if (ignored === undefined || setting === undefined) return []
    const value = kind === 'switch' ? String(read.switch(name)) : setting.text
    if (value === '' || ignored.accepted.includes(value)) return []
    const why = `${help.charAt(0).toLowerCase()}${help.slice(1).replace(/\.$/, '')}`
    if (ignored.otherwise === 'reject') throw usageError(`${setting.source}: "${value}" is not supported: ${why}`)
    return [`${setting.source} has no effect: ${why}`]
  })
}

/** Flags that begin with `beginning` have no effect unless one of `others` is set. */
const NEEDS: readonly (readonly [beginning: string, ...others: readonly FlagName[]])[] = [
  ['audit-log-', 'audit-log-path'],
  ['audit-webhook-', 'audit-webhook-config-file'],
  ['audit-log-path', 'audit-policy-file'],
  ['audit-webhook-config-file', 'audit-policy-file'],
  ['audit-policy-file', 'audit-log-path', 'audit-webhook-config-file'],
  ['authentication-token-webhook-', 'authentication-token-webhook-config-file'],
  ['authorization-webhook-', 'authorization-webhook-config-file'],
  ['extensions-network', 'extensions'],
  ['requestheader-', 'requestheader-client-ca-file'],
]

/** A line for each flag that has no effect without another one. The reference accepts such flags. */
function strayNotices(read: SettingReader): readonly string[] {
  return NEEDS.flatMap(([beginning, ...others]) => {
    if (others.some((name) => (read.text(name) ?? '') !== '')) return []
    const stray = FLAGS.filter(({ name, ignored }) => name.startsWith(beginning) && ignored === undefined)
    return stray.flatMap(({ name, fallback }) => {
      const setting = read.isSet(name) ? read.optional(name) : undefined
      if (setting === undefined || setting.text === '' || setting.text === fallback) return []
      return [`${setting.source} has no effect without ${others.map((other) => `--${other}`).join(' or ')}`]
    })
  })
}
