// The feature gates of the reference and our own, with their stages and their defaults by API level, and their changes by a setting. A gate
// chooses an implementation when the server is put together, or the rules of a kind read it.
import { type ApiLevel, byLevel, isAtLevel, type LevelSpan } from '../api/level.ts'
import { suggestion } from '../lib/closest-word.ts'
import { parseBoolean } from './setting-reader.ts'
import { usageError } from './start-error.ts'

type Stage = 'alpha' | 'beta' | 'GA' | 'deprecated'

interface Gate extends LevelSpan {
  readonly stage: Stage
  readonly enabled: boolean
  /** The gate cannot be changed. */
  readonly locked?: true
}

const BY_STAGE: readonly (readonly [Gate, string])[] = [
  [
    { stage: 'GA', enabled: true, locked: true },
    `
    CPUManagerPolicyOptions CRDValidationRatcheting CSIServiceAccountTokenSecrets CustomResourceFieldSelectors
    DRAAdminAccess DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
    ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers InPlacePodVerticalScaling JobManagedBy
    KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources
    KubeletPodResourcesGet KubeletTracing MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
    MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery
    NodeSwap PodObservedGenerationTracking PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType
    RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedEnvironmentVariableValidation
    SELinuxChangePolicy SELinuxMountReadWriteOncePod SeparateTaintEvictionController ServiceAccountTokenJTI
    ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
    SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
    VolumeAttributesClass WinDSR WinOverlay
    `,
  ],
  [
    { stage: 'GA', enabled: true },
    `
    AllowServiceExternalIPs CustomCPUCFSQuotaPeriod InformerResourceVersion MutatingAdmissionPolicy
    `,
  ],
  [
    { stage: 'beta', enabled: true },
    `
    APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
    AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
    ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz
    ComponentStatusz ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging
    DRAConsumableCapacity DRADeviceBindingConditions DRAPartitionableDevices
    DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
    DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet
    GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority InOrderInformersBatchProcess
    InPlacePodLevelResourcesVerticalScaling KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
    KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
    LoggingBetaOptions MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
    MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
    NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PodDeletionCost PodLevelResources
    PodTopologyLabelsAdmission PortForwardWebsockets ReloadKubeletClientCAFile
    ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
    RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
    SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
    StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
    StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
    StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
    StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
    TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
    UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO WatchList WatchListClient
    WindowsGracefulNodeShutdown
    `,
  ],
  [
    { stage: 'beta', enabled: false },
    `
    AllBeta CoordinatedLeaderElection LocalStorageCapacityIsolationFSQuotaMonitoring SchedulerAsyncAPICalls
    `,
  ],
  [
    { stage: 'alpha', enabled: false },
    `
    AllAlpha APIServingWithRoutine CBORServingAndStorage CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth
    ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
    CloudControllerManagerWebhook ContainerStopSignals ControllerManagerReleaseLeaderElectionLockOnExit
    CrossNamespaceVolumeDataSource DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus
    EventedPLEG ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
    InPlacePodVerticalScalingExclusiveMemory LoggingAlphaOptions MutablePVNodeAffinity PodLogsQuerySplitStreams
    QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi ShardedListAndWatch
    StorageVersionAPI TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
    TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport WindowsCPUAndMemoryAffinity
    WorkloadWithJob
    `,
  ],
  [
    { stage: 'deprecated', enabled: true, locked: true },
    `
    AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion
    `,
  ],
  [
    { stage: 'deprecated', enabled: false, locked: true },
    `
    AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
    `,
  ],
  [
    { stage: 'deprecated', enabled: true },
    `
    KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping StorageNamespaceIndex
    `,
  ],
  [
    { stage: 'deprecated', enabled: false },
    `
    AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
    KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `,
  ],
  // Gates that the reference does not have: for the past of an object (`handlers/history.ts`), and for `drop` in Accept.
  [{ stage: 'alpha', enabled: false }, 'ObjectHistory ManagedFieldsOptOut'],
  [
    { stage: 'GA', enabled: true, locked: true, until: '1.36' },
    `
    APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
    AuthorizeWithSelectors BtreeWatchCache ConsistentListFromCache JobBackoffLimitPerIndex
    JobPodReplacementPolicy JobSuccessPolicy LogarithmicScaleDown OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero RelaxedDNSSearchValidation
    ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints SidecarContainers
    StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
    StructuredAuthenticationConfiguration
    `,
  ],
  [
    { stage: 'GA', enabled: true, until: '1.36' },
    `
    DRAPrioritizedList
    `,
  ],
  [
    { stage: 'beta', enabled: true, until: '1.36' },
    `
    DRADeviceTaints DRAExtendedResource DRAResourceClaimDeviceStatus HPAConfigurableTolerance HostnameOverride
    InPlacePodVerticalScalingInitContainers NodeDeclaredFeatures PLEGOnDemandRelist
    PodReadyToStartContainersCondition PreventStaticPodAPIReferences RelaxedServiceNameValidation
    WatchCacheInitializationPostStartHook
    `,
  ],
  [
    { stage: 'beta', enabled: false, until: '1.36' },
    `
    ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode DRADeviceTaintRules
    MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount StorageVersionMigrator
    `,
  ],
  [
    { stage: 'alpha', enabled: false, until: '1.36' },
    `
    AllowUnsafeMalformedObjectDeletion DRAWorkloadResourceClaims GangScheduling GenericWorkload HPAScaleToZero
    KubeletInUserNamespace ManifestBasedAdmissionControlConfig MemoryQoS NativeHistograms
    PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers PodsAPI
    StorageCapacityScoring VolumeLimitScaling WorkloadAwarePreemption
    `,
  ],
  [
    { stage: 'deprecated', enabled: true, until: '1.36' },
    `
    DisableCPUQuotaWithExclusiveCPUs
    `,
  ],
  [
    { stage: 'deprecated', enabled: false, until: '1.36' },
    `
    DeclarativeValidationTakeover
    `,
  ],
  [
    { stage: 'GA', enabled: true, since: '1.37' },
    `
    ClusterTrustBundle ClusterTrustBundleProjection DRADeviceTaintRules DRADeviceTaints
    PodCertificateRequest SELinuxMount StorageVersionMigrator
    `,
  ],
  [
    { stage: 'GA', enabled: true, locked: true, since: '1.37' },
    `
    DRAExtendedResource DRAPrioritizedList DRAResourceClaimDeviceStatus HPAConfigurableTolerance
    HostnameOverride InPlacePodVerticalScalingInitContainers NodeDeclaredFeatures
    PLEGOnDemandRelist PodReadyToStartContainersCondition RelaxedServiceNameValidation
    WatchCacheInitializationPostStartHook
    `,
  ],
  [
    { stage: 'alpha', enabled: false, since: '1.37' },
    `
    APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields CompositePodGroup
    ConsistentListFromCacheSkipTimeoutFallback DRADerivedAttributes DRADeviceCompatibilityGroups
    DRAOptionalNodeOperations DRAPartitionableDevicesType DefaultPodSysctls EmptyDirVolumeMode
    EvictionRequestAPI GRPCContainerProbeTLS H2CContainerProbe InPlacePodVerticalScalingMemoryBackedVolumes
    InPlacePodVerticalScalingSchedulerPreemption InterPodAffinityHostnameFastPath
    KubeProxyNFTablesLocalhostNodePorts KubeletAllocatedPodsEndpoint NodeLifecycleConditions
    PodGroupPreemptionPolicy SchedulerPreQueueingHints StatefulSetRecreateStrategy VolumeBindMountOptions
    `,
  ],
  [
    { stage: 'beta', enabled: false, since: '1.37' },
    `
    DRAFractionalCapacityRange DRAWorkloadResourceClaims GenericWorkload PodAndContainerStatsFromCRI
    PodLevelResourceManagers
    `,
  ],
  [
    { stage: 'beta', enabled: true, since: '1.37' },
    `
    ConcurrentWatchObjectDecode EtcdRangeStream ExcludeAdmissionWebhookVirtualResources HPAGeneration
    HPAOptimizedSelectorStore HPAScaleToZero HugepageAwareEviction KubeletInUserNamespace
    ManifestBasedAdmissionControlConfig MaxUnavailableStatefulSet MemoryQoS NFTablesNetlink NativeHistograms
    NodeControllerLeaseCircuitBreaker PersistentVolumeClaimUnusedSinceTime PodLevelResourcesFixDefaulting
    PodLevelResourcesFixKubeletQOSClass PodsAPI StaleControllerConsistencyHPA StorageCapacityScoring
    VolumeLimitScaling WatchListCompression WebhookRoundTripLoadBalancing
    `,
  ],
  [
    { stage: 'deprecated', enabled: false, locked: true, since: '1.37' },
    `
    DeclarativeValidationTakeover
    `,
  ],
  [
    { stage: 'deprecated', enabled: true, since: '1.37' },
    `
    KubeProxyIPVS
    `,
  ],
  [
    { stage: 'deprecated', enabled: true, locked: true, since: '1.37' },
    `
    DisableCPUQuotaWithExclusiveCPUs
    `,
  ],
  // D34: this gate is on in the reference at this level.
  [{ stage: 'beta', enabled: false, since: '1.37' }, 'AllowUnsafeMalformedObjectDeletion'],
]

