// An object of each built-in kind that the server would take, as small as it can be.
import { utf8String } from '../../../src/pki/der-writer.ts'
import { certificateRequest, COMMON_NAME } from '../../corpora/certificate-request.ts'
import { versionedObject } from '../../corpora/versioned-objects.ts'
import type { ValueMap } from '../../../src/api/value.ts'

/** Of a kind that has versions which are off by default. */
function objectOf(kind: string): ValueMap {
  const { name: _, ...object } = versionedObject({ group: '', version: 'v1', kind }, 1)
  return object
}

const LABELS = { app: 'a' }
const SELECTOR = { matchLabels: LABELS }
const POD_SPEC = { containers: [{ name: 'c', image: 'i' }] }
const TEMPLATE = { metadata: { labels: LABELS }, spec: POD_SPEC }
const JOB_LABELS = {
  'controller-uid': 'u-1',
  'job-name': 'a',
  'batch.kubernetes.io/controller-uid': 'u-1',
  'batch.kubernetes.io/job-name': 'a',
}
const JOB_POD = { ...POD_SPEC, restartPolicy: 'Never' }
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
const WEBHOOK = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [RULE],
}
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
const REQUEST = certificateRequest([[COMMON_NAME, utf8String('jane')]])
const CLAIM = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } }
const EVENT = {
  reason: 'R',
  action: 'A',
  type: 'Normal',
  eventTime: '2024-01-01T00:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i',
}

export const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'IngressClass',
  'IPAddress',
  'ClusterTrustBundle',
  'DeviceTaintRule',
  'StorageVersionMigration',
  'ServiceCIDR',
  'ClusterRole',
  'ClusterRoleBinding',
  'PriorityClass',
  'StorageClass',
  'VolumeAttachment',
  'CSIDriver',
  'CSINode',
  'VolumeAttributesClass',
  'RuntimeClass',
  'CertificateSigningRequest',
  'FlowSchema',
  'DeviceClass',
  'PriorityLevelConfiguration',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ResourceSlice',
  'CustomResourceDefinition',
  'APIService',
  'SubjectAccessReview',
  'SelfSubjectAccessReview',
])

export const VALID: Readonly<Record<string, ValueMap>> = {
  'v1 Pod': { spec: POD_SPEC },
  'v1 Service': { spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } },
  'v1 Namespace': { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
  'v1 Node': {},
  'v1 ConfigMap': { data: { k: 'v' } },
  'v1 Secret': { data: { k: 'dg==' } },
  'v1 ServiceAccount': {},
  'v1 PersistentVolume': {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, nfs: { server: 's', path: '/p' } },
  },
  'v1 PersistentVolumeClaim': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'v1 ReplicationController': { spec: { selector: LABELS, template: TEMPLATE } },
  'v1 PodTemplate': { template: TEMPLATE },
  'v1 LimitRange': { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  'v1 ResourceQuota': { spec: { hard: { pods: '1' } } },
  'v1 Endpoints': { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] },
  'v1 Event': { involvedObject: { namespace: 'ns' } },
  'v1 Binding': { target: { name: 'n' } },
  'apps/v1 Deployment': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1 ReplicaSet': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1 StatefulSet': { spec: { selector: SELECTOR, template: TEMPLATE, serviceName: 's' } },
  'apps/v1 DaemonSet': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1 ControllerRevision': { data: { a: 1 }, revision: 1 },
  'batch/v1 Job': {
    spec: {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      template: { metadata: { labels: JOB_LABELS }, spec: JOB_POD },
    },
  },
  'batch/v1 CronJob': { spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: { spec: JOB_POD } } } } },
  'autoscaling/v2 HorizontalPodAutoscaler': {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  },
  'autoscaling/v1 HorizontalPodAutoscaler': {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  },
  'autoscaling/v1 Scale': { spec: { replicas: 1 } },
  'networking.k8s.io/v1 Ingress': {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1 IngressClass': { spec: { controller: 'example.com/c' } },
  'networking.k8s.io/v1 NetworkPolicy': { spec: { podSelector: {} } },
  'networking.k8s.io/v1 IPAddress': {
    metadata: { name: '10.0.0.1' },
    spec: { parentRef: { resource: 'services', name: 's', namespace: 'ns' } },
  },
  'networking.k8s.io/v1 ServiceCIDR': { spec: { cidrs: ['10.0.0.0/24'] } },
  'policy/v1 PodDisruptionBudget': { spec: { minAvailable: 1, selector: SELECTOR } },
  'rbac.authorization.k8s.io/v1 Role': { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  'rbac.authorization.k8s.io/v1 ClusterRole': { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
  'rbac.authorization.k8s.io/v1 RoleBinding': {
    roleRef: ROLE_REF,
    subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'ns' }],
  },
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': {
    roleRef: ROLE_REF,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }],
  },
  'scheduling.k8s.io/v1 PriorityClass': { value: 10 },
  'storage.k8s.io/v1 StorageClass': { provisioner: 'example.com/p' },
  'storage.k8s.io/v1 VolumeAttachment': {
    spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/v1 CSIDriver': { spec: {} },
  'storage.k8s.io/v1 CSINode': { spec: { drivers: [{ name: 'example.com', nodeID: 'n' }] } },
  'storage.k8s.io/v1 CSIStorageCapacity': { storageClassName: 's' },
  'storage.k8s.io/v1 VolumeAttributesClass': { driverName: 'example.com', parameters: { a: 'b' } },
  'coordination.k8s.io/v1 Lease': { spec: {} },
  'events.k8s.io/v1 Event': { ...EVENT, regarding: { namespace: 'ns' } },
  'discovery.k8s.io/v1 EndpointSlice': { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.1'] }], ports: [] },
  'node.k8s.io/v1 RuntimeClass': { handler: 'h' },
  'certificates.k8s.io/v1 CertificateSigningRequest': {
    spec: {
      request: Buffer.from(REQUEST).toString('base64'),
      signerName: 'example.com/s',
      usages: ['client auth'],
    },
  },
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema': {
    spec: {
      matchingPrecedence: 50,
      priorityLevelConfiguration: { name: 'p' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['ns'] }],
        },
      ],
    },
  },
  'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration': {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
  },
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': { webhooks: [WEBHOOK] },
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': { webhooks: [WEBHOOK] },
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy': {
    spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  },
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy': {
    spec: {
      matchConstraints: { resourceRules: [RULE] },
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' } }],
      reinvocationPolicy: 'Never',
    },
  },
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding': { spec: { policyName: 'p' } },
  'resource.k8s.io/v1 ResourceClaim': { spec: CLAIM },
  'resource.k8s.io/v1 ResourceClaimTemplate': { spec: { spec: CLAIM } },
  'resource.k8s.io/v1 DeviceClass': { spec: {} },
  'resource.k8s.io/v1 ResourceSlice': {
    spec: {
      driver: 'example.com',
      pool: { name: 'p', resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [{ name: 'd' }],
    },
  },
  'resource.k8s.io/v1 DeviceTaintRule': objectOf('DeviceTaintRule'),
  'certificates.k8s.io/v1 ClusterTrustBundle': objectOf('ClusterTrustBundle'),
  'certificates.k8s.io/v1 PodCertificateRequest': objectOf('PodCertificateRequest'),
  'storagemigration.k8s.io/v1 StorageVersionMigration': objectOf('StorageVersionMigration'),
  'apiextensions.k8s.io/v1 CustomResourceDefinition': {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    status: { storedVersions: ['v1'] },
  },
  'apiregistration.k8s.io/v1 APIService': {
    metadata: { name: 'v1.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      service: { name: 's', namespace: 'ns' },
    },
  },
}
