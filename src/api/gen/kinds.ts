// Written by `make generate` from proto/api: the types of built-in kinds as the server holds them. Decoding returns objects of
// these types, and stored objects are checked when they are parsed (`schema/stored-types.ts`).
import type { MapOf, Value } from '../value.ts'

/** An object inside another object, which may leave out its kind and version. */
type Embedded<T extends { kind: string; apiVersion: string }> = Omit<T, 'kind' | 'apiVersion'> & {
  readonly kind?: string
  readonly apiVersion?: string
}

export type APIGroup = {
  readonly kind: string
  readonly apiVersion: string
  readonly name: string
  readonly versions: readonly GroupVersionForDiscovery[] | null
  readonly preferredVersion: GroupVersionForDiscovery
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[]
}

export type APIGroupDiscovery = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly versions?: readonly APIVersionDiscovery[]
}

export type APIGroupDiscoveryList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly APIGroupDiscovery[] | null
}

export type APIGroupList = {
  readonly kind: string
  readonly apiVersion: string
  readonly groups: readonly APIGroup[] | null
}

export type APIResource = {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly string[] | null
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

export type APIResourceDiscovery = {
  readonly resource: string
  readonly responseKind?: GroupVersionKind
  readonly scope: string
  readonly singularResource: string
  readonly verbs: readonly string[] | null
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly APISubresourceDiscovery[]
}

export type APIResourceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly groupVersion: string
  readonly resources: readonly APIResource[] | null
}

export type APIService = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: APIServiceSpec
  readonly status: APIServiceStatus
}

export type APIServiceCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type APIServiceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly APIService[] | null
}

export type APIServiceSpec = {
  readonly service?: ApiregistrationV1ServiceReference
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export type APIServiceStatus = {
  readonly conditions?: readonly APIServiceCondition[]
}

export type APISubresourceDiscovery = {
  readonly subresource: string
  readonly responseKind?: GroupVersionKind
  readonly acceptedTypes?: readonly GroupVersionKind[]
  readonly verbs: readonly string[] | null
}

export type APIVersionDiscovery = {
  readonly version: string
  readonly resources?: readonly APIResourceDiscovery[]
  readonly freshness?: string
}

export type APIVersions = {
  readonly kind: string
  readonly apiVersion: string
  readonly versions: readonly string[] | null
  readonly serverAddressByClientCIDRs: readonly ServerAddressByClientCIDR[] | null
}

export type AWSElasticBlockStoreVolumeSource = {
  readonly volumeID: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export type AdmissionRequest = {
  readonly uid: string
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subResource?: string
  readonly requestKind?: GroupVersionKind
  readonly requestResource?: GroupVersionResource
  readonly requestSubResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly operation: string
  readonly userInfo: UserInfo
  readonly object: Value
  readonly oldObject: Value
  readonly dryRun?: boolean
  readonly options: Value
}

export type AdmissionResponse = {
  readonly uid: string
  readonly allowed: boolean
  readonly status?: Embedded<Status>
  readonly patch?: string
  readonly patchType?: string
  readonly auditAnnotations?: MapOf<string>
  readonly warnings?: readonly string[]
}

export type AdmissionReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly request?: AdmissionRequest
  readonly response?: AdmissionResponse
}

export type Affinity = {
  readonly nodeAffinity?: NodeAffinity
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAntiAffinity
}

export type AggregationRule = {
  readonly clusterRoleSelectors?: readonly LabelSelector[]
}

export type AllCompositeDisruptionMode = {
}

export type AllDisruptionMode = {
}

export type AllocatedDeviceStatus = {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions: readonly Condition[] | null
  readonly data?: Value
  readonly networkData?: NetworkDeviceData
}

export type AllocationResult = {
  readonly devices: DeviceAllocationResult
  readonly nodeSelector?: NodeSelector
  readonly allocationTimestamp?: string
}

export type ApiextensionsV1ServiceReference = {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export type ApiextensionsV1WebhookClientConfig = {
  readonly url?: string
  readonly service?: ApiextensionsV1ServiceReference
  readonly caBundle?: string
}

export type ApiregistrationV1ServiceReference = {
  readonly namespace?: string
  readonly name?: string
  readonly port?: number
}

export type AppArmorProfile = {
  readonly type: string
  readonly localhostProfile?: string
}

export type ApplyConfiguration = {
  readonly expression?: string
}

export type ApplyOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly dryRun?: readonly string[]
  readonly force: boolean
  readonly fieldManager: string
}

export type AttachedVolume = {
  readonly name: string
  readonly devicePath: string
}

export type AuditAnnotation = {
  readonly key: string
  readonly valueExpression: string
}

export type AuditV1Event = {
  readonly kind: string
  readonly apiVersion: string
  readonly level: string
  readonly auditID: string
  readonly stage: string
  readonly requestURI: string
  readonly verb: string
  readonly user: UserInfo
  readonly impersonatedUser?: UserInfo
  readonly authenticationMetadata?: AuthenticationMetadata
  readonly sourceIPs?: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: AuditV1ObjectReference
  readonly responseStatus?: Embedded<Status>
  readonly requestObject?: Unknown
  readonly responseObject?: Unknown
  readonly requestReceivedTimestamp: string | null
  readonly stageTimestamp: string | null
  readonly annotations?: MapOf<string>
}

export type AuditV1EventList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly AuditV1Event[] | null
}

export type AuditV1ObjectReference = {
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiGroup?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly subresource?: string
}

export type AuditV1PolicyRule = {
  readonly level: string
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly string[]
  readonly omitManagedFields?: boolean
}

export type AuthenticationMetadata = {
  readonly impersonationConstraint?: string
}

export type AutoscalingV1ContainerResourceMetricSource = {
  readonly name: string
  readonly targetAverageUtilization?: number
  readonly targetAverageValue?: string
  readonly container: string
}

export type AutoscalingV1ContainerResourceMetricStatus = {
  readonly name: string
  readonly currentAverageUtilization?: number
  readonly currentAverageValue: string
  readonly container: string
}

export type AutoscalingV1CrossVersionObjectReference = {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

export type AutoscalingV1ExternalMetricSource = {
  readonly metricName: string
  readonly metricSelector?: LabelSelector
  readonly targetValue?: string
  readonly targetAverageValue?: string
}

export type AutoscalingV1ExternalMetricStatus = {
  readonly metricName: string
  readonly metricSelector?: LabelSelector
  readonly currentValue: string
  readonly currentAverageValue?: string
}

export type AutoscalingV1HorizontalPodAutoscaler = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: AutoscalingV1HorizontalPodAutoscalerSpec
  readonly status: AutoscalingV1HorizontalPodAutoscalerStatus
}

export type AutoscalingV1HorizontalPodAutoscalerCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type AutoscalingV1HorizontalPodAutoscalerList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly AutoscalingV1HorizontalPodAutoscaler[] | null
}

export type AutoscalingV1HorizontalPodAutoscalerSpec = {
  readonly scaleTargetRef: AutoscalingV1CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly targetCPUUtilizationPercentage?: number
}

export type AutoscalingV1HorizontalPodAutoscalerStatus = {
  readonly observedGeneration?: number | bigint
  readonly lastScaleTime?: string
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly currentCPUUtilizationPercentage?: number
}

export type AutoscalingV1MetricSpec = {
  readonly type: string
  readonly object?: AutoscalingV1ObjectMetricSource
  readonly pods?: AutoscalingV1PodsMetricSource
  readonly resource?: AutoscalingV1ResourceMetricSource
  readonly containerResource?: AutoscalingV1ContainerResourceMetricSource
  readonly external?: AutoscalingV1ExternalMetricSource
}

export type AutoscalingV1MetricStatus = {
  readonly type: string
  readonly object?: AutoscalingV1ObjectMetricStatus
  readonly pods?: AutoscalingV1PodsMetricStatus
  readonly resource?: AutoscalingV1ResourceMetricStatus
  readonly containerResource?: AutoscalingV1ContainerResourceMetricStatus
  readonly external?: AutoscalingV1ExternalMetricStatus
}

export type AutoscalingV1ObjectMetricSource = {
  readonly target: AutoscalingV1CrossVersionObjectReference
  readonly metricName: string
  readonly targetValue: string
  readonly selector?: LabelSelector
  readonly averageValue?: string
}

export type AutoscalingV1ObjectMetricStatus = {
  readonly target: AutoscalingV1CrossVersionObjectReference
  readonly metricName: string
  readonly currentValue: string
  readonly selector?: LabelSelector
  readonly averageValue?: string
}

export type AutoscalingV1PodsMetricSource = {
  readonly metricName: string
  readonly targetAverageValue: string
  readonly selector?: LabelSelector
}

export type AutoscalingV1PodsMetricStatus = {
  readonly metricName: string
  readonly currentAverageValue: string
  readonly selector?: LabelSelector
}

export type AutoscalingV1ResourceMetricSource = {
  readonly name: string
  readonly targetAverageUtilization?: number
  readonly targetAverageValue?: string
}

export type AutoscalingV1ResourceMetricStatus = {
  readonly name: string
  readonly currentAverageUtilization?: number
  readonly currentAverageValue: string
}

export type AvoidPods = {
  readonly preferAvoidPods?: readonly PreferAvoidPodsEntry[]
}

export type AzureDiskVolumeSource = {
  readonly diskName: string
  readonly diskURI: string
  readonly cachingMode?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly kind?: string
}

export type AzureFilePersistentVolumeSource = {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
  readonly secretNamespace: string | null
}

export type AzureFileVolumeSource = {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
}

export type BasicDevice = {
  readonly attributes?: MapOf<ResourceV1beta1DeviceAttribute>
  readonly capacity?: MapOf<ResourceV1beta1DeviceCapacity>
  readonly consumesCounters?: readonly ResourceV1beta1DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly ResourceV1beta1DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResourceMappings?: MapOf<ResourceV1beta1NodeAllocatableResourceMapping>
  readonly nodeAllocatableResources?: MapOf<ResourceV1beta1NodeAllocatableResource>
}

export type BasicSchedulingPolicy = {
}

export type Binding = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly target: ObjectReference
}

export type BoundObjectReference = {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

export type CELDeviceSelector = {
  readonly expression: string
}

export type CSIDriver = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CSIDriverSpec
}

export type CSIDriverList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CSIDriver[] | null
}

export type CSIDriverSpec = {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly StorageV1TokenRequest[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number | bigint
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

export type CSINode = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CSINodeSpec
  readonly status?: CSINodeStatus
}

export type CSINodeDriver = {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys: readonly string[] | null
  readonly allocatable?: VolumeNodeResources
}

export type CSINodeList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CSINode[] | null
}

export type CSINodeSpec = {
  readonly drivers: readonly CSINodeDriver[] | null
}

export type CSINodeStatus = {
  readonly storageHealth?: readonly StorageHealth[]
}

export type CSIPersistentVolumeSource = {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: MapOf<string>
  readonly controllerPublishSecretRef?: SecretReference
  readonly nodeStageSecretRef?: SecretReference
  readonly nodePublishSecretRef?: SecretReference
  readonly controllerExpandSecretRef?: SecretReference
  readonly nodeExpandSecretRef?: SecretReference
}

export type CSIStorageCapacity = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
  readonly capacity?: string
  readonly maximumVolumeSize?: string
}

export type CSIStorageCapacityList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CSIStorageCapacity[] | null
}

export type CSIVolumeSource = {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: MapOf<string>
  readonly nodePublishSecretRef?: LocalObjectReference
}

export type Capabilities = {
  readonly add?: readonly string[]
  readonly drop?: readonly string[]
}

export type CapacityRequestPolicy = {
  readonly default: string | null
  readonly validValues?: readonly string[]
  readonly validRange?: CapacityRequestPolicyRange
}

export type CapacityRequestPolicyRange = {
  readonly min?: string
  readonly max?: string
  readonly step?: string
}

export type CapacityRequirements = {
  readonly requests?: MapOf<string>
}

export type CephFSPersistentVolumeSource = {
  readonly monitors: readonly string[] | null
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

export type CephFSVolumeSource = {
  readonly monitors: readonly string[] | null
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

export type CertificateSigningRequest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CertificateSigningRequestSpec
  readonly status: CertificateSigningRequestStatus
}

export type CertificateSigningRequestCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime: string | null
  readonly lastTransitionTime: string | null
}

export type CertificateSigningRequestList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CertificateSigningRequest[] | null
}

export type CertificateSigningRequestSpec = {
  readonly request: string | null
  readonly signerName: string
  readonly expirationSeconds?: number
  readonly usages?: readonly string[]
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: MapOf<readonly string[] | null>
}

export type CertificateSigningRequestStatus = {
  readonly conditions?: readonly CertificateSigningRequestCondition[]
  readonly certificate?: string
}

export type CinderPersistentVolumeSource = {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: SecretReference
}

export type CinderVolumeSource = {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

export type ClientIPConfig = {
  readonly timeoutSeconds?: number
}

export type ClusterRole = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
  readonly aggregationRule?: AggregationRule
}

export type ClusterRoleBinding = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

export type ClusterRoleBindingList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ClusterRoleBinding[] | null
}

export type ClusterRoleList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ClusterRole[] | null
}

export type ClusterTrustBundle = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ClusterTrustBundleSpec
}

export type ClusterTrustBundleList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ClusterTrustBundle[] | null
}

export type ClusterTrustBundleProjection = {
  readonly name?: string
  readonly signerName?: string
  readonly labelSelector?: LabelSelector
  readonly optional?: boolean
  readonly path: string
  readonly user?: number | bigint
}

export type ClusterTrustBundleSpec = {
  readonly signerName?: string
  readonly trustBundle: string
}

export type ComponentCondition = {
  readonly type: string
  readonly status: string
  readonly message?: string
  readonly error?: string
}

export type ComponentStatus = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly conditions?: readonly ComponentCondition[]
}

export type ComponentStatusList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ComponentStatus[] | null
}

export type CompositeBasicSchedulingPolicy = {
}

export type CompositeDisruptionMode = {
  readonly single?: SingleCompositeDisruptionMode
  readonly all?: AllCompositeDisruptionMode
}

export type CompositeGangSchedulingPolicy = {
  readonly minGroupCount: number
}

export type CompositePodGroup = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CompositePodGroupSpec
  readonly status: CompositePodGroupStatus
}

export type CompositePodGroupList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CompositePodGroup[] | null
}

export type CompositePodGroupSchedulingConstraints = {
  readonly topology?: readonly TopologyConstraint[]
}

export type CompositePodGroupSchedulingPolicy = {
  readonly basic?: CompositeBasicSchedulingPolicy
  readonly gang?: CompositeGangSchedulingPolicy
}

export type CompositePodGroupSpec = {
  readonly parentCompositePodGroupName?: string
  readonly workloadRef: SchedulingV1alpha3WorkloadReference | null
  readonly schedulingPolicy: SchedulingV1alpha3CompositePodGroupSchedulingPolicy
  readonly schedulingConstraints?: SchedulingV1alpha3CompositePodGroupSchedulingConstraints
  readonly disruptionMode?: SchedulingV1alpha3CompositeDisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
}

export type CompositePodGroupStatus = {
  readonly conditions?: readonly Condition[]
}

export type CompositePodGroupTemplate = {
  readonly name: string
  readonly schedulingPolicy: CompositePodGroupSchedulingPolicy
  readonly schedulingConstraints?: CompositePodGroupSchedulingConstraints
  readonly disruptionMode?: CompositeDisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
  readonly podGroupTemplates?: readonly PodGroupTemplate[]
  readonly compositePodGroupTemplates?: readonly CompositePodGroupTemplate[]
}

export type Condition = {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number | bigint
  readonly lastTransitionTime: string | null
  readonly reason: string
  readonly message: string
}

export type ConfigMap = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly immutable?: boolean
  readonly data?: MapOf<string>
  readonly binaryData?: MapOf<string | null>
}

export type ConfigMapEnvSource = {
  readonly name?: string
  readonly optional?: boolean
}

export type ConfigMapKeySelector = {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export type ConfigMapList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ConfigMap[] | null
}

export type ConfigMapNodeConfigSource = {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly kubeletConfigKey: string
}

export type ConfigMapProjection = {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

export type ConfigMapVolumeSource = {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number | bigint
}

export type Container = {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly imagePullPolicy?: string
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export type ContainerExtendedResourceRequest = {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export type ContainerImage = {
  readonly names: readonly string[] | null
  readonly sizeBytes?: number | bigint
}

export type ContainerPort = {
  readonly name?: string
  readonly hostPort?: number
  readonly containerPort: number
  readonly protocol?: string
  readonly hostIP?: string
}

export type ContainerResizePolicy = {
  readonly resourceName: string
  readonly restartPolicy: string
}

export type ContainerResourceMetricSource = {
  readonly name: string
  readonly target: MetricTarget
  readonly container: string
}

export type ContainerResourceMetricStatus = {
  readonly name: string
  readonly current: MetricValueStatus
  readonly container: string
}

export type ContainerRestartRule = {
  readonly action?: string
  readonly exitCodes?: ContainerRestartRuleOnExitCodes
}

export type ContainerRestartRuleOnExitCodes = {
  readonly operator?: string
  readonly values?: readonly number[]
}

export type ContainerState = {
  readonly waiting?: ContainerStateWaiting
  readonly running?: ContainerStateRunning
  readonly terminated?: ContainerStateTerminated
}

export type ContainerStateRunning = {
  readonly startedAt: string | null
}

export type ContainerStateTerminated = {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly containerID?: string
}

export type ContainerStateWaiting = {
  readonly reason?: string
  readonly message?: string
}

export type ContainerStatus = {
  readonly name: string
  readonly state: ContainerState
  readonly lastState: ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
  readonly allocatedResources?: MapOf<string>
  readonly resources?: ResourceRequirements
  readonly volumeMounts?: readonly VolumeMountStatus[]
  readonly user?: ContainerUser
  readonly allocatedResourcesStatus?: readonly ResourceStatus[]
  readonly stopSignal?: string
}

export type ContainerUser = {
  readonly linux?: LinuxContainerUser
}

export type ControllerRevision = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly data: Value
  readonly revision: number | bigint
}

export type ControllerRevisionList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ControllerRevision[] | null
}

export type ConversionRequest = {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly Value[] | null
}

export type ConversionResponse = {
  readonly uid: string
  readonly convertedObjects: readonly Value[] | null
  readonly result: Embedded<Status>
}

export type ConversionReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly request?: ConversionRequest
  readonly response?: ConversionResponse
}

export type CoreV1ResourceClaim = {
  readonly name: string
  readonly request?: string
}

export type Counter = {
  readonly value: string
}

export type CounterSet = {
  readonly name: string
  readonly counters?: MapOf<Counter>
}

export type CreateOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly dryRun?: readonly string[]
  readonly fieldManager?: string
  readonly fieldValidation?: string
}

export type CronJob = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CronJobSpec
  readonly status: CronJobStatus
}

export type CronJobList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CronJob[] | null
}

