import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { findConversionFault } from '../../../src/patch/from-unstructured.ts'
import { applyStrategicMerge } from '../../../src/patch/strategic-merge.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const SCHEMA = loadBuiltInSchema()
const POD = SCHEMA.kind({ group: '', version: 'v1', kind: 'Pod' })!.shape
const DEPLOYMENT = SCHEMA.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!.shape
const BUDGET = SCHEMA.kind({ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' })!.shape
const CONFIG_MAP = SCHEMA.kind({ group: '', version: 'v1', kind: 'ConfigMap' })!.shape

const pod = (spec: ValueMap): ValueMap => ({ spec })
const containers = (...list: readonly ValueMap[]): ValueMap => pod({ containers: list })
const meta = (metadata: ValueMap): ValueMap => ({ metadata })

describe('strategic merge patch (W-198 to W-206, W-209)', () => {
  it.each<[string, ValueMap, ValueMap, ValueMap]>([
    [
      'merges lists by their key',
      containers({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      containers({ name: 'b', image: '2' }),
      containers({ name: 'a', image: '1' }, { name: 'b', image: '2' }),
    ],
    [
      'merges into the first of items that repeat a key',
      containers({ name: 'a', image: '1' }, { name: 'a', image: '2' }),
      containers({ name: 'a', args: ['x'] }),
      containers({ name: 'a', image: '1', args: ['x'] }, { name: 'a', image: '2' }),
    ],
    [
      'adds the item that is not there, before the others',
      containers({ name: 'a' }),
      containers({ name: 'b', image: '2' }),
      containers({ name: 'b', image: '2' }, { name: 'a' }),
    ],
    [
      'deletes an item by its key',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'a', $patch: 'delete' }),
      containers({ name: 'b' }),
    ],
    [
      'replaces a whole list',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ $patch: 'replace' }, { name: 'x' }),
      containers({ name: 'x' }),
    ],
    [
      'replaces a whole list by items that repeat a key',
      containers({ name: 'a' }),
      containers({ $patch: 'replace' }, { name: 'x', image: '1' }, { name: 'x', image: '2' }),
      containers({ name: 'x', image: '1' }, { name: 'x', image: '2' }),
    ],
    [
      'replaces lists that do not merge',
      pod({ tolerations: [{ key: 'a' }] }),
      pod({ tolerations: [{ key: 'b' }] }),
      pod({ tolerations: [{ key: 'b' }] }),
    ],
    [
      'merges maps',
      meta({ labels: { a: '1', b: '1' } }),
      meta({ labels: { b: '2', c: '3' } }),
      meta({ labels: { a: '1', b: '2', c: '3' } }),
    ],
    [
      'null takes a member away',
      meta({ labels: { a: '1', b: '1' } }),
      meta({ labels: { a: null } }),
      meta({ labels: { b: '1' } }),
    ],
    ['null for what is not there is nothing', meta({}), meta({ labels: null }), meta({})],
    [
      'nulls in something new are dropped',
      meta({}),
      meta({ labels: { a: null, b: '1' } }),
      meta({ labels: { b: '1' } }),
    ],
    ['empties a map', meta({ labels: { a: '1' } }), meta({ labels: { $patch: 'delete' } }), meta({ labels: {} })],
    [
      'replaces a map, nulls and all',
      meta({ labels: { a: '1' } }),
      meta({ labels: { $patch: 'replace', b: null, c: '2' } }),
      meta({ labels: { b: null, c: '2' } }),
    ],
    [
      'other directives in what is new stay, to be told as unknown fields',
      meta({}),
      meta({ labels: { $retainKeys: ['a'], a: 'b', c: null } }),
      meta({ labels: { $retainKeys: ['a'], a: 'b' } }),
    ],
    [
      'a new item of a list is taken as it is',
      containers({ name: 'a' }),
      containers({ name: 'b', $retainKeys: ['name'], env: [{ name: 'e', $patch: 'delete' }] }),
      containers({ name: 'b', $retainKeys: ['name'], env: [{ name: 'e', $patch: 'delete' }] }, { name: 'a' }),
    ],
    ['a directive about nothing is nothing', meta({}), meta({ labels: { $patch: 'merge', a: 'b' } }), meta({})],
    ['an unheard-of directive about nothing is nothing', meta({}), meta({ labels: { $patch: 'x', a: 'b' } }), meta({})],
    [
      'unites lists of scalars',
      meta({ finalizers: ['a', 'b'] }),
      meta({ finalizers: ['c', 'a'] }),
      meta({ finalizers: ['c', 'a', 'b'] }),
    ],
    [
      'takes scalars out of a list',
      meta({ finalizers: ['a', 'b', 'c'] }),
      meta({ '$deleteFromPrimitiveList/finalizers': ['a', 'c', 'x'] }),
      meta({ finalizers: ['b'] }),
    ],
    [
      'orders a list',
      containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      pod({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] }),
      containers({ name: 'b' }, { name: 'c' }, { name: 'a' }),
    ],
    [
      'keeps the order of the server where the patch asks for none',
      containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      pod({ '$setElementOrder/containers': [], containers: [{ name: 'c' }, { name: 'a' }] }),
      containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
    ],
    [
      'orders and merges at once',
      containers({ name: 'a' }, { name: 'b' }),
      pod({
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }, { name: 'a' }],
        containers: [{ name: 'n' }, { name: 'a', image: '2' }],
      }),
      containers({ name: 'b' }, { name: 'n' }, { name: 'a', image: '2' }),
    ],
    [
      'merges what is no list whatever order is asked for',
      meta({ labels: { a: '1' } }),
      meta({ '$setElementOrder/labels': [], labels: { b: '2' } }),
      meta({ labels: { a: '1', b: '2' } }),
    ],
    [
      'an order of what is not there is nothing',
      meta({ name: 'a' }),
      meta({ '$setElementOrder/finalizers': ['x'] }),
      meta({ name: 'a' }),
    ],
    [
      'keeps only the listed members',
      pod({ volumes: [{ name: 'v', emptyDir: {} }] }),
      pod({ volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/x' } }] }),
      pod({ volumes: [{ name: 'v', hostPath: { path: '/x' } }] }),
    ],
    [
      'ports of containers merge by their number alone',
      containers({ name: 'a', ports: [{ containerPort: 53, protocol: 'TCP' }] }),
      containers({ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }] }),
      containers({ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }] }),
    ],
    ['a value of another type replaces', meta({ labels: { a: '1' } }), meta({ labels: 5 }), meta({ labels: 5 })],
  ])('%s', (_name, object, patch, expected) => {
    expect(applyStrategicMerge(POD, object, patch)).toStrictEqual(expected)
  })

  it('replaces the selector of a disruption budget whole (W-210)', () => {
    const budget = (matchLabels: ValueMap): ValueMap => ({ spec: { selector: { matchLabels } } })
    expect(applyStrategicMerge(BUDGET, budget({ a: '1' }), budget({ b: '2' }))).toEqual(budget({ b: '2' }))
  })

  it.each<[string, ValueMap, string]>([
    [
      'an item without its key',
      containers({ image: 'x' }),
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'a deletion without a key',
      containers({ $patch: 'delete' }),
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'merging items by directive',
      containers({ name: 'a', $patch: 'merge' }),
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'an unheard-of directive',
      containers({ name: 'a', $patch: 'x' }),
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      'merging maps by directive',
      meta({ labels: { $patch: 'merge' } }),
      'unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'a list directive without a field',
      meta({ $deleteFromPrimitiveList: ['x'] }),
      'invalid patch format of primitive list',
    ],
    ['an order without a field', pod({ $setElementOrder: [] }), 'invalid patch format of setElementOrder list'],
    [
      'an order that is no list',
      pod({ '$setElementOrder/containers': 5 }),
      'expected a []interface {}, but received a int64',
    ],
    [
      'members that are not retained',
      pod({ securityContext: { $retainKeys: ['a'], fsGroup: 1 } }),
      'invalid patch format of retainKeys',
    ],
    ['lists of lists', pod({ containers: [[1]] }), 'list element types are not identical: [map[name:a] [1]]'],
    [
      'an order that the items do not have',
      pod({
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
        containers: [{ name: 'a' }, { name: 'b' }],
      }),
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
  ])('refuses %s', (_name, patch, message) => {
    const object = { metadata: { labels: { a: '1' } }, spec: { containers: [{ name: 'a' }], securityContext: {} } }
    expect(() => applyStrategicMerge(POD, object, patch)).toThrow(message)
  })

  it('leaves nothing of its directives, and does not change what it was given (W-211)', () => {
    const names = fc.constantFrom('a', 'b', 'c')
    const item = fc.record({ name: names, image: fc.string() }, { requiredKeys: ['name'] })
    const patchItem = fc.record(
      { name: names, $patch: fc.constant('delete'), image: fc.string() },
      { requiredKeys: ['name'] },
    )
    const list = fc.uniqueArray(item, { selector: ({ name }) => name })
    fc.assert(
      fc.property(list, fc.uniqueArray(patchItem, { selector: ({ name }) => name }), (before, patch) => {
        const object = { spec: { containers: before } } as ValueMap
        const copy = structuredClone(object)
        const patched = applyStrategicMerge(POD, object, { spec: { containers: patch } })
        expect(JSON.stringify(patched)).not.toContain('$patch')
        expect(object).toEqual(copy)
      }),
    )
  })
})