export const gatesAt = byLevel(
  (level): Readonly<Record<string, Gate>> =>
    Object.freeze(
      Object.fromEntries(
        BY_STAGE.filter(([gate]) => isAtLevel(level, gate)).flatMap(([gate, names]) =>
          names
            .trim()
            .split(/\s+/)
            .map((name) => [name, gate]),
        ),
      ),
    ),
)

/** The gates that the server itself uses. */
type ServerGate = 'CBORServingAndStorage' | 'ConstrainedImpersonation' | 'ListFromCacheSnapshot' | 'ObjectHistory'

/** All known gates, and whether they are on. */
export type FeatureGates = Readonly<Record<ServerGate, boolean>> & Readonly<Record<string, boolean>>

/** The gates that are on. */
export function gatesOn(gates: FeatureGates): ReadonlySet<string> {
  return new Set(Object.entries(gates).flatMap(([name, on]) => (on ? [name] : [])))
}

export interface GateState {
  readonly name: string
  /** `ALPHA`, `BETA`, `DEPRECATED`; empty for GA. */
  readonly stage: string
  readonly enabled: boolean
}

export function gateStates(gates: FeatureGates, level?: ApiLevel): readonly GateState[] {
  return Object.entries(gatesAt(level)).map(([name, { stage }]) => {
    return { name, stage: stage === 'GA' ? '' : stage.toUpperCase(), enabled: gates[name] === true }
  })
}

