// The feature gates at API level 1.36 that are about fields and rules of the built-in kinds, by how they stand: defaults,
// validation and the kinds' own files ask for them by name.
export type Stage = 'alpha' | 'beta' | 'GA' | 'deprecated'

export interface Gate {
  readonly stage: Stage
  readonly enabled: boolean
  /** It can no longer be switched. */
  readonly locked?: true
}

const BY_STANDING: readonly (readonly [Gate, string])[] = [
  [
    { stage: 'GA', enabled: true, locked: true },
    `
    AnyVolumeDataSource AuthorizeNodeWithSelectors CPUManagerPolicyOptions CSIServiceAccountTokenSecrets
    DRAAdminAccess DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
    ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InPlacePodVerticalScaling
    JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
    KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing
    LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
    NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
    PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
    RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation SELinuxChangePolicy SELinuxMountReadWriteOncePod
    SchedulerQueueingHints SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
    ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
    SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
    VolumeAttributesClass WinDSR WinOverlay
    `,
  ],
  [
    { stage: 'GA', enabled: true },
    `
    AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList
    `,
  ],
  [
    { stage: 'beta', enabled: true },
    `
    AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions ClearingNominatedNodeNameAfterBinding
    ComponentFlagz ComponentStatusz ContainerCheckpoint ContainerRestartRules DRAConsumableCapacity
    DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
    DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout
    DeploymentReplicaSetTerminatingReplicas EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
    GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride
    InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax
    KubeletEnsureSecretPulledImages KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
    MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
    MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
    NominatedNodeNameForExpectation OpportunisticBatching PLEGOnDemandRelist PodDeletionCost PodLevelResources
    PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
    PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
    ReloadKubeletServerCertificateFile ResourceHealthStatus ResourceHealthStatusMessage
    RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
    SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction StaleControllerConsistencyDaemonSet
    StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
    StatefulSetSemanticRevisionComparison StrictIPCIDRValidation TopologyManagerPolicyBetaOptions
    TranslateStreamCloseWebsocketRequests WindowsGracefulNodeShutdown
    `,
  ],
  [
    { stage: 'beta', enabled: false },
    `
    ClusterTrustBundle ClusterTrustBundleProjection DRADeviceTaintRules
    LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount
    SchedulerAsyncAPICalls StorageVersionMigrator
    `,
  ],
  [
    { stage: 'alpha', enabled: false },
    `
    CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth
    CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
    CrossNamespaceVolumeDataSource DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus
    DRAWorkloadResourceClaims EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest
    InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace MemoryQoS
    MutablePVNodeAffinity PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
    PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi
    StorageCapacityScoring TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
    TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling
    WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob
    `,
  ],
  [
    { stage: 'deprecated', enabled: true, locked: true },
    `
    DisableNodeKubeProxyVersion
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
    KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `,
  ],
]

export const KIND_GATES: Readonly<Record<string, Gate>> = Object.freeze(
  Object.fromEntries(
    BY_STANDING.flatMap(([gate, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, gate]),
    ),
  ),
)