describe('the result of a strategic merge (W-207)', () => {
  it.each<[string, typeof POD, ValueMap, string | undefined]>([
    ['a number for a record', DEPLOYMENT, { spec: 5 }, 'cannot restore struct from: int64'],
    ['a list for a record', POD, pod({ initContainers: [[1]] }), 'cannot restore struct from: slice'],
    ['a number for a list', POD, pod({ containers: 5 }), 'cannot restore slice from int64'],
    ['a text for a list', POD, pod({ containers: 'word' }), 'cannot restore slice from string'],
    ['a number for a map', CONFIG_MAP, { data: 5 }, 'cannot restore map from int64'],
    ['a number for bytes', CONFIG_MAP, { binaryData: { a: 5 } }, 'cannot restore slice from int64'],
    ['texts for bytes', CONFIG_MAP, { binaryData: { a: ['x'] } }, 'unrecognized type: uint8'],
    [
      'bytes that are none',
      CONFIG_MAP,
      { binaryData: { a: '0' } },
      'error decoding from json: illegal base64 data at input byte 0',
    ],
    ['bytes', CONFIG_MAP, { binaryData: { a: 'AAA=', b: [1, null] } }, undefined],
    ['a text for a number', DEPLOYMENT, { spec: { replicas: 'many' } }, 'unrecognized type: int32'],
    ['a fraction for a number', DEPLOYMENT, { spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    ['a number for a text', CONFIG_MAP, { data: { a: 5 } }, 'cannot convert int64 to string'],
    [
      'a number for a text whose type has a name',
      DEPLOYMENT,
      { spec: { strategy: { type: 7 } } },
      'cannot convert int64 to v1.DeploymentStrategyType',
    ],
    [
      'a number in a list of such',
      DEPLOYMENT,
      { spec: { template: { spec: { containers: [{ securityContext: { capabilities: { add: [7] } } }] } } } },
      'cannot convert int64 to v1.Capability',
    ],
    ['a boolean for a text', CONFIG_MAP, { data: { a: true } }, 'unrecognized type: string'],
    ['a text for a boolean', DEPLOYMENT, { spec: { paused: 'yes' } }, 'unrecognized type: bool'],
    ['a number for the kind', DEPLOYMENT, { kind: 5 }, 'cannot convert int64 to string'],
    ['a boolean for the version', DEPLOYMENT, { apiVersion: true }, 'unrecognized type: string'],
    ['null anywhere', DEPLOYMENT, { spec: { replicas: null, template: null } }, undefined],
    ['what fits', DEPLOYMENT, { spec: { replicas: 3, paused: true } }, undefined],
  ])('%s', (_name, shape, value, fault) => {
    expect(findConversionFault(shape, value)).toBe(fault)
  })
})
