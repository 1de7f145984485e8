// The smallest object of each built-in kind that validation has nothing against, for what cannot do with an empty one.
import type { ValueMap } from '../../src/api/value.ts'

const CONTAINERS = [{ name: 'c', image: 'i' }]
const LABELS = { app: 'a' }
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } }
const BATCH_TEMPLATE = { spec: { containers: CONTAINERS, restartPolicy: 'Never' } }
const SELECTED = { selector: { matchLabels: LABELS }, template: TEMPLATE }
const MATCHED = {
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
}
const STORAGE = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } }
const WEBHOOK = {
  name: 'a.example.com',
  clientConfig: { url: 'https://a.example.com/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}

/** By kind, or by group and kind where several groups have it; without what identifies an object. */
const OBJECTS: Readonly<Record<string, ValueMap>> = {
  APIService: {
    metadata: { name: 'v1.g.example.com' },
    spec: { group: 'g.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
  },
  Binding: { target: { kind: 'Node', name: 'n' } },
  CertificateSigningRequest: { spec: { request: '', signerName: 'example.com/s', usages: ['any'] } },
  ControllerRevision: { data: { a: 1 }, revision: 1 },
  CronJob: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: BATCH_TEMPLATE } } } },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n' }] } },
  CSIStorageCapacity: { storageClassName: 's' },
  CustomResourceDefinition: {
    metadata: { name: 'things.g.example.com' },
    spec: {
      group: 'g.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
    },
  },
  DaemonSet: { spec: SELECTED },
  Deployment: { spec: SELECTED },
  DeviceClass: { spec: {} },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }] },
  'events.k8s.io/Event': {
    eventTime: '2024-01-02T03:04:05.000006Z',
    regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
  },
  '/Event': { involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' } },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: 'p' } } },
  HorizontalPodAutoscaler: {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 1 },
  },
  IngressClass: { spec: { controller: 'example.com/c' } },
  Ingress: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  IPAddress: {
    metadata: { name: '10.1.2.3' },
    spec: { parentRef: { resource: 'services', name: 's', namespace: 'd' } },
  },
  Job: { spec: { template: BATCH_TEMPLATE } },
  LimitRange: { spec: { limits: [{ type: 'Container' }] } },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints: MATCHED,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: 'p' } },
  MutatingWebhookConfiguration: { webhooks: [WEBHOOK] },
  PersistentVolume: {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } },
  },
  PersistentVolumeClaim: { spec: STORAGE },
  Pod: { spec: { containers: CONTAINERS } },
  PodTemplate: { template: TEMPLATE },
  PriorityClass: { value: 1 },
  PriorityLevelConfiguration: {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
  },
  ReplicaSet: { spec: SELECTED },
  ReplicationController: { spec: { selector: LABELS, template: TEMPLATE } },
  ResourceClaim: { spec: {} },
  ResourceClaimTemplate: { spec: { spec: {} } },
  ResourceSlice: {
    spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n' },
  },
  RoleBinding: { roleRef: ROLE },
  ClusterRoleBinding: { roleRef: ROLE },
  RuntimeClass: { handler: 'h' },
  Service: { spec: { ports: [{ port: 80 }] } },
  ServiceCIDR: { spec: { cidrs: ['10.1.0.0/16'] } },
  StatefulSet: { spec: { ...SELECTED, serviceName: 's' } },
  StorageClass: { provisioner: 'example.com/p' },
  SubjectAccessReview: { spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } } },
  LocalSubjectAccessReview: {
    metadata: { namespace: 'default' },
    spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  SelfSubjectAccessReview: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  TokenReview: { spec: { token: 't' } },
  ValidatingAdmissionPolicy: { spec: { matchConstraints: MATCHED, validations: [{ expression: 'true' }] } },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: 'p', validationActions: ['Deny'] } },
  ValidatingWebhookConfiguration: { webhooks: [WEBHOOK] },
  VolumeAttachment: { spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
  VolumeAttributesClass: { driverName: 'd.example.com', parameters: { a: 'b' } },
}

/** What an object of the kind has to say beside its kind and name. */
export function validObject(group: string, kind: string): ValueMap {
  return OBJECTS[kind] ?? OBJECTS[`${group}/${kind}`] ?? {}
}
