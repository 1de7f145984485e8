import { describe, it } from 'vitest'
import { changes, judge, rows, statuses } from '../validation/judging.ts'

const LABEL = 'a lowercase RFC 1123 label must consist of…'
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of…'
const QUALIFIED = 'name part must consist of alphanumeric characters…'
const NOT_NEGATIVE = 'must be greater than or equal to 0'
const IMMUTABLE = 'field is immutable'

const PODS = [
  ...changes(
    'v1 Pod',
    [
      'another command',
      {},
      { 'spec/containers/0/command': ['x'] },
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`…',
    ],
    [
      'one container more',
      {},
      { 'spec/containers/1': { name: 'd', image: 'i' } },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    ['another image', {}, { 'spec/containers/0/image': 'j' }],
    ['one toleration more', {}, { 'spec/tolerations': [{ key: 'k', operator: 'Exists' }] }],
    [
      'a later end',
      { 'spec/activeDeadlineSeconds': 5 },
      { 'spec/activeDeadlineSeconds': 6 },
      'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
    ],
    [
      'a new gate',
      {},
      { 'spec/schedulingGates': [{ name: 'g' }] },
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
    ],
  ),
  ...statuses('v1 Pod', [
    'two addresses of one family',
    {},
    { 'status/podIPs': [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
    'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
  ]),
]

const SERVICES = [
  ...rows(
    'v1 Service',
    ['no ports', { 'spec/ports': [] }, 'spec.ports: Required value'],
    [
      'two ports, one without a name',
      { 'spec/ports': [{ port: 1, name: 'a' }, { port: 2 }] },
      'spec.ports[1].name: Required value',
    ],
    [
      'a port twice',
      {
        'spec/ports': [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
    ],
    [
      'a port out of range',
      { 'spec/ports/0/port': 0 },
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'an unknown type',
      { 'spec/type': 'Odd' },
      'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      'a port of the nodes without need',
      { 'spec/ports/0/nodePort': 30_000 },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      'an unknown affinity',
      { 'spec/sessionAffinity': 'Odd' },
      'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
    ],
    [
      'an address that leads back',
      { 'spec/externalIPs': ['127.0.0.1'] },
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      'no name outside',
      { 'spec/type': 'ExternalName', 'spec/clusterIP': '', 'spec/clusterIPs': [] },
      'spec.externalName: Required value',
    ],
    [
      'ranges without a balancer',
      { 'spec/loadBalancerSourceRanges': ['10.0.0.0/8'] },
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
  ),
  ...changes('v1 Service', [
    'another address',
    {},
    { 'spec/clusterIP': '10.0.0.2', 'spec/clusterIPs': ['10.0.0.2'] },
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
  ]),
  ...statuses('v1 Service', [
    'a balancer that nobody asked for',
    {},
    { 'status/loadBalancer/ingress': [{ ip: '10.0.0.9', ipMode: 'VIP' }] },
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ]),
]

const CONFIGURATION = [
  ...rows(
    'v1 ConfigMap',
    ['a bad key', { data: { 'a b': 'v' } }, 'data[a b]: Invalid value: "a b": a valid config key must consist of…'],
    [
      'a key in both',
      { binaryData: { k: 'dg==' } },
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ],
    ['too much', { data: { k: 'v'.repeat(1_048_577) } }, '[]: Too long: may not be more than 1048576 bytes'],
  ),
  ...changes(
    'v1 ConfigMap',
    [
      'a change of what is fixed',
      { immutable: true },
      { data: { k: 'w' } },
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
    [
      'fixed no more',
      { immutable: true },
      { immutable: false },
      'immutable: Forbidden: field is immutable when `immutable` is set',
    ],
  ),
  ...rows(
    'v1 Secret',
    ['a bad key', { data: { '..': 'dg==' } }, 'data[..]: Invalid value: "..": must not be \'..\''],
    [
      'a token of nobody',
      { type: 'kubernetes.io/service-account-token' },
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
    ['no registry', { type: 'kubernetes.io/dockercfg' }, 'data[.dockercfg]: Required value'],
    ['no key', { type: 'kubernetes.io/ssh-auth' }, 'data[ssh-privatekey]: Required value'],
    ['no certificate', { type: 'kubernetes.io/tls' }, 'data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    [
      'no password',
      { type: 'kubernetes.io/basic-auth' },
      'data[username]: Required value',
      'data[password]: Required value',
    ],
  ),
  ...changes('v1 Secret', [
    'another type',
    {},
    { type: 'example.com/t' },
    `type: Invalid value: "example.com/t": ${IMMUTABLE}`,
  ]),
  ...rows('v1 ServiceAccount', [
    'a bad name',
    { 'metadata/name': 'A' },
    `metadata.name: Invalid value: "A": ${SUBDOMAIN}`,
  ]),
]

const CLUSTER = [
  ...rows('v1 Namespace', [
    'a finalizer without a domain',
    { 'spec/finalizers': ['odd'] },
    'spec.finalizers: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified',
  ]),
  ...statuses('v1 Namespace', [
    'ended without being deleted',
    {},
    { 'status/phase': 'Terminating' },
    'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
  ]),
  ...rows(
    'v1 Node',
    ['a taint without effect', { 'spec/taints': [{ key: 'k' }] }, 'metadata.taints[0].effect: Required value'],
    [
      'a taint twice',
      {
        'spec/taints': [
          { key: 'k', effect: 'NoExecute' },
          { key: 'k', effect: 'NoExecute' },
        ],
      },
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ),
  ...changes(
    'v1 Node',
    [
      'other ranges',
      { 'spec/podCIDRs': ['10.0.0.0/24'] },
      { 'spec/podCIDRs': ['10.0.1.0/24'] },
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      'another machine',
      { 'spec/providerID': 'a' },
      { 'spec/providerID': 'b' },
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
  ),
  ...rows(
    'v1 LimitRange',
    [
      'an unknown type',
      { 'spec/limits/0/type': 'Odd' },
      'spec.limits[0].type: Invalid value: "Odd": must be a standard limit type or fully qualified',
    ],
    [
      'defaults of pods',
      { 'spec/limits/0': { type: 'Pod', default: { cpu: '1' } } },
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
    [
      'more at least than at most',
      { 'spec/limits/0': { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } } },
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ],
  ),
  ...rows(
    'v1 ResourceQuota',
    [
      'an unknown resource',
      { 'spec/hard': { gold: '1' } },
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource type or fully qualified',
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource for quota',
    ],
    ['half a pod', { 'spec/hard': { pods: '500m' } }, 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
    [
      'a scope and its opposite',
      { 'spec/scopes': ['BestEffort', 'NotBestEffort'] },
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
  ),
  ...changes('v1 ResourceQuota', [
    'other scopes',
    {},
    { 'spec/scopes': ['BestEffort'] },
    `spec.scopes: Invalid value: ["BestEffort"]: ${IMMUTABLE}`,
  ]),
]

const STORAGE = [
  ...rows(
    'v1 PersistentVolume',
    ['no way to use it', { 'spec/accessModes': [] }, 'spec.accessModes: Required value'],
    [
      'options where nothing is mounted with any',
      {
        'metadata/annotations': { 'volume.beta.kubernetes.io/mount-options': 'hard' },
        'spec/nfs': undefined,
        'spec/hostPath': { path: '/a' },
      },
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
    ['options for what is mounted', { 'metadata/annotations': { 'volume.beta.kubernetes.io/mount-options': 'hard' } }],
    [
      'an unknown way to use it',
      { 'spec/accessModes': ['Odd'] },
      'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'no size',
      { 'spec/capacity': undefined },
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
    ],
    ['no source', { 'spec/nfs': undefined }, 'spec: Required value: must specify a volume type'],
    [
      'a place without nodes',
      { 'spec/nfs': undefined, 'spec/local': { path: '/p' } },
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
  ),
  ...changes('v1 PersistentVolume', [
    'another server',
    {},
    { 'spec/nfs/server': 't' },
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation…',
  ]),
  ...rows(
    'v1 PersistentVolumeClaim',
    [
      'no way to use it',
      { 'spec/accessModes': [] },
      'spec.accessModes: Required value: at least 1 access mode is required',
    ],
    ['no size', { 'spec/resources': {} }, 'spec.resources[storage]: Required value'],
    [
      'no bytes',
      { 'spec/resources/requests/storage': '0' },
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      'a bad name of a class',
      { 'spec/storageClassName': 'A b' },
      `spec.storageClassName: Invalid value: "A b": ${SUBDOMAIN}`,
    ],
  ),
  ...changes('v1 PersistentVolumeClaim', [
    'other ways to use it',
    {},
    { 'spec/accessModes': ['ReadWriteMany'] },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
  ]),
]

const OTHERS = [
  ...rows(
    'v1 ReplicationController',
    ['fewer than none', { 'spec/replicas': -1 }, `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`],
    ['no template', { 'spec/template': undefined }, 'spec.template: Required value'],
    [
      'a selector that takes others',
      { 'spec/selector': { app: 'b' } },
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ),
  ...rows('v1 PodTemplate', [
    'no containers',
    { 'template/spec/containers': [] },
    'template.spec.containers: Required value',
  ]),
  ...rows(
    'v1 Endpoints',
    [
      'nobody',
      { subsets: [{ ports: [{ port: 1 }] }] },
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
    ],
    [
      'no address',
      { 'subsets/0/addresses': [{ ip: '' }] },
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address',
    ],
    [
      'a bad name of a host',
      { 'subsets/0/addresses/0/hostname': 'A' },
      `subsets[0].addresses[0].hostname: Invalid value: "A": ${LABEL}`,
    ],
    [
      'two ports, one without a name',
      { 'subsets/0/ports': [{ port: 1, name: 'a' }, { port: 2 }] },
      'subsets[0].ports[1].name: Required value',
    ],
  ),
  ...rows(
    'v1 Event',
    [
      'about something elsewhere',
      { involvedObject: { namespace: 'other' } },
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ],
    [
      'of the new kind without a reporter',
      { eventTime: '2024-01-01T00:00:00.000000Z', reason: 'R', action: 'A', type: 'Normal', reportingInstance: 'i' },
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      `reportingComponent: Invalid value: "": ${QUALIFIED}`,
    ],
  ),
  ...rows(
    'v1 Binding',
    ['no node', { target: {} }, 'target.name: Required value'],
    [
      'no node at all',
      { 'target/kind': 'Pod' },
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
  ),
  ...rows('v1 ConfigMap', [
    'a label that is none',
    { 'metadata/labels': { 'a b': 'v' } },
    `metadata.labels: Invalid value: "a b": ${QUALIFIED}`,
  ]),
]

describe.each([
  ['pods (W-515, W-517)', PODS],
  ['services', SERVICES],
  ['configuration', CONFIGURATION],
  ['the cluster (W-373)', CLUSTER],
  ['storage (W-576)', STORAGE],
  ['the rest of the core', OTHERS],
])('%s', (_, list) => {
  it.each(list)('$of: $case', judge)
})
