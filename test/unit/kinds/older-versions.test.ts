import { describe, expect, test } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { olderVersion } from '../../../src/kinds/kinds.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

function converted(group: string, version: string, kind: string, document: ValueMap): ValueMap {
  const older = olderVersion({ group, version, kind })
  if (older === undefined) throw new Error(`${kind} is not known`)
  expect(kindOf(older.kind.kind, older.kind.group, older.kind.version)).toBeDefined()
  return older.convert?.(document) ?? document
}

function definition(spec: ValueMap): ValueMap {
  return converted('apiextensions.k8s.io', 'v1beta1', 'CustomResourceDefinition', { metadata: { name: 'a' }, spec })[
    'spec'
  ] as ValueMap
}

describe('versions that are stored and not served', () => {
  test.each([
    ['admissionregistration.k8s.io', 'v1beta1', 'MutatingAdmissionPolicy'],
    ['admissionregistration.k8s.io', 'v1beta1', 'MutatingAdmissionPolicyBinding'],
    ['apps', 'v1beta2', 'StatefulSet'],
    ['extensions', 'v1beta1', 'NetworkPolicy'],
    ['storage.k8s.io', 'v1beta1', 'CSIDriver'],
  ])('are read as those that are: %s/%s %s', (group, version, kind) => {
    expect(converted(group, version, kind, { a: 1 })).toEqual({ a: 1 })
  })

  test.each([
    ['networking.k8s.io', 'v1beta1', 'Ingress'],
    ['resource.k8s.io', 'v1beta1', 'ResourceClaim'],
    ['', 'v1', 'Pod'],
  ])('are not guessed at: %s/%s %s', (group, version, kind) => {
    expect(olderVersion({ group, version, kind })).toBeUndefined()
  })

  test('had other names for what means the same', () => {
    const spec = { limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } } }
    for (const version of ['v1beta1', 'v1beta2']) {
      const read = converted('flowcontrol.apiserver.k8s.io', version, 'PriorityLevelConfiguration', { spec })
      expect(read['spec']).toEqual({ limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } })
    }
  })

  test('had defaults that are gone', () => {
    const template = { metadata: { labels: { a: 'b' } } }
    const set = (document: ValueMap): unknown => converted('extensions', 'v1beta1', 'ReplicaSet', document)
    expect(set({ metadata: { name: 'r' }, spec: { template, selector: null } })).toEqual({
      metadata: { name: 'r', labels: { a: 'b' } },
      spec: { template, selector: { matchLabels: { a: 'b' } } },
    })
    const whole = { metadata: { labels: { c: 'd' } }, spec: { template, selector: { matchLabels: { e: 'f' } } } }
    expect(set(whole)).toEqual(whole)
    expect(set({ metadata: {}, spec: {} })).toEqual({ metadata: {}, spec: {} })
  })

  test('had the same words for what means something else', () => {
    const budget = (spec: ValueMap): unknown => converted('policy', 'v1beta1', 'PodDisruptionBudget', { spec })['spec']
    expect(budget({ selector: {} })).toEqual({
      selector: {
        matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }],
      },
    })
    expect(budget({ selector: { matchLabels: { a: 'b' } } })).toEqual({ selector: { matchLabels: { a: 'b' } } })
    expect(budget({ minAvailable: 1 })).toEqual({ minAvailable: 1 })
  })
})

describe('definitions as kube-apiserver stores them', () => {
  test('have in each version what all versions have in common', () => {
    const read = definition({
      group: 'e.com',
      version: 'v1',
      names: { plural: 'ks', kind: 'K' },
      scope: 'Cluster',
      validation: { openAPIV3Schema: { type: 'object' } },
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
      versions: [
        { name: 'v1', served: true, storage: true },
        { name: 'v2', served: true, storage: false, deprecated: true },
      ],
      conversion: { strategy: 'None' },
      preserveUnknownFields: false,
    })
    const shared = {
      schema: { openAPIV3Schema: { type: 'object' } },
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
    }
    expect(read).toEqual({
      group: 'e.com',
      names: { plural: 'ks', kind: 'K' },
      scope: 'Cluster',
      versions: [
        { name: 'v1', served: true, storage: true, ...shared },
        { name: 'v2', served: true, storage: false, deprecated: true, ...shared },
      ],
      conversion: { strategy: 'None' },
      preserveUnknownFields: false,
    })
  })

  test('keep what a version has for itself', () => {
    const own = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { a: 1 },
      additionalPrinterColumns: [{ name: 'A', JSONPath: '.a' }],
    }
    const read = definition({ versions: [own], validation: null, additionalPrinterColumns: null })
    expect(read['versions']).toEqual([{ ...own, additionalPrinterColumns: [{ name: 'A', jsonPath: '.a' }] }])
  })

  test('of long ago have one version, one scope, and keep everything', () => {
    expect(definition({ group: 'e.com', version: 'v1', names: { plural: 'ks' } })).toEqual({
      group: 'e.com',
      names: { plural: 'ks' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    })
  })

  test.each([
    [
      { strategy: 'Webhook', webhookClientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] },
      { clientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] },
    ],
    [
      { strategy: 'Webhook', webhookClientConfig: { url: 'u' } },
      { clientConfig: { url: 'u' }, conversionReviewVersions: ['v1beta1'] },
    ],
  ])('name their webhook in a record of its own: %j', (conversion, webhook) => {
    expect(definition({ conversion })['conversion']).toEqual({ strategy: 'Webhook', webhook })
  })
})
