// Written by `make generate` from proto/api: the built-in kinds and the types of their fields. Where two groups have a type of
// one name, the kind has it, or the group that discovery lists first; the other begins with its group and version.
import type { Kind } from '../kind.ts'

/** A group and version of the API, and the server that serves it. */
export interface APIService {
  readonly apiVersion?: 'apiregistration.k8s.io/v1'
  readonly kind?: 'APIService'
  readonly metadata: ObjectMeta
  readonly spec?: APIServiceSpec
  readonly status?: APIServiceStatus
}
export const APIService: Kind<APIService> = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', plural: 'apiservices', namespaced: false }

export interface APIServiceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface APIServiceSpec {
  readonly service?: ApiregistrationV1ServiceReference
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[]
}

export interface AWSElasticBlockStoreVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export interface AdmissionRequest {
  readonly uid?: string
  readonly kind?: GroupVersionKind
  readonly resource?: GroupVersionResource
  readonly subResource?: string
  readonly requestKind?: GroupVersionKind
  readonly requestResource?: GroupVersionResource
  readonly requestSubResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly operation?: string
  readonly userInfo?: UserInfo
  readonly object?: RawExtension
  readonly oldObject?: RawExtension
  readonly dryRun?: boolean
  readonly options?: RawExtension
}

export interface AdmissionResponse {
  readonly uid?: string
  readonly allowed?: boolean
  readonly status?: Status
  readonly patch?: string
  readonly patchType?: string
  readonly auditAnnotations?: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
}

export interface AdmissionReview {
  readonly apiVersion?: 'admission.k8s.io/v1'
  readonly kind?: 'AdmissionReview'
  readonly request?: AdmissionRequest
  readonly response?: AdmissionResponse
}

/** Rules about nodes and neighbours. */
export interface Affinity {
  readonly nodeAffinity?: NodeAffinity
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAntiAffinity
}

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[]
}

export interface AllocatedDeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions?: readonly Condition[]
  readonly data?: RawExtension
  readonly networkData?: NetworkDeviceData
}

export interface AllocationResult {
  readonly devices?: DeviceAllocationResult
  readonly nodeSelector?: NodeSelector
  readonly allocationTimestamp?: Time
}

export interface ApiextensionsV1ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface ApiextensionsV1WebhookClientConfig {
  readonly url?: string
  readonly service?: ApiextensionsV1ServiceReference
  readonly caBundle?: string
}

export interface ApiregistrationV1ServiceReference {
  readonly namespace?: string
  readonly name?: string
  readonly port?: number
}

export interface AppArmorProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

export interface ApplyConfiguration {
  readonly expression?: string
}

export interface AttachedVolume {
  readonly name: string
  readonly devicePath: string
}

export type AttestationValue = readonly string[]

export interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

export type AuthorizationV1ExtraValue = readonly string[]

export interface AutoscalingV1CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

/** Changes the number of pods with their load. */
export interface AutoscalingV1HorizontalPodAutoscaler {
  readonly apiVersion?: 'autoscaling/v1'
  readonly kind?: 'HorizontalPodAutoscaler'
  readonly metadata: ObjectMeta
  readonly spec: AutoscalingV1HorizontalPodAutoscalerSpec
  readonly status?: AutoscalingV1HorizontalPodAutoscalerStatus
}
export const AutoscalingV1HorizontalPodAutoscaler: Kind<AutoscalingV1HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers', namespaced: true }

export interface AutoscalingV1HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: AutoscalingV1CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly targetCPUUtilizationPercentage?: number
}

export interface AutoscalingV1HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: Time
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly currentCPUUtilizationPercentage?: number
}

export interface AzureDiskVolumeSource {
  readonly diskName: string
  readonly diskURI: string
  readonly cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite'
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly kind?: 'Dedicated' | 'Managed' | 'Shared'
}

export interface AzureFilePersistentVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
  readonly secretNamespace?: string
}

export interface AzureFileVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
}

/** Ties an object to another; a pod to the node that it shall run on. */
export interface Binding {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Binding'
  readonly metadata: ObjectMeta
  readonly target: ObjectReference
}
export const Binding: Kind<Binding> = { group: '', version: 'v1', kind: 'Binding', plural: 'bindings', namespaced: true }

export interface BoundObjectReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

export interface CELDeviceSelector {
  readonly expression: string
}

/** The abilities of a storage driver. */
export interface CSIDriver {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'CSIDriver'
  readonly metadata: ObjectMeta
  readonly spec: CSIDriverSpec
}
export const CSIDriver: Kind<CSIDriver> = { group: 'storage.k8s.io', version: 'v1', kind: 'CSIDriver', plural: 'csidrivers', namespaced: false }

export interface CSIDriverSpec {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly StorageV1TokenRequest[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

/** The storage drivers of a node. */
export interface CSINode {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'CSINode'
  readonly metadata: ObjectMeta
  readonly spec: CSINodeSpec
  readonly status?: CSINodeStatus
}
export const CSINode: Kind<CSINode> = { group: 'storage.k8s.io', version: 'v1', kind: 'CSINode', plural: 'csinodes', namespaced: false }

export interface CSINodeDriver {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys?: readonly string[]
  readonly allocatable?: VolumeNodeResources
}

export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[]
}

export interface CSINodeStatus {
  readonly storageHealth?: readonly StorageHealth[]
}

export interface CSIPersistentVolumeSource {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly controllerPublishSecretRef?: SecretReference
  readonly nodeStageSecretRef?: SecretReference
  readonly nodePublishSecretRef?: SecretReference
  readonly controllerExpandSecretRef?: SecretReference
  readonly nodeExpandSecretRef?: SecretReference
}

/** The amount of free storage, by place. */
export interface CSIStorageCapacity {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'CSIStorageCapacity'
  readonly metadata: ObjectMeta
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
  readonly capacity?: Quantity
  readonly maximumVolumeSize?: Quantity
}
export const CSIStorageCapacity: Kind<CSIStorageCapacity> = { group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity', plural: 'csistoragecapacities', namespaced: true }

export interface CSIVolumeSource {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly nodePublishSecretRef?: LocalObjectReference
}

export interface Capabilities {
  readonly add?: readonly string[]
  readonly drop?: readonly string[]
}

export interface CapacityRequestPolicy {
  readonly default?: Quantity
  readonly validValues?: readonly Quantity[]
  readonly validRange?: CapacityRequestPolicyRange
}

export interface CapacityRequestPolicyRange {
  readonly min: Quantity
  readonly max?: Quantity
  readonly step?: Quantity
}

export interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, Quantity>>
}

export interface CephFSPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

export interface CephFSVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

/** Asks for a certificate to be signed. */
export interface CertificateSigningRequest {
  readonly apiVersion?: 'certificates.k8s.io/v1'
  readonly kind?: 'CertificateSigningRequest'
  readonly metadata: ObjectMeta
  readonly spec: CertificateSigningRequestSpec
  readonly status?: CertificateSigningRequestStatus
}
export const CertificateSigningRequest: Kind<CertificateSigningRequest> = { group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest', plural: 'certificatesigningrequests', namespaced: false }

export interface CertificateSigningRequestCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: Time
  readonly lastTransitionTime?: Time
}

export interface CertificateSigningRequestSpec {
  readonly request: string
  readonly signerName: string
  readonly expirationSeconds?: number
  readonly usages?: readonly ('any' | 'cert sign' | 'client auth' | 'code signing' | 'content commitment' | 'crl sign' | 'data encipherment' | 'decipher only' | 'digital signature' | 'email protection' | 'encipher only' | 'ipsec end system' | 'ipsec tunnel' | 'ipsec user' | 'key agreement' | 'key encipherment' | 'microsoft sgc' | 'netscape sgc' | 'ocsp signing' | 's/mime' | 'server auth' | 'signing' | 'timestamping')[]
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, CertificatesV1ExtraValue>>
}

export interface CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificateSigningRequestCondition[]
  readonly certificate?: string
}

export type CertificatesV1ExtraValue = readonly string[]

export interface CinderPersistentVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: SecretReference
}

export interface CinderVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

export interface ClientIPConfig {
  readonly timeoutSeconds?: number
}

/** Rights in all namespaces, or outside of namespaces. */
export interface ClusterRole {
  readonly apiVersion?: 'rbac.authorization.k8s.io/v1'
  readonly kind?: 'ClusterRole'
  readonly metadata: ObjectMeta
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: AggregationRule
}
export const ClusterRole: Kind<ClusterRole> = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles', namespaced: false }

/** Grants the rights of a cluster role to subjects, everywhere. */
export interface ClusterRoleBinding {
  readonly apiVersion?: 'rbac.authorization.k8s.io/v1'
  readonly kind?: 'ClusterRoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}
export const ClusterRoleBinding: Kind<ClusterRoleBinding> = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', namespaced: false }

/** Certificates that vouch for others. */
export interface ClusterTrustBundle {
  readonly apiVersion?: 'certificates.k8s.io/v1'
  readonly kind?: 'ClusterTrustBundle'
  readonly metadata: ObjectMeta
  readonly spec: ClusterTrustBundleSpec
}
export const ClusterTrustBundle: Kind<ClusterTrustBundle> = { group: 'certificates.k8s.io', version: 'v1', kind: 'ClusterTrustBundle', plural: 'clustertrustbundles', namespaced: false }

export interface ClusterTrustBundleProjection {
  readonly name?: string
  readonly signerName?: string
  readonly labelSelector?: LabelSelector
  readonly optional?: boolean
  readonly path: string
  readonly user?: number
}

export interface ClusterTrustBundleSpec {
  /** The signer whose certificates the bundle vouches for. */
  readonly signerName?: string
  /** The certificates in PEM. */
  readonly trustBundle: string
}

export interface ComponentCondition {
  readonly type: string
  readonly status: string
  readonly message?: string
  readonly error?: string
}

/** The health of a component of the cluster. Deprecated. */
export interface ComponentStatus {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ComponentStatus'
  readonly metadata: ObjectMeta
  readonly conditions?: readonly ComponentCondition[]
}
export const ComponentStatus: Kind<ComponentStatus> = { group: '', version: 'v1', kind: 'ComponentStatus', plural: 'componentstatuses', namespaced: false }

/** A statement about an object that is true, false or unknown. */
export interface Condition {
  /** The subject of the statement. */
  readonly type: string
  /** True, False or Unknown. */
  readonly status: string
  /** The generation that the statement was made for. */
  readonly observedGeneration?: number
  /** The time when the statement last changed. */
  readonly lastTransitionTime: Time
  /** Why, in one word. */
  readonly reason: string
  /** Why, for people. */
  readonly message: string
}

/** Configuration that pods use: texts and bytes under names. */
export interface ConfigMap {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ConfigMap'
  readonly metadata: ObjectMeta
  /** Whether the data can no longer be changed. */
  readonly immutable?: boolean
  /** Texts by name. */
  readonly data?: Readonly<Record<string, string>>
  /** Bytes by name, for what is not text. */
  readonly binaryData?: Readonly<Record<string, string>>
}
export const ConfigMap: Kind<ConfigMap> = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }

export interface ConfigMapEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface ConfigMapKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface ConfigMapNodeConfigSource {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly kubeletConfigKey: string
}