export type CronJobSpec = {
  readonly schedule: string
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number | bigint
  readonly concurrencyPolicy?: string
  readonly suspend?: boolean
  readonly jobTemplate: JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

export type CronJobStatus = {
  readonly active?: readonly ObjectReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

export type CrossVersionObjectReference = {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

export type CustomResourceColumnDefinition = {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export type CustomResourceConversion = {
  readonly strategy: string
  readonly webhook?: WebhookConversion
}

export type CustomResourceDefinition = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: CustomResourceDefinitionSpec
  readonly status: CustomResourceDefinitionStatus
}

export type CustomResourceDefinitionCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number | bigint
}

export type CustomResourceDefinitionList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly CustomResourceDefinition[] | null
}

export type CustomResourceDefinitionNames = {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export type CustomResourceDefinitionSpec = {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly scope: string
  readonly versions: readonly CustomResourceDefinitionVersion[] | null
  readonly conversion?: CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export type CustomResourceDefinitionStatus = {
  readonly conditions: readonly CustomResourceDefinitionCondition[] | null
  readonly acceptedNames: CustomResourceDefinitionNames
  readonly storedVersions: readonly string[] | null
  readonly observedGeneration?: number | bigint
}

export type CustomResourceDefinitionVersion = {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: CustomResourceValidation
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

export type CustomResourceSubresourceScale = {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export type CustomResourceSubresourceStatus = {
}

export type CustomResourceSubresources = {
  readonly status?: CustomResourceSubresourceStatus
  readonly scale?: CustomResourceSubresourceScale
}

export type CustomResourceValidation = {
  readonly openAPIV3Schema?: JSONSchemaProps
}

export type DaemonEndpoint = {
  readonly Port: number
}

export type DaemonSet = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: DaemonSetSpec
  readonly status: DaemonSetStatus
}

export type DaemonSetCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type DaemonSetList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly DaemonSet[] | null
}

export type DaemonSetSpec = {
  readonly selector: LabelSelector | null
  readonly template: PodTemplateSpec
  readonly updateStrategy: DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

export type DaemonSetStatus = {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number | bigint
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly DaemonSetCondition[]
}

export type DaemonSetUpdateStrategy = {
  readonly type?: string
  readonly rollingUpdate?: RollingUpdateDaemonSet
}

export type DeleteOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly gracePeriodSeconds?: number | bigint
  readonly preconditions?: MetaV1Preconditions
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

export type Deployment = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: DeploymentSpec
  readonly status: DeploymentStatus
}

export type DeploymentCondition = {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime: string | null
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type DeploymentList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Deployment[] | null
}

export type DeploymentSpec = {
  readonly replicas?: number
  readonly selector: LabelSelector | null
  readonly template: PodTemplateSpec
  readonly strategy: DeploymentStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
}

export type DeploymentStatus = {
  readonly observedGeneration?: number | bigint
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly DeploymentCondition[]
  readonly collisionCount?: number
}

export type DeploymentStrategy = {
  readonly type?: string
  readonly rollingUpdate?: RollingUpdateDeployment
}

export type Device = {
  readonly name: string
  readonly attributes?: MapOf<DeviceAttribute>
  readonly capacity?: MapOf<DeviceCapacity>
  readonly consumesCounters?: readonly DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResourceMappings?: MapOf<NodeAllocatableResourceMapping>
  readonly nodeAllocatableResources?: MapOf<NodeAllocatableResource>
}

export type DeviceAllocationConfiguration = {
  readonly source: string
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

export type DeviceAllocationResult = {
  readonly results?: readonly DeviceRequestAllocationResult[]
  readonly config?: readonly DeviceAllocationConfiguration[]
}

export type DeviceAttribute = {
  readonly int?: number | bigint
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly (number | bigint)[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export type DeviceCapacity = {
  readonly value: string
  readonly requestPolicy?: CapacityRequestPolicy
}

export type DeviceClaim = {
  readonly requests: readonly DeviceRequest[] | null
  readonly constraints?: readonly DeviceConstraint[]
  readonly config?: readonly DeviceClaimConfiguration[]
}

export type DeviceClaimConfiguration = {
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

export type DeviceClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: DeviceClassSpec
}

export type DeviceClassConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration
}

export type DeviceClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly DeviceClass[] | null
}

export type DeviceClassSpec = {
  readonly selectors?: readonly DeviceSelector[]
  readonly config?: readonly DeviceClassConfiguration[]
  readonly extendedResourceName?: string
}

export type DeviceConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration
}

export type DeviceConstraint = {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export type DeviceCounterConsumption = {
  readonly counterSet: string
  readonly counters?: MapOf<Counter>
  readonly compatibilityGroups?: readonly string[]
}

export type DeviceDerivedAttribute = {
  readonly name: string
  readonly expression: string
}

export type DeviceRequest = {
  readonly name: string
  readonly exactly?: ExactDeviceRequest
  readonly firstAvailable?: readonly DeviceSubRequest[]
}

export type DeviceRequestAllocationResult = {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: MapOf<string>
  readonly skipNodeOperations?: readonly string[]
}

export type DeviceSelector = {
  readonly cel?: CELDeviceSelector
}

export type DeviceSubRequest = {
  readonly name: string
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: string
  readonly count?: number | bigint
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
  readonly derivedAttributes?: readonly DeviceDerivedAttribute[]
}

export type DeviceTaint = {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export type DeviceTaintRule = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: DeviceTaintRuleSpec
  readonly status: DeviceTaintRuleStatus
}

export type DeviceTaintRuleList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly DeviceTaintRule[] | null
}

export type DeviceTaintRuleSpec = {
  readonly deviceSelector?: DeviceTaintSelector
  readonly taint: DeviceTaint
}

export type DeviceTaintRuleStatus = {
  readonly conditions?: readonly Condition[]
}

export type DeviceTaintSelector = {
  readonly driver?: string
  readonly pool?: string
  readonly device?: string
}

export type DeviceToleration = {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number | bigint
}

export type DiscoveryV1EndpointPort = {
  readonly name?: string
  readonly protocol?: string
  readonly port?: number
  readonly appProtocol?: string
}

export type DisruptionMode = {
  readonly single?: SingleDisruptionMode
  readonly all?: AllDisruptionMode
}

export type DownwardAPIProjection = {
  readonly items?: readonly DownwardAPIVolumeFile[]
}

export type DownwardAPIVolumeFile = {
  readonly path: string
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly mode?: number
  readonly user?: number | bigint
}

export type DownwardAPIVolumeSource = {
  readonly items?: readonly DownwardAPIVolumeFile[]
  readonly defaultMode?: number
  readonly defaultUser?: number | bigint
}

export type EmptyDirVolumeSource = {
  readonly medium?: string
  readonly sizeLimit?: string
  readonly mode?: number
}

export type Endpoint = {
  readonly addresses: readonly string[] | null
  readonly conditions: EndpointConditions
  readonly hostname?: string
  readonly targetRef?: ObjectReference
  readonly deprecatedTopology?: MapOf<string>
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: EndpointHints
}

export type EndpointAddress = {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: ObjectReference
}

export type EndpointConditions = {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export type EndpointHints = {
  readonly forZones?: readonly ForZone[]
  readonly forNodes?: readonly ForNode[]
}

export type EndpointPort = {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly appProtocol?: string
}

export type EndpointSlice = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly addressType: string
  readonly endpoints: readonly Endpoint[] | null
  readonly ports: readonly DiscoveryV1EndpointPort[] | null
}

export type EndpointSliceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly EndpointSlice[] | null
}

export type EndpointSubset = {
  readonly addresses?: readonly EndpointAddress[]
  readonly notReadyAddresses?: readonly EndpointAddress[]
  readonly ports?: readonly EndpointPort[]
}

export type Endpoints = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly subsets?: readonly EndpointSubset[]
}

export type EndpointsList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Endpoints[] | null
}

export type EnvFromSource = {
  readonly prefix?: string
  readonly configMapRef?: ConfigMapEnvSource
  readonly secretRef?: SecretEnvSource
}

export type EnvVar = {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: EnvVarSource
}

export type EnvVarSource = {
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly configMapKeyRef?: ConfigMapKeySelector
  readonly secretKeyRef?: SecretKeySelector
  readonly fileKeyRef?: FileKeySelector
}

export type EphemeralContainer = {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly imagePullPolicy?: string
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
  readonly targetContainerName?: string
}

export type EphemeralContainerCommon = {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly imagePullPolicy?: string
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export type EphemeralVolumeSource = {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate
}

export type Event = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly involvedObject: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source: EventSource
  readonly firstTimestamp: string | null
  readonly lastTimestamp: string | null
  readonly count?: number
  readonly type?: string
  readonly eventTime: string | null
  readonly series?: EventSeries
  readonly action?: string
  readonly related?: ObjectReference
  readonly reportingComponent: string
  readonly reportingInstance: string
}

export type EventList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Event[] | null
}

export type EventSeries = {
  readonly count?: number
  readonly lastObservedTime: string | null
}

export type EventSource = {
  readonly component?: string
  readonly host?: string
}

export type EventsV1Event = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly eventTime: string | null
  readonly series?: EventsV1EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource: EventSource
  readonly deprecatedFirstTimestamp: string | null
  readonly deprecatedLastTimestamp: string | null
  readonly deprecatedCount?: number
}

export type EventsV1EventList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly EventsV1Event[] | null
}

export type EventsV1EventSeries = {
  readonly count: number
  readonly lastObservedTime: string | null
}

export type Eviction = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly deleteOptions?: Embedded<DeleteOptions>
}

export type EvictionResponder = {
  readonly name: string
  readonly priority: number | null
}

export type ExactDeviceRequest = {
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: string
  readonly count?: number | bigint
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
  readonly derivedAttributes?: readonly DeviceDerivedAttribute[]
}

export type ExecAction = {
  readonly command?: readonly string[]
}

export type ExemptPriorityLevelConfiguration = {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}

export type ExpressionWarning = {
  readonly fieldRef: string
  readonly warning: string
}

export type ExternalDocumentation = {
  readonly description?: string
  readonly url?: string
}

export type ExternalMetricSource = {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

export type ExternalMetricStatus = {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

export type FCVolumeSource = {
  readonly targetWWNs?: readonly string[]
  readonly lun?: number
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly wwids?: readonly string[]
}

export type FieldSelectorAttributes = {
  readonly rawSelector?: string
  readonly requirements?: readonly FieldSelectorRequirement[]
}

export type FieldSelectorRequirement = {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export type FileKeySelector = {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

export type FlexPersistentVolumeSource = {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
  readonly options?: MapOf<string>
}

export type FlexVolumeSource = {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
  readonly options?: MapOf<string>
}

export type FlockerVolumeSource = {
  readonly datasetName?: string
  readonly datasetUUID?: string
}

export type FlowDistinguisherMethod = {
  readonly type: string
}

export type FlowSchema = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: FlowSchemaSpec
  readonly status: FlowSchemaStatus
}

export type FlowSchemaCondition = {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type FlowSchemaList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly FlowSchema[] | null
}

export type FlowSchemaSpec = {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference
  readonly matchingPrecedence: number
  readonly distinguisherMethod?: FlowDistinguisherMethod
  readonly rules?: readonly PolicyRulesWithSubjects[]
}

export type FlowSchemaStatus = {
  readonly conditions?: readonly FlowSchemaCondition[]
}

export type FlowcontrolV1Subject = {
  readonly kind: string
  readonly user?: UserSubject
  readonly group?: GroupSubject
  readonly serviceAccount?: ServiceAccountSubject
}

export type ForNode = {
  readonly name: string
}

export type ForZone = {
  readonly name: string
}

export type GCEPersistentDiskVolumeSource = {
  readonly pdName: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export type GRPCAction = {
  readonly port: number
  readonly service: string | null
  readonly mode?: string
}

export type GangSchedulingPolicy = {
  readonly minCount: number
}

export type GetOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly resourceVersion?: string
}

export type GitRepoVolumeSource = {
  readonly repository: string
  readonly revision?: string
  readonly directory?: string
}

export type GlusterfsPersistentVolumeSource = {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
  readonly endpointsNamespace?: string
}

export type GlusterfsVolumeSource = {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
}

export type GroupKind = {
  readonly group: string
  readonly kind: string
}

export type GroupResource = {
  readonly group: string
  readonly resource: string
}

export type GroupResources = {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export type GroupSubject = {
  readonly name: string
}

export type GroupVersion = {
  readonly group: string
  readonly version: string
}

export type GroupVersionForDiscovery = {
  readonly groupVersion: string
  readonly version: string
}

export type GroupVersionKind = {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export type GroupVersionResource = {
  readonly group: string
  readonly version: string
  readonly resource: string
}

export type HPAScalingPolicy = {
  readonly type: string
  readonly value: number
  readonly periodSeconds: number
}

export type HPAScalingRules = {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly HPAScalingPolicy[]
  readonly tolerance?: string
}

export type HTTPGetAction = {
  readonly path?: string
  readonly port: number | string
  readonly host?: string
  readonly scheme?: string
  readonly httpHeaders?: readonly HTTPHeader[]
  readonly protocol?: string
}

export type HTTPHeader = {
  readonly name: string
  readonly value: string
}

export type HTTPIngressPath = {
  readonly path?: string
  readonly pathType: string | null
  readonly backend: IngressBackend
}

export type HTTPIngressRuleValue = {
  readonly paths: readonly HTTPIngressPath[] | null
}

export type HorizontalPodAutoscaler = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: HorizontalPodAutoscalerSpec
  readonly status: HorizontalPodAutoscalerStatus
}

export type HorizontalPodAutoscalerBehavior = {
  readonly scaleUp?: HPAScalingRules
  readonly scaleDown?: HPAScalingRules
}

export type HorizontalPodAutoscalerCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number | bigint
}

export type HorizontalPodAutoscalerList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly HorizontalPodAutoscaler[] | null
}

export type HorizontalPodAutoscalerSpec = {
  readonly scaleTargetRef: CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly metrics?: readonly MetricSpec[]
  readonly behavior?: HorizontalPodAutoscalerBehavior
}

export type HorizontalPodAutoscalerStatus = {
  readonly observedGeneration?: number | bigint
  readonly lastScaleTime?: string
  readonly currentReplicas?: number
  readonly desiredReplicas: number
  readonly currentMetrics: readonly MetricStatus[] | null
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[]
}

export type HostAlias = {
  readonly ip: string
  readonly hostnames?: readonly string[]
}

export type HostIP = {
  readonly ip: string
}

export type HostPathVolumeSource = {
  readonly path: string
  readonly type?: string
}

export type IPAddress = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: IPAddressSpec
}

export type IPAddressList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly IPAddress[] | null
}

export type IPAddressSpec = {
  readonly parentRef?: ParentReference
}

export type IPBlock = {
  readonly cidr: string
  readonly except?: readonly string[]
}

export type ISCSIPersistentVolumeSource = {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: SecretReference
  readonly initiatorName?: string
}

export type ISCSIVolumeSource = {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: LocalObjectReference
  readonly initiatorName?: string
}

export type ImageVolumeSource = {
  readonly reference?: string
  readonly pullPolicy?: string
}

export type ImageVolumeStatus = {
  readonly imageRef?: string
}

export type Info = {
  readonly major: string
  readonly minor: string
  readonly emulationMajor?: string
  readonly emulationMinor?: string
  readonly minCompatibilityMajor?: string
  readonly minCompatibilityMinor?: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

export type Ingress = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: IngressSpec
  readonly status: IngressStatus
}

export type IngressBackend = {
  readonly service?: IngressServiceBackend
  readonly resource?: TypedLocalObjectReference
}

export type IngressClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: IngressClassSpec
}

export type IngressClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly IngressClass[] | null
}

export type IngressClassParametersReference = {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly scope: string | null
  readonly namespace?: string
}

export type IngressClassSpec = {
  readonly controller?: string
  readonly parameters?: IngressClassParametersReference
}

export type IngressList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Ingress[] | null
}

export type IngressLoadBalancerIngress = {
  readonly ip?: string
  readonly hostname?: string
  readonly ports?: readonly IngressPortStatus[]
}

export type IngressLoadBalancerStatus = {
  readonly ingress?: readonly IngressLoadBalancerIngress[]
}

export type IngressPortStatus = {
  readonly port: number
  readonly protocol: string
  readonly error?: string
}

export type IngressRule = {
  readonly host?: string
  readonly http?: HTTPIngressRuleValue
}

export type IngressRuleValue = {
  readonly http?: HTTPIngressRuleValue
}

export type IngressServiceBackend = {
  readonly name: string
  readonly port: ServiceBackendPort
}

export type IngressSpec = {
  readonly ingressClassName?: string
  readonly defaultBackend?: IngressBackend
  readonly tls?: readonly IngressTLS[]
  readonly rules?: readonly IngressRule[]
}

export type IngressStatus = {
  readonly loadBalancer: IngressLoadBalancerStatus
}

export type IngressTLS = {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

export type JSONPatch = {
  readonly expression?: string
}

export type JSONSchemaProps = {
  readonly id?: string
  readonly '$schema'?: string
  readonly '$ref'?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: Value
  readonly maximum?: number | bigint
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number | bigint
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number | bigint
  readonly minLength?: number | bigint
  readonly pattern?: string
  readonly maxItems?: number | bigint
  readonly minItems?: number | bigint
  readonly uniqueItems?: boolean
  readonly multipleOf?: number | bigint
  readonly enum?: readonly Value[]
  readonly maxProperties?: number | bigint
  readonly minProperties?: number | bigint
  readonly required?: readonly string[]
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[]
  readonly allOf?: readonly JSONSchemaProps[]
  readonly oneOf?: readonly JSONSchemaProps[]
  readonly anyOf?: readonly JSONSchemaProps[]
  readonly not?: JSONSchemaProps
  readonly properties?: MapOf<JSONSchemaProps>
  readonly additionalProperties?: JSONSchemaProps | boolean
  readonly patternProperties?: MapOf<JSONSchemaProps>
  readonly dependencies?: MapOf<JSONSchemaProps | readonly string[] | null>
  readonly additionalItems?: JSONSchemaProps | boolean
  readonly definitions?: MapOf<JSONSchemaProps>
  readonly externalDocs?: ExternalDocumentation
  readonly example?: Value
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

export type Job = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: JobSpec
  readonly status: JobStatus
}

export type JobCondition = {
  readonly type: string
  readonly status: string
  readonly lastProbeTime: string | null
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type JobList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Job[] | null
}

export type JobSchedulingConfiguration = {
  readonly schedulingPolicy?: WorkloadPodGroupSchedulingPolicy
  readonly schedulingConstraints?: WorkloadPodGroupSchedulingConstraints
  readonly disruptionMode?: WorkloadPodGroupDisruptionMode
  readonly resourceClaims?: readonly WorkloadPodGroupResourceClaim[]
}

export type JobSpec = {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number | bigint
  readonly podFailurePolicy?: PodFailurePolicy
  readonly successPolicy?: SuccessPolicy
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  readonly template: PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: string
  readonly suspend?: boolean
  readonly podReplacementPolicy?: string
  readonly managedBy?: string
  readonly scheduling?: JobSchedulingConfiguration
}

export type JobStatus = {
  readonly conditions?: readonly JobCondition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: UncountedTerminatedPods
  readonly ready?: number
}

export type JobTemplateSpec = {
  readonly metadata: ObjectMeta
  readonly spec: JobSpec
}

export type KeyToPath = {
  readonly key: string
  readonly path: string
  readonly mode?: number
  readonly user?: number | bigint
}

export type LabelSelector = {
  readonly matchLabels?: MapOf<string>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export type LabelSelectorAttributes = {
  readonly rawSelector?: string
  readonly requirements?: readonly LabelSelectorRequirement[]
}

export type LabelSelectorRequirement = {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export type Lease = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: LeaseSpec
}

export type LeaseCandidate = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: LeaseCandidateSpec
}

export type LeaseCandidateList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly LeaseCandidate[] | null
}

