// Answers that a comparison with the reference, field by field, showed to be different from what was expected of it.
import { describe, it } from 'vitest'
import { changes, judge, rows } from './judging.ts'

const ROWS = [
  ...rows('apps/v1 Deployment', [
    'an unknown strategy',
    { 'spec/strategy': { type: 'x', rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } } },
    'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"',
  ]),
  ...rows('apps/v1 StatefulSet', [
    'an unknown strategy',
    { 'spec/updateStrategy': { type: 'x', rollingUpdate: { partition: 1 } } },
    'spec.updateStrategy: Invalid value: {"Type":"x","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
  ]),
  ...rows(
    'v1 Pod',
    [
      'a claim of nothing',
      { 'spec/resourceClaims': [{ name: 'x' }] },
      'spec.resourceClaims[0]: Invalid value: {"Name":"x","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
    [
      'labels of volumes changed while mounting, which is not there yet',
      { 'spec/securityContext': { seLinuxChangePolicy: 'MountOption' } },
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ],
  ),
  ...rows('v1 Pod', [
    'privileges that may not be won',
    { 'spec/containers/0/securityContext': { privileged: true, allowPrivilegeEscalation: false } },
    'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  ]),
  ...rows(
    'v1 PersistentVolume',
    ['a driver beside another source', { 'spec/flexVolume': { driver: 'a/b' } }],
    [
      'a local volume beside another source',
      { 'spec/local': { path: '/a' } },
      'spec.local: Forbidden: may not specify more than 1 volume type',
    ],
  ),
  ...rows(
    'discovery.k8s.io/v1 EndpointSlice',
    ['any number as a port', { ports: [{ port: 70000 }] }],
    [
      'an empty protocol',
      { ports: [{ port: 80, protocol: '' }] },
      'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
    ],
  ),
  ...rows('apps/v1 DaemonSet', [
    'an unknown strategy',
    { 'spec/updateStrategy': { type: 'x', rollingUpdate: { maxUnavailable: 1 } } },
    'spec.updateStrategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":1,"MaxSurge":0}}: supported values: "RollingUpdate", "OnDelete"',
  ]),
  ...rows('batch/v1 Job', [
    'fewer completions than none, and no limit of failures',
    { 'spec/completionMode': 'Indexed', 'spec/completions': -1 },
    'spec.completions: Invalid value: -1: must be greater than or equal to 0',
  ]),
  ...rows(
    'certificates.k8s.io/v1 CertificateSigningRequest',
    [
      'an empty request',
      { 'spec/request': '' },
      'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
    ],
    [
      'no request',
      { 'spec/request': undefined },
      'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST',
    ],
  ),
  ...rows('resource.k8s.io/v1 ResourceSlice', [
    'a version that is none and too long',
    { 'spec/devices/0/attributes': { a: { version: 'x'.repeat(65) } } },
    'spec.devices[0].attributes[a].version: Invalid value: "xxx…',
    'spec.devices[0].attributes[a].version: Too long: may not be more than 64 bytes',
  ]),
  ...changes('networking.k8s.io/v1 NetworkPolicy', [
    'an empty exception, where a peer of the stored one has no block',
    { 'spec/ingress': [{ from: [{ podSelector: {} }, { ipBlock: { cidr: '1.0.0.0/8' } }] }] },
    { 'spec/ingress/0/from/1/ipBlock/except': [''] },
    'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]),
  ...changes('storage.k8s.io/v1 CSINode', [
    'another id of the node',
    {},
    { 'spec/drivers/0/nodeID': 'm' },
    'spec.drivers: Invalid value: {"Name":"example.com","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
  ]),
  ...rows('resource.k8s.io/v1 ResourceClaimTemplate', [
    'a name in the template',
    { 'spec/metadata': { name: 'x', uid: 'y' } },
    'spec.metadata.name: Forbidden: cannot be set',
    'spec.metadata.uID: Forbidden: cannot be set',
  ]),
  ...changes('v1 PersistentVolumeClaim', [
    'no size any more',
    {},
    { 'spec/resources': {} },
    'spec.resources[storage]: Required value',
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
    'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  ]),
  ...changes('v1 ReplicationController', [
    'a fault is told once',
    {},
    { 'spec/replicas': -1 },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ]),
  ...changes('rbac.authorization.k8s.io/v1 Role', [
    'a fault is told once',
    {},
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    'rules[0].verbs: Required value: verbs must contain at least one value',
  ]),
  ...changes('apps/v1 ReplicaSet', [
    'a fault is told once',
    {},
    { 'spec/replicas': -1 },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ]),
  ...changes('apps/v1 DaemonSet', [
    'a fault is told once',
    {},
    { 'spec/minReadySeconds': -1 },
    'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
  ]),
  ...rows('apps/v1 StatefulSet', [
    'labels of the template are looked at twice',
    { 'spec/template/metadata/labels/b': 'Bad!' },
    'spec.template.labels: Invalid value: "Bad!": a valid label must be an empty string or…',
    'spec.template.labels: Invalid value: "Bad!": a valid label must be an empty string or…',
  ]),
  ...rows('storage.k8s.io/v1 StorageClass', [
    'a topology that says nothing',
    { allowedTopologies: [{}] },
    'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
  ]),
  ...rows('storage.k8s.io/v1 CSIDriver', [
    'tokens in secrets, and no tokens',
    { 'spec/serviceAccountTokenInSecrets': true },
    'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
  ]),
]

describe('what the reference says (W-577)', () => {
  it.each(ROWS)('$of: $case', judge)
})