export interface ConfigMapProjection {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

export interface ConfigMapVolumeSource {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

/** A process with its image, its resources and its files. */
export interface Container {
  /** The name in the pod. */
  readonly name: string
  /** The image that is run. */
  readonly image?: string
  /** The program to run, instead of the image's entry point. */
  readonly command?: readonly string[]
  /** The arguments of what is run. */
  readonly args?: readonly string[]
  /** The working directory. */
  readonly workingDir?: string
  /** The ports that the container listens on. */
  readonly ports?: readonly ContainerPort[]
  /** Sources of environment variables. */
  readonly envFrom?: readonly EnvFromSource[]
  /** Environment variables. */
  readonly env?: readonly EnvVar[]
  /** The resources that the container needs, and their limits. */
  readonly resources?: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  /** Always: an init container that runs beside the others. */
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  /** The mounts of volumes. */
  readonly volumeMounts?: readonly VolumeMount[]
  /** Block devices of the container. */
  readonly volumeDevices?: readonly VolumeDevice[]
  /** Tells when the container must be started again. */
  readonly livenessProbe?: Probe
  /** Tells when the container can take traffic. */
  readonly readinessProbe?: Probe
  /** Tells when the container has started; the other probes wait for it. */
  readonly startupProbe?: Probe
  /** Actions after the start and before the end. */
  readonly lifecycle?: Lifecycle
  /** The file whose text says why the container ended. */
  readonly terminationMessagePath?: string
  /** The source of the termination message. */
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  /** The rule for pulling the image. */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  /** Security settings of the container. */
  readonly securityContext?: SecurityContext
  /** Whether standard input stays open. */
  readonly stdin?: boolean
  /** Whether standard input closes after its first user. */
  readonly stdinOnce?: boolean
  /** Whether the container has a terminal. */
  readonly tty?: boolean
}

export interface ContainerExtendedResourceRequest {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface ContainerImage {
  readonly names?: readonly string[]
  readonly sizeBytes?: number
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** A name for the port, unique in the pod. */
  readonly name?: string
  /** The port of the node that leads here. */
  readonly hostPort?: number
  /** The number of the port. */
  readonly containerPort: number
  /** TCP, UDP or SCTP. */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  /** The address of the node that the port of the node is bound to. */
  readonly hostIP?: string
}

export interface ContainerResizePolicy {
  readonly resourceName: string
  readonly restartPolicy: string
}

export interface ContainerResourceMetricSource {
  readonly name: string
  readonly target: MetricTarget
  readonly container: string
}

export interface ContainerResourceMetricStatus {
  readonly name: string
  readonly current: MetricValueStatus
  readonly container: string
}

export interface ContainerRestartRule {
  readonly action: string
  readonly exitCodes?: ContainerRestartRuleOnExitCodes
}

export interface ContainerRestartRuleOnExitCodes {
  readonly operator: string
  readonly values?: readonly number[]
}

export interface ContainerState {
  readonly waiting?: ContainerStateWaiting
  readonly running?: ContainerStateRunning
  readonly terminated?: ContainerStateTerminated
}

export interface ContainerStateRunning {
  readonly startedAt?: Time
}

export interface ContainerStateTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: Time
  readonly finishedAt?: Time
  readonly containerID?: string
}

export interface ContainerStateWaiting {
  readonly reason?: string
  readonly message?: string
}

export interface ContainerStatus {
  readonly name: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
  readonly allocatedResources?: Readonly<Record<string, Quantity>>
  readonly resources?: ResourceRequirements
  readonly volumeMounts?: readonly VolumeMountStatus[]
  readonly user?: ContainerUser
  readonly allocatedResourcesStatus?: readonly ResourceStatus[]
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface ContainerUser {
  readonly linux?: LinuxContainerUser
}

/** A state of a workload that can be gone back to. */
export interface ControllerRevision {
  readonly apiVersion?: 'apps/v1'
  readonly kind?: 'ControllerRevision'
  readonly metadata: ObjectMeta
  readonly data?: RawExtension
  readonly revision: number
}
export const ControllerRevision: Kind<ControllerRevision> = { group: 'apps', version: 'v1', kind: 'ControllerRevision', plural: 'controllerrevisions', namespaced: true }

export interface CoreV1ResourceClaim {
  readonly name: string
  readonly request?: string
}

export interface Counter {
  readonly value: Quantity
}

export interface CounterSet {
  readonly name: string
  readonly counters: Readonly<Record<string, Counter>>
}

/** Makes jobs at set times. */
export interface CronJob {
  readonly apiVersion?: 'batch/v1'
  readonly kind?: 'CronJob'
  readonly metadata: ObjectMeta
  readonly spec: CronJobSpec
  readonly status?: CronJobStatus
}
export const CronJob: Kind<CronJob> = { group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs', namespaced: true }

export interface CronJobSpec {
  /** When, in the form of cron. */
  readonly schedule: string
  /** The zone that the times are in. */
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number
  /** The action when the last job still runs. */
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
  /** Whether no jobs are made for now. */
  readonly suspend?: boolean
  /** The template of the jobs. */
  readonly jobTemplate: JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[]
  readonly lastScheduleTime?: Time
  readonly lastSuccessfulTime?: Time
}

export interface CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

export interface CustomResourceColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: WebhookConversion
}

/** Adds a kind to the API. */
export interface CustomResourceDefinition {
  readonly apiVersion?: 'apiextensions.k8s.io/v1'
  readonly kind?: 'CustomResourceDefinition'
  readonly metadata: ObjectMeta
  readonly spec: CustomResourceDefinitionSpec
  readonly status?: CustomResourceDefinitionStatus
}
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', plural: 'customresourcedefinitions', namespaced: false }

export interface CustomResourceDefinitionCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export interface CustomResourceDefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface CustomResourceDefinitionSpec {
  /** The group of the kind. */
  readonly group: string
  /** The names of the kind. */
  readonly names: CustomResourceDefinitionNames
  /** Whether objects are in namespaces: Cluster or Namespaced. */
  readonly scope: string
  /** The versions of the kind. */
  readonly versions: readonly CustomResourceDefinitionVersion[]
  /** The conversion of objects from one version to another. */
  readonly conversion?: CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly CustomResourceDefinitionCondition[]
  readonly acceptedNames?: CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[]
  readonly observedGeneration?: number
}

export interface CustomResourceDefinitionVersion {
  /** The name of the version. */
  readonly name: string
  /** Whether the version can be used. */
  readonly served: boolean
  /** Whether objects are stored in this version; true for one. */
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  /** The schema of objects. */
  readonly schema?: CustomResourceValidation
  /** The subresources of the objects. */
  readonly subresources?: CustomResourceSubresources
  /** The columns of tables. */
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

export interface CustomResourceSubresourceScale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface CustomResourceSubresourceStatus {
}

export interface CustomResourceSubresources {
  readonly status?: CustomResourceSubresourceStatus
  readonly scale?: CustomResourceSubresourceScale
}

/** The validation of objects. */
export interface CustomResourceValidation {
  /** The schema of the objects. */
  readonly openAPIV3Schema?: JSONSchemaProps
}

export interface DaemonEndpoint {
  readonly Port: number
}

/** Runs a pod on every node, or on every one that is selected. */
export interface DaemonSet {
  readonly apiVersion?: 'apps/v1'
  readonly kind?: 'DaemonSet'
  readonly metadata: ObjectMeta
  readonly spec?: DaemonSetSpec
  readonly status?: DaemonSetStatus
}
export const DaemonSet: Kind<DaemonSet> = { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true }

export interface DaemonSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface DaemonSetSpec {
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly updateStrategy?: DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly DaemonSetCondition[]
}

export interface DaemonSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateDaemonSet
}

/** DeleteOptions is how an object shall be deleted. */
export interface DeleteOptions {
  readonly apiVersion?: string
  readonly kind?: 'DeleteOptions'
  /** The number of seconds that the object is given to end; 0 is at once. */
  readonly gracePeriodSeconds?: number
  /** Must hold for the object to be deleted. */
  readonly preconditions?: Preconditions
  /** Deprecated: see propagationPolicy. */
  readonly orphanDependents?: boolean
  /** Whether and how dependent objects go too: Orphan, Background or Foreground. */
  readonly propagationPolicy?: string
  /** When All, everything is done but to store the result. */
  readonly dryRun?: readonly string[]
  /** If true, an object is deleted though it cannot be read. Nothing is cleaned up. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

/** Keeps like pods running and replaces them step by step when their template changes. */
export interface Deployment {
  readonly apiVersion?: 'apps/v1'
  readonly kind?: 'Deployment'
  readonly metadata: ObjectMeta
  readonly spec?: DeploymentSpec
  readonly status?: DeploymentStatus
}
export const Deployment: Kind<Deployment> = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true }

export interface DeploymentCondition {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime?: Time
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface DeploymentSpec {
  /** The wanted number of pods. */
  readonly replicas?: number
  /** The labels of the pods that belong to it. */
  readonly selector: LabelSelector
  /** The template of the pods. */
  readonly template: PodTemplateSpec
  /** The way in which old pods are replaced. */
  readonly strategy?: DeploymentStrategy
  /** The time for which a pod must be ready before it counts. */
  readonly minReadySeconds?: number
  /** The number of old states that are kept. */
  readonly revisionHistoryLimit?: number
  /** Whether changes wait. */
  readonly paused?: boolean
  /** The time after which an unfinished change counts as failed. */
  readonly progressDeadlineSeconds?: number
}

export interface DeploymentStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly DeploymentCondition[]
  readonly collisionCount?: number
}

export interface DeploymentStrategy {
  readonly type?: 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateDeployment
}

export interface Device {
  readonly name: string
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>
  readonly consumesCounters?: readonly DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>
  readonly nodeAllocatableResources?: Readonly<Record<string, NodeAllocatableResource>>
}

export interface DeviceAllocationConfiguration {
  readonly source: 'FromClaim' | 'FromClass'
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[]
  readonly config?: readonly DeviceAllocationConfiguration[]
}

export interface DeviceAttribute {
  readonly int?: number
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly number[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export interface DeviceCapacity {
  readonly value: Quantity
  readonly requestPolicy?: CapacityRequestPolicy
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[]
  readonly constraints?: readonly DeviceConstraint[]
  readonly config?: readonly DeviceClaimConfiguration[]
}

export interface DeviceClaimConfiguration {
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

/** A kind of device, and how it is set up. */
export interface DeviceClass {
  readonly apiVersion?: 'resource.k8s.io/v1'
  readonly kind?: 'DeviceClass'
  readonly metadata: ObjectMeta
  readonly spec: DeviceClassSpec
}
export const DeviceClass: Kind<DeviceClass> = { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', plural: 'deviceclasses', namespaced: false }

export interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration
}

export interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[]
  readonly config?: readonly DeviceClassConfiguration[]
  readonly extendedResourceName?: string
}

export interface DeviceConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration
}

export interface DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export interface DeviceCounterConsumption {
  readonly counterSet: string
  readonly counters: Readonly<Record<string, Counter>>
  readonly compatibilityGroups?: readonly string[]
}

export interface DeviceDerivedAttribute {
  readonly name: string
  readonly expression: string
}

export interface DeviceRequest {
  readonly name: string
  readonly exactly?: ExactDeviceRequest
  readonly firstAvailable?: readonly DeviceSubRequest[]
}

export interface DeviceRequestAllocationResult {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: Readonly<Record<string, Quantity>>
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector
}

export interface DeviceSubRequest {
  readonly name: string
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
  readonly derivedAttributes?: readonly DeviceDerivedAttribute[]
}

export interface DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None'
  readonly timeAdded?: Time
}

/** Taints devices by what they are selected by. */
export interface DeviceTaintRule {
  readonly apiVersion?: 'resource.k8s.io/v1'
  readonly kind?: 'DeviceTaintRule'
  readonly metadata: ObjectMeta
  readonly spec: DeviceTaintRuleSpec
  readonly status?: DeviceTaintRuleStatus
}
export const DeviceTaintRule: Kind<DeviceTaintRule> = { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceTaintRule', plural: 'devicetaintrules', namespaced: false }

export interface DeviceTaintRuleSpec {
  readonly deviceSelector?: DeviceTaintSelector
  readonly taint: DeviceTaint
}

export interface DeviceTaintRuleStatus {
  readonly conditions?: readonly Condition[]
}

/** A device has to fit everything that is given. */
export interface DeviceTaintSelector {
  readonly driver?: string
  readonly pool?: string
  readonly device?: string
}

export interface DeviceToleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'None'
  readonly tolerationSeconds?: number
}

export interface DiscoveryV1EndpointPort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number
  readonly appProtocol?: string
}

export interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[]
}

export interface DownwardAPIVolumeFile {
  readonly path: string
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly mode?: number
  readonly user?: number
}

export interface DownwardAPIVolumeSource {
  readonly items?: readonly DownwardAPIVolumeFile[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

export interface EmptyDirVolumeSource {
  readonly medium?: string
  readonly sizeLimit?: Quantity
  readonly mode?: number
}

export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: EndpointConditions
  readonly hostname?: string
  readonly targetRef?: ObjectReference
  readonly deprecatedTopology?: Readonly<Record<string, string>>
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: EndpointHints
}

export interface EndpointAddress {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: ObjectReference
}

export interface EndpointConditions {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[]
  readonly forNodes?: readonly ForNode[]
}

export interface EndpointPort {
  readonly name?: string
  readonly port: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
}

/** A part of the addresses behind a service. */
export interface EndpointSlice {
  readonly apiVersion?: 'discovery.k8s.io/v1'
  readonly kind?: 'EndpointSlice'
  readonly metadata: ObjectMeta
  readonly addressType: 'FQDN' | 'IPv4' | 'IPv6'
  readonly endpoints?: readonly Endpoint[]
  readonly ports?: readonly DiscoveryV1EndpointPort[]
}
export const EndpointSlice: Kind<EndpointSlice> = { group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', plural: 'endpointslices', namespaced: true }

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[]
  readonly notReadyAddresses?: readonly EndpointAddress[]
  readonly ports?: readonly EndpointPort[]
}

/** The addresses behind a service. Deprecated: see EndpointSlice. */
export interface Endpoints {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Endpoints'
  readonly metadata: ObjectMeta
  readonly subsets?: readonly EndpointSubset[]
}
export const Endpoints: Kind<Endpoints> = { group: '', version: 'v1', kind: 'Endpoints', plural: 'endpoints', namespaced: true }

export interface EnvFromSource {
  readonly prefix?: string
  readonly configMapRef?: ConfigMapEnvSource
  readonly secretRef?: SecretEnvSource
}

/** An environment variable. */
export interface EnvVar {
  /** The name of the variable. */
  readonly name: string
  /** The text of the variable; $(NAME) stands for another one. */
  readonly value?: string
  /** The source of the text. */
  readonly valueFrom?: EnvVarSource
}

/** The source of the text of an environment variable. */
export interface EnvVarSource {
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly configMapKeyRef?: ConfigMapKeySelector
  readonly secretKeyRef?: SecretKeySelector
  readonly fileKeyRef?: FileKeySelector
}

export interface EphemeralContainer {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources?: ResourceRequirements
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
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
  readonly targetContainerName?: string
}

export interface EphemeralContainerCommon {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources?: ResourceRequirements
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
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate
}

/** A report of something that happened to an object. */
export interface Event {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Event'
  readonly metadata: ObjectMeta
  readonly involvedObject: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: EventSource
  readonly firstTimestamp?: Time
  readonly lastTimestamp?: Time
  readonly count?: number
  readonly type?: string
  readonly eventTime?: MicroTime
  readonly series?: EventSeries
  readonly action?: string
  readonly related?: ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}
export const Event: Kind<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true }

export interface EventSeries {
  readonly count?: number
  readonly lastObservedTime?: MicroTime
}

export interface EventSource {
  readonly component?: string
  readonly host?: string
}

/** A report of something that happened to an object. */
export interface EventsV1Event {
  readonly apiVersion?: 'events.k8s.io/v1'
  readonly kind?: 'Event'
  readonly metadata: ObjectMeta
  readonly eventTime: MicroTime
  readonly series?: EventsV1EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: EventSource
  readonly deprecatedFirstTimestamp?: Time
  readonly deprecatedLastTimestamp?: Time
  readonly deprecatedCount?: number
}
export const EventsV1Event: Kind<EventsV1Event> = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', namespaced: true }

export interface EventsV1EventSeries {
  readonly count: number
  readonly lastObservedTime: MicroTime
}

/** Asks for a pod to leave, if budgets allow it. */
export interface Eviction {
  readonly apiVersion?: 'policy/v1'
  readonly kind?: 'Eviction'
  readonly metadata: ObjectMeta
  readonly deleteOptions?: DeleteOptions
}

/** A program that can be asked to evict a pod. */
export interface EvictionResponder {
  readonly name: string
  readonly priority: number
}

export interface ExactDeviceRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
  readonly derivedAttributes?: readonly DeviceDerivedAttribute[]
}

