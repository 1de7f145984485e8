// The built-in kinds that differ from the plain case, a row each: the facts of their strategies. What a row cannot say is
// in the kind's own file.
import type { Propagation } from '../registry/registry.ts'

export interface KindStrategy {
  /** PUT creates what is not there, whatever resourceVersion it names. */
  readonly createOnUpdate?: true
  /** PUT must name a resourceVersion. */
  readonly conditionalUpdate?: true
  readonly generation?: GenerationRule
  /** Where the kind has a status: what a write through `status` cannot change besides the specification. */
  readonly status?: StatusRule
  readonly answersDeleteWithObject?: true
  readonly propagation?: Propagation | 'none'
}

export interface GenerationRule {
  readonly first: 0 | 1
  /** The members whose change counts; `*`: anything outside of the metadata. */
  readonly on: readonly string[]
  /** Members of the metadata whose change counts too. */
  readonly onMetadata?: readonly string[]
}

export interface StatusRule {
  /** Members of the metadata that are taken from what is stored. */
  readonly keepsMetadata: readonly string[]
  /** What nobody comes to own through `status`, where it is not what is kept. */
  readonly resetFields: readonly string[]
}

const ON_SPEC: GenerationRule = { first: 1, on: ['spec'] }
const USER_METADATA: readonly string[] = ['labels', 'annotations', 'finalizers', 'ownerReferences']
const STATUS: StatusRule = { keepsMetadata: [], resetFields: ['spec'] }
const STATUS_ALONE: StatusRule = { keepsMetadata: USER_METADATA, resetFields: ['spec', 'metadata'] }
const WORKLOAD: KindStrategy = { generation: ON_SPEC, status: STATUS }
const CONFIGURATION: KindStrategy = { conditionalUpdate: true, generation: ON_SPEC }
const WEBHOOKS: KindStrategy = { conditionalUpdate: true, generation: { first: 1, on: ['webhooks'] } }
const ROLE: KindStrategy = { createOnUpdate: true }
const EVENT: KindStrategy = { createOnUpdate: true, propagation: 'none' }

/** By `group/Kind`; kinds that are not here are plain: unconditional updates, no generation, no status. */
export const CHARACTER_ROWS: Readonly<Record<string, KindStrategy>> = {
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': CONFIGURATION,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': CONFIGURATION,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': WEBHOOKS,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': { ...CONFIGURATION, status: STATUS_ALONE },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': CONFIGURATION,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': WEBHOOKS,
  'apiextensions.k8s.io/CustomResourceDefinition': {
    conditionalUpdate: true,
    generation: ON_SPEC,
    status: { keepsMetadata: [], resetFields: ['metadata', 'spec'] },
    answersDeleteWithObject: true,
  },
  'apiregistration.k8s.io/APIService': { conditionalUpdate: true, status: STATUS_ALONE },
  'apps/DaemonSet': WORKLOAD,
  'apps/Deployment': {
    generation: { ...ON_SPEC, onMetadata: ['annotations'] },
    status: { keepsMetadata: ['labels'], resetFields: ['spec', 'metadata.labels'] },
  },
  'apps/ReplicaSet': WORKLOAD,
  'apps/StatefulSet': WORKLOAD,
  'autoscaling/HorizontalPodAutoscaler': { status: STATUS },
  'batch/CronJob': WORKLOAD,
  'batch/Job': { ...WORKLOAD, propagation: 'Orphan' },
  'certificates.k8s.io/CertificateSigningRequest': {
    status: { keepsMetadata: [], resetFields: ['spec', 'status.conditions'] },
  },
  'coordination.k8s.io/Lease': { createOnUpdate: true, conditionalUpdate: true },
  '/Endpoints': { createOnUpdate: true },
  '/Event': EVENT,
  'events.k8s.io/Event': EVENT,
  '/LimitRange': { createOnUpdate: true },
  '/Namespace': { status: STATUS, answersDeleteWithObject: true },
  '/Node': { status: STATUS },
  '/PersistentVolume': { status: STATUS, answersDeleteWithObject: true },
  '/PersistentVolumeClaim': { status: STATUS, answersDeleteWithObject: true },
  '/Pod': {
    generation: ON_SPEC,
    status: {
      keepsMetadata: ['ownerReferences'],
      resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
    },
    answersDeleteWithObject: true,
  },
  '/PodTemplate': { generation: { first: 1, on: ['template'] }, answersDeleteWithObject: true },
  '/ReplicationController': { ...WORKLOAD, propagation: 'Orphan' },
  '/ResourceQuota': { status: STATUS, answersDeleteWithObject: true },
  '/Service': { createOnUpdate: true, status: STATUS, answersDeleteWithObject: true },
  '/ServiceAccount': { answersDeleteWithObject: true },
  'discovery.k8s.io/EndpointSlice': { generation: { first: 1, on: ['*'], onMetadata: ['labels'] } },
  'flowcontrol.apiserver.k8s.io/FlowSchema': { generation: ON_SPEC, status: STATUS_ALONE },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': { generation: ON_SPEC, status: STATUS_ALONE },
  'networking.k8s.io/Ingress': WORKLOAD,
  'networking.k8s.io/IngressClass': { generation: ON_SPEC },
  'networking.k8s.io/NetworkPolicy': { generation: ON_SPEC },
  'networking.k8s.io/ServiceCIDR': { status: STATUS_ALONE },
  'node.k8s.io/RuntimeClass': { createOnUpdate: true, conditionalUpdate: true },
  'policy/PodDisruptionBudget': { ...WORKLOAD, conditionalUpdate: true },
  'rbac.authorization.k8s.io/ClusterRole': ROLE,
  'rbac.authorization.k8s.io/ClusterRoleBinding': ROLE,
  'rbac.authorization.k8s.io/Role': ROLE,
  'rbac.authorization.k8s.io/RoleBinding': ROLE,
  'resource.k8s.io/DeviceClass': { generation: ON_SPEC, answersDeleteWithObject: true },
  'resource.k8s.io/ResourceClaim': { status: STATUS_ALONE, answersDeleteWithObject: true },
  'resource.k8s.io/ResourceClaimTemplate': { answersDeleteWithObject: true },
  'resource.k8s.io/ResourceSlice': { generation: ON_SPEC, answersDeleteWithObject: true },
  'scheduling.k8s.io/PriorityClass': { generation: { first: 1, on: [] } },
  'storage.k8s.io/CSIDriver': {
    conditionalUpdate: true,
    generation: { first: 0, on: ['spec'] },
    answersDeleteWithObject: true,
  },
  'storage.k8s.io/CSINode': { conditionalUpdate: true, answersDeleteWithObject: true },
  'storage.k8s.io/CSIStorageCapacity': { conditionalUpdate: true },
  'storage.k8s.io/StorageClass': { answersDeleteWithObject: true },
  'storage.k8s.io/VolumeAttachment': { conditionalUpdate: true, status: STATUS_ALONE, answersDeleteWithObject: true },
  'storage.k8s.io/VolumeAttributesClass': { answersDeleteWithObject: true },
}

/** Where built-in objects are stored if not under their plural. */
export const STORAGE_PREFIXES: Readonly<Record<string, string>> = {
  '/nodes': 'minions',
  '/services': 'services/specs',
  '/endpoints': 'services/endpoints',
  '/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
}