export type LeaseCandidateSpec = {
  readonly leaseName: string
  readonly pingTime?: string
  readonly renewTime?: string
  readonly binaryVersion: string
  readonly emulationVersion?: string
  readonly strategy?: string
}

export type LeaseList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Lease[] | null
}

export type LeaseSpec = {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
  readonly strategy?: string
  readonly preferredHolder?: string
}

export type Lifecycle = {
  readonly postStart?: LifecycleHandler
  readonly preStop?: LifecycleHandler
  readonly stopSignal?: string
}

export type LifecycleHandler = {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly sleep?: SleepAction
}

export type LimitRange = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: LimitRangeSpec
}

export type LimitRangeItem = {
  readonly type: string
  readonly max?: MapOf<string>
  readonly min?: MapOf<string>
  readonly default?: MapOf<string>
  readonly defaultRequest?: MapOf<string>
  readonly maxLimitRequestRatio?: MapOf<string>
}

export type LimitRangeList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly LimitRange[] | null
}

export type LimitRangeSpec = {
  readonly limits: readonly LimitRangeItem[] | null
}

export type LimitResponse = {
  readonly type: string
  readonly queuing?: QueuingConfiguration
}

export type LimitedPriorityLevelConfiguration = {
  readonly nominalConcurrencyShares: number | null
  readonly limitResponse: LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

export type LinuxContainerUser = {
  readonly uid: number | bigint
  readonly gid: number | bigint
  readonly supplementalGroups?: readonly (number | bigint)[]
}

export type List = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Value[] | null
}

export type ListMeta = {
  readonly selfLink?: string
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number | bigint
  readonly shardInfo?: ShardInfo
}

export type ListOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly watch?: boolean
  readonly allowWatchBookmarks?: boolean
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly timeoutSeconds?: number | bigint
  readonly limit?: number | bigint
  readonly continue?: string
  readonly sendInitialEvents?: boolean
  readonly shardSelector?: string
}

export type LoadBalancerIngress = {
  readonly ip?: string
  readonly hostname?: string
  readonly ipMode?: string
  readonly ports?: readonly PortStatus[]
}

export type LoadBalancerStatus = {
  readonly ingress?: readonly LoadBalancerIngress[]
}

export type LocalObjectReference = {
  readonly name?: string
}

export type LocalSubjectAccessReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status: SubjectAccessReviewStatus
}

export type LocalVolumeSource = {
  readonly path: string
  readonly fsType?: string
}

export type ManagedFieldsEntry = {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: Value
  readonly subresource?: string
}

export type MatchCondition = {
  readonly name: string
  readonly expression: string
}

export type MatchResources = {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[]
  readonly matchPolicy?: string
}

export type MetaV1List = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Value[] | null
}

export type MetaV1Preconditions = {
  readonly uid?: string
  readonly resourceVersion?: string
}

export type MetaV1beta1PartialObjectMetadataList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PartialObjectMetadata[] | null
}

export type MetricIdentifier = {
  readonly name: string
  readonly selector?: LabelSelector
}

export type MetricSpec = {
  readonly type: string
  readonly object?: ObjectMetricSource
  readonly pods?: PodsMetricSource
  readonly resource?: ResourceMetricSource
  readonly containerResource?: ContainerResourceMetricSource
  readonly external?: ExternalMetricSource
}

export type MetricStatus = {
  readonly type: string
  readonly object?: ObjectMetricStatus
  readonly pods?: PodsMetricStatus
  readonly resource?: ResourceMetricStatus
  readonly containerResource?: ContainerResourceMetricStatus
  readonly external?: ExternalMetricStatus
}

export type MetricTarget = {
  readonly type: string
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

export type MetricValueStatus = {
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

export type ModifyVolumeStatus = {
  readonly targetVolumeAttributesClassName?: string
  readonly status: string
}

export type MutatingAdmissionPolicy = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: MutatingAdmissionPolicySpec
}

export type MutatingAdmissionPolicyBinding = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: MutatingAdmissionPolicyBindingSpec
}

export type MutatingAdmissionPolicyBindingList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly MutatingAdmissionPolicyBinding[] | null
}

export type MutatingAdmissionPolicyBindingSpec = {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
}

export type MutatingAdmissionPolicyList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly MutatingAdmissionPolicy[] | null
}

export type MutatingAdmissionPolicySpec = {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly variables?: readonly Variable[]
  readonly mutations?: readonly Mutation[]
  readonly failurePolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
  readonly reinvocationPolicy?: string
}

export type MutatingWebhook = {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string | null
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[] | null
  readonly reinvocationPolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
}

export type MutatingWebhookConfiguration = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly MutatingWebhook[]
}

export type MutatingWebhookConfigurationList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly MutatingWebhookConfiguration[] | null
}

export type Mutation = {
  readonly patchType: string
  readonly applyConfiguration?: ApplyConfiguration
  readonly jsonPatch?: JSONPatch
}

export type NFSVolumeSource = {
  readonly server: string
  readonly path: string
  readonly readOnly?: boolean
}

export type NamedRuleWithOperations = {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export type Namespace = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: NamespaceSpec
  readonly status: NamespaceStatus
}

export type NamespaceCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type NamespaceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Namespace[] | null
}

export type NamespaceSpec = {
  readonly finalizers?: readonly string[]
}

export type NamespaceStatus = {
  readonly phase?: string
  readonly conditions?: readonly NamespaceCondition[]
}

export type NetworkDeviceData = {
  readonly interfaceName?: string
  readonly ips?: readonly string[]
  readonly hardwareAddress?: string
}

export type NetworkPolicy = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: NetworkPolicySpec
}

export type NetworkPolicyEgressRule = {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly to?: readonly NetworkPolicyPeer[]
}

export type NetworkPolicyIngressRule = {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly from?: readonly NetworkPolicyPeer[]
}

export type NetworkPolicyList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly NetworkPolicy[] | null
}

export type NetworkPolicyPeer = {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: IPBlock
}

export type NetworkPolicyPort = {
  readonly protocol?: string
  readonly port?: number | string
  readonly endPort?: number
}

export type NetworkPolicySpec = {
  readonly podSelector: LabelSelector
  readonly ingress?: readonly NetworkPolicyIngressRule[]
  readonly egress?: readonly NetworkPolicyEgressRule[]
  readonly policyTypes?: readonly string[]
}

export type Node = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: NodeSpec
  readonly status: NodeStatus
}

export type NodeAddress = {
  readonly type: string
  readonly address: string
}

export type NodeAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[]
}

export type NodeAllocatableMappedResources = {
  readonly name: string
  readonly quantity: string | null
}

export type NodeAllocatableMapping = {
  readonly capacityKey?: string
  readonly capacityMultiplier?: string
  readonly deviceMultiplier?: string
}

export type NodeAllocatableOverhead = {
  readonly perPod?: string
  readonly perContainer?: string
}

export type NodeAllocatableOverheadResources = {
  readonly name: string
  readonly perPod?: string
  readonly perContainer?: string
}

export type NodeAllocatableResource = {
  readonly mapping?: NodeAllocatableMapping
  readonly overhead?: NodeAllocatableOverhead
}

export type NodeAllocatableResourceClaimStatus = {
  readonly resourceClaimName: string
  readonly containers?: readonly string[]
  readonly resources?: MapOf<string> | null
  readonly mapping?: readonly NodeAllocatableMappedResources[]
  readonly overhead?: readonly NodeAllocatableOverheadResources[]
}

export type NodeAllocatableResourceMapping = {
  readonly capacityKey?: string
  readonly allocationMultiplier?: string
}

export type NodeCondition = {
  readonly type: string
  readonly status: string
  readonly lastHeartbeatTime: string | null
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type NodeConfigSource = {
  readonly configMap?: ConfigMapNodeConfigSource
}

export type NodeConfigStatus = {
  readonly assigned?: NodeConfigSource
  readonly active?: NodeConfigSource
  readonly lastKnownGood?: NodeConfigSource
  readonly error?: string
}

export type NodeDaemonEndpoints = {
  readonly kubeletEndpoint: DaemonEndpoint
}

export type NodeFeatures = {
  readonly supplementalGroupsPolicy?: boolean
}

export type NodeList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Node[] | null
}

export type NodePodPreemptionPolicy = {
  readonly disableResizePreemption?: readonly string[]
}

export type NodeProxyOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly path?: string
}

export type NodeRuntimeHandler = {
  readonly name: string
  readonly features?: NodeRuntimeHandlerFeatures
}

export type NodeRuntimeHandlerFeatures = {
  readonly recursiveReadOnlyMounts?: boolean
  readonly userNamespaces?: boolean
}

export type NodeSelector = {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[] | null
}

export type NodeSelectorRequirement = {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export type NodeSelectorTerm = {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export type NodeSpec = {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
  readonly configSource?: NodeConfigSource
  readonly externalID?: string
  readonly podPreemptionPolicy?: NodePodPreemptionPolicy
}

export type NodeStatus = {
  readonly capacity?: MapOf<string>
  readonly allocatable?: MapOf<string>
  readonly phase?: string
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly NodeAddress[]
  readonly daemonEndpoints: NodeDaemonEndpoints
  readonly nodeInfo: NodeSystemInfo
  readonly images?: readonly ContainerImage[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly AttachedVolume[]
  readonly config?: NodeConfigStatus
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[]
  readonly features?: NodeFeatures
  readonly declaredFeatures?: readonly string[]
}

export type NodeSwapStatus = {
  readonly capacity?: number | bigint
}

export type NodeSystemInfo = {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
  readonly swap?: NodeSwapStatus
  readonly runningInUserNamespace?: boolean
}

export type NonResourceAttributes = {
  readonly path?: string
  readonly verb?: string
}

export type NonResourcePolicyRule = {
  readonly verbs: readonly string[] | null
  readonly nonResourceURLs: readonly string[] | null
}

export type NonResourceRule = {
  readonly verbs: readonly string[] | null
  readonly nonResourceURLs?: readonly string[]
}

export type ObjectFieldSelector = {
  readonly apiVersion?: string
  readonly fieldPath: string
}

export type ObjectMeta = {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly selfLink?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number | bigint
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number | bigint
  readonly labels?: MapOf<string>
  readonly annotations?: MapOf<string>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export type ObjectMetricSource = {
  readonly describedObject: CrossVersionObjectReference
  readonly target: MetricTarget
  readonly metric: MetricIdentifier
}

export type ObjectMetricStatus = {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
  readonly describedObject: CrossVersionObjectReference
}

export type ObjectReference = {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

export type OpaqueDeviceConfiguration = {
  readonly driver: string
  readonly parameters: Value
}

export type Overhead = {
  readonly podFixed?: MapOf<string>
}

export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export type ParamKind = {
  readonly apiVersion?: string
  readonly kind?: string
}

export type ParamRef = {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

export type ParentReference = {
  readonly group?: string
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
}

export type PartialObjectMetadata = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
}

export type PartialObjectMetadataList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PartialObjectMetadata[] | null
}

export type PartitionTypeStatus = {
  readonly attribute?: string
  readonly type?: string
  readonly total?: number
  readonly allocatable?: number
}

export type Patch = {
}

export type PatchOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly dryRun?: readonly string[]
  readonly force?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: string
}

export type PersistentVolume = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PersistentVolumeSpec
  readonly status: PersistentVolumeStatus
}

export type PersistentVolumeClaim = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PersistentVolumeClaimSpec
  readonly status: PersistentVolumeClaimStatus
}

export type PersistentVolumeClaimCondition = {
  readonly type: string
  readonly status: string
  readonly lastProbeTime: string | null
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type PersistentVolumeClaimList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PersistentVolumeClaim[] | null
}

export type PersistentVolumeClaimSpec = {
  readonly accessModes?: readonly string[]
  readonly selector?: LabelSelector
  readonly resources: VolumeResourceRequirements
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: string
  readonly dataSource?: TypedLocalObjectReference
  readonly dataSourceRef?: TypedObjectReference
  readonly volumeAttributesClassName?: string
}

export type PersistentVolumeClaimStatus = {
  readonly phase?: string
  readonly accessModes?: readonly string[]
  readonly capacity?: MapOf<string>
  readonly conditions?: readonly PersistentVolumeClaimCondition[]
  readonly allocatedResources?: MapOf<string>
  readonly allocatedResourceStatuses?: MapOf<string>
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: ModifyVolumeStatus
  readonly healthStatus?: VolumeHealthStatus
}

export type PersistentVolumeClaimTemplate = {
  readonly metadata: ObjectMeta
  readonly spec: PersistentVolumeClaimSpec
}

export type PersistentVolumeClaimVolumeSource = {
  readonly claimName: string
  readonly readOnly?: boolean
}

export type PersistentVolumeList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PersistentVolume[] | null
}

export type PersistentVolumeSource = {
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly hostPath?: HostPathVolumeSource
  readonly glusterfs?: GlusterfsPersistentVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly rbd?: RBDPersistentVolumeSource
  readonly iscsi?: ISCSIPersistentVolumeSource
  readonly cinder?: CinderPersistentVolumeSource
  readonly cephfs?: CephFSPersistentVolumeSource
  readonly fc?: FCVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly flexVolume?: FlexPersistentVolumeSource
  readonly azureFile?: AzureFilePersistentVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOPersistentVolumeSource
  readonly local?: LocalVolumeSource
  readonly storageos?: StorageOSPersistentVolumeSource
  readonly csi?: CSIPersistentVolumeSource
}

export type PersistentVolumeSpec = {
  readonly capacity?: MapOf<string>
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly hostPath?: HostPathVolumeSource
  readonly glusterfs?: GlusterfsPersistentVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly rbd?: RBDPersistentVolumeSource
  readonly iscsi?: ISCSIPersistentVolumeSource
  readonly cinder?: CinderPersistentVolumeSource
  readonly cephfs?: CephFSPersistentVolumeSource
  readonly fc?: FCVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly flexVolume?: FlexPersistentVolumeSource
  readonly azureFile?: AzureFilePersistentVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOPersistentVolumeSource
  readonly local?: LocalVolumeSource
  readonly storageos?: StorageOSPersistentVolumeSource
  readonly csi?: CSIPersistentVolumeSource
  readonly accessModes?: readonly string[]
  readonly claimRef?: ObjectReference
  readonly persistentVolumeReclaimPolicy?: string
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: string
  readonly nodeAffinity?: VolumeNodeAffinity
  readonly volumeAttributesClassName?: string
}

export type PersistentVolumeStatus = {
  readonly phase?: string
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: string
}

export type PhotonPersistentDiskVolumeSource = {
  readonly pdID: string
  readonly fsType?: string
}

export type Pod = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  readonly status: PodStatus
}

export type PodAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export type PodAffinityTerm = {
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
  readonly namespaceSelector?: LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export type PodAntiAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export type PodAttachOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
}

export type PodCertificateProjection = {
  readonly signerName?: string
  readonly keyType?: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: MapOf<string>
  readonly user?: number | bigint
}

export type PodCertificateRequest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PodCertificateRequestSpec
  readonly status: PodCertificateRequestStatus
}

export type PodCertificateRequestList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PodCertificateRequest[] | null
}

export type PodCertificateRequestSpec = {
  readonly signerName: string
  readonly podName: string
  readonly podUID: string
  readonly serviceAccountName: string
  readonly serviceAccountUID: string
  readonly nodeName: string
  readonly nodeUID: string
  readonly maxExpirationSeconds?: number
  readonly stubPKCS10Request: string | null
  readonly unverifiedUserAnnotations?: MapOf<string>
}

export type PodCertificateRequestStatus = {
  readonly conditions?: readonly Condition[]
  readonly certificateChain?: string
  readonly notBefore?: string
  readonly beginRefreshAt?: string
  readonly notAfter?: string
}

export type PodCondition = {
  readonly type: string
  readonly observedGeneration?: number | bigint
  readonly status: string
  readonly lastProbeTime: string | null
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type PodDNSConfig = {
  readonly nameservers?: readonly string[]
  readonly searches?: readonly string[]
  readonly options?: readonly PodDNSConfigOption[]
}

export type PodDNSConfigOption = {
  readonly name?: string
  readonly value?: string
}

export type PodDisruptionBudget = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PodDisruptionBudgetSpec
  readonly status: PodDisruptionBudgetStatus
}

export type PodDisruptionBudgetList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PodDisruptionBudget[] | null
}

export type PodDisruptionBudgetSpec = {
  readonly minAvailable?: number | string
  readonly selector?: LabelSelector
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: string
}

export type PodDisruptionBudgetStatus = {
  readonly observedGeneration?: number | bigint
  readonly disruptedPods?: MapOf<string | null>
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  readonly conditions?: readonly Condition[]
}

export type PodExecOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
  readonly command: readonly string[] | null
}

export type PodExtendedResourceClaimStatus = {
  readonly requestMappings: readonly ContainerExtendedResourceRequest[] | null
  readonly resourceClaimName: string
}

export type PodFailurePolicy = {
  readonly rules: readonly PodFailurePolicyRule[] | null
}

export type PodFailurePolicyOnExitCodesRequirement = {
  readonly containerName?: string
  readonly operator: string
  readonly values: readonly number[] | null
}

export type PodFailurePolicyOnPodConditionsPattern = {
  readonly type: string
  readonly status: string
}

export type PodFailurePolicyRule = {
  readonly action: string
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[]
}

export type PodGroup = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PodGroupSpec
  readonly status: PodGroupStatus
}

export type PodGroupList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PodGroup[] | null
}

export type PodGroupResourceClaim = {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export type PodGroupResourceClaimStatus = {
  readonly name: string
  readonly resourceClaimName?: string
}

export type PodGroupSchedulingConstraints = {
  readonly topology?: readonly TopologyConstraint[]
}

export type PodGroupSchedulingPolicy = {
  readonly basic?: BasicSchedulingPolicy
  readonly gang?: GangSchedulingPolicy
}

export type PodGroupSpec = {
  readonly parentCompositePodGroupName?: string
  readonly workloadRef?: WorkloadReference
  readonly schedulingPolicy: PodGroupSchedulingPolicy
  readonly schedulingConstraints?: PodGroupSchedulingConstraints
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly disruptionMode?: DisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
}

export type PodGroupStatus = {
  readonly conditions?: readonly Condition[]
  readonly resourceClaimStatuses?: readonly PodGroupResourceClaimStatus[]
}

export type PodGroupTemplate = {
  readonly name: string
  readonly schedulingPolicy: PodGroupSchedulingPolicy
  readonly schedulingConstraints: PodGroupSchedulingConstraints | null
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly disruptionMode?: DisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
}

export type PodIP = {
  readonly ip: string
}

export type PodList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Pod[] | null
}

export type PodLogOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly sinceSeconds?: number | bigint
  readonly sinceTime?: string
  readonly timestamps?: boolean
  readonly tailLines?: number | bigint
  readonly limitBytes?: number | bigint
  readonly insecureSkipTLSVerifyBackend?: boolean
  readonly stream?: string
}

export type PodOS = {
  readonly name: string
}

export type PodPortForwardOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly ports?: readonly number[]
}

export type PodProxyOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly path?: string
}

export type PodReadinessGate = {
  readonly conditionType: string
}