export interface ExecAction {
  readonly command?: readonly string[]
}

export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}

export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** Documentation elsewhere. */
export interface ExternalDocumentation {
  readonly description?: string
  readonly url?: string
}

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

export interface ExternalMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

export type ExtraValue = readonly string[]

export interface FCVolumeSource {
  readonly targetWWNs?: readonly string[]
  readonly lun?: number
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly wwids?: readonly string[]
}

export interface FieldSelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly FieldSelectorRequirement[]
}

export interface FieldSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** FieldsV1 is a set of fields. */
export type FieldsV1 = Readonly<Record<string, unknown>>

export interface FileKeySelector {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

export interface FlexPersistentVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
  readonly options?: Readonly<Record<string, string>>
}

export interface FlexVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
  readonly options?: Readonly<Record<string, string>>
}

export interface FlockerVolumeSource {
  readonly datasetName?: string
  readonly datasetUUID?: string
}

export interface FlowDistinguisherMethod {
  readonly type: string
}

/** Says which requests belong together, and how important they are. */
export interface FlowSchema {
  readonly apiVersion?: 'flowcontrol.apiserver.k8s.io/v1'
  readonly kind?: 'FlowSchema'
  readonly metadata: ObjectMeta
  readonly spec?: FlowSchemaSpec
  readonly status?: FlowSchemaStatus
}
export const FlowSchema: Kind<FlowSchema> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema', plural: 'flowschemas', namespaced: false }

export interface FlowSchemaCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: FlowDistinguisherMethod
  readonly rules?: readonly PolicyRulesWithSubjects[]
}

export interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[]
}

export interface FlowcontrolV1Subject {
  readonly kind: string
  readonly user?: UserSubject
  readonly group?: GroupSubject
  readonly serviceAccount?: ServiceAccountSubject
}

export interface ForNode {
  readonly name: string
}

export interface ForZone {
  readonly name: string
}

export interface GCEPersistentDiskVolumeSource {
  readonly pdName: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export interface GRPCAction {
  readonly port: number
  readonly service?: string
  readonly mode?: 'Plaintext' | 'TLS'
}

export interface GitRepoVolumeSource {
  readonly repository: string
  readonly revision?: string
  readonly directory?: string
}

export interface GlusterfsPersistentVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
  readonly endpointsNamespace?: string
}

export interface GlusterfsVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface GroupResource {
  readonly group: string
  readonly resource: string
}

export interface GroupSubject {
  readonly name: string
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

export interface HPAScalingPolicy {
  readonly type: string
  readonly value: number
  readonly periodSeconds: number
}

export interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly HPAScalingPolicy[]
  readonly tolerance?: Quantity
}

export interface HTTPGetAction {
  readonly path?: string
  readonly port: IntOrString
  readonly host?: string
  readonly scheme?: 'HTTP' | 'HTTPS'
  readonly httpHeaders?: readonly HTTPHeader[]
  readonly protocol?: 'HTTP1' | 'HTTP2'
}

export interface HTTPHeader {
  readonly name: string
  readonly value: string
}

export interface HTTPIngressPath {
  readonly path?: string
  readonly pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix'
  readonly backend: IngressBackend
}

/** The paths of the host and their backends. */
export interface HTTPIngressRuleValue {
  readonly paths: readonly HTTPIngressPath[]
}

/** Changes the number of pods with their load. */
export interface HorizontalPodAutoscaler {
  readonly apiVersion?: 'autoscaling/v2'
  readonly kind?: 'HorizontalPodAutoscaler'
  readonly metadata: ObjectMeta
  readonly spec: HorizontalPodAutoscalerSpec
  readonly status?: HorizontalPodAutoscalerStatus
}
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers', namespaced: true }

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules
  readonly scaleDown?: HPAScalingRules
}

export interface HorizontalPodAutoscalerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly metrics?: readonly MetricSpec[]
  readonly behavior?: HorizontalPodAutoscalerBehavior
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: Time
  readonly currentReplicas?: number
  readonly desiredReplicas: number
  readonly currentMetrics?: readonly MetricStatus[]
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[]
}

export interface HostAlias {
  readonly ip: string
  readonly hostnames?: readonly string[]
}

export interface HostIP {
  readonly ip: string
}

export interface HostPathVolumeSource {
  readonly path: string
  readonly type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket'
}

