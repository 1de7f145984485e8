// A valid object of every kind that has versions which are off by default, as a request in a version sends it.
import type { GroupVersionKind } from '../../src/api/object.ts'
import type { ValueMap } from '../../src/api/value.ts'
import { makeAuthority } from '../../src/pki/certificate-maker.ts'
import { certificateRequest } from './certificate-request.ts'

const { certificate } = makeAuthority(3_600_000)
const UID = '3e8cf9d9-5a2b-4d4b-9a3e-0d1f4f6a5b6c'

const MATCHED = {
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
}
const EXACT = {
  deviceClassName: 'c',
  selectors: [{ cel: { expression: 'device.driver == "d"' } }],
  allocationMode: 'ExactCount',
  count: 2,
}
const FIRST = { name: 'b', firstAvailable: [{ name: 's', deviceClassName: 'c', allocationMode: 'All' }] }
const CLAIM = { devices: { requests: [{ name: 'a', exactly: EXACT }, FIRST] } }
const OLD_CLAIM = { devices: { requests: [{ name: 'a', ...EXACT }, FIRST] } }
const ATTRIBUTES = { attributes: { model: { string: 'x' } }, capacity: { memory: { value: '1Gi' } } }
const SLICE = { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } }
const POLICY = { basic: {} }

/** By kind; a name with a version is of that version alone. */
const OBJECTS: Readonly<Record<string, ValueMap>> = {
  ClusterTrustBundle: { spec: { trustBundle: certificate } },
  CompositePodGroup: {
    spec: { workloadRef: { workloadName: 'w', templateName: 't' }, schedulingPolicy: { gang: { minGroupCount: 1 } } },
  },
  DeviceClass: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  DeviceTaintRule: {
    spec: {
      deviceSelector: { driver: 'd.example.com' },
      taint: { key: 'k', value: 'v', effect: 'NoSchedule', timeAdded: '2029-01-01T00:00:00Z' },
    },
  },
  Eviction: { spec: { target: { pod: { name: 'p', uid: UID } } } },
  EvictionRequest: {
    spec: { target: { pod: { name: 'p', uid: UID } }, requester: 'example.com/r', intent: 'Eviction' },
  },
  IPAddress: { spec: { parentRef: { resource: 'services', name: 's', namespace: 'd' } } },
  LeaseCandidate: {
    spec: {
      leaseName: 'l',
      binaryVersion: '1.36.0',
      emulationVersion: '1.36.0',
      strategy: 'OldestEmulationVersion',
      renewTime: '2029-01-01T00:00:00.000001Z',
    },
  },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints: MATCHED,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: 'p' } },
  PodCertificateRequest: {
    spec: {
      signerName: 'example.com/s',
      podName: 'p',
      podUID: UID,
      serviceAccountName: 'a',
      serviceAccountUID: UID,
      nodeName: 'n',
      nodeUID: UID,
      stubPKCS10Request: certificateRequest([]).replaceAll(/-----.*-----|\n/g, ''),
    },
  },
  PodGroup: { spec: { schedulingPolicy: POLICY } },
  ResourceClaim: { spec: CLAIM },
  'v1beta1 ResourceClaim': { spec: OLD_CLAIM },
  ResourceClaimTemplate: { spec: { spec: CLAIM } },
  'v1beta1 ResourceClaimTemplate': { spec: { spec: OLD_CLAIM } },
  ResourcePoolStatusRequest: { spec: { driver: 'd.example.com', poolName: 'p' } },
  ResourceSlice: { spec: { ...SLICE, devices: [{ name: 'a', ...ATTRIBUTES }, { name: 'b' }] } },
  'v1beta1 ResourceSlice': {
    spec: {
      ...SLICE,
      devices: [
        { name: 'a', basic: ATTRIBUTES },
        { name: 'b', basic: {} },
      ],
    },
  },
  ServiceCIDR: { spec: { cidrs: ['10.20.0.0/16'] } },
  StorageVersion: {},
  StorageVersionMigration: { spec: { resource: { group: '', resource: 'secrets' } } },
  VolumeAttributesClass: { driverName: 'd.example.com', parameters: { a: 'b' } },
  Workload: { spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { gang: { minCount: 2 } } }] } },
}

/** The names that the objects of some kinds have to have. */
const NAMES: Readonly<Record<string, (count: number) => string>> = {
  IPAddress: (count) => `10.1.2.${count}`,
  StorageVersion: (count) => `example.com.things${count}`,
}

/** `count` tells objects of one kind apart. */
export function versionedObject(
  { version, kind }: GroupVersionKind,
  count: number,
): ValueMap & { readonly name: string } {
  const body = OBJECTS[`${version} ${kind}`] ?? OBJECTS[kind]
  if (body === undefined) throw new Error(`no object of ${kind}`)
  return { name: NAMES[kind]?.(count) ?? `o${count}`, ...body }
}
