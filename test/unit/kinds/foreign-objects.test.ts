import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { encodeCborValue } from '../../../src/codec/cbor-encode.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { encodeEnvelope, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { rememberingManagedFields } from '../../../src/codec/stored-managed-fields.ts'
import { emitYaml } from '../../../src/codec/yaml-emit.ts'
import { builtInResources, olderVersion } from '../../../src/kinds/kinds.ts'
import { foreignObjects } from '../../../src/kinds/foreign-objects.ts'
import { BUILT_IN, kindOf } from '../../corpora/built-in-kinds.ts'
import { goldenFixtures } from '../../corpora/golden-fixtures.ts'

const resources = builtInResources(BUILT_IN, canonicalJson, { texts: rememberingManagedFields })
const defaults = { gates: new Set<string>(), now: () => '2030-01-02T03:04:05Z' }
const decode = foreignObjects({ schema: BUILT_IN, resources, family: 'IPv4', defaults })

function read(bytes: Buffer | string, key: string): ApiObject {
  const value = decode(Buffer.from(bytes), key)
  if (value.kind !== 'object') throw new Error(value.problem)
  return JSON.parse(value.bytes.toString()) as ApiObject
}

function problemOf(bytes: Buffer | string, key: string): string {
  const value = decode(Buffer.from(bytes), key)
  return value.kind === 'unreadable' ? value.problem : ''
}

/** An object as the reference stores one that it keeps as JSON. */
function line(object: object): string {
  return `${JSON.stringify(object)}\n`
}

const CONFIG_MAP: ApiObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'd' },
  data: { '10': 'ten', '9': 'nine', text: '<&>' },
}