export type PodResourceClaim = {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export type PodResourceClaimStatus = {
  readonly name: string
  readonly resourceClaimName?: string
}

export type PodSchedulingGate = {
  readonly name: string
}

export type PodSchedulingGroup = {
  readonly podGroupName?: string
}

export type PodSecurityContext = {
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number | bigint
  readonly runAsGroup?: number | bigint
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly (number | bigint)[]
  readonly supplementalGroupsPolicy?: string
  readonly fsGroup?: number | bigint
  readonly sysctls?: readonly Sysctl[]
  readonly fsGroupChangePolicy?: string
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
  readonly seLinuxChangePolicy?: string
}

export type PodSignature = {
  readonly podController?: OwnerReference
}

export type PodSpec = {
  readonly volumes?: readonly Volume[]
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[] | null
  readonly ephemeralContainers?: readonly EphemeralContainer[]
  readonly restartPolicy?: string
  readonly terminationGracePeriodSeconds?: number | bigint
  readonly activeDeadlineSeconds?: number | bigint
  readonly dnsPolicy?: string
  readonly nodeSelector?: MapOf<string>
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeName?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: PodSecurityContext
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly hostname?: string
  readonly subdomain?: string
  readonly affinity?: Affinity
  readonly schedulerName?: string
  readonly tolerations?: readonly Toleration[]
  readonly hostAliases?: readonly HostAlias[]
  readonly priorityClassName?: string
  readonly priority?: number
  readonly dnsConfig?: PodDNSConfig
  readonly readinessGates?: readonly PodReadinessGate[]
  readonly runtimeClassName?: string
  readonly enableServiceLinks?: boolean
  readonly preemptionPolicy?: string
  readonly overhead?: MapOf<string>
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly setHostnameAsFQDN?: boolean
  readonly os?: PodOS
  readonly hostUsers?: boolean
  readonly schedulingGates?: readonly PodSchedulingGate[]
  readonly resourceClaims?: readonly PodResourceClaim[]
  readonly resources?: ResourceRequirements
  readonly hostnameOverride?: string
  readonly schedulingGroup?: PodSchedulingGroup
  readonly evictionResponders?: readonly EvictionResponder[]
}

export type PodStatus = {
  readonly observedGeneration?: number | bigint
  readonly phase?: string
  readonly conditions?: readonly PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly HostIP[]
  readonly podIP?: string
  readonly podIPs?: readonly PodIP[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly qosClass?: string
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly resize?: string
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[]
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus
  readonly allocatedResources?: MapOf<string>
  readonly resources?: ResourceRequirements
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[]
  readonly volumeHealth?: readonly PodVolumeHealth[]
}

export type PodStatusResult = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly status: PodStatus
}

export type PodTemplate = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly template: PodTemplateSpec
}

export type PodTemplateList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PodTemplate[] | null
}

export type PodTemplateSpec = {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

export type PodVolumeHealth = {
  readonly name: string
  readonly healthConditions?: readonly VolumeHealthCondition[]
  readonly lastTransitionTime: string | null
}

export type PodsMetricSource = {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

export type PodsMetricStatus = {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

export type Policy = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly rules: readonly AuditV1PolicyRule[] | null
  readonly omitStages?: readonly string[]
  readonly omitManagedFields?: boolean
}

export type PolicyList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Policy[] | null
}

export type PolicyRule = {
  readonly verbs: readonly string[] | null
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export type PolicyRulesWithSubjects = {
  readonly subjects: readonly FlowcontrolV1Subject[] | null
  readonly resourceRules?: readonly ResourcePolicyRule[]
  readonly nonResourceRules?: readonly NonResourcePolicyRule[]
}

export type PoolStatus = {
  readonly driver?: string
  readonly poolName?: string
  readonly generation: number | bigint
  readonly resourceSliceCount?: number
  readonly totalDevices?: number
  readonly allocatedDevices?: number
  readonly availableDevices?: number
  readonly unavailableDevices?: number
  readonly nodeName?: string
  readonly validationError?: string
  readonly partitionSummary?: readonly PartitionTypeStatus[]
  readonly shareableSummary?: ShareableSummaryStatus
}

export type PortStatus = {
  readonly port: number
  readonly protocol: string
  readonly error?: string
}

export type PortworxVolumeSource = {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export type Preconditions = {
  readonly uid?: string
}

export type PreferAvoidPodsEntry = {
  readonly podSignature: PodSignature
  readonly evictionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type PreferredSchedulingTerm = {
  readonly weight: number
  readonly preference: NodeSelectorTerm
}

export type PriorityClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly value: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: string
}

export type PriorityClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PriorityClass[] | null
}

export type PriorityLevelConfiguration = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: PriorityLevelConfigurationSpec
  readonly status: PriorityLevelConfigurationStatus
}

export type PriorityLevelConfigurationCondition = {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type PriorityLevelConfigurationList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly PriorityLevelConfiguration[] | null
}

export type PriorityLevelConfigurationReference = {
  readonly name: string
}

export type PriorityLevelConfigurationSpec = {
  readonly type: string
  readonly limited?: LimitedPriorityLevelConfiguration
  readonly exempt?: ExemptPriorityLevelConfiguration
}

export type PriorityLevelConfigurationStatus = {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[]
}

export type Probe = {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly grpc?: GRPCAction
  readonly initialDelaySeconds?: number
  readonly timeoutSeconds?: number
  readonly periodSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number | bigint
}

export type ProbeHandler = {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly grpc?: GRPCAction
}

export type ProjectedVolumeSource = {
  readonly sources: readonly VolumeProjection[] | null
  readonly defaultMode?: number
  readonly defaultUser?: number | bigint
}

export type QueuingConfiguration = {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

export type QuobyteVolumeSource = {
  readonly registry: string
  readonly volume: string
  readonly readOnly?: boolean
  readonly user?: string
  readonly group?: string
  readonly tenant?: string
}

export type RBDPersistentVolumeSource = {
  readonly monitors: readonly string[] | null
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

export type RBDVolumeSource = {
  readonly monitors: readonly string[] | null
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

export type RangeAllocation = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly range: string
  readonly data: string | null
}

export type ReplicaSet = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ReplicaSetSpec
  readonly status: ReplicaSetStatus
}

export type ReplicaSetCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type ReplicaSetList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ReplicaSet[] | null
}

export type ReplicaSetSpec = {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: LabelSelector | null
  readonly template: PodTemplateSpec
}

export type ReplicaSetStatus = {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number | bigint
  readonly conditions?: readonly ReplicaSetCondition[]
}

export type ReplicationController = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ReplicationControllerSpec
  readonly status: ReplicationControllerStatus
}

export type ReplicationControllerCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type ReplicationControllerList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ReplicationController[] | null
}

export type ReplicationControllerSpec = {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector?: MapOf<string>
  readonly template?: PodTemplateSpec
}

export type ReplicationControllerStatus = {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly observedGeneration?: number | bigint
  readonly conditions?: readonly ReplicationControllerCondition[]
}

export type ResourceAttributes = {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: FieldSelectorAttributes
  readonly labelSelector?: LabelSelectorAttributes
}

export type ResourceClaim = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ResourceClaimSpec
  readonly status: ResourceClaimStatus
}

export type ResourceClaimConsumerReference = {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export type ResourceClaimList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ResourceClaim[] | null
}

export type ResourceClaimSpec = {
  readonly devices: DeviceClaim
}

export type ResourceClaimStatus = {
  readonly allocation?: AllocationResult
  readonly reservedFor?: readonly ResourceClaimConsumerReference[]
  readonly devices?: readonly AllocatedDeviceStatus[]
}

export type ResourceClaimTemplate = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ResourceClaimTemplateSpec
}

export type ResourceClaimTemplateList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ResourceClaimTemplate[] | null
}

export type ResourceClaimTemplateSpec = {
  readonly metadata: ObjectMeta
  readonly spec: ResourceClaimSpec
}

export type ResourceFieldSelector = {
  readonly containerName?: string
  readonly resource: string
  readonly divisor: string
}

export type ResourceHealth = {
  readonly resourceID: string
  readonly health?: string
  readonly message?: string
}

export type ResourceMetricSource = {
  readonly name: string
  readonly target: MetricTarget
}

export type ResourceMetricStatus = {
  readonly name: string
  readonly current: MetricValueStatus
}

export type ResourcePolicyRule = {
  readonly verbs: readonly string[] | null
  readonly apiGroups: readonly string[] | null
  readonly resources: readonly string[] | null
  readonly clusterScope?: boolean
  readonly namespaces: readonly string[] | null
}

export type ResourcePool = {
  readonly name: string
  readonly generation: number | bigint
  readonly resourceSliceCount: number | bigint
}

export type ResourcePoolStatusRequest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ResourcePoolStatusRequestSpec
  readonly status?: ResourcePoolStatusRequestStatus
}

export type ResourcePoolStatusRequestList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ResourcePoolStatusRequest[] | null
}

export type ResourcePoolStatusRequestSpec = {
  readonly driver: string
  readonly poolName?: string
  readonly limit?: number
  readonly defaultPartitionTypeAttribute?: string
}

export type ResourcePoolStatusRequestStatus = {
  readonly poolCount?: number
  readonly pools?: readonly PoolStatus[]
  readonly conditions?: readonly Condition[]
}

export type ResourceQuota = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ResourceQuotaSpec
  readonly status: ResourceQuotaStatus
}

export type ResourceQuotaList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ResourceQuota[] | null
}

export type ResourceQuotaSpec = {
  readonly hard?: MapOf<string>
  readonly scopes?: readonly string[]
  readonly scopeSelector?: ScopeSelector
}

export type ResourceQuotaStatus = {
  readonly hard?: MapOf<string>
  readonly used?: MapOf<string>
}

export type ResourceRequirements = {
  readonly limits?: MapOf<string>
  readonly requests?: MapOf<string>
  readonly claims?: readonly CoreV1ResourceClaim[]
}

export type ResourceRule = {
  readonly verbs: readonly string[] | null
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export type ResourceSlice = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ResourceSliceSpec
}

export type ResourceSliceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ResourceSlice[] | null
}

export type ResourceSliceSpec = {
  readonly driver: string
  readonly pool: ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly devices?: readonly Device[]
  readonly perDeviceNodeSelection?: boolean
  readonly sharedCounters?: readonly CounterSet[]
  readonly partitionTypeAttribute?: string
  readonly skipNodeOperations?: readonly string[]
}

export type ResourceStatus = {
  readonly name: string
  readonly resources?: readonly ResourceHealth[]
}

export type ResourceV1beta1CapacityRequestPolicy = {
  readonly default: string | null
  readonly validValues?: readonly string[]
  readonly validRange?: ResourceV1beta1CapacityRequestPolicyRange
}

export type ResourceV1beta1CapacityRequestPolicyRange = {
  readonly min?: string
  readonly max?: string
  readonly step?: string
}

export type ResourceV1beta1Counter = {
  readonly value: string
}

export type ResourceV1beta1DeviceAttribute = {
  readonly int?: number | bigint
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly (number | bigint)[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export type ResourceV1beta1DeviceCapacity = {
  readonly value: string
  readonly requestPolicy?: ResourceV1beta1CapacityRequestPolicy
}

export type ResourceV1beta1DeviceCounterConsumption = {
  readonly counterSet: string
  readonly counters?: MapOf<ResourceV1beta1Counter>
  readonly compatibilityGroups?: readonly string[]
}

export type ResourceV1beta1DeviceTaint = {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export type ResourceV1beta1NodeAllocatableMapping = {
  readonly capacityKey?: string
  readonly capacityMultiplier?: string
  readonly deviceMultiplier?: string
}

export type ResourceV1beta1NodeAllocatableOverhead = {
  readonly perPod?: string
  readonly perContainer?: string
}

export type ResourceV1beta1NodeAllocatableResource = {
  readonly mapping?: ResourceV1beta1NodeAllocatableMapping
  readonly overhead?: ResourceV1beta1NodeAllocatableOverhead
}

export type ResourceV1beta1NodeAllocatableResourceMapping = {
  readonly capacityKey?: string
  readonly allocationMultiplier?: string
}

export type Role = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly rules: readonly PolicyRule[] | null
}

export type RoleBinding = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

export type RoleBindingList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly RoleBinding[] | null
}

export type RoleList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Role[] | null
}

export type RoleRef = {
  readonly apiGroup: string
  readonly kind: string
  readonly name: string
}

export type RollingUpdateDaemonSet = {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export type RollingUpdateDeployment = {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export type RollingUpdateStatefulSetStrategy = {
  readonly partition?: number
  readonly maxUnavailable?: number | string
}

export type RootPaths = {
  readonly paths: readonly string[] | null
}

export type Rule = {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export type RuleWithOperations = {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export type RuntimeClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly handler: string
  readonly overhead?: Overhead
  readonly scheduling?: Scheduling
}

export type RuntimeClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly RuntimeClass[] | null
}

export type RuntimeTypeMeta = {
  readonly apiVersion?: string
  readonly kind?: string
}

export type SELinuxOptions = {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

export type Scale = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ScaleSpec
  readonly status: ScaleStatus
}

export type ScaleIOPersistentVolumeSource = {
  readonly gateway: string
  readonly system: string
  readonly secretRef: SecretReference | null
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export type ScaleIOVolumeSource = {
  readonly gateway: string
  readonly system: string
  readonly secretRef: LocalObjectReference | null
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export type ScaleSpec = {
  readonly replicas?: number
}

export type ScaleStatus = {
  readonly replicas: number
  readonly selector?: string
}

export type Scheduling = {
  readonly nodeSelector?: MapOf<string>
  readonly tolerations?: readonly Toleration[]
}

export type SchedulingV1alpha3AllCompositeDisruptionMode = {
}

export type SchedulingV1alpha3CompositeBasicSchedulingPolicy = {
}

export type SchedulingV1alpha3CompositeDisruptionMode = {
  readonly single?: SchedulingV1alpha3SingleCompositeDisruptionMode
  readonly all?: SchedulingV1alpha3AllCompositeDisruptionMode
}

export type SchedulingV1alpha3CompositeGangSchedulingPolicy = {
  readonly minGroupCount: number
}

export type SchedulingV1alpha3CompositePodGroupSchedulingConstraints = {
  readonly topology?: readonly SchedulingV1alpha3TopologyConstraint[]
}

export type SchedulingV1alpha3CompositePodGroupSchedulingPolicy = {
  readonly basic?: SchedulingV1alpha3CompositeBasicSchedulingPolicy
  readonly gang?: SchedulingV1alpha3CompositeGangSchedulingPolicy
}

export type SchedulingV1alpha3SingleCompositeDisruptionMode = {
}

export type SchedulingV1alpha3TopologyConstraint = {
  readonly key: string
}

export type SchedulingV1alpha3WorkloadReference = {
  readonly workloadName: string
  readonly templateName: string
}

export type SchedulingV1beta1TypedLocalObjectReference = {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export type ScopeSelector = {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[]
}

export type ScopedResourceSelectorRequirement = {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

export type SeccompProfile = {
  readonly type: string
  readonly localhostProfile?: string
}

export type Secret = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly immutable?: boolean
  readonly data?: MapOf<string | null>
  readonly stringData?: MapOf<string>
  readonly type?: string
}

export type SecretEnvSource = {
  readonly name?: string
  readonly optional?: boolean
}

export type SecretKeySelector = {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export type SecretList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Secret[] | null
}

export type SecretProjection = {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

export type SecretReference = {
  readonly name?: string
  readonly namespace?: string
}

export type SecretVolumeSource = {
  readonly secretName?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number | bigint
}

export type SecurityContext = {
  readonly capabilities?: Capabilities
  readonly privileged?: boolean
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number | bigint
  readonly runAsGroup?: number | bigint
  readonly runAsNonRoot?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: string
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
}

export type SelectableField = {
  readonly jsonPath: string
}

export type SelfSubjectAccessReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectAccessReviewSpec
  readonly status: SubjectAccessReviewStatus
}

export type SelfSubjectAccessReviewSpec = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

export type SelfSubjectReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly status: SelfSubjectReviewStatus
}

export type SelfSubjectReviewStatus = {
  readonly userInfo: UserInfo
}

export type SelfSubjectRulesReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectRulesReviewSpec
  readonly status: SubjectRulesReviewStatus
}

export type SelfSubjectRulesReviewSpec = {
  readonly namespace?: string
}

export type SerializedReference = {
  readonly kind: string
  readonly apiVersion: string
  readonly reference: ObjectReference
}

export type ServerAddressByClientCIDR = {
  readonly clientCIDR: string
  readonly serverAddress: string
}

export type ServerStorageVersion = {
  readonly apiServerID?: string
  readonly encodingVersion?: string
  readonly decodableVersions?: readonly string[]
  readonly servedVersions?: readonly string[]
}

export type Service = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ServiceSpec
  readonly status: ServiceStatus
}

export type ServiceAccount = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly secrets?: readonly ObjectReference[]
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}

export type ServiceAccountList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ServiceAccount[] | null
}

export type ServiceAccountSubject = {
  readonly namespace: string
  readonly name: string
}

export type ServiceAccountTokenProjection = {
  readonly audience?: string
  readonly expirationSeconds?: number | bigint
  readonly path: string
  readonly user?: number | bigint
}

export type ServiceBackendPort = {
  readonly name?: string
  readonly number?: number
}

export type ServiceCIDR = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ServiceCIDRSpec
  readonly status: ServiceCIDRStatus
}

export type ServiceCIDRList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ServiceCIDR[] | null
}

export type ServiceCIDRSpec = {
  readonly cidrs?: readonly string[]
}

export type ServiceCIDRStatus = {
  readonly conditions?: readonly Condition[]
}

export type ServiceList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Service[] | null
}

export type ServicePort = {
  readonly name?: string
  readonly protocol?: string
  readonly appProtocol?: string
  readonly port: number
  readonly targetPort: number | string
  readonly nodePort?: number
}

export type ServiceProxyOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly path?: string
}

export type ServiceReference = {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export type ServiceSpec = {
  readonly ports?: readonly ServicePort[]
  readonly selector?: MapOf<string>
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly type?: string
  readonly externalIPs?: readonly string[]
  readonly sessionAffinity?: string
  readonly loadBalancerIP?: string
  readonly loadBalancerSourceRanges?: readonly string[]
  readonly externalName?: string
  readonly externalTrafficPolicy?: string
  readonly healthCheckNodePort?: number
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinityConfig?: SessionAffinityConfig
  readonly ipFamilies?: readonly string[]
  readonly ipFamilyPolicy?: string
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly internalTrafficPolicy?: string
  readonly trafficDistribution?: string
}

export type ServiceStatus = {
  readonly loadBalancer: LoadBalancerStatus
  readonly conditions?: readonly Condition[]
}

export type SessionAffinityConfig = {
  readonly clientIP?: ClientIPConfig
}

export type ShardInfo = {
  readonly selector: string
}

export type ShareableCapacityStatus = {
  readonly name?: string
  readonly total?: string
  readonly consumed?: string
  readonly available?: string
}

export type ShareableSummaryStatus = {
  readonly fullyAvailableDevices?: number
  readonly partiallyAvailableDevices?: number
  readonly capacity?: readonly ShareableCapacityStatus[]
}

export type SingleCompositeDisruptionMode = {
}

export type SingleDisruptionMode = {
}

export type SleepAction = {
  readonly seconds: number | bigint
}

export type StatefulSet = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: StatefulSetSpec
  readonly status: StatefulSetStatus
}

export type StatefulSetCondition = {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string | null
  readonly reason?: string
  readonly message?: string
}

export type StatefulSetList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly StatefulSet[] | null
}

export type StatefulSetOrdinals = {
  readonly start: number
}

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