/** An address that is in use, and by what. */
export interface IPAddress {
  readonly apiVersion?: 'networking.k8s.io/v1'
  readonly kind?: 'IPAddress'
  readonly metadata: ObjectMeta
  readonly spec: IPAddressSpec
}
export const IPAddress: Kind<IPAddress> = { group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress', plural: 'ipaddresses', namespaced: false }

export interface IPAddressSpec {
  readonly parentRef: ParentReference
}

export interface IPBlock {
  readonly cidr: string
  readonly except?: readonly string[]
}

export interface ISCSIPersistentVolumeSource {
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

export interface ISCSIVolumeSource {
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

export interface ImageVolumeSource {
  readonly reference?: string
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
}

export interface ImageVolumeStatus {
  readonly imageRef: string
}

/** Rules that lead traffic from outside to services. */
export interface Ingress {
  readonly apiVersion?: 'networking.k8s.io/v1'
  readonly kind?: 'Ingress'
  readonly metadata: ObjectMeta
  readonly spec?: IngressSpec
  readonly status?: IngressStatus
}
export const Ingress: Kind<Ingress> = { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', plural: 'ingresses', namespaced: true }

export interface IngressBackend {
  readonly service?: IngressServiceBackend
  readonly resource?: TypedLocalObjectReference
}

/** The controller that carries out the rules of an ingress. */
export interface IngressClass {
  readonly apiVersion?: 'networking.k8s.io/v1'
  readonly kind?: 'IngressClass'
  readonly metadata: ObjectMeta
  readonly spec?: IngressClassSpec
}
export const IngressClass: Kind<IngressClass> = { group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass', plural: 'ingressclasses', namespaced: false }

export interface IngressClassParametersReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly scope?: string
  readonly namespace?: string
}

export interface IngressClassSpec {
  readonly controller?: string
  readonly parameters?: IngressClassParametersReference
}

export interface IngressLoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ports?: readonly IngressPortStatus[]
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[]
}

export interface IngressPortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface IngressRule {
  readonly host?: string
  readonly http?: HTTPIngressRuleValue
}

export interface IngressRuleValue {
  readonly http?: HTTPIngressRuleValue
}

export interface IngressServiceBackend {
  readonly name: string
  readonly port?: ServiceBackendPort
}

export interface IngressSpec {
  readonly ingressClassName?: string
  readonly defaultBackend?: IngressBackend
  readonly tls?: readonly IngressTLS[]
  readonly rules?: readonly IngressRule[]
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus
}

export interface IngressTLS {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

/** A whole number or a text. */
export type IntOrString = number | string

/** A value in JSON. */
export type JSON = unknown

export interface JSONPatch {
  readonly expression?: string
}

/** A schema, in the words of JSON Schema. */
export interface JSONSchemaProps {
  readonly id?: string
  readonly '$schema'?: string
  readonly '$ref'?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  /** default is what a member is set to that is not there. */
  readonly default?: JSON
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly JSON[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: JSONSchemaPropsOrArray
  readonly allOf?: readonly JSONSchemaProps[]
  readonly oneOf?: readonly JSONSchemaProps[]
  readonly anyOf?: readonly JSONSchemaProps[]
  readonly not?: JSONSchemaProps
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>
  readonly additionalProperties?: JSONSchemaPropsOrBool
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>
  readonly dependencies?: Readonly<Record<string, JSONSchemaPropsOrStringArray>>
  readonly additionalItems?: JSONSchemaPropsOrBool
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>
  readonly externalDocs?: ExternalDocumentation
  readonly example?: JSON
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** The schema of the items. */
export type JSONSchemaPropsOrArray = JSONSchemaProps | readonly JSONSchemaProps[]

/** A schema, or whether values are allowed. */
export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean

/** A schema, or the names of properties. */
export type JSONSchemaPropsOrStringArray = JSONSchemaProps | readonly string[]

/** Runs pods until enough of them have ended well. */
export interface Job {
  readonly apiVersion?: 'batch/v1'
  readonly kind?: 'Job'
  readonly metadata: ObjectMeta
  readonly spec?: JobSpec
  readonly status?: JobStatus
}
export const Job: Kind<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true }

export interface JobCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: Time
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface JobSchedulingConfiguration {
  readonly schedulingPolicy?: WorkloadPodGroupSchedulingPolicy
  readonly schedulingConstraints?: WorkloadPodGroupSchedulingConstraints
  readonly disruptionMode?: WorkloadPodGroupDisruptionMode
  readonly resourceClaims?: readonly WorkloadPodGroupResourceClaim[]
}

export interface JobSpec {
  /** The number of pods that may run at a time. */
  readonly parallelism?: number
  /** The number of pods that must succeed. */
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly podFailurePolicy?: PodFailurePolicy
  readonly successPolicy?: SuccessPolicy
  /** The number of failures before the job fails. */
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  /** The template of the pods. */
  readonly template: PodTemplateSpec
  /** The time for which a finished job is kept. */
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'Indexed' | 'NonIndexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed'
  readonly managedBy?: string
  readonly scheduling?: JobSchedulingConfiguration
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[]
  readonly startTime?: Time
  readonly completionTime?: Time
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: UncountedTerminatedPods
  readonly ready?: number
}

export interface JobTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec?: JobSpec
}

export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
  readonly user?: number
}

/** Selects objects by their labels. */
export interface LabelSelector {
  /** Labels that must be there with these values. */
  readonly matchLabels?: Readonly<Record<string, string>>
  /** Further demands on labels. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export interface LabelSelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** Says who holds something, and for how long. */
export interface Lease {
  readonly apiVersion?: 'coordination.k8s.io/v1'
  readonly kind?: 'Lease'
  readonly metadata: ObjectMeta
  readonly spec?: LeaseSpec
}
export const Lease: Kind<Lease> = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true }

export interface LeaseSpec {
  /** The identity of the holder. */
  readonly holderIdentity?: string
  /** The time for which the lease holds after the last renewal. */
  readonly leaseDurationSeconds?: number
  /** Since when the holder has it. */
  readonly acquireTime?: MicroTime
  /** The time of the last renewal. */
  readonly renewTime?: MicroTime
  /** The number of changes of the holder. */
  readonly leaseTransitions?: number
  /** The strategy by which the holder is chosen. */
  readonly strategy?: string
  /** The identity that should hold the lease instead. */
  readonly preferredHolder?: string
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler
  readonly preStop?: LifecycleHandler
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface LifecycleHandler {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly sleep?: SleepAction
}

/** Limits and defaults for the resources that objects of a namespace ask for. */
export interface LimitRange {
  readonly apiVersion?: 'v1'
  readonly kind?: 'LimitRange'
  readonly metadata: ObjectMeta
  readonly spec?: LimitRangeSpec
}
export const LimitRange: Kind<LimitRange> = { group: '', version: 'v1', kind: 'LimitRange', plural: 'limitranges', namespaced: true }

export interface LimitRangeItem {
  readonly type: string
  readonly max?: Readonly<Record<string, Quantity>>
  readonly min?: Readonly<Record<string, Quantity>>
  readonly default?: Readonly<Record<string, Quantity>>
  readonly defaultRequest?: Readonly<Record<string, Quantity>>
  readonly maxLimitRequestRatio?: Readonly<Record<string, Quantity>>
}

export interface LimitRangeSpec {
  readonly limits: readonly LimitRangeItem[]
}

export interface LimitResponse {
  readonly type: string
  readonly queuing?: QueuingConfiguration
}

export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly limitResponse?: LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

export interface LinuxContainerUser {
  readonly uid: number
  readonly gid: number
  readonly supplementalGroups?: readonly number[]
}

/** ListMeta is what all lists have. */
export interface ListMeta {
  /** Deprecated: selfLink is no longer filled in. */
  readonly selfLink?: string
  /** String that tells at which version the list was read. Set by the server. */
  readonly resourceVersion?: string
  /** continue is where the next page begins; empty at the end. */
  readonly continue?: string
  /** remainingItemCount is how many objects are left for further pages, where that is known. */
  readonly remainingItemCount?: number
  /** shardInfo is there when the list is a share of all objects. */
  readonly shardInfo?: ShardInfo
}

export interface LoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ipMode?: string
  readonly ports?: readonly PortStatus[]
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[]
}

/** Points at an object in the same namespace. */
export interface LocalObjectReference {
  /** The name of the object. */
  readonly name?: string
}

/** Asks whether a user may do something in a namespace. */
export interface LocalSubjectAccessReview {
  readonly apiVersion?: 'authorization.k8s.io/v1'
  readonly kind?: 'LocalSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}
export const LocalSubjectAccessReview: Kind<LocalSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews', namespaced: true }

export interface LocalVolumeSource {
  readonly path: string
  readonly fsType?: string
}

/** ManagedFieldsEntry is who set which fields, and how. */
export interface ManagedFieldsEntry {
  /** Manager is the name of who set them. */
  readonly manager?: string
  /** Operation is how they were set: Apply or Update. */
  readonly operation?: string
  /** APIVersion defines the version of the object in which the fields are named. */
  readonly apiVersion?: string
  /** Time is the timestamp of the last change of the entry. */
  readonly time?: Time
  /** FieldsType is the form of the set: FieldsV1. */
  readonly fieldsType?: string
  /** FieldsV1 holds the set. */
  readonly fieldsV1?: FieldsV1
  /** Subresource is the one that they were set through; empty for the object itself. */
  readonly subresource?: string
}

export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

export interface MatchResources {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[]
  readonly matchPolicy?: 'Equivalent' | 'Exact'
}

export interface MetricIdentifier {
  readonly name: string
  readonly selector?: LabelSelector
}

export interface MetricSpec {
  readonly type: string
  readonly object?: ObjectMetricSource
  readonly pods?: PodsMetricSource
  readonly resource?: ResourceMetricSource
  readonly containerResource?: ContainerResourceMetricSource
  readonly external?: ExternalMetricSource
}

export interface MetricStatus {
  readonly type: string
  readonly object?: ObjectMetricStatus
  readonly pods?: PodsMetricStatus
  readonly resource?: ResourceMetricStatus
  readonly containerResource?: ContainerResourceMetricStatus
  readonly external?: ExternalMetricStatus
}

export interface MetricTarget {
  readonly type: string
  readonly value?: Quantity
  readonly averageValue?: Quantity
  readonly averageUtilization?: number
}

export interface MetricValueStatus {
  readonly value?: Quantity
  readonly averageValue?: Quantity
  readonly averageUtilization?: number
}

/** MicroTime is a moment, to the microsecond, in RFC 3339. */
export type MicroTime = string

export interface ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string
  readonly status: 'InProgress' | 'Infeasible' | 'Pending'
}

/** Expressions that change objects before they are stored. */
export interface MutatingAdmissionPolicy {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'MutatingAdmissionPolicy'
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicySpec
}
export const MutatingAdmissionPolicy: Kind<MutatingAdmissionPolicy> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicy', plural: 'mutatingadmissionpolicies', namespaced: false }

/** The objects and parameters for which a mutating policy holds. */
export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'MutatingAdmissionPolicyBinding'
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicyBindingSpec
}
export const MutatingAdmissionPolicyBinding: Kind<MutatingAdmissionPolicyBinding> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicyBinding', plural: 'mutatingadmissionpolicybindings', namespaced: false }

export interface MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
}

export interface MutatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly variables?: readonly Variable[]
  readonly mutations?: readonly Mutation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchConditions?: readonly MatchCondition[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
}

export interface MutatingWebhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
  readonly matchConditions?: readonly MatchCondition[]
}

/** Web hooks that may change objects before they are stored. */
export interface MutatingWebhookConfiguration {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'MutatingWebhookConfiguration'
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly MutatingWebhook[]
}
export const MutatingWebhookConfiguration: Kind<MutatingWebhookConfiguration> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', namespaced: false }

export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: ApplyConfiguration
  readonly jsonPatch?: JSONPatch
}

export interface NFSVolumeSource {
  readonly server: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface NamedRuleWithOperations {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

/** A scope for names, which also bounds access and quotas. */
export interface Namespace {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Namespace'
  readonly metadata: ObjectMeta
  readonly spec?: NamespaceSpec
  readonly status?: NamespaceStatus
}
export const Namespace: Kind<Namespace> = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false }

export interface NamespaceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface NamespaceSpec {
  /** Work that must be done before the namespace can go. */
  readonly finalizers?: readonly string[]
}

export interface NamespaceStatus {
  readonly phase?: 'Active' | 'Terminating'
  readonly conditions?: readonly NamespaceCondition[]
}

export interface NetworkDeviceData {
  readonly interfaceName?: string
  readonly ips?: readonly string[]
  readonly hardwareAddress?: string
}

/** Which traffic pods may send and receive. */
export interface NetworkPolicy {
  readonly apiVersion?: 'networking.k8s.io/v1'
  readonly kind?: 'NetworkPolicy'
  readonly metadata: ObjectMeta
  readonly spec?: NetworkPolicySpec
}
export const NetworkPolicy: Kind<NetworkPolicy> = { group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies', namespaced: true }

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly to?: readonly NetworkPolicyPeer[]
}

export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly from?: readonly NetworkPolicyPeer[]
}

export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: IPBlock
}

export interface NetworkPolicyPort {
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: IntOrString
  readonly endPort?: number
}

export interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector
  readonly ingress?: readonly NetworkPolicyIngressRule[]
  readonly egress?: readonly NetworkPolicyEgressRule[]
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[]
}

/** A machine that pods run on. */
export interface Node {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Node'
  readonly metadata: ObjectMeta
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}
export const Node: Kind<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }

export interface NodeAddress {
  readonly type: string
  readonly address: string
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[]
}

export interface NodeAllocatableMappedResources {
  readonly name: string
  readonly quantity: Quantity
}

export interface NodeAllocatableMapping {
  readonly capacityKey?: string
  readonly capacityMultiplier?: Quantity
  readonly deviceMultiplier?: Quantity
}

export interface NodeAllocatableOverhead {
  readonly perPod?: Quantity
  readonly perContainer?: Quantity
}

export interface NodeAllocatableOverheadResources {
  readonly name: string
  readonly perPod?: Quantity
  readonly perContainer?: Quantity
}

export interface NodeAllocatableResource {
  readonly mapping?: NodeAllocatableMapping
  readonly overhead?: NodeAllocatableOverhead
}

export interface NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string
  readonly containers?: readonly string[]
  readonly resources: Readonly<Record<string, Quantity>>
  readonly mapping?: readonly NodeAllocatableMappedResources[]
  readonly overhead?: readonly NodeAllocatableOverheadResources[]
}

export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string
  readonly allocationMultiplier?: Quantity
}

export interface NodeCondition {
  readonly type: string
  readonly status: string
  readonly lastHeartbeatTime?: Time
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource
}

export interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource
  readonly active?: NodeConfigSource
  readonly lastKnownGood?: NodeConfigSource
  readonly error?: string
}

export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint
}

export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean
}

export interface NodePodPreemptionPolicy {
  readonly disableResizePreemption?: readonly string[]
}

export interface NodeProxyOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'NodeProxyOptions'
  readonly path?: string
}

export interface NodeRuntimeHandler {
  readonly name?: string
  readonly features?: NodeRuntimeHandlerFeatures
}

export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean
  readonly userNamespaces?: boolean
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
}

export interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn'
  readonly values?: readonly string[]
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export interface NodeSpec {
  /** The addresses of the pods on this node. */
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  /** The name of the machine at its provider. */
  readonly providerID?: string
  /** Whether new pods are kept away. */
  readonly unschedulable?: boolean
  /** Marks that keep pods away which do not accept them. */
  readonly taints?: readonly Taint[]
  readonly configSource?: NodeConfigSource
  readonly externalID?: string
  readonly podPreemptionPolicy?: NodePodPreemptionPolicy
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, Quantity>>
  readonly allocatable?: Readonly<Record<string, Quantity>>
  readonly phase?: 'Pending' | 'Running' | 'Terminated'
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly NodeAddress[]
  readonly daemonEndpoints?: NodeDaemonEndpoints
  readonly nodeInfo?: NodeSystemInfo
  readonly images?: readonly ContainerImage[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly AttachedVolume[]
  readonly config?: NodeConfigStatus
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[]
  readonly features?: NodeFeatures
  readonly declaredFeatures?: readonly string[]
}

export interface NodeSwapStatus {
  readonly capacity?: number
}

export interface NodeSystemInfo {
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

export interface NonResourceAttributes {
  readonly path?: string
  readonly verb?: string
}

export interface NonResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface ObjectFieldSelector {
  readonly apiVersion?: string
  readonly fieldPath: string
}

/** ObjectMeta is what all stored objects have: who they are and whose. */
export interface ObjectMeta {
  /** Name must be unique within the namespace, among the objects of a resource. It cannot be changed. */
  readonly name?: string
  /** GenerateName is what a name begins with that the server completes, where no name is given. */
  readonly generateName?: string
  /** Namespace defines where the name has to be unique. Not all objects are in one. */
  readonly namespace?: string
  /** Deprecated: selfLink is no longer filled in. */
  readonly selfLink?: string
  /** UID is what tells this object from all others, also from later ones of its name. Set by the server. */
  readonly uid?: string
  /** An opaque value that changes with every change of the object. Set by the server. */
  readonly resourceVersion?: string
  /** A sequence number that grows when what is wanted changes. Set by the server. */
  readonly generation?: number
  /** CreationTimestamp is a timestamp of when the server created the object, in RFC 3339. */
  readonly creationTimestamp?: Time
  /** DeletionTimestamp is the time at which the object shall be gone, in RFC 3339. Set by a delete that has to wait. */
  readonly deletionTimestamp?: Time
  /** Number of seconds that the object was given to end. Set with deletionTimestamp. */
  readonly deletionGracePeriodSeconds?: number
  /** Map of words about the object that selectors look at. */
  readonly labels?: Readonly<Record<string, string>>
  /** Annotations is a map of notes about the object for tools and people, which nothing selects by. */
  readonly annotations?: Readonly<Record<string, string>>
  /** List of objects that this one depends on. It goes when they are all gone. */
  readonly ownerReferences?: readonly OwnerReference[]
  /** Must be empty before the object can go. Each entry names who has something to do first. */
  readonly finalizers?: readonly string[]
  /** ManagedFields maps those who set fields to the fields that they set. */
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference
  readonly target: MetricTarget
  readonly metric: MetricIdentifier
}

export interface ObjectMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
  readonly describedObject: CrossVersionObjectReference
}

/** Points at an object. */
export interface ObjectReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

export interface OpaqueDeviceConfiguration {
  readonly driver: string
  readonly parameters: RawExtension
}

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, Quantity>>
}

/** OwnerReference points at the owner of an object, in the same namespace or in none. */
export interface OwnerReference {
  /** API version of the owner. */
  readonly apiVersion: string
  /** Kind of the owner. */
  readonly kind: string
  /** Name of the owner. */
  readonly name: string
  /** UID of the owner. */
  readonly uid: string
  /** If true, the owner is the one that controls the object. */
  readonly controller?: boolean
  /** If true, and the owner is deleted in the foreground, it waits until the object is gone. */
  readonly blockOwnerDeletion?: boolean
}

export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

export interface ParentReference {
  readonly group?: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

/** A piece of storage that outlives pods. */
export interface PersistentVolume {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PersistentVolume'
  readonly metadata: ObjectMeta
  readonly spec?: PersistentVolumeSpec
  readonly status?: PersistentVolumeStatus
}
export const PersistentVolume: Kind<PersistentVolume> = { group: '', version: 'v1', kind: 'PersistentVolume', plural: 'persistentvolumes', namespaced: false }

/** A user's request for storage, and the volume that was found for it. */
export interface PersistentVolumeClaim {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PersistentVolumeClaim'
  readonly metadata: ObjectMeta
  readonly spec?: PersistentVolumeClaimSpec
  readonly status?: PersistentVolumeClaimStatus
}
export const PersistentVolumeClaim: Kind<PersistentVolumeClaim> = { group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true }

export interface PersistentVolumeClaimCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: Time
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

/** The storage that a claim requests. */
export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly selector?: LabelSelector
  readonly resources?: VolumeResourceRequirements
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly dataSource?: TypedLocalObjectReference
  readonly dataSourceRef?: TypedObjectReference
  readonly volumeAttributesClassName?: string
}

export interface PersistentVolumeClaimStatus {
  readonly phase?: 'Bound' | 'Lost' | 'Pending'
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly capacity?: Readonly<Record<string, Quantity>>
  readonly conditions?: readonly PersistentVolumeClaimCondition[]
  readonly allocatedResources?: Readonly<Record<string, Quantity>>
  readonly allocatedResourceStatuses?: Readonly<Record<string, 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending'>>
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: ModifyVolumeStatus
  readonly healthStatus?: VolumeHealthStatus
}

export interface PersistentVolumeClaimTemplate {
  readonly metadata?: ObjectMeta
  readonly spec: PersistentVolumeClaimSpec
}

export interface PersistentVolumeClaimVolumeSource {
  readonly claimName: string
  readonly readOnly?: boolean
}

export interface PersistentVolumeSource {
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

/** The description of a piece of storage. */
export interface PersistentVolumeSpec {
  readonly capacity?: Readonly<Record<string, Quantity>>
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
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly claimRef?: ObjectReference
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly nodeAffinity?: VolumeNodeAffinity
  readonly volumeAttributesClassName?: string
}

export interface PersistentVolumeStatus {
  readonly phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released'
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: Time
}

export interface PhotonPersistentDiskVolumeSource {
  readonly pdID: string
  readonly fsType?: string
}

/** Containers that run together on one node and share network and volumes. */
export interface Pod {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Pod'
  readonly metadata: ObjectMeta
  readonly spec?: PodSpec
  readonly status?: PodStatus
}
export const Pod: Kind<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
  readonly namespaceSelector?: LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export interface PodAttachOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PodAttachOptions'
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
}

export interface PodCertificateProjection {
  readonly signerName: string
  readonly keyType: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: Readonly<Record<string, string>>
  readonly user?: number
}

/** The request of a node for a certificate of a pod. */
export interface PodCertificateRequest {
  readonly apiVersion?: 'certificates.k8s.io/v1'
  readonly kind?: 'PodCertificateRequest'
  readonly metadata: ObjectMeta
  readonly spec: PodCertificateRequestSpec
  readonly status?: PodCertificateRequestStatus
}
export const PodCertificateRequest: Kind<PodCertificateRequest> = { group: 'certificates.k8s.io', version: 'v1', kind: 'PodCertificateRequest', plural: 'podcertificaterequests', namespaced: true }

export interface PodCertificateRequestSpec {
  readonly signerName: string
  readonly podName: string
  readonly podUID: string
  readonly serviceAccountName: string
  readonly serviceAccountUID: string
  readonly nodeName: string
  readonly nodeUID: string
  readonly maxExpirationSeconds?: number
  readonly stubPKCS10Request: string
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>
}

export interface PodCertificateRequestStatus {
  readonly conditions?: readonly Condition[]
  readonly certificateChain?: string
  readonly notBefore?: Time
  readonly beginRefreshAt?: Time
  readonly notAfter?: Time
}

export interface PodCondition {
  readonly type: string
  readonly observedGeneration?: number
  readonly status: string
  readonly lastProbeTime?: Time
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[]
  readonly searches?: readonly string[]
  readonly options?: readonly PodDNSConfigOption[]
}

export interface PodDNSConfigOption {
  readonly name?: string
  readonly value?: string
}

/** The number of pods of a group that may be away at the same time, if they are taken away on purpose. */
export interface PodDisruptionBudget {
  readonly apiVersion?: 'policy/v1'
  readonly kind?: 'PodDisruptionBudget'
  readonly metadata: ObjectMeta
  readonly spec?: PodDisruptionBudgetSpec
  readonly status?: PodDisruptionBudgetStatus
}
export const PodDisruptionBudget: Kind<PodDisruptionBudget> = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true }

export interface PodDisruptionBudgetSpec {
  readonly minAvailable?: IntOrString
  readonly selector?: LabelSelector
  readonly maxUnavailable?: IntOrString
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget'
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number
  readonly disruptedPods?: Readonly<Record<string, Time>>
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly expectedPods?: number
  readonly conditions?: readonly Condition[]
}

export interface PodExecOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PodExecOptions'
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
  readonly command: readonly string[]
}

export interface PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly ContainerExtendedResourceRequest[]
  readonly resourceClaimName: string
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[]
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string
  readonly operator: 'In' | 'NotIn'
  readonly values: readonly number[]
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly type: string
  readonly status?: string
}