describe('what kube-apiserver has stored', () => {
  const canonical = canonicalJson(CONFIG_MAP, kindOf('ConfigMap'))

  test.each([
    ['protobuf', encodeProtobuf(kindOf('ConfigMap'), CONFIG_MAP)],
    ['JSON', Buffer.from(line(CONFIG_MAP))],
    [
      'JSON in another order, with blanks and nulls',
      Buffer.from(JSON.stringify({ ...CONFIG_MAP, immutable: null }, null, 2)),
    ],
    ['YAML', Buffer.from(emitYaml(CONFIG_MAP))],
    ['CBOR', Buffer.concat([Buffer.of(0xd9, 0xd9, 0xf7), encodeCborValue(CONFIG_MAP)])],
  ])('becomes canonical JSON: %s (R-183)', (_, bytes) => {
    expect(decode(bytes, 'configmaps/d/a')).toEqual({ kind: 'object', bytes: Buffer.from(canonical) })
  })

  test('loses the version and the link to itself that somebody stored in it (R-183)', () => {
    const metadata = { ...CONFIG_MAP.metadata, resourceVersion: '7', selfLink: '/x' }
    const bytes = encodeProtobuf(kindOf('ConfigMap'), { ...CONFIG_MAP, metadata })
    expect(read(bytes, 'configmaps/d/a').metadata).toEqual(CONFIG_MAP.metadata)
  })

  const stored = goldenFixtures().flatMap((golden) => {
    const object = JSON.parse(golden.json) as ApiObject
    const [group = '', version = ''] = object.apiVersion?.includes('/')
      ? object.apiVersion.split('/')
      : ['', object.apiVersion]
    const gvk = olderVersion({ group, version, kind: object.kind })?.kind ?? { group, version, kind: object.kind }
    const resource = [...resources.all()].find(
      ({ storedKind: kind }) => kind.group === gvk.group && kind.version === gvk.version && kind.kind === gvk.kind,
    )
    return resource === undefined ? [] : [{ ...golden, object, key: `${resource.stored.storagePrefix}/a/b` }]
  })

  test('is of every kind that there are fixtures of', () => {
    expect(stored.length).toBeGreaterThan(30)
    expect(stored.map(({ name }) => name)).toEqual(expect.arrayContaining(['core.v1.Pod', 'apps.v1beta2.Deployment']))
  })

  test.each(stored)('is one object in both encodings: $name', ({ protobuf, json, key, object }) => {
    const fromProtobuf = decode(protobuf, key)
    expect(fromProtobuf).toMatchObject({ kind: 'object' })
    expect(fromProtobuf).toEqual(decode(Buffer.from(line(JSON.parse(json) as object)), key))
    expect(read(protobuf, key).metadata['labels']).toMatchObject(object.metadata['labels'] as object)
  })

  test('has the defaults of fields that its server did not know (W-428)', () => {
    const old = { ...CONFIG_MAP, kind: 'Secret', data: { a: 'AA==' } }
    expect(read(encodeProtobuf(kindOf('Secret'), old), 'secrets/d/a')).toMatchObject({ type: 'Opaque' })
  })

  test('is refused under the key of another kind, or where it does not say what it is', () => {
    const bytes = encodeProtobuf(kindOf('ConfigMap'), CONFIG_MAP)
    expect(problemOf(bytes, 'secrets/d/a')).toBe('stored as v1 ConfigMap, which this server cannot read')
    expect(problemOf(line({ metadata: {} }), 'configmaps/d/a')).toBe('the stored data does not say its kind')
    expect(problemOf(line([1]), 'configmaps/d/a')).toMatch(/./)
    expect(problemOf('"x"', 'configmaps/d/a')).toBe('the stored data is not an object')
    expect(problemOf('', 'configmaps/d/a')).toBe('the stored data is not an object')
    expect(problemOf(bytes.subarray(0, 40), 'configmaps/d/a')).toBe('unexpected EOF')
    expect(problemOf('k8s\0', 'configmaps/d/a')).toBe('empty body')
  })

  test('is told by its version where nobody knows that', () => {
    const bytes = encodeEnvelope({ apiVersion: 'scheduling.k8s.io/v1alpha1', kind: 'PodGroup' }, Buffer.alloc(0), '')
    expect(problemOf(bytes, 'podgroups/d/a')).toContain('scheduling.k8s.io/v1alpha1 PodGroup')
  })

  test('is read beside the API too: the leases of its masters', () => {
    const object = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: {},
      subsets: [{ addresses: [{ ip: '192.0.2.1' }] }],
    }
    const lease = read(encodeProtobuf(kindOf('Endpoints'), object), 'masterleases/192.0.2.1')
    expect(lease['subsets']).toEqual([{ addresses: [{ ip: '192.0.2.1' }] }])
  })

  test.each([
    [
      'sorted, with a line end behind it',
      `{"apiVersion":"e.com/v1","kind":"K","metadata":{"name":"a"},"spec":{"10":1,"9":1.50}}\n`,
    ],
    [
      'CBOR',
      Buffer.concat([
        Buffer.of(0xd9, 0xd9, 0xf7),
        encodeCborValue({ kind: 'K', apiVersion: 'e.com/v1', metadata: { name: 'a' }, spec: { '9': 1.5, '10': 1 } }),
      ]),
    ],
  ])('may be of a definition: %s', (_, bytes) => {
    const value = decode(Buffer.from(bytes), 'e.com/ks/d/a')
    expect(value.kind === 'object' && value.bytes.toString().replace('1.50', '1.5')).toBe(
      '{"apiVersion":"e.com/v1","kind":"K","metadata":{"name":"a"},"spec":{"10":1,"9":1.5}}',
    )
  })

  test('is never protobuf where a definition says what it is', () => {
    const bytes = encodeEnvelope({ apiVersion: 'e.com/v1', kind: 'K' }, Buffer.alloc(0), '')
    expect(problemOf(bytes, 'e.com/ks/d/a')).toBe('stored as protobuf, which custom resources have no form in')
    expect(problemOf('12', 'e.com/ks/d/a')).toBe('the stored data is not an object')
  })

  test('may be in a version that is served and not stored', () => {
    const spec = {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 55,
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
    }
    const object = { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', metadata: { name: 'a' }, spec }
    const bytes = encodeProtobuf(kindOf('HorizontalPodAutoscaler', 'autoscaling', 'v1'), object)
    expect(read(bytes, 'horizontalpodautoscalers/d/a')).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 55 } } }] },
    })
  })

  test('may be in a version whose fields have the same numbers', () => {
    const object = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1beta1',
      metadata: { name: 'a' },
      spec: { leaseTransitions: 3 },
    }
    const bytes = encodeProtobuf(kindOf('Lease', 'coordination.k8s.io'), object)
    expect(read(bytes, 'leases/d/a')).toEqual({ ...object, apiVersion: 'coordination.k8s.io/v1' })
    expect(read(line(object), 'leases/d/a')).toEqual({ ...object, apiVersion: 'coordination.k8s.io/v1' })
  })

  test('shows a service from before services had lists of addresses with them', () => {
    const service = (spec: object): unknown => {
      const object = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a', namespace: 'd' }, spec } as ApiObject
      return read(encodeProtobuf(kindOf('Service'), object), 'services/specs/d/a')['spec']
    }
    expect(service({ clusterIP: '10.0.0.7', type: 'ClusterIP' })).toMatchObject({
      clusterIPs: ['10.0.0.7'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    })
    expect(service({ clusterIP: 'None' })).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    })
    expect(service({ clusterIP: 'None', selector: { a: 'b' } })).toMatchObject({ ipFamilies: ['IPv4'] })
    expect(service({ clusterIP: 'fd00::1' })).toMatchObject({ ipFamilies: ['IPv6'] })
    expect(service({ type: 'ExternalName', externalName: 'x', internalTrafficPolicy: 'Cluster' })).toEqual({
      type: 'ExternalName',
      externalName: 'x',
      sessionAffinity: 'None',
    })
  })

  test('shows both ways of a claim to say what it is filled with', () => {
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'x' }
    const object = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'a' }, spec: { dataSource } }
    const bytes = encodeProtobuf(kindOf('PersistentVolumeClaim'), object)
    expect(read(bytes, 'persistentvolumeclaims/d/a')['spec']).toMatchObject({ dataSourceRef: dataSource })
  })
})