export type StatefulSetSpec = {
  readonly replicas?: number
  readonly selector: LabelSelector | null
  readonly template: PodTemplateSpec
  readonly volumeClaimTemplates?: readonly Embedded<PersistentVolumeClaim>[]
  readonly serviceName: string
  readonly podManagementPolicy?: string
  readonly updateStrategy: StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly ordinals?: StatefulSetOrdinals
}

export type StatefulSetStatus = {
  readonly observedGeneration?: number | bigint
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly StatefulSetCondition[]
  readonly availableReplicas: number
}

export type StatefulSetUpdateStrategy = {
  readonly type?: string
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy
}

export type Status = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

export type StatusCause = {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export type StatusDetails = {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export type StorageClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly provisioner: string
  readonly parameters?: MapOf<string>
  readonly reclaimPolicy?: string
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: string
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
}

export type StorageClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly StorageClass[] | null
}

export type StorageHealth = {
  readonly name: string
  readonly healthConditions?: readonly StorageHealthCondition[]
}

export type StorageHealthCondition = {
  readonly status: string
  readonly reason: string
  readonly message?: string
  readonly accessMode?: string
  readonly volumeMode?: string
  readonly lastTransitionTime: string | null
}

export type StorageOSPersistentVolumeSource = {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: ObjectReference
}

export type StorageOSVolumeSource = {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

export type StorageV1TokenRequest = {
  readonly audience: string
  readonly expirationSeconds?: number | bigint
}

export type StorageVersion = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: StorageVersionSpec
  readonly status: StorageVersionStatus
}

export type StorageVersionCondition = {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number | bigint
  readonly lastTransitionTime: string | null
  readonly reason: string
  readonly message?: string
}

export type StorageVersionList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly StorageVersion[] | null
}

export type StorageVersionMigration = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: StorageVersionMigrationSpec
  readonly status: StorageVersionMigrationStatus
}

export type StorageVersionMigrationList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly StorageVersionMigration[] | null
}

export type StorageVersionMigrationSpec = {
  readonly resource: GroupResource
}

export type StorageVersionMigrationStatus = {
  readonly conditions?: readonly Condition[]
  readonly resourceVersion?: string
}

export type StorageVersionSpec = {
}

export type StorageVersionStatus = {
  readonly storageVersions?: readonly ServerStorageVersion[]
  readonly commonEncodingVersion?: string
  readonly conditions?: readonly StorageVersionCondition[]
}

export type Subject = {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

export type SubjectAccessReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status: SubjectAccessReviewStatus
}

export type SubjectAccessReviewSpec = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: MapOf<readonly string[] | null>
  readonly uid?: string
}

export type SubjectAccessReviewStatus = {
  readonly allowed: boolean
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

export type SubjectRulesReviewStatus = {
  readonly resourceRules: readonly ResourceRule[] | null
  readonly nonResourceRules: readonly NonResourceRule[] | null
  readonly incomplete: boolean
  readonly evaluationError?: string
}

export type SuccessPolicy = {
  readonly rules: readonly SuccessPolicyRule[] | null
}

export type SuccessPolicyRule = {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export type Sysctl = {
  readonly name: string
  readonly value: string
}

export type TCPSocketAction = {
  readonly port: number | string
  readonly host?: string
}

export type Table = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly TableColumnDefinition[] | null
  readonly rows: readonly TableRow[] | null
}

export type TableColumnDefinition = {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

export type TableOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly includeObject?: string
}

export type TableRow = {
  readonly cells: readonly Value[] | null
  readonly conditions?: readonly TableRowCondition[]
  readonly object: Value
}

export type TableRowCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export type Taint = {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export type Timestamp = {
  readonly seconds: number | bigint
  readonly nanos: number
}

export type TokenRequest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: TokenRequestSpec
  readonly status: TokenRequestStatus
}

export type TokenRequestSpec = {
  readonly audiences: readonly string[] | null
  readonly expirationSeconds: number | bigint | null
  readonly boundObjectRef: BoundObjectReference | null
  readonly attestations?: MapOf<readonly string[] | null>
}

export type TokenRequestStatus = {
  readonly token: string
  readonly expirationTimestamp: string | null
}

export type TokenReview = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: TokenReviewSpec
  readonly status: TokenReviewStatus
}

export type TokenReviewSpec = {
  readonly token?: string
  readonly audiences?: readonly string[]
}

export type TokenReviewStatus = {
  readonly authenticated?: boolean
  readonly user: UserInfo
  readonly audiences?: readonly string[]
  readonly error?: string
}

export type Toleration = {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number | bigint
}

export type TopologyConstraint = {
  readonly key: string
}

export type TopologySelectorLabelRequirement = {
  readonly key: string
  readonly values: readonly string[] | null
}

export type TopologySelectorTerm = {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[]
}

export type TopologySpreadConstraint = {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: string
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: string
  readonly nodeTaintsPolicy?: string
  readonly matchLabelKeys?: readonly string[]
}

export type TypeChecking = {
  readonly expressionWarnings?: readonly ExpressionWarning[]
}

export type TypeMeta = {
  readonly kind?: string
  readonly apiVersion?: string
}

export type TypedLocalObjectReference = {
  readonly apiGroup: string | null
  readonly kind: string
  readonly name: string
}

export type TypedObjectReference = {
  readonly apiGroup: string | null
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export type UncountedTerminatedPods = {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}

export type Unknown = {
  readonly apiVersion?: string
  readonly kind?: string
  readonly raw?: string
  readonly contentEncoding?: string
  readonly contentType?: string
}

export type UpdateOptions = {
  readonly kind: string
  readonly apiVersion: string
  readonly dryRun?: readonly string[]
  readonly fieldManager?: string
  readonly fieldValidation?: string
}

export type UserInfo = {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: MapOf<readonly string[] | null>
}

export type UserSubject = {
  readonly name: string
}

export type ValidatingAdmissionPolicy = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ValidatingAdmissionPolicySpec
  readonly status: ValidatingAdmissionPolicyStatus
}

export type ValidatingAdmissionPolicyBinding = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: ValidatingAdmissionPolicyBindingSpec
}

export type ValidatingAdmissionPolicyBindingList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ValidatingAdmissionPolicyBinding[] | null
}

export type ValidatingAdmissionPolicyBindingSpec = {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly string[]
}

export type ValidatingAdmissionPolicyList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ValidatingAdmissionPolicy[] | null
}

export type ValidatingAdmissionPolicySpec = {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly validations?: readonly Validation[]
  readonly failurePolicy?: string
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

export type ValidatingAdmissionPolicyStatus = {
  readonly observedGeneration?: number | bigint
  readonly typeChecking?: TypeChecking
  readonly conditions?: readonly Condition[]
}

export type ValidatingWebhook = {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string | null
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[] | null
  readonly matchConditions?: readonly MatchCondition[]
}

export type ValidatingWebhookConfiguration = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly ValidatingWebhook[]
}

export type ValidatingWebhookConfigurationList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly ValidatingWebhookConfiguration[] | null
}

export type Validation = {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

export type ValidationRule = {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export type Variable = {
  readonly name: string
  readonly expression: string
}

export type Volume = {
  readonly name: string
  readonly hostPath?: HostPathVolumeSource
  readonly emptyDir?: EmptyDirVolumeSource
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly gitRepo?: GitRepoVolumeSource
  readonly secret?: SecretVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly iscsi?: ISCSIVolumeSource
  readonly glusterfs?: GlusterfsVolumeSource
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  readonly rbd?: RBDVolumeSource
  readonly flexVolume?: FlexVolumeSource
  readonly cinder?: CinderVolumeSource
  readonly cephfs?: CephFSVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly downwardAPI?: DownwardAPIVolumeSource
  readonly fc?: FCVolumeSource
  readonly azureFile?: AzureFileVolumeSource
  readonly configMap?: ConfigMapVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly projected?: ProjectedVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOVolumeSource
  readonly storageos?: StorageOSVolumeSource
  readonly csi?: CSIVolumeSource
  readonly ephemeral?: EphemeralVolumeSource
  readonly image?: ImageVolumeSource
}

export type VolumeAttachment = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: VolumeAttachmentSpec
  readonly status: VolumeAttachmentStatus
}

export type VolumeAttachmentList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly VolumeAttachment[] | null
}

export type VolumeAttachmentSource = {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: PersistentVolumeSpec
}

export type VolumeAttachmentSpec = {
  readonly attacher: string
  readonly source: VolumeAttachmentSource
  readonly nodeName: string
}

export type VolumeAttachmentStatus = {
  readonly attached: boolean
  readonly attachmentMetadata?: MapOf<string>
  readonly attachError?: VolumeError
  readonly detachError?: VolumeError
}

export type VolumeAttributesClass = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly driverName: string
  readonly parameters?: MapOf<string>
}

export type VolumeAttributesClassList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly VolumeAttributesClass[] | null
}

export type VolumeDevice = {
  readonly name: string
  readonly devicePath: string
}

export type VolumeError = {
  readonly time: string | null
  readonly message?: string
  readonly errorCode?: number
}

export type VolumeHealthCondition = {
  readonly status: string
  readonly reason: string
  readonly message?: string
}

export type VolumeHealthStatus = {
  readonly healthConditions?: readonly VolumeHealthCondition[]
  readonly lastTransitionTime: string | null
}

export type VolumeMount = {
  readonly name: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly mountPath: string
  readonly subPath?: string
  readonly mountPropagation?: string
  readonly subPathExpr?: string
  readonly bindMountOptions?: readonly string[]
}

export type VolumeMountStatus = {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly volumeStatus?: VolumeStatus
}

export type VolumeNodeAffinity = {
  readonly required?: NodeSelector
}

export type VolumeNodeResources = {
  readonly count?: number
}

export type VolumeProjection = {
  readonly secret?: SecretProjection
  readonly downwardAPI?: DownwardAPIProjection
  readonly configMap?: ConfigMapProjection
  readonly serviceAccountToken?: ServiceAccountTokenProjection
  readonly clusterTrustBundle?: ClusterTrustBundleProjection
  readonly podCertificate?: PodCertificateProjection
}

export type VolumeResourceRequirements = {
  readonly limits?: MapOf<string>
  readonly requests?: MapOf<string>
}

export type VolumeSource = {
  readonly hostPath?: HostPathVolumeSource
  readonly emptyDir?: EmptyDirVolumeSource
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly gitRepo?: GitRepoVolumeSource
  readonly secret?: SecretVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly iscsi?: ISCSIVolumeSource
  readonly glusterfs?: GlusterfsVolumeSource
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  readonly rbd?: RBDVolumeSource
  readonly flexVolume?: FlexVolumeSource
  readonly cinder?: CinderVolumeSource
  readonly cephfs?: CephFSVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly downwardAPI?: DownwardAPIVolumeSource
  readonly fc?: FCVolumeSource
  readonly azureFile?: AzureFileVolumeSource
  readonly configMap?: ConfigMapVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly projected?: ProjectedVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOVolumeSource
  readonly storageos?: StorageOSVolumeSource
  readonly csi?: CSIVolumeSource
  readonly ephemeral?: EphemeralVolumeSource
  readonly image?: ImageVolumeSource
}

export type VolumeStatus = {
  readonly image?: ImageVolumeStatus
}

export type VsphereVirtualDiskVolumeSource = {
  readonly volumePath: string
  readonly fsType?: string
  readonly storagePolicyName?: string
  readonly storagePolicyID?: string
}

export type WatchEvent = {
  readonly type: string
  readonly object: Value
}

export type WebhookClientConfig = {
  readonly url?: string
  readonly service?: ServiceReference
  readonly caBundle?: string
}

export type WebhookConversion = {
  readonly clientConfig?: ApiextensionsV1WebhookClientConfig
  readonly conversionReviewVersions: readonly string[] | null
}

export type WeightedPodAffinityTerm = {
  readonly weight: number
  readonly podAffinityTerm: PodAffinityTerm
}

export type WindowsSecurityContextOptions = {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}

export type Workload = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ObjectMeta
  readonly spec: WorkloadSpec
}

export type WorkloadList = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ListMeta
  readonly items: readonly Workload[] | null
}

export type WorkloadPodGroupAllDisruptionMode = {
}

export type WorkloadPodGroupBasicSchedulingPolicy = {
}

export type WorkloadPodGroupDisruptionMode = {
  readonly single?: WorkloadPodGroupSingleDisruptionMode
  readonly all?: WorkloadPodGroupAllDisruptionMode
}

export type WorkloadPodGroupGangSchedulingPolicy = {
  readonly minCount?: number
}

