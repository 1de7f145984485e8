import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../src/api/value.ts'
import { FAULT_FORMS, validateCreate, validateUpdate } from '../../../../src/schema/validation/validation.ts'
import { canonicalOf, rulesOf } from '../../../corpora/kind-of.ts'

const context = { gates: new Set<string>(), namespaced: true }
/** At that level a fault is told as often as it is found. */
const repeating = { ...context, form: FAULT_FORMS['1.36'] }
const gvk = { group: '', version: 'v1', kind: 'ServiceAccount' }
const made = (metadata: ValueMap): ValueMap => ({ metadata: { name: 'a', namespace: 'ns', ...metadata } })
const stored = (metadata: ValueMap): ValueMap => made({ uid: 'u', resourceVersion: '1', ...metadata })
const told = (errors: readonly { field: string; message: string }[]) => errors.map((e) => `${e.field}: ${e.message}`)
const owner = (more: ValueMap): ValueMap => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1', ...more })

describe('metadata of a new object (W-078, W-080 to W-083, W-085, W-086, W-246)', () => {
  it.each<[string, ValueMap, readonly unknown[]]>([
    ['nothing wrong', { labels: { 'a/b': '' }, annotations: { 'A.b/C': 'x y' }, finalizers: ['a/b', 'orphan'] }, []],
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    [
      'a generated name with a bad prefix',
      { name: '_xyz12', generateName: '_x' },
      [
        expect.stringContaining('metadata.generateName: Invalid value: "_x"'),
        expect.stringContaining('metadata.name: Invalid value: "_xyz12"'),
      ],
    ],
    [
      'a negative generation',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a bad label value',
      { labels: { a: 'not valid' } },
      [expect.stringContaining('metadata.labels: Invalid value: "not valid": a valid label must be')],
    ],
    [
      'too many bytes of annotations',
      { annotations: { a: 'x'.repeat(262144) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'an owner without uid',
      { ownerReferences: [owner({ uid: '' })] },
      ['metadata.ownerReferences[0].uid: Required value: must not be empty'],
    ],
    [
      'an owner without version',
      { ownerReferences: [owner({ apiVersion: 'a/' })] },
      ['metadata.ownerReferences[0].apiVersion: Invalid value: "a/": must be <group>/<version> or <version>'],
    ],
    [
      'an event as owner',
      { ownerReferences: [owner({ kind: 'Event', name: 'x' })] },
      [
        'metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u1"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'two controllers',
      { ownerReferences: [owner({ controller: true }), owner({ kind: 'B', name: 'y', controller: true })] },
      [
        expect.stringMatching(
          /^metadata.ownerReferences: Invalid value: \[\{.*\},\{.*\}\]: Only one reference can have Controller set to true. Found "true" in references for Pod\/p and B\/y$/,
        ),
      ],
    ],
    [
      'a bare finalizer',
      { finalizers: ['foo'] },
      [
        'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'both deletion finalizers',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'odd managed fields',
      { managedFields: [{ operation: 'Odd', fieldsType: 'V2', manager: 'bad\x01name', subresource: 'x'.repeat(257) }] },
      [
        'metadata.managedFields[0].operation: Invalid value: "Odd": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "bad\\x01name": invalid character U+0001 (at position 3)',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
      ],
    ],
  ])('%s', (_, metadata, expected) => {
    expect(told(validateCreate(rulesOf(gvk), made(metadata), context))).toEqual(expected)
  })

  it('needs a namespace where the kind has one, and none elsewhere', () => {
    expect(told(validateCreate(rulesOf(gvk), made({ namespace: '' }), context))).toEqual([
      'metadata.namespace: Required value',
    ])
    const cluster = { ...context, namespaced: false }
    expect(told(validateCreate(rulesOf(gvk), made({}), cluster))).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ])
  })

  it('takes labels by the ten thousands in linear time', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, `bad value ${i}`]))
    const faults = validateCreate(rulesOf(gvk), made({ labels }), context)
    expect(faults[5_000]?.field).toBe('metadata.labels')
    expect(faults.at(-1)?.message).toContain('validation stopped at too many errors')
  })
})

describe('metadata of a changed object (W-006)', () => {
  it.each<[string, ValueMap, ValueMap, readonly unknown[]]>([
    ['nothing changed', {}, {}, []],
    ['another uid', { uid: 'x' }, {}, ['metadata.uid: Invalid value: "x": field is immutable']],
    [
      'a grace period on a live object',
      { deletionGracePeriodSeconds: 5 },
      {},
      ['metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable'],
    ],
    [
      'a new finalizer on a dying object',
      { finalizers: ['example.com/new'], deletionTimestamp: 't' },
      { deletionTimestamp: 't' },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}',
      ],
    ],
    [
      'no version',
      { resourceVersion: '' },
      {},
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'an older generation',
      { generation: 1 },
      { generation: 2 },
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
  ])('%s, found by both rounds', (_, metadata, before, expected) => {
    const change = { object: stored(metadata), stored: stored(before) }
    expect(told(validateUpdate(rulesOf(gvk), change, context))).toEqual(expected)
    expect(told(validateUpdate(rulesOf(gvk), change, repeating))).toEqual([...expected, ...expected])
  })

  it('repeats a bad label as often as the reference does at level 1.36', () => {
    const object = stored({ labels: { a: 'b c' } })
    const configMap = { group: '', version: 'v1', kind: 'ConfigMap' }
    const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' }
    expect(validateUpdate(rulesOf(configMap), { object, stored: stored({}) }, repeating)).toHaveLength(4)
    const both = { object: canonicalOf(deployment, object), stored: canonicalOf(deployment, stored({})) }
    const told = validateUpdate(rulesOf(deployment), both, repeating)
    expect(told.filter((error) => error.field === 'metadata.labels')).toHaveLength(3)
  })
})

describe('finalizers of a changed object', () => {
  it('are judged for every kind once, and not again as a change', () => {
    const kind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' }
    const lease = (metadata: ValueMap): ValueMap => canonicalOf(kind, stored(metadata))
    const change = { object: lease({ finalizers: ['a/b/c'] }), stored: lease({}) }
    expect(told(validateUpdate(rulesOf(kind), change, context))).toEqual([
      expect.stringContaining('metadata.finalizers: Invalid value: "a/b/c": a valid label key must'),
    ])
  })

  it('are judged once more for kinds whose objects are judged as new ones too', () => {
    const change = { object: stored({ finalizers: ['a/b/c'] }), stored: stored({}) }
    const configMap = { group: '', version: 'v1', kind: 'ConfigMap' }
    expect(validateUpdate(rulesOf(configMap), change, repeating).map(({ field }) => field)).toEqual([
      'metadata.finalizers',
      'metadata.finalizers',
    ])
  })
})
