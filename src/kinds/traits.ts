// Which kinds have traits of their own, and which can be scaled; by `group/Kind`.
import type { Scalable } from './kind.ts'
import { withGatedFields } from './shared/gated-field.ts'
import { API_SERVICE, CSI_DRIVER, CUSTOM_DEFINITION } from './shared/small-kinds.ts'
import {
  ADMISSION_OBJECT,
  INGRESS,
  NETWORK_POLICY,
  sliceWarnings,
  STORAGE_CAPACITY,
  STORAGE_CLASS,
} from './shared/small-warnings.ts'
import type { KindStrategy } from './strategy.ts'

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
  'apiextensions.k8s.io/CustomResourceDefinition': CUSTOM_DEFINITION,
  'apiregistration.k8s.io/APIService': API_SERVICE,
  'networking.k8s.io/Ingress': INGRESS,
  'networking.k8s.io/NetworkPolicy': NETWORK_POLICY,
  'resource.k8s.io/ResourceSlice': RESOURCE_SLICE,
  'storage.k8s.io/CSIDriver': CSI_DRIVER,
  'storage.k8s.io/CSIStorageCapacity': STORAGE_CAPACITY,
  'storage.k8s.io/StorageClass': STORAGE_CLASS,
}

export const SCALABLE: Readonly<Record<string, Scalable>> = {}
