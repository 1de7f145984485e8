import { describe, it } from 'vitest'
import { changes, judge, rows, statuses } from './judging.ts'

const LABEL = 'a lowercase RFC 1123 label must consist of…'
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of…'
const QUALIFIED = 'name part must consist of alphanumeric characters…'
const NOT_NEGATIVE = 'must be greater than or equal to 0'
const IMMUTABLE = 'field is immutable'
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const BACKEND = { service: { name: 's', port: { number: 80 } } }

const NETWORKING = [
  ...rows(
    'networking.k8s.io/v1 Ingress',
    [
      'nothing behind it',
      { 'spec/defaultBackend': undefined },
      'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
    ],
    [
      'an address as a host',
      { 'spec/rules': [{ host: '10.0.0.1' }] },
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ],
    ['no paths', { 'spec/rules': [{ http: {} }] }, 'spec.rules[0].http.paths: Required value'],
    [
      'no kind of path',
      { 'spec/rules': [{ http: { paths: [{ path: '/', backend: BACKEND }] } }] },
      'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
    ],
    [
      'a relative path',
      { 'spec/rules': [{ http: { paths: [{ path: 'x', pathType: 'Exact', backend: BACKEND }] } }] },
      'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
    ],
    ['no service', { 'spec/defaultBackend/service/name': '' }, 'spec.defaultBackend.service.name: Required value'],
  ),
  ...rows(
    'networking.k8s.io/v1 IngressClass',
    ['no controller', { 'spec/controller': '' }, 'spec.controller: Required value'],
    [
      'parameters of one place',
      { 'spec/parameters': { kind: 'K', name: 'n', scope: 'Namespace' } },
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  ),
  ...changes('networking.k8s.io/v1 IngressClass', [
    'another controller',
    {},
    { 'spec/controller': 'example.com/d' },
    `spec.controller: Invalid value: "example.com/d": ${IMMUTABLE}`,
  ]),
  ...rows(
    'networking.k8s.io/v1 NetworkPolicy',
    ['nobody', { 'spec/ingress': [{ from: [{}] }] }, 'spec.ingress[0].from[0]: Required value: must specify a peer'],
    [
      'a bad range',
      { 'spec/egress': [{ to: [{ ipBlock: { cidr: 'x' } }] }] },
      `spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": ${CIDR}`,
    ],
    [
      'an exception from elsewhere',
      { 'spec/egress': [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    ],
    [
      'an end without a start',
      { 'spec/ingress': [{ ports: [{ endPort: 5 }] }] },
      'spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified',
    ],
    [
      'an unknown direction',
      { 'spec/policyTypes': ['Odd'] },
      'spec.policyTypes[0]: Unsupported value: "Odd": supported values: "Ingress", "Egress"',
    ],
  ),
  ...rows(
    'networking.k8s.io/v1 IPAddress',
    [
      'no address',
      { 'metadata/name': 'x' },
      'metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    ['no parent', { 'spec/parentRef': undefined }, 'spec.parentRef: Required value'],
  ),
  ...changes('networking.k8s.io/v1 IPAddress', [
    'another parent',
    {},
    { 'spec/parentRef/name': 't' },
    `spec.parentRef: Invalid value: {"resource":"services","namespace":"ns","name":"t"}: ${IMMUTABLE}`,
  ]),
  ...changes('networking.k8s.io/v1 IPAddress', [
    'no parent any more',
    {},
    { 'spec/parentRef': undefined },
    'spec.parentRef: Required value',
    `spec.parentRef: Invalid value: null: ${IMMUTABLE}`,
  ]),
  ...rows(
    'networking.k8s.io/v1 ServiceCIDR',
    ['no ranges', { 'spec/cidrs': [] }, 'spec.cidrs: Required value: at least one CIDR required'],
    [
      'one in another spelling',
      { 'spec/cidrs': ['2001:DB8::/64'] },
      'spec.cidrs[0]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")',
    ],
    [
      'two of one family',
      { 'spec/cidrs': ['10.0.0.0/24', '10.0.1.0/24'] },
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
    [
      'one that is no range',
      { 'spec/cidrs': ['10.0.0.0/24', 'x'] },
      'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ),
  ...changes('networking.k8s.io/v1 ServiceCIDR', [
    'another range',
    {},
    { 'spec/cidrs': ['10.0.1.0/24'] },
    `spec.cidrs[0]: Invalid value: "10.0.1.0/24": ${IMMUTABLE}`,
  ]),
  ...rows(
    'discovery.k8s.io/v1 EndpointSlice',
    ['no family', { addressType: '' }, 'addressType: Required value'],
    [
      'an address in another spelling',
      { addressType: 'IPv6', 'endpoints/0/addresses': ['2001:DB8::1'] },
      'endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
    ],
    [
      'an address of another family',
      { 'endpoints/0/addresses': ['2001:db8::1'] },
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
    ],
    [
      'no address',
      { 'endpoints/0/addresses': [] },
      'endpoints[0].addresses: Required value: must contain at least 1 address',
    ],
    ['a bad name of a host', { 'endpoints/0/hostname': 'A' }, `endpoints[0].hostname: Invalid value: "A": ${LABEL}`],
    [
      'a port name twice',
      {
        ports: [
          { name: 'p', port: 1 },
          { name: 'p', port: 2 },
        ],
      },
      'ports[1].name: Duplicate value: "p"',
    ],
  ),
  ...changes('discovery.k8s.io/v1 EndpointSlice', [
    'another family',
    { endpoints: [] },
    { addressType: 'IPv6' },
    `addressType: Invalid value: "IPv6": ${IMMUTABLE}`,
  ]),
]

const STORAGE = [
  ...rows(
    'storage.k8s.io/v1 StorageClass',
    ['no provisioner', { provisioner: '' }, 'provisioner: Required value'],
    [
      'an unknown end',
      { reclaimPolicy: 'Odd' },
      'reclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Retain"',
    ],
    [
      'an unknown moment',
      { volumeBindingMode: 'Odd' },
      'volumeBindingMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ),
  ...changes(
    'storage.k8s.io/v1 StorageClass',
    ['other parameters', {}, { parameters: { a: 'b' } }, 'parameters: Invalid value: {"a":"b"}: field is immutable'],
    ['another end', {}, { reclaimPolicy: 'Retain' }, 'reclaimPolicy: Invalid value: "Retain": field is immutable'],
    ['another maker', {}, { provisioner: 'x.y' }, 'provisioner: Invalid value: "x.y": field is immutable'],
  ),
  ...rows(
    'storage.k8s.io/v1 VolumeAttachment',
    ['no attacher', { 'spec/attacher': '' }, 'spec.attacher: Required value'],
    [
      'no volume',
      { 'spec/source': {} },
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
  ),
  ...changes('storage.k8s.io/v1 VolumeAttachment', [
    'another node',
    {},
    { 'spec/nodeName': 'm' },
    'spec: Invalid value: {"Attacher":"example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
  ]),
  ...rows(
    'storage.k8s.io/v1 CSIDriver',
    [
      'an unknown policy',
      { 'spec/fsGroupPolicy': 'Odd' },
      'spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
    [
      'a token for too short a time',
      { 'spec/tokenRequests': [{ audience: 'a', expirationSeconds: 1 }] },
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    ],
    [
      'an audience twice',
      { 'spec/tokenRequests': [{ audience: 'a' }, { audience: 'a' }] },
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ],
  ),
  ...changes('storage.k8s.io/v1 CSIDriver', [
    'another way to attach',
    {},
    { 'spec/attachRequired': false },
    `spec.attachedRequired: Invalid value: false: ${IMMUTABLE}`,
  ]),
  ...rows(
    'storage.k8s.io/v1 CSINode',
    ['no name', { 'spec/drivers/0/name': '' }, 'spec.drivers[0].name: Required value'],
    ['no node', { 'spec/drivers/0/nodeID': '' }, 'spec.drivers[0].nodeID: Required value'],
    [
      'a driver twice',
      { 'spec/drivers/1': { name: 'example.com', nodeID: 'm' } },
      'spec.drivers[1].name: Duplicate value: "example.com"',
    ],
    [
      'fewer than none',
      { 'spec/drivers/0/allocatable': { count: -1 } },
      `spec.drivers[0].allocatable.count: Invalid value: -1: ${NOT_NEGATIVE}`,
    ],
  ),
  ...rows(
    'storage.k8s.io/v1 CSIStorageCapacity',
    ['no class', { storageClassName: '' }, `storageClassName: Invalid value: "": ${SUBDOMAIN}`],
    ['less than nothing', { capacity: '-1' }, `capacity: Invalid value: "-1": ${NOT_NEGATIVE}`],
  ),
  ...changes('storage.k8s.io/v1 CSIStorageCapacity', [
    'another class',
    {},
    { storageClassName: 't' },
    `storageClassName: Invalid value: "t": ${IMMUTABLE}`,
  ]),
  ...rows(
    'storage.k8s.io/v1 VolumeAttributesClass',
    ['no driver', { driverName: '' }, 'driverName: Required value'],
    ['no parameters', { parameters: {} }, 'parameters: Required value: must contain at least one key/value pair'],
    ['a bad name', { driverName: 'a b' }, `driverName: Invalid value: "a b": ${QUALIFIED}`],
  ),
  ...changes('storage.k8s.io/v1 VolumeAttributesClass', [
    'other parameters',
    {},
    { parameters: { a: 'c' } },
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]),
  ...statuses('storage.k8s.io/v1 VolumeAttachment', [
    // The reference tells another limit than it keeps.
    'a long story',
    {},
    { 'status/attachError': { message: 'x'.repeat(1025) } },
    'status.attachError.message: Too long: may not be more than 262144 bytes',
  ]),
]

describe.each([
  ['networking', NETWORKING],
  ['storage', STORAGE],
])('%s', (_, list) => {
  it.each(list)('$of: $case', judge)
})