export interface PodFailurePolicyRule {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore'
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[]
}

export interface PodIP {
  readonly ip: string
}

export interface PodOS {
  readonly name: string
}

export interface PodPortForwardOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PodPortForwardOptions'
  readonly ports?: readonly number[]
}

export interface PodProxyOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PodProxyOptions'
  readonly path?: string
}

export interface PodReadinessGate {
  readonly conditionType: string
}

export interface PodResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface PodResourceClaimStatus {
  readonly name: string
  readonly resourceClaimName?: string
}

export interface PodSchedulingGate {
  readonly name: string
}

export interface PodSchedulingGroup {
  readonly podGroupName?: string
}

/** Security settings of all containers of a pod. */
export interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly number[]
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict'
  readonly fsGroup?: number
  readonly sysctls?: readonly Sysctl[]
  readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch'
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
  readonly seLinuxChangePolicy?: string
}

/** The containers of a pod, and the way to run them. */
export interface PodSpec {
  /** The volumes that containers can mount. */
  readonly volumes?: readonly Volume[]
  /** Containers that run to their end, one after another, before the others start. */
  readonly initContainers?: readonly Container[]
  /** The containers of the pod. At least one. */
  readonly containers: readonly Container[]
  /** Containers added to a running pod to look into it. */
  readonly ephemeralContainers?: readonly EphemeralContainer[]
  /** When containers are started again: Always, OnFailure or Never. */
  readonly restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  /** The time that the processes have to end after they were asked to. */
  readonly terminationGracePeriodSeconds?: number
  /** The time for which the pod may be active on a node before it counts as failed. */
  readonly activeDeadlineSeconds?: number
  /** The way to resolve names. */
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None'
  /** Labels that the node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** The identity that the processes run with. */
  readonly serviceAccountName?: string
  /** Deprecated: see serviceAccountName. */
  readonly serviceAccount?: string
  /** Whether a token of the service account is mounted. */
  readonly automountServiceAccountToken?: boolean
  /** The node that the pod runs on; set by the scheduler. */
  readonly nodeName?: string
  /** Whether the pod uses the network of its node. */
  readonly hostNetwork?: boolean
  /** Whether the pod sees the processes of its node. */
  readonly hostPID?: boolean
  /** Whether the pod shares the IPC namespace of its node. */
  readonly hostIPC?: boolean
  /** Whether the containers see each other's processes. */
  readonly shareProcessNamespace?: boolean
  /** Security settings for all containers. */
  readonly securityContext?: PodSecurityContext
  /** Secrets for fetching images. */
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  /** The name of the host as the pod sees it. */
  readonly hostname?: string
  /** The subdomain of the pod's full host name. */
  readonly subdomain?: string
  /** Rules about which nodes and neighbours are wanted. */
  readonly affinity?: Affinity
  /** The scheduler that places the pod. */
  readonly schedulerName?: string
  /** The taints that the pod accepts on a node. */
  readonly tolerations?: readonly Toleration[]
  /** Further lines of the hosts file. */
  readonly hostAliases?: readonly HostAlias[]
  /** The class that says how important the pod is. */
  readonly priorityClassName?: string
  /** The importance of the pod; a higher number goes first. */
  readonly priority?: number
  /** Settings of name resolution beyond the policy. */
  readonly dnsConfig?: PodDNSConfig
  /** Further conditions that must be true before the pod is ready. */
  readonly readinessGates?: readonly PodReadinessGate[]
  /** The class of the container runtime. */
  readonly runtimeClassName?: string
  /** Whether services are shown in environment variables. */
  readonly enableServiceLinks?: boolean
  /** Whether the pod may displace less important ones. */
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
  /** The resources that the runtime itself needs on top of the containers. */
  readonly overhead?: Readonly<Record<string, Quantity>>
  /** The spread of the pods of a group over zones, nodes and other domains. */
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  /** Whether the full name is the host name. */
  readonly setHostnameAsFQDN?: boolean
  /** The operating system that the pod is made for. */
  readonly os?: PodOS
  /** Whether the users of the node are used. */
  readonly hostUsers?: boolean
  /** Reasons to hold back scheduling until they are removed. */
  readonly schedulingGates?: readonly PodSchedulingGate[]
  /** Devices that must be there before the pod starts. */
  readonly resourceClaims?: readonly PodResourceClaim[]
  /** The resources of the pod as a whole. */
  readonly resources?: ResourceRequirements
  readonly hostnameOverride?: string
  readonly schedulingGroup?: PodSchedulingGroup
  readonly evictionResponders?: readonly EvictionResponder[]
}

/** The observed state of a pod, mostly from its node. */
export interface PodStatus {
  readonly observedGeneration?: number
  /** The phase of the pod's life. */
  readonly phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  /** Conditions of the pod. */
  readonly conditions?: readonly PodCondition[]
  /** Why the pod is as it is, for people. */
  readonly message?: string
  /** Why the pod is as it is, in one word. */
  readonly reason?: string
  readonly nominatedNodeName?: string
  /** The address of the node. */
  readonly hostIP?: string
  readonly hostIPs?: readonly HostIP[]
  /** The address of the pod. */
  readonly podIP?: string
  /** The addresses of the pod, one a family. */
  readonly podIPs?: readonly PodIP[]
  /** The time when the node took notice of the pod. */
  readonly startTime?: Time
  /** The observed state of each init container. */
  readonly initContainerStatuses?: readonly ContainerStatus[]
  /** The observed state of each container. */
  readonly containerStatuses?: readonly ContainerStatus[]
  /** The treatment of the pod when resources run short. */
  readonly qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed'
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly resize?: string
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[]
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus
  readonly allocatedResources?: Readonly<Record<string, Quantity>>
  readonly resources?: ResourceRequirements
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[]
  readonly volumeHealth?: readonly PodVolumeHealth[]
}

/** A template that pods are made from. */
export interface PodTemplate {
  readonly apiVersion?: 'v1'
  readonly kind?: 'PodTemplate'
  readonly metadata: ObjectMeta
  readonly template?: PodTemplateSpec
}
export const PodTemplate: Kind<PodTemplate> = { group: '', version: 'v1', kind: 'PodTemplate', plural: 'podtemplates', namespaced: true }

/** The description of pods that are made from a template. */
export interface PodTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec?: PodSpec
}

/** The health of a volume of a pod. */
export interface PodVolumeHealth {
  readonly name: string
  readonly healthConditions?: readonly VolumeHealthCondition[]
  readonly lastTransitionTime?: Time
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

export interface PodsMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

/** Verbs on resources, or on paths that are no resources. */
export interface PolicyRule {
  /** The allowed verbs; * is all verbs. */
  readonly verbs: readonly string[]
  /** The groups of the resources; the core group is empty. */
  readonly apiGroups?: readonly string[]
  /** The resources, with subresources behind a slash. */
  readonly resources?: readonly string[]
  /** The names of the objects, where it is not all. */
  readonly resourceNames?: readonly string[]
  /** The paths, for what is no resource. */
  readonly nonResourceURLs?: readonly string[]
}

export interface PolicyRulesWithSubjects {
  readonly subjects: readonly FlowcontrolV1Subject[]
  readonly resourceRules?: readonly ResourcePolicyRule[]
  readonly nonResourceRules?: readonly NonResourcePolicyRule[]
}

export interface PortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface PortworxVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

/** Preconditions is what has to hold before an object is changed. */
export interface Preconditions {
  /** The UID that the object must have. */
  readonly uid?: string
  /** The ResourceVersion that the object must have. */
  readonly resourceVersion?: string
}

export interface PreferredSchedulingTerm {
  readonly weight: number
  readonly preference: NodeSelectorTerm
}

/** Gives a name to how important pods are. */
export interface PriorityClass {
  readonly apiVersion?: 'scheduling.k8s.io/v1'
  readonly kind?: 'PriorityClass'
  readonly metadata: ObjectMeta
  readonly value?: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
}
export const PriorityClass: Kind<PriorityClass> = { group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', plural: 'priorityclasses', namespaced: false }

/** The number of requests of a level that are served at a time. */
export interface PriorityLevelConfiguration {
  readonly apiVersion?: 'flowcontrol.apiserver.k8s.io/v1'
  readonly kind?: 'PriorityLevelConfiguration'
  readonly metadata: ObjectMeta
  readonly spec?: PriorityLevelConfigurationSpec
  readonly status?: PriorityLevelConfigurationStatus
}
export const PriorityLevelConfiguration: Kind<PriorityLevelConfiguration> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'PriorityLevelConfiguration', plural: 'prioritylevelconfigurations', namespaced: false }

export interface PriorityLevelConfigurationCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface PriorityLevelConfigurationReference {
  readonly name: string
}

export interface PriorityLevelConfigurationSpec {
  readonly type: string
  readonly limited?: LimitedPriorityLevelConfiguration
  readonly exempt?: ExemptPriorityLevelConfiguration
}

export interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[]
}

/** A check that is made again and again. */
export interface Probe {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly grpc?: GRPCAction
  /** The time to wait before the first check. */
  readonly initialDelaySeconds?: number
  /** The longest time for a check. */
  readonly timeoutSeconds?: number
  /** The interval of the checks. */
  readonly periodSeconds?: number
  /** The number of successful checks in a row after which the probe succeeds. */
  readonly successThreshold?: number
  /** The number of failed checks in a row after which the probe fails. */
  readonly failureThreshold?: number
  /** The time that the processes have to end when the check has failed. */
  readonly terminationGracePeriodSeconds?: number
}

export interface ProbeHandler {
  /** Runs a command; it must end with 0. */
  readonly exec?: ExecAction
  /** Asks over HTTP; the answer must be a success. */
  readonly httpGet?: HTTPGetAction
  /** Opens a connection. */
  readonly tcpSocket?: TCPSocketAction
  /** Asks the health service of gRPC. */
  readonly grpc?: GRPCAction
}

export interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

/** A number with a unit: 500m, 1Gi, 3. */
export type Quantity = string

export interface QueuingConfiguration {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

export interface QuobyteVolumeSource {
  readonly registry: string
  readonly volume: string
  readonly readOnly?: boolean
  readonly user?: string
  readonly group?: string
  readonly tenant?: string
}

export interface RBDPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

export interface RBDVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

/** An object of any kind. */
export type RawExtension = unknown

/** Keeps a number of like pods running. */
export interface ReplicaSet {
  readonly apiVersion?: 'apps/v1'
  readonly kind?: 'ReplicaSet'
  readonly metadata: ObjectMeta
  readonly spec?: ReplicaSetSpec
  readonly status?: ReplicaSetStatus
}
export const ReplicaSet: Kind<ReplicaSet> = { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true }

export interface ReplicaSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface ReplicaSetSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: LabelSelector
  readonly template?: PodTemplateSpec
}

export interface ReplicaSetStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly ReplicaSetCondition[]
}

/** Keeps a number of like pods running. Deployments do this better. */
export interface ReplicationController {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ReplicationController'
  readonly metadata: ObjectMeta
  readonly spec?: ReplicationControllerSpec
  readonly status?: ReplicationControllerStatus
}
export const ReplicationController: Kind<ReplicationController> = { group: '', version: 'v1', kind: 'ReplicationController', plural: 'replicationcontrollers', namespaced: true }

export interface ReplicationControllerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface ReplicationControllerSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector?: Readonly<Record<string, string>>
  readonly template?: PodTemplateSpec
}

