// The built-in kinds that differ from the plain case, a row each: the facts of their strategies. What a row cannot say is
// in the kind's own file.
import { GENERATION_OF_SPEC, WITH_STATUS_ALONE, WORKLOAD } from './shared/strategies.ts'
import type { KindStrategy } from './strategy.ts'

const CONFIGURATION: KindStrategy = { conditionalUpdate: true, generation: GENERATION_OF_SPEC }
const WEBHOOKS: KindStrategy = { conditionalUpdate: true, generation: { first: 1, on: ['webhooks'] } }
const ROLE: KindStrategy = { createOnUpdate: true }

/** By `group/Kind`; kinds that are not here are plain: unconditional updates, no generation, no status. */
export const CHARACTER_ROWS: Readonly<Record<string, KindStrategy>> = {
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': CONFIGURATION,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': CONFIGURATION,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': WEBHOOKS,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': { ...CONFIGURATION, status: WITH_STATUS_ALONE },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': CONFIGURATION,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': WEBHOOKS,
  'apiextensions.k8s.io/CustomResourceDefinition': {
    conditionalUpdate: true,
    generation: GENERATION_OF_SPEC,
    status: { keepsMetadata: [], resetFields: ['metadata', 'spec'] },
    answersDeleteWithObject: true,
  },
  'apiregistration.k8s.io/APIService': { conditionalUpdate: true, status: WITH_STATUS_ALONE },
  'flowcontrol.apiserver.k8s.io/FlowSchema': { generation: GENERATION_OF_SPEC, status: WITH_STATUS_ALONE },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': {
    generation: GENERATION_OF_SPEC,
    status: WITH_STATUS_ALONE,
  },
  'networking.k8s.io/Ingress': WORKLOAD,
  'networking.k8s.io/IngressClass': { generation: GENERATION_OF_SPEC },
  'networking.k8s.io/NetworkPolicy': { generation: GENERATION_OF_SPEC },
  'networking.k8s.io/ServiceCIDR': { status: WITH_STATUS_ALONE },
  'rbac.authorization.k8s.io/ClusterRole': ROLE,
  'rbac.authorization.k8s.io/ClusterRoleBinding': ROLE,
  'rbac.authorization.k8s.io/Role': ROLE,
  'rbac.authorization.k8s.io/RoleBinding': ROLE,
  'resource.k8s.io/DeviceClass': { generation: GENERATION_OF_SPEC, answersDeleteWithObject: true },
  'resource.k8s.io/ResourceClaim': { status: WITH_STATUS_ALONE, answersDeleteWithObject: true },
  'resource.k8s.io/ResourceClaimTemplate': { answersDeleteWithObject: true },
  'resource.k8s.io/ResourceSlice': { generation: GENERATION_OF_SPEC, answersDeleteWithObject: true },
  'storage.k8s.io/CSIDriver': {
    conditionalUpdate: true,
    generation: { first: 0, on: ['spec'] },
    answersDeleteWithObject: true,
  },
  'storage.k8s.io/CSINode': { conditionalUpdate: true, answersDeleteWithObject: true },
  'storage.k8s.io/CSIStorageCapacity': { conditionalUpdate: true },
  'storage.k8s.io/StorageClass': { answersDeleteWithObject: true },
  'storage.k8s.io/VolumeAttachment': {
    conditionalUpdate: true,
    status: WITH_STATUS_ALONE,
    answersDeleteWithObject: true,
  },
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
