// The feature gates of the reference at API level 1.36 with their stages and defaults, ours, and how a setting changes them. A gate
// chooses an implementation in the composition, or is asked for by the rules of a kind.
import { suggestion } from '../lib/closest-word.ts'
import { parseBoolean } from './setting-reader.ts'
import { usageError } from './start-error.ts'

type Stage = 'alpha' | 'beta' | 'GA' | 'deprecated'

interface Gate {
  readonly stage: Stage
  readonly enabled: boolean
  /** The gate cannot be changed. */
  readonly locked?: true
}

const BY_STAGE: readonly (readonly [Gate, string])[] = [
  [
    { stage: 'GA', enabled: true, locked: true },
    `
    APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
    AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
    CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess
    DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
    ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InPlacePodVerticalScaling
    JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
    KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing
    LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
    NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
    PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
    RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization
    RetryGenerateName SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints
    SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
    ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
    StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
    SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
    VolumeAttributesClass WinDSR WinOverlay
    `,
  ],
  [
    { stage: 'GA', enabled: true },
    `
    AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList MutatingAdmissionPolicy
    `,
  ],
  [
    { stage: 'beta', enabled: true },
    `
    APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
    AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
    ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz
    ComponentStatusz ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging
    DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
    DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout
    DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles
    ExtendWebSocketsToKubelet GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance
    HostnameOverride InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
    InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
    KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot LoggingBetaOptions
    MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
    MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
    NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost
    PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
    PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
    ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
    RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
    SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
    StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
    StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
    StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
    StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
    TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
    UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO WatchCacheInitializationPostStartHook WatchList
    WatchListClient WindowsGracefulNodeShutdown
    `,
  ],
  [
    { stage: 'beta', enabled: false },
    `
    ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
    DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet
    PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls StorageVersionMigrator
    `,
  ],
  [
    { stage: 'alpha', enabled: false },
    `
    APIServingWithRoutine AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions
    CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR
    CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
    ControllerManagerReleaseLeaderElectionLockOnExit CrossNamespaceVolumeDataSource DRAListTypeAttributes
    DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims EventedPLEG GangScheduling
    GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
    InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LoggingAlphaOptions
    ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity NativeHistograms
    PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
    PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi
    ShardedListAndWatch StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators
    TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport
    VolumeLimitScaling WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob
    `,
  ],
  // Ours: the past of an object (`handlers/history.ts`).
  [{ stage: 'alpha', enabled: false }, 'ObjectHistory'],
  [
    { stage: 'deprecated', enabled: true, locked: true },
    `
    AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion SeparateCacheWatchRPC
    `,
  ],
  [
    { stage: 'deprecated', enabled: false, locked: true },
    `
    AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver
    `,
  ],
  [
    { stage: 'deprecated', enabled: true },
    `
    DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping
    StorageNamespaceIndex
    `,
  ],
  [
    { stage: 'deprecated', enabled: false },
    `
    AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
    DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `,
  ],
]

export const GATES: Readonly<Record<string, Gate>> = Object.freeze(
  Object.fromEntries(
    BY_STAGE.flatMap(([gate, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, gate]),
    ),
  ),
)

/** The gates that the server itself uses. */
type ServerGate = 'CBORServingAndStorage' | 'ConstrainedImpersonation' | 'ListFromCacheSnapshot' | 'ObjectHistory'

/** All known gates, and whether they are on. */
export type FeatureGates = Readonly<Record<ServerGate, boolean>> & Readonly<Record<string, boolean>>

export interface GateState {
  readonly name: string
  /** `ALPHA`, `BETA`, `DEPRECATED`; empty for GA. */
  readonly stage: string
  readonly enabled: boolean
}

export function gateStates(gates: FeatureGates): readonly GateState[] {
  return Object.entries(GATES).map(([name, { stage }]) => {
    return { name, stage: stage === 'GA' ? '' : stage.toUpperCase(), enabled: gates[name] === true }
  })
}

/** Names that switch all gates of a stage, except gates that are set by their own names. */
const GROUPS: Readonly<Record<string, Stage>> = { AllAlpha: 'alpha', AllBeta: 'beta' }

/** Reads `Name=true,Other=false`. Throws a `StartError` that names the source of the setting. */
export function parseFeatureGates(text: string, source: string): FeatureGates {
  const wanted = new Map<string, boolean>()
  for (const setting of text.split(',').filter((part) => part.trim() !== '')) {
    // The prefix of the reference's component is accepted too.
    const [name = '', value, ...more] = setting.split('=').map((part) => part.trim().replace(/^kube:/, ''))
    const enabled = value === undefined ? undefined : parseBoolean(value)
    if (enabled === undefined || more.length > 0)
      throw usageError(`${source}: "${setting.trim()}" is not NAME=true or NAME=false`)
    checkGate(name, enabled, source)
    wanted.set(name, enabled)
  }
  const entries = Object.entries(GATES).map(([name, gate]) => {
    const byGroup = Object.entries(GROUPS).find(([group, stage]) => stage === gate.stage && wanted.has(group))?.[0]
    return [name, wanted.get(name) ?? (byGroup === undefined ? gate.enabled : wanted.get(byGroup))]
  })
  return Object.freeze(Object.fromEntries(entries) as FeatureGates)
}

function checkGate(name: string, enabled: boolean, source: string): void {
  if (Object.hasOwn(GROUPS, name)) return
  const gate = Object.hasOwn(GATES, name) ? GATES[name] : undefined
  if (gate === undefined) {
    const names = [...Object.keys(GATES), ...Object.keys(GROUPS)]
    throw usageError(`${source}: unknown feature gate "${name}"${suggestion(name, names)}`)
  }
  if (gate.locked === true && gate.enabled !== enabled) {
    throw usageError(`${source}: feature gate ${name} is locked to ${gate.enabled}`)
  }
}
