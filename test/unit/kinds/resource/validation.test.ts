import { describe, it } from 'vitest'
import { changes, judge, rows, statuses } from '../validation/judging.ts'

const LABEL = 'a lowercase RFC 1123 label must consist of…'
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of…'
const QUALIFIED = 'name part must consist of alphanumeric characters…'
const IMMUTABLE = 'field is immutable'

const CLAIM = 'resource.k8s.io/v1 ResourceClaim'
const SLICE = 'resource.k8s.io/v1 ResourceSlice'
const REQUEST = 'spec.devices.requests[0]'

const DEVICES = [
  ...rows(
    CLAIM,
    [
      'no kind of device',
      { 'spec/devices/requests/0/exactly': { deviceClassName: '' } },
      `${REQUEST}.exactly.deviceClassName: Required value`,
    ],
    [
      'nothing asked',
      { 'spec/devices/requests': [{ name: 'r' }] },
      `${REQUEST}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`,
    ],
    ['a bad name', { 'spec/devices/requests/0/name': 'A' }, `${REQUEST}.name: Invalid value: "A": ${LABEL}`],
    [
      'all of some',
      { 'spec/devices/requests/0/exactly/allocationMode': 'All', 'spec/devices/requests/0/exactly/count': 2 },
      `${REQUEST}.exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`,
    ],
    [
      'a constraint on another request',
      { 'spec/devices/constraints': [{ requests: ['x'], matchAttribute: 'example.com/a' }] },
      'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    ],
  ),
  ...changes(CLAIM, [
    'another claim',
    {},
    { 'spec/devices/requests/0/exactly/deviceClassName': 'd' },
    'spec: Invalid value: …',
  ]),
  ...statuses(CLAIM, [
    'in use before it is given',
    {},
    { 'status/reservedFor': [{ resource: 'pods', name: 'p', uid: 'u' }] },
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ]),
  ...rows('resource.k8s.io/v1 ResourceClaimTemplate', [
    'no kind of device',
    { 'spec/spec/devices/requests/0/exactly': { deviceClassName: '' } },
    'spec.spec.devices.requests[0].exactly.deviceClassName: Required value',
  ]),
  ...rows('resource.k8s.io/v1 DeviceClass', [
    'a bad name of a resource',
    { 'spec/extendedResourceName': 'cpu' },
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ]),
  ...rows(
    SLICE,
    ['no driver', { 'spec/driver': '' }, 'spec.driver: Required value'],
    [
      'an empty pool',
      { 'spec/pool/resourceSliceCount': 0 },
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
    ],
    [
      'nowhere',
      { 'spec/nodeName': undefined },
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      'too many devices',
      { 'spec/devices': Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) },
      'spec.devices: Too many: 129: must have at most 128 items',
    ],
    [
      'no value',
      { 'spec/devices/0/attributes': { a: {} } },
      'spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified',
    ],
  ),
  ...changes(SLICE, [
    'another driver',
    {},
    { 'spec/driver': 'example.org' },
    `spec.driver: Invalid value: "example.org": ${IMMUTABLE}`,
  ]),
]

const REGISTRATION = [
  ...rows(
    'apiregistration.k8s.io/v1 APIService',
    [
      'another name',
      { 'metadata/name': 'x' },
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"',
    ],
    [
      'a priority out of range',
      { 'spec/groupPriorityMinimum': 20_001 },
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
    ],
    ['nobody to answer', { 'spec/service/name': '' }, 'spec.service.name: Required value'],
    [
      'a bundle that is not looked at',
      { 'spec/caBundle': 'AAEC', 'spec/insecureSkipTLSVerify': true },
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ),
  ...statuses('apiregistration.k8s.io/v1 APIService', [
    'an unknown status',
    {},
    { 'status/conditions': [{ type: 'Available', status: 'Odd' }] },
    'status.conditions[0].status: Unsupported value: "Odd": supported values: "True", "False", "Unknown"',
  ]),
  ...rows('v1 ServiceAccount', [
    'a bad name',
    { 'metadata/name': '-' },
    `metadata.name: Invalid value: "-": ${SUBDOMAIN}`,
  ]),
  ...rows('storage.k8s.io/v1 StorageClass', [
    'a bad provisioner',
    { provisioner: 'a b' },
    `provisioner: Invalid value: "a b": ${QUALIFIED}`,
  ]),
]

describe.each([
  ['devices', DEVICES],
  ['registration (W-056, W-623, P-380)', REGISTRATION],
])('%s', (_, list) => {
  it.each(list)('$of: $case', judge)
})