export interface ReplicationControllerStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly ReplicationControllerCondition[]
}

export interface ResourceAttributes {
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

/** Asks for devices. */
export interface ResourceClaim {
  readonly apiVersion?: 'resource.k8s.io/v1'
  readonly kind?: 'ResourceClaim'
  readonly metadata: ObjectMeta
  readonly spec: ResourceClaimSpec
  readonly status?: ResourceClaimStatus
}
export const ResourceClaim: Kind<ResourceClaim> = { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim', plural: 'resourceclaims', namespaced: true }

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult
  readonly reservedFor?: readonly ResourceClaimConsumerReference[]
  readonly devices?: readonly AllocatedDeviceStatus[]
}

/** A template that claims for devices are made from. */
export interface ResourceClaimTemplate {
  readonly apiVersion?: 'resource.k8s.io/v1'
  readonly kind?: 'ResourceClaimTemplate'
  readonly metadata: ObjectMeta
  readonly spec: ResourceClaimTemplateSpec
}
export const ResourceClaimTemplate: Kind<ResourceClaimTemplate> = { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', namespaced: true }

export interface ResourceClaimTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec: ResourceClaimSpec
}

export interface ResourceFieldSelector {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: Quantity
}

export interface ResourceHealth {
  readonly resourceID: string
  readonly health?: string
  readonly message?: string
}

export interface ResourceMetricSource {
  readonly name: string
  readonly target: MetricTarget
}

export interface ResourceMetricStatus {
  readonly name: string
  readonly current: MetricValueStatus
}

export interface ResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

export interface ResourcePool {
  readonly name: string
  readonly generation: number
  readonly resourceSliceCount: number
}

/** The limit of each resource for all objects of a namespace together. */
export interface ResourceQuota {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ResourceQuota'
  readonly metadata: ObjectMeta
  readonly spec?: ResourceQuotaSpec
  readonly status?: ResourceQuotaStatus
}
export const ResourceQuota: Kind<ResourceQuota> = { group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true }

export interface ResourceQuotaSpec {
  readonly hard?: Readonly<Record<string, Quantity>>
  readonly scopes?: readonly ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[]
  readonly scopeSelector?: ScopeSelector
}

export interface ResourceQuotaStatus {
  readonly hard?: Readonly<Record<string, Quantity>>
  readonly used?: Readonly<Record<string, Quantity>>
}

/** The needed resources, and their limits. */
export interface ResourceRequirements {
  /** The most that may be used, by resource. */
  readonly limits?: Readonly<Record<string, Quantity>>
  /** The amounts that must be there, by resource. */
  readonly requests?: Readonly<Record<string, Quantity>>
  /** The devices that are used. */
  readonly claims?: readonly CoreV1ResourceClaim[]
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** The devices that a driver offers. */
export interface ResourceSlice {
  readonly apiVersion?: 'resource.k8s.io/v1'
  readonly kind?: 'ResourceSlice'
  readonly metadata: ObjectMeta
  readonly spec: ResourceSliceSpec
}
export const ResourceSlice: Kind<ResourceSlice> = { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice', plural: 'resourceslices', namespaced: false }

export interface ResourceSliceSpec {
  readonly driver: string
  readonly pool: ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly devices?: readonly Device[]
  readonly perDeviceNodeSelection?: boolean
  readonly sharedCounters?: readonly CounterSet[]
  readonly partitionTypeAttribute?: string
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}

export interface ResourceStatus {
  readonly name: string
  readonly resources?: readonly ResourceHealth[]
}

/** Rights in a namespace. */
export interface Role {
  readonly apiVersion?: 'rbac.authorization.k8s.io/v1'
  readonly kind?: 'Role'
  readonly metadata: ObjectMeta
  readonly rules?: readonly PolicyRule[]
}
export const Role: Kind<Role> = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role', plural: 'roles', namespaced: true }

/** Grants the rights of a role to subjects, in a namespace. */
export interface RoleBinding {
  readonly apiVersion?: 'rbac.authorization.k8s.io/v1'
  readonly kind?: 'RoleBinding'
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}
export const RoleBinding: Kind<RoleBinding> = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings', namespaced: true }

/** The role that a binding gives. */
export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

export interface RollingUpdateDeployment {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number
  readonly maxUnavailable?: IntOrString
}

export interface Rule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

export interface RuleWithOperations {
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

/** A way of running containers. */
export interface RuntimeClass {
  readonly apiVersion?: 'node.k8s.io/v1'
  readonly kind?: 'RuntimeClass'
  readonly metadata: ObjectMeta
  readonly handler: string
  readonly overhead?: Overhead
  readonly scheduling?: Scheduling
}
export const RuntimeClass: Kind<RuntimeClass> = { group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', plural: 'runtimeclasses', namespaced: false }

export interface SELinuxOptions {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

/** The wanted number of replicas, and the number that exist. */
export interface Scale {
  readonly apiVersion?: 'autoscaling/v1'
  readonly kind?: 'Scale'
  readonly metadata: ObjectMeta
  readonly spec?: ScaleSpec
  readonly status?: ScaleStatus
}

export interface ScaleIOPersistentVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: SecretReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface ScaleIOVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: LocalObjectReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface ScaleSpec {
  readonly replicas?: number
}

export interface ScaleStatus {
  readonly replicas: number
  readonly selector?: string
}

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly Toleration[]
}

export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[]
}

export interface ScopedResourceSelectorRequirement {
  readonly scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass'
  readonly operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn'
  readonly values?: readonly string[]
}

export interface SeccompProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

/** Sensitive data that pods use. */
export interface Secret {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Secret'
  readonly metadata: ObjectMeta
  /** Whether the data can no longer be changed. */
  readonly immutable?: boolean
  /** Bytes by name, in base64. */
  readonly data?: Readonly<Record<string, string>>
  /** Texts by name; they are written into data and never read back. */
  readonly stringData?: Readonly<Record<string, string>>
  /** The purpose of the data. */
  readonly type?: string
}
export const Secret: Kind<Secret> = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true }

export interface SecretEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface SecretKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface SecretProjection {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

export interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

export interface SecretVolumeSource {
  readonly secretName?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

/** Security settings of a container. */
export interface SecurityContext {
  readonly capabilities?: Capabilities
  readonly privileged?: boolean
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: 'Default' | 'Unmasked'
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
}

export interface SelectableField {
  readonly jsonPath: string
}

/** Asks whether the caller may do something. */
export interface SelfSubjectAccessReview {
  readonly apiVersion?: 'authorization.k8s.io/v1'
  readonly kind?: 'SelfSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}
export const SelfSubjectAccessReview: Kind<SelfSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', namespaced: false }

export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

/** Asks who the caller is. */
export interface SelfSubjectReview {
  readonly apiVersion?: 'authentication.k8s.io/v1'
  readonly kind?: 'SelfSubjectReview'
  readonly metadata: ObjectMeta
  readonly status?: SelfSubjectReviewStatus
}
export const SelfSubjectReview: Kind<SelfSubjectReview> = { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', namespaced: false }

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo
}

/** Asks what the caller may do in a namespace. */
export interface SelfSubjectRulesReview {
  readonly apiVersion?: 'authorization.k8s.io/v1'
  readonly kind?: 'SelfSubjectRulesReview'
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectRulesReviewSpec
  readonly status?: SubjectRulesReviewStatus
}
export const SelfSubjectRulesReview: Kind<SelfSubjectRulesReview> = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', namespaced: false }

export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string
}

/** A stable address in front of a set of pods. */
export interface Service {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Service'
  readonly metadata: ObjectMeta
  readonly spec?: ServiceSpec
  readonly status?: ServiceStatus
}
export const Service: Kind<Service> = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true }

/** An identity for the processes in pods. */
export interface ServiceAccount {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ServiceAccount'
  readonly metadata: ObjectMeta
  readonly secrets?: readonly ObjectReference[]
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}
export const ServiceAccount: Kind<ServiceAccount> = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true }

export interface ServiceAccountSubject {
  readonly namespace: string
  readonly name: string
}

export interface ServiceAccountTokenProjection {
  readonly audience?: string
  readonly expirationSeconds?: number
  readonly path: string
  readonly user?: number
}

export interface ServiceBackendPort {
  readonly name?: string
  readonly number?: number
}

/** A range of addresses for services. */
export interface ServiceCIDR {
  readonly apiVersion?: 'networking.k8s.io/v1'
  readonly kind?: 'ServiceCIDR'
  readonly metadata: ObjectMeta
  readonly spec?: ServiceCIDRSpec
  readonly status?: ServiceCIDRStatus
}
export const ServiceCIDR: Kind<ServiceCIDR> = { group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR', plural: 'servicecidrs', namespaced: false }

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[]
}

export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[]
}

/** A port of a service. */
export interface ServicePort {
  /** The name, unique in the service. */
  readonly name?: string
  /** TCP, UDP or SCTP. */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  /** The protocol of the application. */
  readonly appProtocol?: string
  /** The port of the service. */
  readonly port: number
  /** The port of the pods, by number or name. */
  readonly targetPort?: IntOrString
  /** The port on every node. */
  readonly nodePort?: number
}

export interface ServiceProxyOptions {
  readonly apiVersion?: 'v1'
  readonly kind?: 'ServiceProxyOptions'
  readonly path?: string
}

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

/** The ports of a service, and the pods and clients that it connects. */
export interface ServiceSpec {
  /** The ports of the service. */
  readonly ports?: readonly ServicePort[]
  /** The labels of the pods behind it. */
  readonly selector?: Readonly<Record<string, string>>
  /** The address in the cluster; None for no address. */
  readonly clusterIP?: string
  /** The addresses in the cluster, one a family. */
  readonly clusterIPs?: readonly string[]
  /** The way to reach the service: ClusterIP, NodePort, LoadBalancer or ExternalName. */
  readonly type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort'
  /** Further addresses that lead to the service. */
  readonly externalIPs?: readonly string[]
  /** Whether a client stays with one pod. */
  readonly sessionAffinity?: 'ClientIP' | 'None'
  readonly loadBalancerIP?: string
  readonly loadBalancerSourceRanges?: readonly string[]
  /** The name that the service stands for. */
  readonly externalName?: string
  readonly externalTrafficPolicy?: 'Cluster' | 'Local'
  readonly healthCheckNodePort?: number
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinityConfig?: SessionAffinityConfig
  /** The families of its addresses. */
  readonly ipFamilies?: readonly ('' | 'IPv4' | 'IPv6')[]
  /** Whether it has one family of addresses or two. */
  readonly ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack'
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly internalTrafficPolicy?: 'Cluster' | 'Local'
  readonly trafficDistribution?: string
}

export interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus
  readonly conditions?: readonly Condition[]
}

export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig
}

/** ShardInfo tells which share of the objects a list is. */
export interface ShardInfo {
  /** selector is what the share was asked for by. */
  readonly selector: string
}

export interface SleepAction {
  readonly seconds: number
}

/** Keeps pods running that have names, storage and an order of their own. */
export interface StatefulSet {
  readonly apiVersion?: 'apps/v1'
  readonly kind?: 'StatefulSet'
  readonly metadata: ObjectMeta
  readonly spec?: StatefulSetSpec
  readonly status?: StatefulSetStatus
}
export const StatefulSet: Kind<StatefulSet> = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true }

export interface StatefulSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: Time
  readonly reason?: string
  readonly message?: string
}