/** Names that switch all gates of a stage, except gates that are set by their own names. */
const GROUPS: Readonly<Record<string, Stage>> = { AllAlpha: 'alpha', AllBeta: 'beta' }

/** Reads `Name=true,Other=false`. Throws a `StartError` that names the source of the setting. */
export function parseFeatureGates(text: string, source: string, level?: ApiLevel): FeatureGates {
  const gates = gatesAt(level)
  const wanted = new Map<string, boolean>()
  for (const setting of text.split(',').filter((part) => part.trim() !== '')) {
    // The prefix `kube:`, which names the reference's component, is accepted too.
    const [name = '', value, ...more] = setting.split('=').map((part) => part.trim().replace(/^kube:/, ''))
    const enabled = value === undefined ? undefined : parseBoolean(value)
    if (enabled === undefined || more.length > 0)
      throw usageError(`${source}: "${setting.trim()}" is not NAME=true or NAME=false`)
    checkGate(gates, { name, enabled, source })
    wanted.set(name, enabled)
  }
  const entries = Object.entries(gates).map(([name, gate]) => {
    const byGroup = Object.entries(GROUPS).find(([group, stage]) => stage === gate.stage && wanted.has(group))?.[0]
    return [name, wanted.get(name) ?? (byGroup === undefined ? gate.enabled : wanted.get(byGroup))]
  })
  return Object.freeze(Object.fromEntries(entries) as FeatureGates)
}

interface GateSetting {
  readonly name: string
  readonly enabled: boolean
  readonly source: string
}

function checkGate(gates: Readonly<Record<string, Gate>>, { name, enabled, source }: GateSetting): void {
  if (Object.hasOwn(GROUPS, name)) return
  const gate = Object.hasOwn(gates, name) ? gates[name] : undefined
  if (gate === undefined) {
    const names = [...Object.keys(gates), ...Object.keys(GROUPS)]
    throw usageError(`${source}: unknown feature gate "${name}"${suggestion(name, names)}`)
  }
  if (gate.locked === true && gate.enabled !== enabled) {
    throw usageError(`${source}: feature gate ${name} is locked to ${gate.enabled}`)
  }
}
