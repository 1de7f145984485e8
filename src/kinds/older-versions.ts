// The versions of built-in kinds that other servers have stored objects in and that are not served here: an object is only
// written anew when it changes, so a cluster holds what its servers of many years have written. How each becomes our own.
import type { GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import { NO_POD } from './policy/pod-disruption-budget.ts'
import { definitionFromV1beta1 } from './apiextensions/custom-resource-definition/v1beta1.ts'
import { mapIn, withMembers } from './shared/members.ts'

export interface OlderVersion {
  /** The kind that its messages can be read as: the fields have the same numbers. */
  readonly kind: GroupVersionKind
  /** From a document of it in JSON shape to one of that kind; absent: their fields have the same names. */
  readonly convert?: (document: ValueMap) => ValueMap
}

/** Undefined for what is not known here. */
export function olderVersion(stored: GroupVersionKind): OlderVersion | undefined {
  return VERSIONS.get(`${stored.group}/${stored.version}/${stored.kind}`)
}

/** Kinds by group whose fields have the same names and numbers in these versions as in `v1`. */
const ALIKE: readonly (readonly [group: string, versions: string, kinds: string])[] = [
  ['admissionregistration.k8s.io', 'v1alpha1 v1beta1', 'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding'],
  ['admissionregistration.k8s.io', 'v1alpha1 v1beta1', 'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding'],
  ['admissionregistration.k8s.io', 'v1beta1', 'MutatingWebhookConfiguration ValidatingWebhookConfiguration'],
  ['apiregistration.k8s.io', 'v1beta1', 'APIService'],
  ['apps', 'v1beta1', 'ControllerRevision'],
  ['apps', 'v1beta2', 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet'],
  ['batch', 'v1beta1', 'CronJob'],
  ['certificates.k8s.io', 'v1beta1', 'CertificateSigningRequest'],
  ['coordination.k8s.io', 'v1beta1', 'Lease'],
  ['flowcontrol.apiserver.k8s.io', 'v1beta1 v1beta2 v1beta3', 'FlowSchema'],
  ['flowcontrol.apiserver.k8s.io', 'v1beta3', 'PriorityLevelConfiguration'],
  ['networking.k8s.io', 'v1beta1', 'IPAddress IngressClass ServiceCIDR'],
  ['node.k8s.io', 'v1beta1', 'RuntimeClass'],
  ['rbac.authorization.k8s.io', 'v1beta1', 'ClusterRole ClusterRoleBinding Role RoleBinding'],
  ['resource.k8s.io', 'v1beta1', 'DeviceClass'],
  ['resource.k8s.io', 'v1beta2', 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice'],
  ['scheduling.k8s.io', 'v1beta1', 'PriorityClass'],
  ['storage.k8s.io', 'v1alpha1', 'CSIStorageCapacity VolumeAttachment VolumeAttributesClass'],
  [
    'storage.k8s.io',
    'v1beta1',
    'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass',
  ],
]

/** The rest, by `group/version/Kind`. */
const OTHERS: Readonly<Record<string, OlderVersion>> = {
  'apiextensions.k8s.io/v1beta1/CustomResourceDefinition': {
    kind: { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    convert: definitionFromV1beta1,
  },
  'apps/v1beta1/Deployment': workload('Deployment'),
  'apps/v1beta1/StatefulSet': workload('StatefulSet'),
  'extensions/v1beta1/DaemonSet': workload('DaemonSet'),
  'extensions/v1beta1/Deployment': workload('Deployment'),
  'extensions/v1beta1/NetworkPolicy': { kind: { group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy' } },
  'extensions/v1beta1/ReplicaSet': workload('ReplicaSet'),
  'flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration': priorityLevel(),
  'flowcontrol.apiserver.k8s.io/v1beta2/PriorityLevelConfiguration': priorityLevel(),
  'policy/v1beta1/PodDisruptionBudget': {
    kind: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
    convert: meaningNoPod,
  },
}

const VERSIONS: ReadonlyMap<string, OlderVersion> = new Map([
  ...Object.entries(OTHERS),
  ...ALIKE.flatMap(([group, versions, kinds]) =>
    versions.split(' ').flatMap((version) =>
      kinds.split(' ').map((kind): [string, OlderVersion] => {
        return [`${group}/${version}/${kind}`, { kind: { group, version: 'v1', kind } }]
      }),
    ),
  ),
])

/** Workloads without labels had those of their pods, and selected by them. */
function workload(kind: string): OlderVersion {
  return {
    kind: { group: 'apps', version: 'v1', kind },
    convert: (document) => {
      const [metadata, spec] = [mapIn(document, 'metadata'), mapIn(document, 'spec')]
      const labels = own(mapIn(mapIn(spec, 'template'), 'metadata'), 'labels')
      if (labels === undefined) return document
      const hasLabels = Object.keys(mapIn(metadata, 'labels')).length > 0
      return {
        ...document,
        metadata: hasLabels ? metadata : { ...metadata, labels },
        spec: { ...spec, selector: own(spec, 'selector') ?? { matchLabels: labels } },
      }
    },
  }
}

/** The shares had another name, and the same number. */
function priorityLevel(): OlderVersion {
  return {
    kind: { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'PriorityLevelConfiguration' },
    convert: (document) => {
      const spec = mapIn(document, 'spec')
      const limited = mapIn(spec, 'limited')
      const shares = own(limited, 'assuredConcurrencyShares')
      if (shares === undefined) return document
      const renamed = withMembers(limited, { assuredConcurrencyShares: undefined, nominalConcurrencyShares: shares })
      return { ...document, spec: { ...spec, limited: renamed } }
    },
  }
}

/** An empty selector meant no pod in that version, and means every pod now. */
function meaningNoPod(document: ValueMap): ValueMap {
  const spec = mapIn(document, 'spec')
  const selector = own(spec, 'selector')
  if (selector === undefined || Object.keys(mapIn(spec, 'selector')).length > 0) return document
  return { ...document, spec: { ...spec, selector: NO_POD } }
}