export interface StatefulSetOrdinals {
  readonly start?: number
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

export interface StatefulSetSpec {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  /** The storage that every pod gets for itself. */
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
  /** The service that gives the pods their names. */
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly ordinals?: StatefulSetOrdinals
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly StatefulSetCondition[]
  readonly availableReplicas?: number
}

export interface StatefulSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy
}

/** Status is the outcome of a request that has no object to answer with. */
export interface Status {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Status'
  readonly metadata?: ListMeta
  /** Status of the request: Success or Failure. */
  readonly status?: string
  /** A description of it for people. */
  readonly message?: string
  /** A description of why, in one word, for programs. */
  readonly reason?: string
  /** More about the reason. */
  readonly details?: StatusDetails
  /** The HTTP status code. */
  readonly code?: number
}

/** StatusCause is one cause of a failure. */
export interface StatusCause {
  /** A description of it in one word, for programs. */
  readonly reason?: string
  /** A description of it for people. */
  readonly message?: string
  /** The field that it is about, as JSON names it. */
  readonly field?: string
}

/** StatusDetails is more about the reason of a failure. */
export interface StatusDetails {
  /** The name of the object. */
  readonly name?: string
  /** The group of the resource. */
  readonly group?: string
  /** The resource or kind. */
  readonly kind?: string
  /** UID of the object. */
  readonly uid?: string
  /** The causes, one by one. */
  readonly causes?: readonly StatusCause[]
  /** The number of seconds to wait before the next try. */
  readonly retryAfterSeconds?: number
}

/** A kind of storage, and who makes it. */
export interface StorageClass {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'StorageClass'
  readonly metadata: ObjectMeta
  readonly provisioner: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
}
export const StorageClass: Kind<StorageClass> = { group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass', plural: 'storageclasses', namespaced: false }

export interface StorageHealth {
  readonly name: string
  readonly healthConditions?: readonly StorageHealthCondition[]
}

export interface StorageHealthCondition {
  readonly status: 'StorageDegraded' | 'StorageUnreachable'
  readonly reason: string
  readonly message?: string
  readonly accessMode?: 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod'
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly lastTransitionTime?: Time
}

export interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: ObjectReference
}

export interface StorageOSVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

export interface StorageV1TokenRequest {
  readonly audience: string
  readonly expirationSeconds?: number
}

/** Writes all objects of a type anew, in the version that is stored now. */
export interface StorageVersionMigration {
  readonly apiVersion?: 'storagemigration.k8s.io/v1'
  readonly kind?: 'StorageVersionMigration'
  readonly metadata: ObjectMeta
  readonly spec?: StorageVersionMigrationSpec
  readonly status?: StorageVersionMigrationStatus
}
export const StorageVersionMigration: Kind<StorageVersionMigration> = { group: 'storagemigration.k8s.io', version: 'v1', kind: 'StorageVersionMigration', plural: 'storageversionmigrations', namespaced: false }

export interface StorageVersionMigrationSpec {
  /** The type whose objects are written anew. */
  readonly resource: GroupResource
}

export interface StorageVersionMigrationStatus {
  /** Running, Succeeded or Failed. */
  readonly conditions?: readonly Condition[]
  /** Objects that were last written after this version need not be written anew. */
  readonly resourceVersion?: string
}

/** A user, a group or a service account. */
export interface Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

/** Asks whether a user may do something. */
export interface SubjectAccessReview {
  readonly apiVersion?: 'authorization.k8s.io/v1'
  readonly kind?: 'SubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}
export const SubjectAccessReview: Kind<SubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', namespaced: false }

export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, AuthorizationV1ExtraValue>>
  readonly uid?: string
}

export interface SubjectAccessReviewStatus {
  readonly allowed: boolean
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

export interface SubjectRulesReviewStatus {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  readonly incomplete: boolean
  readonly evaluationError?: string
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[]
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export interface Sysctl {
  readonly name: string
  readonly value: string
}

export interface TCPSocketAction {
  readonly port: IntOrString
  readonly host?: string
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly timeAdded?: Time
}

/** Time is a moment, to the second, in RFC 3339. */
export type Time = string

/** Asks for a token of a service account. */
export interface TokenRequest {
  readonly apiVersion?: 'authentication.k8s.io/v1'
  readonly kind?: 'TokenRequest'
  readonly metadata: ObjectMeta
  readonly spec?: TokenRequestSpec
  readonly status?: TokenRequestStatus
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
  readonly boundObjectRef?: BoundObjectReference
  readonly attestations?: Readonly<Record<string, AttestationValue>>
}

export interface TokenRequestStatus {
  readonly token?: string
  readonly expirationTimestamp?: Time
}

/** Asks for the user of a token. */
export interface TokenReview {
  readonly apiVersion?: 'authentication.k8s.io/v1'
  readonly kind?: 'TokenReview'
  readonly metadata: ObjectMeta
  readonly spec: TokenReviewSpec
  readonly status?: TokenReviewStatus
}
export const TokenReview: Kind<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview', plural: 'tokenreviews', namespaced: false }

export interface TokenReviewSpec {
  readonly token: string
  readonly audiences?: readonly string[]
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean
  readonly user?: UserInfo
  readonly audiences?: readonly string[]
  readonly error?: string
}

/** A taint that a pod accepts. */
export interface Toleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly tolerationSeconds?: number
}

export interface TopologyConstraint {
  readonly key: string
}

export interface TopologySelectorLabelRequirement {
  readonly key: string
  readonly values: readonly string[]
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[]
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore'
  readonly matchLabelKeys?: readonly string[]
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[]
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface TypedObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}

export interface UserInfo {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, ExtraValue>>
}

export interface UserSubject {
  readonly name: string
}

/** Expressions that objects must meet before they are stored. */
export interface ValidatingAdmissionPolicy {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'ValidatingAdmissionPolicy'
  readonly metadata: ObjectMeta
  readonly spec?: ValidatingAdmissionPolicySpec
  readonly status?: ValidatingAdmissionPolicyStatus
}
export const ValidatingAdmissionPolicy: Kind<ValidatingAdmissionPolicy> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', namespaced: false }

/** Where a validating policy holds, and what it does. */
export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'ValidatingAdmissionPolicyBinding'
  readonly metadata: ObjectMeta
  readonly spec: ValidatingAdmissionPolicyBindingSpec
}
export const ValidatingAdmissionPolicyBinding: Kind<ValidatingAdmissionPolicyBinding> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', namespaced: false }

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions: readonly ('Audit' | 'Deny' | 'Warn')[]
}

export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly validations?: readonly Validation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

export interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number
  readonly typeChecking?: TypeChecking
  readonly conditions?: readonly Condition[]
}

export interface ValidatingWebhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly matchConditions?: readonly MatchCondition[]
}

/** Web hooks that may refuse objects before they are stored. */
export interface ValidatingWebhookConfiguration {
  readonly apiVersion?: 'admissionregistration.k8s.io/v1'
  readonly kind?: 'ValidatingWebhookConfiguration'
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly ValidatingWebhook[]
}
export const ValidatingWebhookConfiguration: Kind<ValidatingWebhookConfiguration> = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations', namespaced: false }

export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export interface Variable {
  readonly name: string
  readonly expression: string
}

/** Storage that containers of a pod can mount. */
export interface Volume {
  /** The name by which containers mount it. */
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

/** Asks for a volume to be attached to a node. */
export interface VolumeAttachment {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'VolumeAttachment'
  readonly metadata: ObjectMeta
  readonly spec: VolumeAttachmentSpec
  readonly status?: VolumeAttachmentStatus
}
export const VolumeAttachment: Kind<VolumeAttachment> = { group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttachment', plural: 'volumeattachments', namespaced: false }

export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: PersistentVolumeSpec
}

export interface VolumeAttachmentSpec {
  readonly attacher: string
  readonly source: VolumeAttachmentSource
  readonly nodeName: string
}

export interface VolumeAttachmentStatus {
  readonly attached: boolean
  readonly attachmentMetadata?: Readonly<Record<string, string>>
  readonly attachError?: VolumeError
  readonly detachError?: VolumeError
}

/** Settings of volumes that can be changed later. */
export interface VolumeAttributesClass {
  readonly apiVersion?: 'storage.k8s.io/v1'
  readonly kind?: 'VolumeAttributesClass'
  readonly metadata: ObjectMeta
  readonly driverName: string
  readonly parameters?: Readonly<Record<string, string>>
}
export const VolumeAttributesClass: Kind<VolumeAttributesClass> = { group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', namespaced: false }

export interface VolumeDevice {
  readonly name: string
  readonly devicePath: string
}

export interface VolumeError {
  readonly time?: Time
  readonly message?: string
  readonly errorCode?: number
}

export interface VolumeHealthCondition {
  readonly status: 'DataLoss' | 'Degraded' | 'Inaccessible'
  readonly reason: string
  readonly message?: string
}

/** The health of a volume. */
export interface VolumeHealthStatus {
  readonly healthConditions?: readonly VolumeHealthCondition[]
  readonly lastTransitionTime?: Time
}

/** The mount of a volume in a container. */
export interface VolumeMount {
  /** The volume. */
  readonly name: string
  /** Whether it cannot be written. */
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  /** The path in the container. */
  readonly mountPath: string
  /** The path inside of the volume. */
  readonly subPath?: string
  readonly mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None'
  readonly subPathExpr?: string
  readonly bindMountOptions?: readonly string[]
}

export interface VolumeMountStatus {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly volumeStatus?: VolumeStatus
}

export interface VolumeNodeAffinity {
  readonly required?: NodeSelector
}

export interface VolumeNodeResources {
  readonly count?: number
}

export interface VolumeProjection {
  readonly secret?: SecretProjection
  readonly downwardAPI?: DownwardAPIProjection
  readonly configMap?: ConfigMapProjection
  readonly serviceAccountToken?: ServiceAccountTokenProjection
  readonly clusterTrustBundle?: ClusterTrustBundleProjection
  readonly podCertificate?: PodCertificateProjection
}

export interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, Quantity>>
  readonly requests?: Readonly<Record<string, Quantity>>
}

export interface VolumeSource {
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

export interface VolumeStatus {
  readonly image?: ImageVolumeStatus
}

export interface VsphereVirtualDiskVolumeSource {
  readonly volumePath: string
  readonly fsType?: string
  readonly storagePolicyName?: string
  readonly storagePolicyID?: string
}

export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
  readonly caBundle?: string
}

export interface WebhookConversion {
  readonly clientConfig?: ApiextensionsV1WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

export interface WeightedPodAffinityTerm {
  readonly weight: number
  readonly podAffinityTerm: PodAffinityTerm
}

export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}

export interface WorkloadPodGroupAllDisruptionMode {
}

export interface WorkloadPodGroupBasicSchedulingPolicy {
}

export interface WorkloadPodGroupDisruptionMode {
  readonly single?: WorkloadPodGroupSingleDisruptionMode
  readonly all?: WorkloadPodGroupAllDisruptionMode
}

export interface WorkloadPodGroupGangSchedulingPolicy {
  readonly minCount?: number
}

export interface WorkloadPodGroupResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface WorkloadPodGroupSchedulingConstraints {
  readonly topology?: readonly TopologyConstraint[]
}

export interface WorkloadPodGroupSchedulingPolicy {
  readonly basic?: WorkloadPodGroupBasicSchedulingPolicy
  readonly gang?: WorkloadPodGroupGangSchedulingPolicy
}

export interface WorkloadPodGroupSingleDisruptionMode {
}