export type WorkloadPodGroupResourceClaim = {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export type WorkloadPodGroupSchedulingConstraints = {
  readonly topology?: readonly SchedulingV1alpha3TopologyConstraint[]
}

export type WorkloadPodGroupSchedulingPolicy = {
  readonly basic?: WorkloadPodGroupBasicSchedulingPolicy
  readonly gang?: WorkloadPodGroupGangSchedulingPolicy
}

export type WorkloadPodGroupSingleDisruptionMode = {
}

export type WorkloadReference = {
  readonly workloadName: string
  readonly templateName: string
}

export type WorkloadSpec = {
  readonly controllerRef?: SchedulingV1beta1TypedLocalObjectReference
  readonly podGroupTemplates: readonly PodGroupTemplate[] | null
  readonly compositePodGroupTemplates?: readonly CompositePodGroupTemplate[]
}

/** By their names in the table. */
export type BuiltInTypes = {
  readonly 'meta_v1.APIGroup': APIGroup
  readonly 'apidiscovery.k8s.io_v2.APIGroupDiscovery': APIGroupDiscovery
  readonly 'apidiscovery.k8s.io_v2.APIGroupDiscoveryList': APIGroupDiscoveryList
  readonly 'meta_v1.APIGroupList': APIGroupList
  readonly 'meta_v1.APIResource': APIResource
  readonly 'apidiscovery.k8s.io_v2.APIResourceDiscovery': APIResourceDiscovery
  readonly 'meta_v1.APIResourceList': APIResourceList
  readonly 'apiregistration.k8s.io_v1.APIService': APIService
  readonly 'apiregistration.k8s.io_v1.APIServiceCondition': APIServiceCondition
  readonly 'apiregistration.k8s.io_v1.APIServiceList': APIServiceList
  readonly 'apiregistration.k8s.io_v1.APIServiceSpec': APIServiceSpec
  readonly 'apiregistration.k8s.io_v1.APIServiceStatus': APIServiceStatus
  readonly 'apidiscovery.k8s.io_v2.APISubresourceDiscovery': APISubresourceDiscovery
  readonly 'apidiscovery.k8s.io_v2.APIVersionDiscovery': APIVersionDiscovery
  readonly 'meta_v1.APIVersions': APIVersions
  readonly 'core_v1.AWSElasticBlockStoreVolumeSource': AWSElasticBlockStoreVolumeSource
  readonly 'admission.k8s.io_v1.AdmissionRequest': AdmissionRequest
  readonly 'admission.k8s.io_v1.AdmissionResponse': AdmissionResponse
  readonly 'admission.k8s.io_v1.AdmissionReview': AdmissionReview
  readonly 'core_v1.Affinity': Affinity
  readonly 'rbac.authorization.k8s.io_v1.AggregationRule': AggregationRule
  readonly 'scheduling.k8s.io_v1beta1.AllCompositeDisruptionMode': AllCompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1beta1.AllDisruptionMode': AllDisruptionMode
  readonly 'resource.k8s.io_v1.AllocatedDeviceStatus': AllocatedDeviceStatus
  readonly 'resource.k8s.io_v1.AllocationResult': AllocationResult
  readonly 'apiextensions.k8s.io_v1.ServiceReference': ApiextensionsV1ServiceReference
  readonly 'apiextensions.k8s.io_v1.WebhookClientConfig': ApiextensionsV1WebhookClientConfig
  readonly 'apiregistration.k8s.io_v1.ServiceReference': ApiregistrationV1ServiceReference
  readonly 'core_v1.AppArmorProfile': AppArmorProfile
  readonly 'admissionregistration.k8s.io_v1.ApplyConfiguration': ApplyConfiguration
  readonly 'meta_v1.ApplyOptions': ApplyOptions
  readonly 'core_v1.AttachedVolume': AttachedVolume
  readonly 'admissionregistration.k8s.io_v1.AuditAnnotation': AuditAnnotation
  readonly 'audit.k8s.io_v1.Event': AuditV1Event
  readonly 'audit.k8s.io_v1.EventList': AuditV1EventList
  readonly 'audit.k8s.io_v1.ObjectReference': AuditV1ObjectReference
  readonly 'audit.k8s.io_v1.PolicyRule': AuditV1PolicyRule
  readonly 'audit.k8s.io_v1.AuthenticationMetadata': AuthenticationMetadata
  readonly 'autoscaling_v1.ContainerResourceMetricSource': AutoscalingV1ContainerResourceMetricSource
  readonly 'autoscaling_v1.ContainerResourceMetricStatus': AutoscalingV1ContainerResourceMetricStatus
  readonly 'autoscaling_v1.CrossVersionObjectReference': AutoscalingV1CrossVersionObjectReference
  readonly 'autoscaling_v1.ExternalMetricSource': AutoscalingV1ExternalMetricSource
  readonly 'autoscaling_v1.ExternalMetricStatus': AutoscalingV1ExternalMetricStatus
  readonly 'autoscaling_v1.HorizontalPodAutoscaler': AutoscalingV1HorizontalPodAutoscaler
  readonly 'autoscaling_v1.HorizontalPodAutoscalerCondition': AutoscalingV1HorizontalPodAutoscalerCondition
  readonly 'autoscaling_v1.HorizontalPodAutoscalerList': AutoscalingV1HorizontalPodAutoscalerList
  readonly 'autoscaling_v1.HorizontalPodAutoscalerSpec': AutoscalingV1HorizontalPodAutoscalerSpec
  readonly 'autoscaling_v1.HorizontalPodAutoscalerStatus': AutoscalingV1HorizontalPodAutoscalerStatus
  readonly 'autoscaling_v1.MetricSpec': AutoscalingV1MetricSpec
  readonly 'autoscaling_v1.MetricStatus': AutoscalingV1MetricStatus
  readonly 'autoscaling_v1.ObjectMetricSource': AutoscalingV1ObjectMetricSource
  readonly 'autoscaling_v1.ObjectMetricStatus': AutoscalingV1ObjectMetricStatus
  readonly 'autoscaling_v1.PodsMetricSource': AutoscalingV1PodsMetricSource
  readonly 'autoscaling_v1.PodsMetricStatus': AutoscalingV1PodsMetricStatus
  readonly 'autoscaling_v1.ResourceMetricSource': AutoscalingV1ResourceMetricSource
  readonly 'autoscaling_v1.ResourceMetricStatus': AutoscalingV1ResourceMetricStatus
  readonly 'core_v1.AvoidPods': AvoidPods
  readonly 'core_v1.AzureDiskVolumeSource': AzureDiskVolumeSource
  readonly 'core_v1.AzureFilePersistentVolumeSource': AzureFilePersistentVolumeSource
  readonly 'core_v1.AzureFileVolumeSource': AzureFileVolumeSource
  readonly 'resource.k8s.io_v1beta1.BasicDevice': BasicDevice
  readonly 'scheduling.k8s.io_v1beta1.BasicSchedulingPolicy': BasicSchedulingPolicy
  readonly 'core_v1.Binding': Binding
  readonly 'authentication.k8s.io_v1.BoundObjectReference': BoundObjectReference
  readonly 'resource.k8s.io_v1.CELDeviceSelector': CELDeviceSelector
  readonly 'storage.k8s.io_v1.CSIDriver': CSIDriver
  readonly 'storage.k8s.io_v1.CSIDriverList': CSIDriverList
  readonly 'storage.k8s.io_v1.CSIDriverSpec': CSIDriverSpec
  readonly 'storage.k8s.io_v1.CSINode': CSINode
  readonly 'storage.k8s.io_v1.CSINodeDriver': CSINodeDriver
  readonly 'storage.k8s.io_v1.CSINodeList': CSINodeList
  readonly 'storage.k8s.io_v1.CSINodeSpec': CSINodeSpec
  readonly 'storage.k8s.io_v1.CSINodeStatus': CSINodeStatus
  readonly 'core_v1.CSIPersistentVolumeSource': CSIPersistentVolumeSource
  readonly 'storage.k8s.io_v1.CSIStorageCapacity': CSIStorageCapacity
  readonly 'storage.k8s.io_v1.CSIStorageCapacityList': CSIStorageCapacityList
  readonly 'core_v1.CSIVolumeSource': CSIVolumeSource
  readonly 'core_v1.Capabilities': Capabilities
  readonly 'resource.k8s.io_v1.CapacityRequestPolicy': CapacityRequestPolicy
  readonly 'resource.k8s.io_v1.CapacityRequestPolicyRange': CapacityRequestPolicyRange
  readonly 'resource.k8s.io_v1.CapacityRequirements': CapacityRequirements
  readonly 'core_v1.CephFSPersistentVolumeSource': CephFSPersistentVolumeSource
  readonly 'core_v1.CephFSVolumeSource': CephFSVolumeSource
  readonly 'certificates.k8s.io_v1.CertificateSigningRequest': CertificateSigningRequest
  readonly 'certificates.k8s.io_v1.CertificateSigningRequestCondition': CertificateSigningRequestCondition
  readonly 'certificates.k8s.io_v1.CertificateSigningRequestList': CertificateSigningRequestList
  readonly 'certificates.k8s.io_v1.CertificateSigningRequestSpec': CertificateSigningRequestSpec
  readonly 'certificates.k8s.io_v1.CertificateSigningRequestStatus': CertificateSigningRequestStatus
  readonly 'core_v1.CinderPersistentVolumeSource': CinderPersistentVolumeSource
  readonly 'core_v1.CinderVolumeSource': CinderVolumeSource
  readonly 'core_v1.ClientIPConfig': ClientIPConfig
  readonly 'rbac.authorization.k8s.io_v1.ClusterRole': ClusterRole
  readonly 'rbac.authorization.k8s.io_v1.ClusterRoleBinding': ClusterRoleBinding
  readonly 'rbac.authorization.k8s.io_v1.ClusterRoleBindingList': ClusterRoleBindingList
  readonly 'rbac.authorization.k8s.io_v1.ClusterRoleList': ClusterRoleList
  readonly 'certificates.k8s.io_v1.ClusterTrustBundle': ClusterTrustBundle
  readonly 'certificates.k8s.io_v1.ClusterTrustBundleList': ClusterTrustBundleList
  readonly 'core_v1.ClusterTrustBundleProjection': ClusterTrustBundleProjection
  readonly 'certificates.k8s.io_v1.ClusterTrustBundleSpec': ClusterTrustBundleSpec
  readonly 'core_v1.ComponentCondition': ComponentCondition
  readonly 'core_v1.ComponentStatus': ComponentStatus
  readonly 'core_v1.ComponentStatusList': ComponentStatusList
  readonly 'scheduling.k8s.io_v1beta1.CompositeBasicSchedulingPolicy': CompositeBasicSchedulingPolicy
  readonly 'scheduling.k8s.io_v1beta1.CompositeDisruptionMode': CompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1beta1.CompositeGangSchedulingPolicy': CompositeGangSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroup': CompositePodGroup
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroupList': CompositePodGroupList
  readonly 'scheduling.k8s.io_v1beta1.CompositePodGroupSchedulingConstraints': CompositePodGroupSchedulingConstraints
  readonly 'scheduling.k8s.io_v1beta1.CompositePodGroupSchedulingPolicy': CompositePodGroupSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroupSpec': CompositePodGroupSpec
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroupStatus': CompositePodGroupStatus
  readonly 'scheduling.k8s.io_v1beta1.CompositePodGroupTemplate': CompositePodGroupTemplate
  readonly 'meta_v1.Condition': Condition
  readonly 'core_v1.ConfigMap': ConfigMap
  readonly 'core_v1.ConfigMapEnvSource': ConfigMapEnvSource
  readonly 'core_v1.ConfigMapKeySelector': ConfigMapKeySelector
  readonly 'core_v1.ConfigMapList': ConfigMapList
  readonly 'core_v1.ConfigMapNodeConfigSource': ConfigMapNodeConfigSource
  readonly 'core_v1.ConfigMapProjection': ConfigMapProjection
  readonly 'core_v1.ConfigMapVolumeSource': ConfigMapVolumeSource
  readonly 'core_v1.Container': Container
  readonly 'core_v1.ContainerExtendedResourceRequest': ContainerExtendedResourceRequest
  readonly 'core_v1.ContainerImage': ContainerImage
  readonly 'core_v1.ContainerPort': ContainerPort
  readonly 'core_v1.ContainerResizePolicy': ContainerResizePolicy
  readonly 'autoscaling_v2.ContainerResourceMetricSource': ContainerResourceMetricSource
  readonly 'autoscaling_v2.ContainerResourceMetricStatus': ContainerResourceMetricStatus
  readonly 'core_v1.ContainerRestartRule': ContainerRestartRule
  readonly 'core_v1.ContainerRestartRuleOnExitCodes': ContainerRestartRuleOnExitCodes
  readonly 'core_v1.ContainerState': ContainerState
  readonly 'core_v1.ContainerStateRunning': ContainerStateRunning
  readonly 'core_v1.ContainerStateTerminated': ContainerStateTerminated
  readonly 'core_v1.ContainerStateWaiting': ContainerStateWaiting
  readonly 'core_v1.ContainerStatus': ContainerStatus
  readonly 'core_v1.ContainerUser': ContainerUser
  readonly 'apps_v1.ControllerRevision': ControllerRevision
  readonly 'apps_v1.ControllerRevisionList': ControllerRevisionList
  readonly 'apiextensions.k8s.io_v1.ConversionRequest': ConversionRequest
  readonly 'apiextensions.k8s.io_v1.ConversionResponse': ConversionResponse
  readonly 'apiextensions.k8s.io_v1.ConversionReview': ConversionReview
  readonly 'core_v1.ResourceClaim': CoreV1ResourceClaim
  readonly 'resource.k8s.io_v1.Counter': Counter
  readonly 'resource.k8s.io_v1.CounterSet': CounterSet
  readonly 'meta_v1.CreateOptions': CreateOptions
  readonly 'batch_v1.CronJob': CronJob
  readonly 'batch_v1.CronJobList': CronJobList
  readonly 'batch_v1.CronJobSpec': CronJobSpec
  readonly 'batch_v1.CronJobStatus': CronJobStatus
  readonly 'autoscaling_v2.CrossVersionObjectReference': CrossVersionObjectReference
  readonly 'apiextensions.k8s.io_v1.CustomResourceColumnDefinition': CustomResourceColumnDefinition
  readonly 'apiextensions.k8s.io_v1.CustomResourceConversion': CustomResourceConversion
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinition': CustomResourceDefinition
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionCondition': CustomResourceDefinitionCondition
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionList': CustomResourceDefinitionList
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionNames': CustomResourceDefinitionNames
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionSpec': CustomResourceDefinitionSpec
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionStatus': CustomResourceDefinitionStatus
  readonly 'apiextensions.k8s.io_v1.CustomResourceDefinitionVersion': CustomResourceDefinitionVersion
  readonly 'apiextensions.k8s.io_v1.CustomResourceSubresourceScale': CustomResourceSubresourceScale
  readonly 'apiextensions.k8s.io_v1.CustomResourceSubresourceStatus': CustomResourceSubresourceStatus
  readonly 'apiextensions.k8s.io_v1.CustomResourceSubresources': CustomResourceSubresources
  readonly 'apiextensions.k8s.io_v1.CustomResourceValidation': CustomResourceValidation
  readonly 'core_v1.DaemonEndpoint': DaemonEndpoint
  readonly 'apps_v1.DaemonSet': DaemonSet
  readonly 'apps_v1.DaemonSetCondition': DaemonSetCondition
  readonly 'apps_v1.DaemonSetList': DaemonSetList
  readonly 'apps_v1.DaemonSetSpec': DaemonSetSpec
  readonly 'apps_v1.DaemonSetStatus': DaemonSetStatus
  readonly 'apps_v1.DaemonSetUpdateStrategy': DaemonSetUpdateStrategy
  readonly 'meta_v1.DeleteOptions': DeleteOptions
  readonly 'apps_v1.Deployment': Deployment
  readonly 'apps_v1.DeploymentCondition': DeploymentCondition
  readonly 'apps_v1.DeploymentList': DeploymentList
  readonly 'apps_v1.DeploymentSpec': DeploymentSpec
  readonly 'apps_v1.DeploymentStatus': DeploymentStatus
  readonly 'apps_v1.DeploymentStrategy': DeploymentStrategy
  readonly 'resource.k8s.io_v1.Device': Device
  readonly 'resource.k8s.io_v1.DeviceAllocationConfiguration': DeviceAllocationConfiguration
  readonly 'resource.k8s.io_v1.DeviceAllocationResult': DeviceAllocationResult
  readonly 'resource.k8s.io_v1.DeviceAttribute': DeviceAttribute
  readonly 'resource.k8s.io_v1.DeviceCapacity': DeviceCapacity
  readonly 'resource.k8s.io_v1.DeviceClaim': DeviceClaim
  readonly 'resource.k8s.io_v1.DeviceClaimConfiguration': DeviceClaimConfiguration
  readonly 'resource.k8s.io_v1.DeviceClass': DeviceClass
  readonly 'resource.k8s.io_v1.DeviceClassConfiguration': DeviceClassConfiguration
  readonly 'resource.k8s.io_v1.DeviceClassList': DeviceClassList
  readonly 'resource.k8s.io_v1.DeviceClassSpec': DeviceClassSpec
  readonly 'resource.k8s.io_v1.DeviceConfiguration': DeviceConfiguration
  readonly 'resource.k8s.io_v1.DeviceConstraint': DeviceConstraint
  readonly 'resource.k8s.io_v1.DeviceCounterConsumption': DeviceCounterConsumption
  readonly 'resource.k8s.io_v1.DeviceDerivedAttribute': DeviceDerivedAttribute
  readonly 'resource.k8s.io_v1.DeviceRequest': DeviceRequest
  readonly 'resource.k8s.io_v1.DeviceRequestAllocationResult': DeviceRequestAllocationResult
  readonly 'resource.k8s.io_v1.DeviceSelector': DeviceSelector
  readonly 'resource.k8s.io_v1.DeviceSubRequest': DeviceSubRequest
  readonly 'resource.k8s.io_v1.DeviceTaint': DeviceTaint
  readonly 'resource.k8s.io_v1.DeviceTaintRule': DeviceTaintRule
  readonly 'resource.k8s.io_v1.DeviceTaintRuleList': DeviceTaintRuleList
  readonly 'resource.k8s.io_v1.DeviceTaintRuleSpec': DeviceTaintRuleSpec
  readonly 'resource.k8s.io_v1.DeviceTaintRuleStatus': DeviceTaintRuleStatus
  readonly 'resource.k8s.io_v1.DeviceTaintSelector': DeviceTaintSelector
  readonly 'resource.k8s.io_v1.DeviceToleration': DeviceToleration
  readonly 'discovery.k8s.io_v1.EndpointPort': DiscoveryV1EndpointPort
  readonly 'scheduling.k8s.io_v1beta1.DisruptionMode': DisruptionMode
  readonly 'core_v1.DownwardAPIProjection': DownwardAPIProjection
  readonly 'core_v1.DownwardAPIVolumeFile': DownwardAPIVolumeFile
  readonly 'core_v1.DownwardAPIVolumeSource': DownwardAPIVolumeSource
  readonly 'core_v1.EmptyDirVolumeSource': EmptyDirVolumeSource
  readonly 'discovery.k8s.io_v1.Endpoint': Endpoint
  readonly 'core_v1.EndpointAddress': EndpointAddress
  readonly 'discovery.k8s.io_v1.EndpointConditions': EndpointConditions
  readonly 'discovery.k8s.io_v1.EndpointHints': EndpointHints
  readonly 'core_v1.EndpointPort': EndpointPort
  readonly 'discovery.k8s.io_v1.EndpointSlice': EndpointSlice
  readonly 'discovery.k8s.io_v1.EndpointSliceList': EndpointSliceList
  readonly 'core_v1.EndpointSubset': EndpointSubset
  readonly 'core_v1.Endpoints': Endpoints
  readonly 'core_v1.EndpointsList': EndpointsList
  readonly 'core_v1.EnvFromSource': EnvFromSource
  readonly 'core_v1.EnvVar': EnvVar
  readonly 'core_v1.EnvVarSource': EnvVarSource
  readonly 'core_v1.EphemeralContainer': EphemeralContainer
  readonly 'core_v1.EphemeralContainerCommon': EphemeralContainerCommon
  readonly 'core_v1.EphemeralVolumeSource': EphemeralVolumeSource
  readonly 'core_v1.Event': Event
  readonly 'core_v1.EventList': EventList
  readonly 'core_v1.EventSeries': EventSeries
  readonly 'core_v1.EventSource': EventSource
  readonly 'events.k8s.io_v1.Event': EventsV1Event
  readonly 'events.k8s.io_v1.EventList': EventsV1EventList
  readonly 'events.k8s.io_v1.EventSeries': EventsV1EventSeries
  readonly 'policy_v1.Eviction': Eviction
  readonly 'core_v1.EvictionResponder': EvictionResponder
  readonly 'resource.k8s.io_v1.ExactDeviceRequest': ExactDeviceRequest
  readonly 'core_v1.ExecAction': ExecAction
  readonly 'flowcontrol.apiserver.k8s.io_v1.ExemptPriorityLevelConfiguration': ExemptPriorityLevelConfiguration
  readonly 'admissionregistration.k8s.io_v1.ExpressionWarning': ExpressionWarning
  readonly 'apiextensions.k8s.io_v1.ExternalDocumentation': ExternalDocumentation
  readonly 'autoscaling_v2.ExternalMetricSource': ExternalMetricSource
  readonly 'autoscaling_v2.ExternalMetricStatus': ExternalMetricStatus
  readonly 'core_v1.FCVolumeSource': FCVolumeSource
  readonly 'authorization.k8s.io_v1.FieldSelectorAttributes': FieldSelectorAttributes
  readonly 'meta_v1.FieldSelectorRequirement': FieldSelectorRequirement
  readonly 'core_v1.FileKeySelector': FileKeySelector
  readonly 'core_v1.FlexPersistentVolumeSource': FlexPersistentVolumeSource
  readonly 'core_v1.FlexVolumeSource': FlexVolumeSource
  readonly 'core_v1.FlockerVolumeSource': FlockerVolumeSource
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowDistinguisherMethod': FlowDistinguisherMethod
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowSchema': FlowSchema
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaCondition': FlowSchemaCondition
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaList': FlowSchemaList
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaSpec': FlowSchemaSpec
  readonly 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaStatus': FlowSchemaStatus
  readonly 'flowcontrol.apiserver.k8s.io_v1.Subject': FlowcontrolV1Subject
  readonly 'discovery.k8s.io_v1.ForNode': ForNode
  readonly 'discovery.k8s.io_v1.ForZone': ForZone
  readonly 'core_v1.GCEPersistentDiskVolumeSource': GCEPersistentDiskVolumeSource
  readonly 'core_v1.GRPCAction': GRPCAction
  readonly 'scheduling.k8s.io_v1beta1.GangSchedulingPolicy': GangSchedulingPolicy
  readonly 'meta_v1.GetOptions': GetOptions
  readonly 'core_v1.GitRepoVolumeSource': GitRepoVolumeSource
  readonly 'core_v1.GlusterfsPersistentVolumeSource': GlusterfsPersistentVolumeSource
  readonly 'core_v1.GlusterfsVolumeSource': GlusterfsVolumeSource
  readonly 'meta_v1.GroupKind': GroupKind
  readonly 'meta_v1.GroupResource': GroupResource
  readonly 'audit.k8s.io_v1.GroupResources': GroupResources
  readonly 'flowcontrol.apiserver.k8s.io_v1.GroupSubject': GroupSubject
  readonly 'meta_v1.GroupVersion': GroupVersion
  readonly 'meta_v1.GroupVersionForDiscovery': GroupVersionForDiscovery
  readonly 'meta_v1.GroupVersionKind': GroupVersionKind
  readonly 'meta_v1.GroupVersionResource': GroupVersionResource
  readonly 'autoscaling_v2.HPAScalingPolicy': HPAScalingPolicy
  readonly 'autoscaling_v2.HPAScalingRules': HPAScalingRules
  readonly 'core_v1.HTTPGetAction': HTTPGetAction
  readonly 'core_v1.HTTPHeader': HTTPHeader
  readonly 'networking.k8s.io_v1.HTTPIngressPath': HTTPIngressPath
  readonly 'networking.k8s.io_v1.HTTPIngressRuleValue': HTTPIngressRuleValue
  readonly 'autoscaling_v2.HorizontalPodAutoscaler': HorizontalPodAutoscaler
  readonly 'autoscaling_v2.HorizontalPodAutoscalerBehavior': HorizontalPodAutoscalerBehavior
  readonly 'autoscaling_v2.HorizontalPodAutoscalerCondition': HorizontalPodAutoscalerCondition
  readonly 'autoscaling_v2.HorizontalPodAutoscalerList': HorizontalPodAutoscalerList
  readonly 'autoscaling_v2.HorizontalPodAutoscalerSpec': HorizontalPodAutoscalerSpec
  readonly 'autoscaling_v2.HorizontalPodAutoscalerStatus': HorizontalPodAutoscalerStatus
  readonly 'core_v1.HostAlias': HostAlias
  readonly 'core_v1.HostIP': HostIP
  readonly 'core_v1.HostPathVolumeSource': HostPathVolumeSource
  readonly 'networking.k8s.io_v1.IPAddress': IPAddress
  readonly 'networking.k8s.io_v1.IPAddressList': IPAddressList
  readonly 'networking.k8s.io_v1.IPAddressSpec': IPAddressSpec
  readonly 'networking.k8s.io_v1.IPBlock': IPBlock
  readonly 'core_v1.ISCSIPersistentVolumeSource': ISCSIPersistentVolumeSource
  readonly 'core_v1.ISCSIVolumeSource': ISCSIVolumeSource
  readonly 'core_v1.ImageVolumeSource': ImageVolumeSource
  readonly 'core_v1.ImageVolumeStatus': ImageVolumeStatus
  readonly 'version.Info': Info
  readonly 'networking.k8s.io_v1.Ingress': Ingress
  readonly 'networking.k8s.io_v1.IngressBackend': IngressBackend
  readonly 'networking.k8s.io_v1.IngressClass': IngressClass
  readonly 'networking.k8s.io_v1.IngressClassList': IngressClassList
  readonly 'networking.k8s.io_v1.IngressClassParametersReference': IngressClassParametersReference
  readonly 'networking.k8s.io_v1.IngressClassSpec': IngressClassSpec
  readonly 'networking.k8s.io_v1.IngressList': IngressList
  readonly 'networking.k8s.io_v1.IngressLoadBalancerIngress': IngressLoadBalancerIngress
  readonly 'networking.k8s.io_v1.IngressLoadBalancerStatus': IngressLoadBalancerStatus
  readonly 'networking.k8s.io_v1.IngressPortStatus': IngressPortStatus
  readonly 'networking.k8s.io_v1.IngressRule': IngressRule
  readonly 'networking.k8s.io_v1.IngressRuleValue': IngressRuleValue
  readonly 'networking.k8s.io_v1.IngressServiceBackend': IngressServiceBackend
  readonly 'networking.k8s.io_v1.IngressSpec': IngressSpec
  readonly 'networking.k8s.io_v1.IngressStatus': IngressStatus
  readonly 'networking.k8s.io_v1.IngressTLS': IngressTLS
  readonly 'admissionregistration.k8s.io_v1.JSONPatch': JSONPatch
  readonly 'apiextensions.k8s.io_v1.JSONSchemaProps': JSONSchemaProps
  readonly 'batch_v1.Job': Job
  readonly 'batch_v1.JobCondition': JobCondition
  readonly 'batch_v1.JobList': JobList
  readonly 'batch_v1.JobSchedulingConfiguration': JobSchedulingConfiguration
  readonly 'batch_v1.JobSpec': JobSpec
  readonly 'batch_v1.JobStatus': JobStatus
  readonly 'batch_v1.JobTemplateSpec': JobTemplateSpec
  readonly 'core_v1.KeyToPath': KeyToPath
  readonly 'meta_v1.LabelSelector': LabelSelector
  readonly 'authorization.k8s.io_v1.LabelSelectorAttributes': LabelSelectorAttributes
  readonly 'meta_v1.LabelSelectorRequirement': LabelSelectorRequirement
  readonly 'coordination.k8s.io_v1.Lease': Lease
  readonly 'coordination.k8s.io_v1beta1.LeaseCandidate': LeaseCandidate
  readonly 'coordination.k8s.io_v1beta1.LeaseCandidateList': LeaseCandidateList
  readonly 'coordination.k8s.io_v1beta1.LeaseCandidateSpec': LeaseCandidateSpec
  readonly 'coordination.k8s.io_v1.LeaseList': LeaseList
  readonly 'coordination.k8s.io_v1.LeaseSpec': LeaseSpec
  readonly 'core_v1.Lifecycle': Lifecycle
  readonly 'core_v1.LifecycleHandler': LifecycleHandler
  readonly 'core_v1.LimitRange': LimitRange
  readonly 'core_v1.LimitRangeItem': LimitRangeItem
  readonly 'core_v1.LimitRangeList': LimitRangeList
  readonly 'core_v1.LimitRangeSpec': LimitRangeSpec
  readonly 'flowcontrol.apiserver.k8s.io_v1.LimitResponse': LimitResponse
  readonly 'flowcontrol.apiserver.k8s.io_v1.LimitedPriorityLevelConfiguration': LimitedPriorityLevelConfiguration
  readonly 'core_v1.LinuxContainerUser': LinuxContainerUser
  readonly 'core_v1.List': List
  readonly 'meta_v1.ListMeta': ListMeta
  readonly 'meta_v1.ListOptions': ListOptions
  readonly 'core_v1.LoadBalancerIngress': LoadBalancerIngress
  readonly 'core_v1.LoadBalancerStatus': LoadBalancerStatus
  readonly 'core_v1.LocalObjectReference': LocalObjectReference
  readonly 'authorization.k8s.io_v1.LocalSubjectAccessReview': LocalSubjectAccessReview
  readonly 'core_v1.LocalVolumeSource': LocalVolumeSource
  readonly 'meta_v1.ManagedFieldsEntry': ManagedFieldsEntry
  readonly 'admissionregistration.k8s.io_v1.MatchCondition': MatchCondition
  readonly 'admissionregistration.k8s.io_v1.MatchResources': MatchResources
  readonly 'meta_v1.List': MetaV1List
  readonly 'meta_v1.Preconditions': MetaV1Preconditions
  readonly 'meta_v1beta1.PartialObjectMetadataList': MetaV1beta1PartialObjectMetadataList
  readonly 'autoscaling_v2.MetricIdentifier': MetricIdentifier
  readonly 'autoscaling_v2.MetricSpec': MetricSpec
  readonly 'autoscaling_v2.MetricStatus': MetricStatus
  readonly 'autoscaling_v2.MetricTarget': MetricTarget
  readonly 'autoscaling_v2.MetricValueStatus': MetricValueStatus
  readonly 'core_v1.ModifyVolumeStatus': ModifyVolumeStatus
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicy': MutatingAdmissionPolicy
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicyBinding': MutatingAdmissionPolicyBinding
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicyBindingList': MutatingAdmissionPolicyBindingList
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicyBindingSpec': MutatingAdmissionPolicyBindingSpec
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicyList': MutatingAdmissionPolicyList
  readonly 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicySpec': MutatingAdmissionPolicySpec
  readonly 'admissionregistration.k8s.io_v1.MutatingWebhook': MutatingWebhook
  readonly 'admissionregistration.k8s.io_v1.MutatingWebhookConfiguration': MutatingWebhookConfiguration
  readonly 'admissionregistration.k8s.io_v1.MutatingWebhookConfigurationList': MutatingWebhookConfigurationList
  readonly 'admissionregistration.k8s.io_v1.Mutation': Mutation
  readonly 'core_v1.NFSVolumeSource': NFSVolumeSource
  readonly 'admissionregistration.k8s.io_v1.NamedRuleWithOperations': NamedRuleWithOperations
  readonly 'core_v1.Namespace': Namespace
  readonly 'core_v1.NamespaceCondition': NamespaceCondition
  readonly 'core_v1.NamespaceList': NamespaceList
  readonly 'core_v1.NamespaceSpec': NamespaceSpec
  readonly 'core_v1.NamespaceStatus': NamespaceStatus
  readonly 'resource.k8s.io_v1.NetworkDeviceData': NetworkDeviceData
  readonly 'networking.k8s.io_v1.NetworkPolicy': NetworkPolicy
  readonly 'networking.k8s.io_v1.NetworkPolicyEgressRule': NetworkPolicyEgressRule
  readonly 'networking.k8s.io_v1.NetworkPolicyIngressRule': NetworkPolicyIngressRule
  readonly 'networking.k8s.io_v1.NetworkPolicyList': NetworkPolicyList
  readonly 'networking.k8s.io_v1.NetworkPolicyPeer': NetworkPolicyPeer
  readonly 'networking.k8s.io_v1.NetworkPolicyPort': NetworkPolicyPort
  readonly 'networking.k8s.io_v1.NetworkPolicySpec': NetworkPolicySpec
  readonly 'core_v1.Node': Node
  readonly 'core_v1.NodeAddress': NodeAddress
  readonly 'core_v1.NodeAffinity': NodeAffinity
  readonly 'core_v1.NodeAllocatableMappedResources': NodeAllocatableMappedResources
  readonly 'resource.k8s.io_v1.NodeAllocatableMapping': NodeAllocatableMapping
  readonly 'resource.k8s.io_v1.NodeAllocatableOverhead': NodeAllocatableOverhead
  readonly 'core_v1.NodeAllocatableOverheadResources': NodeAllocatableOverheadResources
  readonly 'resource.k8s.io_v1.NodeAllocatableResource': NodeAllocatableResource
  readonly 'core_v1.NodeAllocatableResourceClaimStatus': NodeAllocatableResourceClaimStatus
  readonly 'resource.k8s.io_v1.NodeAllocatableResourceMapping': NodeAllocatableResourceMapping
  readonly 'core_v1.NodeCondition': NodeCondition
  readonly 'core_v1.NodeConfigSource': NodeConfigSource
  readonly 'core_v1.NodeConfigStatus': NodeConfigStatus
  readonly 'core_v1.NodeDaemonEndpoints': NodeDaemonEndpoints
  readonly 'core_v1.NodeFeatures': NodeFeatures
  readonly 'core_v1.NodeList': NodeList
  readonly 'core_v1.NodePodPreemptionPolicy': NodePodPreemptionPolicy
  readonly 'core_v1.NodeProxyOptions': NodeProxyOptions
  readonly 'core_v1.NodeRuntimeHandler': NodeRuntimeHandler
  readonly 'core_v1.NodeRuntimeHandlerFeatures': NodeRuntimeHandlerFeatures
  readonly 'core_v1.NodeSelector': NodeSelector
  readonly 'core_v1.NodeSelectorRequirement': NodeSelectorRequirement
  readonly 'core_v1.NodeSelectorTerm': NodeSelectorTerm
  readonly 'core_v1.NodeSpec': NodeSpec
  readonly 'core_v1.NodeStatus': NodeStatus
  readonly 'core_v1.NodeSwapStatus': NodeSwapStatus
  readonly 'core_v1.NodeSystemInfo': NodeSystemInfo
  readonly 'authorization.k8s.io_v1.NonResourceAttributes': NonResourceAttributes
  readonly 'flowcontrol.apiserver.k8s.io_v1.NonResourcePolicyRule': NonResourcePolicyRule
  readonly 'authorization.k8s.io_v1.NonResourceRule': NonResourceRule
  readonly 'core_v1.ObjectFieldSelector': ObjectFieldSelector
  readonly 'meta_v1.ObjectMeta': ObjectMeta
  readonly 'autoscaling_v2.ObjectMetricSource': ObjectMetricSource
  readonly 'autoscaling_v2.ObjectMetricStatus': ObjectMetricStatus
  readonly 'core_v1.ObjectReference': ObjectReference
  readonly 'resource.k8s.io_v1.OpaqueDeviceConfiguration': OpaqueDeviceConfiguration
  readonly 'node.k8s.io_v1.Overhead': Overhead
  readonly 'meta_v1.OwnerReference': OwnerReference
  readonly 'admissionregistration.k8s.io_v1.ParamKind': ParamKind
  readonly 'admissionregistration.k8s.io_v1.ParamRef': ParamRef
  readonly 'networking.k8s.io_v1.ParentReference': ParentReference
  readonly 'meta_v1.PartialObjectMetadata': PartialObjectMetadata
  readonly 'meta_v1.PartialObjectMetadataList': PartialObjectMetadataList
  readonly 'resource.k8s.io_v1alpha3.PartitionTypeStatus': PartitionTypeStatus
  readonly 'meta_v1.Patch': Patch
  readonly 'meta_v1.PatchOptions': PatchOptions
  readonly 'core_v1.PersistentVolume': PersistentVolume
  readonly 'core_v1.PersistentVolumeClaim': PersistentVolumeClaim
  readonly 'core_v1.PersistentVolumeClaimCondition': PersistentVolumeClaimCondition
  readonly 'core_v1.PersistentVolumeClaimList': PersistentVolumeClaimList
  readonly 'core_v1.PersistentVolumeClaimSpec': PersistentVolumeClaimSpec
  readonly 'core_v1.PersistentVolumeClaimStatus': PersistentVolumeClaimStatus
  readonly 'core_v1.PersistentVolumeClaimTemplate': PersistentVolumeClaimTemplate
  readonly 'core_v1.PersistentVolumeClaimVolumeSource': PersistentVolumeClaimVolumeSource
  readonly 'core_v1.PersistentVolumeList': PersistentVolumeList
  readonly 'core_v1.PersistentVolumeSource': PersistentVolumeSource
  readonly 'core_v1.PersistentVolumeSpec': PersistentVolumeSpec
  readonly 'core_v1.PersistentVolumeStatus': PersistentVolumeStatus
  readonly 'core_v1.PhotonPersistentDiskVolumeSource': PhotonPersistentDiskVolumeSource
  readonly 'core_v1.Pod': Pod
  readonly 'core_v1.PodAffinity': PodAffinity
  readonly 'core_v1.PodAffinityTerm': PodAffinityTerm
  readonly 'core_v1.PodAntiAffinity': PodAntiAffinity
  readonly 'core_v1.PodAttachOptions': PodAttachOptions
  readonly 'core_v1.PodCertificateProjection': PodCertificateProjection
  readonly 'certificates.k8s.io_v1.PodCertificateRequest': PodCertificateRequest
  readonly 'certificates.k8s.io_v1.PodCertificateRequestList': PodCertificateRequestList
  readonly 'certificates.k8s.io_v1.PodCertificateRequestSpec': PodCertificateRequestSpec
  readonly 'certificates.k8s.io_v1.PodCertificateRequestStatus': PodCertificateRequestStatus
  readonly 'core_v1.PodCondition': PodCondition
  readonly 'core_v1.PodDNSConfig': PodDNSConfig
  readonly 'core_v1.PodDNSConfigOption': PodDNSConfigOption
  readonly 'policy_v1.PodDisruptionBudget': PodDisruptionBudget
  readonly 'policy_v1.PodDisruptionBudgetList': PodDisruptionBudgetList
  readonly 'policy_v1.PodDisruptionBudgetSpec': PodDisruptionBudgetSpec
  readonly 'policy_v1.PodDisruptionBudgetStatus': PodDisruptionBudgetStatus
  readonly 'core_v1.PodExecOptions': PodExecOptions
  readonly 'core_v1.PodExtendedResourceClaimStatus': PodExtendedResourceClaimStatus
  readonly 'batch_v1.PodFailurePolicy': PodFailurePolicy
  readonly 'batch_v1.PodFailurePolicyOnExitCodesRequirement': PodFailurePolicyOnExitCodesRequirement
  readonly 'batch_v1.PodFailurePolicyOnPodConditionsPattern': PodFailurePolicyOnPodConditionsPattern
  readonly 'batch_v1.PodFailurePolicyRule': PodFailurePolicyRule
  readonly 'scheduling.k8s.io_v1beta1.PodGroup': PodGroup
  readonly 'scheduling.k8s.io_v1beta1.PodGroupList': PodGroupList
  readonly 'scheduling.k8s.io_v1beta1.PodGroupResourceClaim': PodGroupResourceClaim
  readonly 'scheduling.k8s.io_v1beta1.PodGroupResourceClaimStatus': PodGroupResourceClaimStatus
  readonly 'scheduling.k8s.io_v1beta1.PodGroupSchedulingConstraints': PodGroupSchedulingConstraints
  readonly 'scheduling.k8s.io_v1beta1.PodGroupSchedulingPolicy': PodGroupSchedulingPolicy
  readonly 'scheduling.k8s.io_v1beta1.PodGroupSpec': PodGroupSpec
  readonly 'scheduling.k8s.io_v1beta1.PodGroupStatus': PodGroupStatus
  readonly 'scheduling.k8s.io_v1beta1.PodGroupTemplate': PodGroupTemplate
  readonly 'core_v1.PodIP': PodIP
  readonly 'core_v1.PodList': PodList
  readonly 'core_v1.PodLogOptions': PodLogOptions
  readonly 'core_v1.PodOS': PodOS
  readonly 'core_v1.PodPortForwardOptions': PodPortForwardOptions
  readonly 'core_v1.PodProxyOptions': PodProxyOptions
  readonly 'core_v1.PodReadinessGate': PodReadinessGate
  readonly 'core_v1.PodResourceClaim': PodResourceClaim
  readonly 'core_v1.PodResourceClaimStatus': PodResourceClaimStatus
  readonly 'core_v1.PodSchedulingGate': PodSchedulingGate
  readonly 'core_v1.PodSchedulingGroup': PodSchedulingGroup
  readonly 'core_v1.PodSecurityContext': PodSecurityContext
  readonly 'core_v1.PodSignature': PodSignature
  readonly 'core_v1.PodSpec': PodSpec
  readonly 'core_v1.PodStatus': PodStatus
  readonly 'core_v1.PodStatusResult': PodStatusResult
  readonly 'core_v1.PodTemplate': PodTemplate
  readonly 'core_v1.PodTemplateList': PodTemplateList
  readonly 'core_v1.PodTemplateSpec': PodTemplateSpec
  readonly 'core_v1.PodVolumeHealth': PodVolumeHealth
  readonly 'autoscaling_v2.PodsMetricSource': PodsMetricSource
  readonly 'autoscaling_v2.PodsMetricStatus': PodsMetricStatus
  readonly 'audit.k8s.io_v1.Policy': Policy
  readonly 'audit.k8s.io_v1.PolicyList': PolicyList
  readonly 'rbac.authorization.k8s.io_v1.PolicyRule': PolicyRule
  readonly 'flowcontrol.apiserver.k8s.io_v1.PolicyRulesWithSubjects': PolicyRulesWithSubjects
  readonly 'resource.k8s.io_v1alpha3.PoolStatus': PoolStatus
  readonly 'core_v1.PortStatus': PortStatus
  readonly 'core_v1.PortworxVolumeSource': PortworxVolumeSource
  readonly 'core_v1.Preconditions': Preconditions
  readonly 'core_v1.PreferAvoidPodsEntry': PreferAvoidPodsEntry
  readonly 'core_v1.PreferredSchedulingTerm': PreferredSchedulingTerm
  readonly 'scheduling.k8s.io_v1.PriorityClass': PriorityClass
  readonly 'scheduling.k8s.io_v1.PriorityClassList': PriorityClassList
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfiguration': PriorityLevelConfiguration
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationCondition': PriorityLevelConfigurationCondition
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationList': PriorityLevelConfigurationList
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationReference': PriorityLevelConfigurationReference
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationSpec': PriorityLevelConfigurationSpec
  readonly 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationStatus': PriorityLevelConfigurationStatus
  readonly 'core_v1.Probe': Probe
  readonly 'core_v1.ProbeHandler': ProbeHandler
  readonly 'core_v1.ProjectedVolumeSource': ProjectedVolumeSource
  readonly 'flowcontrol.apiserver.k8s.io_v1.QueuingConfiguration': QueuingConfiguration
  readonly 'core_v1.QuobyteVolumeSource': QuobyteVolumeSource
  readonly 'core_v1.RBDPersistentVolumeSource': RBDPersistentVolumeSource
  readonly 'core_v1.RBDVolumeSource': RBDVolumeSource
  readonly 'core_v1.RangeAllocation': RangeAllocation
  readonly 'apps_v1.ReplicaSet': ReplicaSet
  readonly 'apps_v1.ReplicaSetCondition': ReplicaSetCondition
  readonly 'apps_v1.ReplicaSetList': ReplicaSetList
  readonly 'apps_v1.ReplicaSetSpec': ReplicaSetSpec
  readonly 'apps_v1.ReplicaSetStatus': ReplicaSetStatus
  readonly 'core_v1.ReplicationController': ReplicationController
  readonly 'core_v1.ReplicationControllerCondition': ReplicationControllerCondition
  readonly 'core_v1.ReplicationControllerList': ReplicationControllerList
  readonly 'core_v1.ReplicationControllerSpec': ReplicationControllerSpec
  readonly 'core_v1.ReplicationControllerStatus': ReplicationControllerStatus
  readonly 'authorization.k8s.io_v1.ResourceAttributes': ResourceAttributes
  readonly 'resource.k8s.io_v1.ResourceClaim': ResourceClaim
  readonly 'resource.k8s.io_v1.ResourceClaimConsumerReference': ResourceClaimConsumerReference
  readonly 'resource.k8s.io_v1.ResourceClaimList': ResourceClaimList
  readonly 'resource.k8s.io_v1.ResourceClaimSpec': ResourceClaimSpec
  readonly 'resource.k8s.io_v1.ResourceClaimStatus': ResourceClaimStatus
  readonly 'resource.k8s.io_v1.ResourceClaimTemplate': ResourceClaimTemplate
  readonly 'resource.k8s.io_v1.ResourceClaimTemplateList': ResourceClaimTemplateList
  readonly 'resource.k8s.io_v1.ResourceClaimTemplateSpec': ResourceClaimTemplateSpec
  readonly 'core_v1.ResourceFieldSelector': ResourceFieldSelector
  readonly 'core_v1.ResourceHealth': ResourceHealth
  readonly 'autoscaling_v2.ResourceMetricSource': ResourceMetricSource
  readonly 'autoscaling_v2.ResourceMetricStatus': ResourceMetricStatus
  readonly 'flowcontrol.apiserver.k8s.io_v1.ResourcePolicyRule': ResourcePolicyRule
  readonly 'resource.k8s.io_v1.ResourcePool': ResourcePool
  readonly 'resource.k8s.io_v1alpha3.ResourcePoolStatusRequest': ResourcePoolStatusRequest
  readonly 'resource.k8s.io_v1alpha3.ResourcePoolStatusRequestList': ResourcePoolStatusRequestList
  readonly 'resource.k8s.io_v1alpha3.ResourcePoolStatusRequestSpec': ResourcePoolStatusRequestSpec
  readonly 'resource.k8s.io_v1alpha3.ResourcePoolStatusRequestStatus': ResourcePoolStatusRequestStatus
  readonly 'core_v1.ResourceQuota': ResourceQuota
  readonly 'core_v1.ResourceQuotaList': ResourceQuotaList
  readonly 'core_v1.ResourceQuotaSpec': ResourceQuotaSpec
  readonly 'core_v1.ResourceQuotaStatus': ResourceQuotaStatus
  readonly 'core_v1.ResourceRequirements': ResourceRequirements
  readonly 'authorization.k8s.io_v1.ResourceRule': ResourceRule
  readonly 'resource.k8s.io_v1.ResourceSlice': ResourceSlice
  readonly 'resource.k8s.io_v1.ResourceSliceList': ResourceSliceList
  readonly 'resource.k8s.io_v1.ResourceSliceSpec': ResourceSliceSpec
  readonly 'core_v1.ResourceStatus': ResourceStatus
  readonly 'resource.k8s.io_v1beta1.CapacityRequestPolicy': ResourceV1beta1CapacityRequestPolicy
  readonly 'resource.k8s.io_v1beta1.CapacityRequestPolicyRange': ResourceV1beta1CapacityRequestPolicyRange
  readonly 'resource.k8s.io_v1beta1.Counter': ResourceV1beta1Counter
  readonly 'resource.k8s.io_v1beta1.DeviceAttribute': ResourceV1beta1DeviceAttribute
  readonly 'resource.k8s.io_v1beta1.DeviceCapacity': ResourceV1beta1DeviceCapacity
  readonly 'resource.k8s.io_v1beta1.DeviceCounterConsumption': ResourceV1beta1DeviceCounterConsumption
  readonly 'resource.k8s.io_v1beta1.DeviceTaint': ResourceV1beta1DeviceTaint
  readonly 'resource.k8s.io_v1beta1.NodeAllocatableMapping': ResourceV1beta1NodeAllocatableMapping
  readonly 'resource.k8s.io_v1beta1.NodeAllocatableOverhead': ResourceV1beta1NodeAllocatableOverhead
  readonly 'resource.k8s.io_v1beta1.NodeAllocatableResource': ResourceV1beta1NodeAllocatableResource
  readonly 'resource.k8s.io_v1beta1.NodeAllocatableResourceMapping': ResourceV1beta1NodeAllocatableResourceMapping
  readonly 'rbac.authorization.k8s.io_v1.Role': Role
  readonly 'rbac.authorization.k8s.io_v1.RoleBinding': RoleBinding
  readonly 'rbac.authorization.k8s.io_v1.RoleBindingList': RoleBindingList
  readonly 'rbac.authorization.k8s.io_v1.RoleList': RoleList
  readonly 'rbac.authorization.k8s.io_v1.RoleRef': RoleRef
  readonly 'apps_v1.RollingUpdateDaemonSet': RollingUpdateDaemonSet
  readonly 'apps_v1.RollingUpdateDeployment': RollingUpdateDeployment
  readonly 'apps_v1.RollingUpdateStatefulSetStrategy': RollingUpdateStatefulSetStrategy
  readonly 'meta_v1.RootPaths': RootPaths
  readonly 'admissionregistration.k8s.io_v1.Rule': Rule
  readonly 'admissionregistration.k8s.io_v1.RuleWithOperations': RuleWithOperations
  readonly 'node.k8s.io_v1.RuntimeClass': RuntimeClass
  readonly 'node.k8s.io_v1.RuntimeClassList': RuntimeClassList
  readonly 'runtime.TypeMeta': RuntimeTypeMeta
  readonly 'core_v1.SELinuxOptions': SELinuxOptions
  readonly 'autoscaling_v1.Scale': Scale
  readonly 'core_v1.ScaleIOPersistentVolumeSource': ScaleIOPersistentVolumeSource
  readonly 'core_v1.ScaleIOVolumeSource': ScaleIOVolumeSource
  readonly 'autoscaling_v1.ScaleSpec': ScaleSpec
  readonly 'autoscaling_v1.ScaleStatus': ScaleStatus
  readonly 'node.k8s.io_v1.Scheduling': Scheduling
  readonly 'scheduling.k8s.io_v1alpha3.AllCompositeDisruptionMode': SchedulingV1alpha3AllCompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1alpha3.CompositeBasicSchedulingPolicy': SchedulingV1alpha3CompositeBasicSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.CompositeDisruptionMode': SchedulingV1alpha3CompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1alpha3.CompositeGangSchedulingPolicy': SchedulingV1alpha3CompositeGangSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroupSchedulingConstraints': SchedulingV1alpha3CompositePodGroupSchedulingConstraints
  readonly 'scheduling.k8s.io_v1alpha3.CompositePodGroupSchedulingPolicy': SchedulingV1alpha3CompositePodGroupSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.SingleCompositeDisruptionMode': SchedulingV1alpha3SingleCompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1alpha3.TopologyConstraint': SchedulingV1alpha3TopologyConstraint
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadReference': SchedulingV1alpha3WorkloadReference
  readonly 'scheduling.k8s.io_v1beta1.TypedLocalObjectReference': SchedulingV1beta1TypedLocalObjectReference
  readonly 'core_v1.ScopeSelector': ScopeSelector
  readonly 'core_v1.ScopedResourceSelectorRequirement': ScopedResourceSelectorRequirement
  readonly 'core_v1.SeccompProfile': SeccompProfile
  readonly 'core_v1.Secret': Secret
  readonly 'core_v1.SecretEnvSource': SecretEnvSource
  readonly 'core_v1.SecretKeySelector': SecretKeySelector
  readonly 'core_v1.SecretList': SecretList
  readonly 'core_v1.SecretProjection': SecretProjection
  readonly 'core_v1.SecretReference': SecretReference
  readonly 'core_v1.SecretVolumeSource': SecretVolumeSource
  readonly 'core_v1.SecurityContext': SecurityContext
  readonly 'apiextensions.k8s.io_v1.SelectableField': SelectableField
  readonly 'authorization.k8s.io_v1.SelfSubjectAccessReview': SelfSubjectAccessReview
  readonly 'authorization.k8s.io_v1.SelfSubjectAccessReviewSpec': SelfSubjectAccessReviewSpec
  readonly 'authentication.k8s.io_v1.SelfSubjectReview': SelfSubjectReview
  readonly 'authentication.k8s.io_v1.SelfSubjectReviewStatus': SelfSubjectReviewStatus
  readonly 'authorization.k8s.io_v1.SelfSubjectRulesReview': SelfSubjectRulesReview
  readonly 'authorization.k8s.io_v1.SelfSubjectRulesReviewSpec': SelfSubjectRulesReviewSpec
  readonly 'core_v1.SerializedReference': SerializedReference
  readonly 'meta_v1.ServerAddressByClientCIDR': ServerAddressByClientCIDR
  readonly 'internal.apiserver.k8s.io_v1alpha1.ServerStorageVersion': ServerStorageVersion
  readonly 'core_v1.Service': Service
  readonly 'core_v1.ServiceAccount': ServiceAccount
  readonly 'core_v1.ServiceAccountList': ServiceAccountList
  readonly 'flowcontrol.apiserver.k8s.io_v1.ServiceAccountSubject': ServiceAccountSubject
  readonly 'core_v1.ServiceAccountTokenProjection': ServiceAccountTokenProjection
  readonly 'networking.k8s.io_v1.ServiceBackendPort': ServiceBackendPort
  readonly 'networking.k8s.io_v1.ServiceCIDR': ServiceCIDR
  readonly 'networking.k8s.io_v1.ServiceCIDRList': ServiceCIDRList
  readonly 'networking.k8s.io_v1.ServiceCIDRSpec': ServiceCIDRSpec
  readonly 'networking.k8s.io_v1.ServiceCIDRStatus': ServiceCIDRStatus
  readonly 'core_v1.ServiceList': ServiceList
  readonly 'core_v1.ServicePort': ServicePort
  readonly 'core_v1.ServiceProxyOptions': ServiceProxyOptions
  readonly 'admissionregistration.k8s.io_v1.ServiceReference': ServiceReference
  readonly 'core_v1.ServiceSpec': ServiceSpec
  readonly 'core_v1.ServiceStatus': ServiceStatus
  readonly 'core_v1.SessionAffinityConfig': SessionAffinityConfig
  readonly 'meta_v1.ShardInfo': ShardInfo
  readonly 'resource.k8s.io_v1alpha3.ShareableCapacityStatus': ShareableCapacityStatus
  readonly 'resource.k8s.io_v1alpha3.ShareableSummaryStatus': ShareableSummaryStatus
  readonly 'scheduling.k8s.io_v1beta1.SingleCompositeDisruptionMode': SingleCompositeDisruptionMode
  readonly 'scheduling.k8s.io_v1beta1.SingleDisruptionMode': SingleDisruptionMode
  readonly 'core_v1.SleepAction': SleepAction
  readonly 'apps_v1.StatefulSet': StatefulSet
  readonly 'apps_v1.StatefulSetCondition': StatefulSetCondition
  readonly 'apps_v1.StatefulSetList': StatefulSetList
  readonly 'apps_v1.StatefulSetOrdinals': StatefulSetOrdinals
  readonly 'apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy': StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly 'apps_v1.StatefulSetSpec': StatefulSetSpec
  readonly 'apps_v1.StatefulSetStatus': StatefulSetStatus
  readonly 'apps_v1.StatefulSetUpdateStrategy': StatefulSetUpdateStrategy
  readonly 'meta_v1.Status': Status
  readonly 'meta_v1.StatusCause': StatusCause
  readonly 'meta_v1.StatusDetails': StatusDetails
  readonly 'storage.k8s.io_v1.StorageClass': StorageClass
  readonly 'storage.k8s.io_v1.StorageClassList': StorageClassList
  readonly 'storage.k8s.io_v1.StorageHealth': StorageHealth
  readonly 'storage.k8s.io_v1.StorageHealthCondition': StorageHealthCondition
  readonly 'core_v1.StorageOSPersistentVolumeSource': StorageOSPersistentVolumeSource
  readonly 'core_v1.StorageOSVolumeSource': StorageOSVolumeSource
  readonly 'storage.k8s.io_v1.TokenRequest': StorageV1TokenRequest
  readonly 'internal.apiserver.k8s.io_v1alpha1.StorageVersion': StorageVersion
  readonly 'internal.apiserver.k8s.io_v1alpha1.StorageVersionCondition': StorageVersionCondition
  readonly 'internal.apiserver.k8s.io_v1alpha1.StorageVersionList': StorageVersionList
  readonly 'storagemigration.k8s.io_v1.StorageVersionMigration': StorageVersionMigration
  readonly 'storagemigration.k8s.io_v1.StorageVersionMigrationList': StorageVersionMigrationList
  readonly 'storagemigration.k8s.io_v1.StorageVersionMigrationSpec': StorageVersionMigrationSpec
  readonly 'storagemigration.k8s.io_v1.StorageVersionMigrationStatus': StorageVersionMigrationStatus
  readonly 'internal.apiserver.k8s.io_v1alpha1.StorageVersionSpec': StorageVersionSpec
  readonly 'internal.apiserver.k8s.io_v1alpha1.StorageVersionStatus': StorageVersionStatus
  readonly 'rbac.authorization.k8s.io_v1.Subject': Subject
  readonly 'authorization.k8s.io_v1.SubjectAccessReview': SubjectAccessReview
  readonly 'authorization.k8s.io_v1.SubjectAccessReviewSpec': SubjectAccessReviewSpec
  readonly 'authorization.k8s.io_v1.SubjectAccessReviewStatus': SubjectAccessReviewStatus
  readonly 'authorization.k8s.io_v1.SubjectRulesReviewStatus': SubjectRulesReviewStatus
  readonly 'batch_v1.SuccessPolicy': SuccessPolicy
  readonly 'batch_v1.SuccessPolicyRule': SuccessPolicyRule
  readonly 'core_v1.Sysctl': Sysctl
  readonly 'core_v1.TCPSocketAction': TCPSocketAction
  readonly 'meta_v1.Table': Table
  readonly 'meta_v1.TableColumnDefinition': TableColumnDefinition
  readonly 'meta_v1.TableOptions': TableOptions
  readonly 'meta_v1.TableRow': TableRow
  readonly 'meta_v1.TableRowCondition': TableRowCondition
  readonly 'core_v1.Taint': Taint
  readonly 'meta_v1.Timestamp': Timestamp
  readonly 'authentication.k8s.io_v1.TokenRequest': TokenRequest
  readonly 'authentication.k8s.io_v1.TokenRequestSpec': TokenRequestSpec
  readonly 'authentication.k8s.io_v1.TokenRequestStatus': TokenRequestStatus
  readonly 'authentication.k8s.io_v1.TokenReview': TokenReview
  readonly 'authentication.k8s.io_v1.TokenReviewSpec': TokenReviewSpec
  readonly 'authentication.k8s.io_v1.TokenReviewStatus': TokenReviewStatus
  readonly 'core_v1.Toleration': Toleration
  readonly 'scheduling.k8s.io_v1beta1.TopologyConstraint': TopologyConstraint
  readonly 'core_v1.TopologySelectorLabelRequirement': TopologySelectorLabelRequirement
  readonly 'core_v1.TopologySelectorTerm': TopologySelectorTerm
  readonly 'core_v1.TopologySpreadConstraint': TopologySpreadConstraint
  readonly 'admissionregistration.k8s.io_v1.TypeChecking': TypeChecking
  readonly 'meta_v1.TypeMeta': TypeMeta
  readonly 'core_v1.TypedLocalObjectReference': TypedLocalObjectReference
  readonly 'core_v1.TypedObjectReference': TypedObjectReference
  readonly 'batch_v1.UncountedTerminatedPods': UncountedTerminatedPods
  readonly 'runtime.Unknown': Unknown
  readonly 'meta_v1.UpdateOptions': UpdateOptions
  readonly 'authentication.k8s.io_v1.UserInfo': UserInfo
  readonly 'flowcontrol.apiserver.k8s.io_v1.UserSubject': UserSubject
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicy': ValidatingAdmissionPolicy
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyBinding': ValidatingAdmissionPolicyBinding
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyBindingList': ValidatingAdmissionPolicyBindingList
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyBindingSpec': ValidatingAdmissionPolicyBindingSpec
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyList': ValidatingAdmissionPolicyList
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicySpec': ValidatingAdmissionPolicySpec
  readonly 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyStatus': ValidatingAdmissionPolicyStatus
  readonly 'admissionregistration.k8s.io_v1.ValidatingWebhook': ValidatingWebhook
  readonly 'admissionregistration.k8s.io_v1.ValidatingWebhookConfiguration': ValidatingWebhookConfiguration
  readonly 'admissionregistration.k8s.io_v1.ValidatingWebhookConfigurationList': ValidatingWebhookConfigurationList
  readonly 'admissionregistration.k8s.io_v1.Validation': Validation
  readonly 'apiextensions.k8s.io_v1.ValidationRule': ValidationRule
  readonly 'admissionregistration.k8s.io_v1.Variable': Variable
  readonly 'core_v1.Volume': Volume
  readonly 'storage.k8s.io_v1.VolumeAttachment': VolumeAttachment
  readonly 'storage.k8s.io_v1.VolumeAttachmentList': VolumeAttachmentList
  readonly 'storage.k8s.io_v1.VolumeAttachmentSource': VolumeAttachmentSource
  readonly 'storage.k8s.io_v1.VolumeAttachmentSpec': VolumeAttachmentSpec
  readonly 'storage.k8s.io_v1.VolumeAttachmentStatus': VolumeAttachmentStatus
  readonly 'storage.k8s.io_v1.VolumeAttributesClass': VolumeAttributesClass
  readonly 'storage.k8s.io_v1.VolumeAttributesClassList': VolumeAttributesClassList
  readonly 'core_v1.VolumeDevice': VolumeDevice
  readonly 'storage.k8s.io_v1.VolumeError': VolumeError
  readonly 'core_v1.VolumeHealthCondition': VolumeHealthCondition
  readonly 'core_v1.VolumeHealthStatus': VolumeHealthStatus
  readonly 'core_v1.VolumeMount': VolumeMount
  readonly 'core_v1.VolumeMountStatus': VolumeMountStatus
  readonly 'core_v1.VolumeNodeAffinity': VolumeNodeAffinity
  readonly 'storage.k8s.io_v1.VolumeNodeResources': VolumeNodeResources
  readonly 'core_v1.VolumeProjection': VolumeProjection
  readonly 'core_v1.VolumeResourceRequirements': VolumeResourceRequirements
  readonly 'core_v1.VolumeSource': VolumeSource
  readonly 'core_v1.VolumeStatus': VolumeStatus
  readonly 'core_v1.VsphereVirtualDiskVolumeSource': VsphereVirtualDiskVolumeSource
  readonly 'meta_v1.WatchEvent': WatchEvent
  readonly 'admissionregistration.k8s.io_v1.WebhookClientConfig': WebhookClientConfig
  readonly 'apiextensions.k8s.io_v1.WebhookConversion': WebhookConversion
  readonly 'core_v1.WeightedPodAffinityTerm': WeightedPodAffinityTerm
  readonly 'core_v1.WindowsSecurityContextOptions': WindowsSecurityContextOptions
  readonly 'scheduling.k8s.io_v1beta1.Workload': Workload
  readonly 'scheduling.k8s.io_v1beta1.WorkloadList': WorkloadList
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupAllDisruptionMode': WorkloadPodGroupAllDisruptionMode
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupBasicSchedulingPolicy': WorkloadPodGroupBasicSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupDisruptionMode': WorkloadPodGroupDisruptionMode
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupGangSchedulingPolicy': WorkloadPodGroupGangSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupResourceClaim': WorkloadPodGroupResourceClaim
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupSchedulingConstraints': WorkloadPodGroupSchedulingConstraints
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupSchedulingPolicy': WorkloadPodGroupSchedulingPolicy
  readonly 'scheduling.k8s.io_v1alpha3.WorkloadPodGroupSingleDisruptionMode': WorkloadPodGroupSingleDisruptionMode
  readonly 'scheduling.k8s.io_v1beta1.WorkloadReference': WorkloadReference
  readonly 'scheduling.k8s.io_v1beta1.WorkloadSpec': WorkloadSpec
}
