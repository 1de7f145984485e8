// The known feature gates with their stages and defaults at API level 1.36, and how a setting changes them. A gate chooses
// an implementation here or in the composition; nothing below asks for one.
import { closestWord } from '../lib/closest-word.ts'
import { type Gate, KIND_GATES, type Stage } from './feature-gates-of-kinds.ts'
import { usageError } from './start-error.ts'

const ALPHA: Gate = { stage: 'alpha', enabled: false }
const BETA: Gate = { stage: 'beta', enabled: true }
const BETA_OFF: Gate = { stage: 'beta', enabled: false }
const STABLE: Gate = { stage: 'GA', enabled: true, locked: true }

export const GATES = {
  APIResponseCompression: BETA,
  APIServerIdentity: BETA,
  APIServerTracing: STABLE,
  APIServingWithRoutine: ALPHA,
  AggregatedDiscoveryRemoveBetaType: { stage: 'deprecated', enabled: true, locked: true },
  AllowParsingUserUIDFromCertAuth: BETA,
  AllowUnsafeMalformedObjectDeletion: ALPHA,
  AnonymousAuthConfigurableEndpoints: STABLE,
  AtomicFIFO: BETA,
  AuthorizeWithSelectors: STABLE,
  BtreeWatchCache: STABLE,
  CBORServingAndStorage: ALPHA,
  CRDObservedGenerationTracking: BETA,
  CRDValidationRatcheting: STABLE,
  ClientsAllowCARotation: BETA,
  ClientsAllowCBOR: ALPHA,
  ClientsAllowTLSCacheGC: BETA,
  ClientsPreferCBOR: ALPHA,
  ConcurrentWatchObjectDecode: BETA_OFF,
  ConsistentListFromCache: STABLE,
  ConstrainedImpersonation: BETA,
  ContextualLogging: BETA,
  ControllerManagerReleaseLeaderElectionLockOnExit: ALPHA,
  CoordinatedLeaderElection: BETA_OFF,
  CustomResourceFieldSelectors: STABLE,
  DeclarativeValidation: STABLE,
  DeclarativeValidationBeta: BETA,
  DeclarativeValidationTakeover: { stage: 'deprecated', enabled: false },
  DetectCacheInconsistency: BETA,
  InOrderInformersBatchProcess: BETA,
  KMSv1: { stage: 'deprecated', enabled: false },
  ListFromCacheSnapshot: BETA,
  LoggingAlphaOptions: ALPHA,
  LoggingBetaOptions: BETA,
  ManifestBasedAdmissionControlConfig: ALPHA,
  MutatingAdmissionPolicy: { stage: 'GA', enabled: true },
  NativeHistograms: ALPHA,
  OpenAPIEnums: BETA,
  RemoteRequestHeaderUID: BETA,
  ResilientWatchCacheInitialization: STABLE,
  RetryGenerateName: STABLE,
  SeparateCacheWatchRPC: { stage: 'deprecated', enabled: true, locked: true },
  ShardedListAndWatch: ALPHA,
  SizeBasedListCostEstimate: BETA,
  StorageVersionAPI: ALPHA,
  StorageVersionHash: BETA,
  StreamingCollectionEncodingToJSON: STABLE,
  StreamingCollectionEncodingToProtobuf: STABLE,
  StructuredAuthenticationConfiguration: STABLE,
  StructuredAuthenticationConfigurationEgressSelector: BETA,
  StructuredAuthenticationConfigurationJWKSMetrics: BETA,
  TokenRequestServiceAccountUIDValidation: BETA,
  UnauthenticatedHTTP2DOSMitigation: BETA,
  UnknownVersionInteroperabilityProxy: BETA,
  UnlockWhileProcessingFIFO: BETA,
  WatchCacheInitializationPostStartHook: BETA,
  WatchList: BETA,
  WatchListClient: BETA,
} as const satisfies Readonly<Record<string, Gate>>

export type GateName = keyof typeof GATES

/** Every gate that is known, also those of kinds, by name. */
export type FeatureGates = Readonly<Record<GateName, boolean>> & Readonly<Record<string, boolean>>

export const ALL_GATES: Readonly<Record<string, Gate>> = Object.freeze({ ...GATES, ...KIND_GATES })

/** Switch all gates of a stage that are not named themselves. */
const GROUPS: Readonly<Record<string, Stage>> = { AllAlpha: 'alpha', AllBeta: 'beta' }

/** Reads `Name=true,Other=false`. Throws a `StartError` that names the place where the setting was found. */
export function parseFeatureGates(text: string, source: string): FeatureGates {
  const wanted = new Map<string, boolean>()
  for (const setting of text.split(',').filter((part) => part.trim() !== '')) {
    // Gates of this program go by the name of the reference's component, too.
    const [name = '', value, ...more] = setting.split('=').map((part) => part.trim().replace(/^kube:/, ''))
    const enabled = value === undefined ? undefined : BOOLEANS.get(value.toLowerCase())
    if (enabled === undefined || more.length > 0)
      throw usageError(`${source}: "${setting.trim()}" is not NAME=true or NAME=false`)
    checkGate(name, enabled, source)
    wanted.set(name, enabled)
  }
  const entries = Object.entries(ALL_GATES).map(([name, gate]) => {
    const byGroup = Object.entries(GROUPS).find(([group, stage]) => stage === gate.stage && wanted.has(group))?.[0]
    return [name, wanted.get(name) ?? (byGroup === undefined ? gate.enabled : wanted.get(byGroup))]
  })
  return Object.freeze(Object.fromEntries(entries) as Record<GateName, boolean>)
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
])

function checkGate(name: string, enabled: boolean, source: string): void {
  if (Object.hasOwn(GROUPS, name)) return
  const gate = Object.hasOwn(ALL_GATES, name) ? ALL_GATES[name] : undefined
  if (gate === undefined) {
    const meant = closestWord(name, [...Object.keys(ALL_GATES), ...Object.keys(GROUPS)])
    throw usageError(
      `${source}: unknown feature gate "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  }
  if (gate.locked === true && gate.enabled !== enabled) {
    throw usageError(`${source}: feature gate ${name} is locked to ${gate.enabled}`)
  }
}
