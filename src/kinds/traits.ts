// Which kinds have traits of their own, and which can be scaled; by `group/Kind`.
import { CRON_JOB, POD_TEMPLATE, REPLICATION_CONTROLLER } from './apps/workloads.ts'
import { AUTOSCALER } from './autoscaling/horizontal-pod-autoscaler/v1.ts'
import { JOB } from './batch/job/strategy.ts'
import { CERTIFICATE_SIGNING_REQUEST } from './certificates/certificate-signing-request-strategy.ts'
import { NODE } from './core/node-strategy.ts'
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from './core/volumes.ts'
import { ENDPOINT_SLICE } from './discovery/endpoint-slice.ts'
import type { Scalable } from './kind.ts'
import { DISRUPTION_BUDGET } from './policy/budget-selector.ts'
import { withGatedFields } from './shared/gated-field.ts'
import { gatedPodFields } from './shared/pod-spec/gated-fields.ts'
import { BY_LABELS } from './shared/scale.ts'
import {
  API_SERVICE,
  CSI_DRIVER,
  CUSTOM_DEFINITION,
  LEASE,
  LIMIT_RANGE,
  PRIORITY_CLASS,
  SERVICE_ACCOUNT,
} from './shared/small-kinds.ts'
import {
  ADMISSION_OBJECT,
  ENDPOINTS,
  INGRESS,
  NETWORK_POLICY,
  RESOURCE_QUOTA,
  RUNTIME_CLASS,
  SECRET,
  sliceWarnings,
  STORAGE_CAPACITY,
  STORAGE_CLASS,
} from './shared/small-warnings.ts'
import type { KindStrategy } from './strategy.ts'

const TEMPLATE = gatedPodFields('spec/template/spec')

const RESOURCE_SLICE: KindStrategy = withGatedFields(
  ['bools', 'ints', 'strings', 'versions'].map((list) => ({
    gate: 'DRAListTypeAttributes',
    path: ['spec', 'devices', '*', 'attributes', '*', list],
  })),
  { warnings: sliceWarnings },
)

export const TRAITS_OF_KINDS: Readonly<Record<string, KindStrategy>> = {
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': ADMISSION_OBJECT,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': ADMISSION_OBJECT,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': ADMISSION_OBJECT,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': ADMISSION_OBJECT,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': ADMISSION_OBJECT,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': ADMISSION_OBJECT,
  '/Endpoints': ENDPOINTS,
  '/LimitRange': LIMIT_RANGE,
  '/Node': NODE,
  '/PersistentVolume': PERSISTENT_VOLUME,
  '/PersistentVolumeClaim': PERSISTENT_VOLUME_CLAIM,
  '/PodTemplate': withGatedFields(gatedPodFields('template/spec'), POD_TEMPLATE),
  '/ReplicationController': withGatedFields(TEMPLATE, REPLICATION_CONTROLLER),
  '/ResourceQuota': RESOURCE_QUOTA,
  '/Secret': SECRET,
  '/ServiceAccount': SERVICE_ACCOUNT,
  'apiextensions.k8s.io/CustomResourceDefinition': CUSTOM_DEFINITION,
  'apiregistration.k8s.io/APIService': API_SERVICE,
  'autoscaling/HorizontalPodAutoscaler': AUTOSCALER,
  'batch/CronJob': withGatedFields(gatedPodFields('spec/jobTemplate/spec/template/spec'), CRON_JOB),
  'batch/Job': withGatedFields(TEMPLATE, JOB),
  'certificates.k8s.io/CertificateSigningRequest': CERTIFICATE_SIGNING_REQUEST,
  'coordination.k8s.io/Lease': LEASE,
  'discovery.k8s.io/EndpointSlice': ENDPOINT_SLICE,
  'networking.k8s.io/Ingress': INGRESS,
  'networking.k8s.io/NetworkPolicy': NETWORK_POLICY,
  'node.k8s.io/RuntimeClass': RUNTIME_CLASS,
  'policy/PodDisruptionBudget': DISRUPTION_BUDGET,
  'resource.k8s.io/ResourceSlice': RESOURCE_SLICE,
  'scheduling.k8s.io/PriorityClass': PRIORITY_CLASS,
  'storage.k8s.io/CSIDriver': CSI_DRIVER,
  'storage.k8s.io/CSIStorageCapacity': STORAGE_CAPACITY,
  'storage.k8s.io/StorageClass': STORAGE_CLASS,
}

export const SCALABLE: Readonly<Record<string, Scalable>> = {
  '/ReplicationController': BY_LABELS,
}
