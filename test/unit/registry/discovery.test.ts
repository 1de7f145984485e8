import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { aggregatedItem, type DiscoveryGroup, groupListDocument } from '../../../src/registry/discovery.ts'

type Version = DiscoveryGroup['versions'][number]

const verbs = ['get', 'patch', 'update']

function resource(group: string, version: string, plural: string): Version['resources'][number] {
  const gvk = { group, version, kind: plural.toUpperCase() }
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale', name: 'scale', verbs }
  return {
    ...gvk,
    plural,
    singular: plural,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs,
    storageVersionHash: undefined,
    subresources: [{ ...gvk, name: 'status', verbs }, scale],
  }
}

function group(name: string, versions: readonly string[], more: object): DiscoveryGroup {
  return {
    group: name,
    versions: versions.map((version) => ({
      version,
      priority: { group: 1000, version: 100 },
      resources: [resource(name, version, 'zebras'), resource(name, version, 'apples')],
      ...more,
    })),
  }
}

interface ToldResource {
  readonly resource: string
  readonly scope: string
  readonly responseKind: ValueMap
  readonly subresources: readonly { readonly subresource: string; readonly responseKind: ValueMap }[]
}

function told(one: DiscoveryGroup): readonly ToldResource[] {
  const item = aggregatedItem(one) as unknown as {
    readonly versions: readonly [{ readonly resources: readonly ToldResource[] }]
  }
  return item.versions[0].resources
}

describe('aggregated discovery (R-308)', () => {
  it('tells whether a resource is in namespaces', () => {
    const inCluster = { ...resource('g', 'v1', 'nodes'), namespaced: false }
    const resources = [resource('g', 'v1', 'pods'), inCluster]
    expect(told(group('g', ['v1'], { resources })).map(({ scope }) => scope)).toEqual(['Namespaced', 'Cluster'])
  })

  it('tells short names and categories where there are some', () => {
    const known = { ...resource('g', 'v1', 'pods'), shortNames: ['po'], categories: ['all'] }
    const [plain, named] = told(group('g', ['v1'], { resources: [resource('g', 'v1', 'nodes'), known] }))
    expect(named).toMatchObject({ shortNames: ['po'], categories: ['all'] })
    expect(Object.keys(plain!)).toEqual(expect.not.arrayContaining(['shortNames']))
    expect(Object.keys(plain!)).toEqual(expect.not.arrayContaining(['categories']))
  })

  it('names the kinds of custom resources in full, and their subresources as they are defined', () => {
    const [first, second] = told(group('example.com', ['v1'], { custom: true }))
    expect([first?.resource, second?.resource]).toEqual(['apples', 'zebras'])
    expect(first?.responseKind).toEqual({ group: 'example.com', version: 'v1', kind: 'APPLES' })
    expect(first?.subresources.map(({ subresource, responseKind }) => [subresource, responseKind])).toEqual([
      ['status', { group: 'example.com', version: 'v1', kind: 'APPLES' }],
      ['scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
    ])
  })

  it('names the built-in kinds of a version by their name alone, and their subresources in order', () => {
    const [first] = told(group('apps', ['v1'], {}))
    expect(first?.resource).toBe('zebras')
    expect(first?.responseKind).toEqual({ group: '', version: '', kind: 'ZEBRAS' })
    expect(first?.subresources.map(({ subresource, responseKind }) => [subresource, responseKind])).toEqual([
      ['scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
      ['status', { group: '', version: '', kind: 'ZEBRAS' }],
    ])
  })
})

describe('the list of groups', () => {
  it('has groups of one rank in the order of their APIServices', () => {
    const groups = [group('a.example.com', ['v1'], {}), group('b.example.com', ['v2', 'foo1'], {})]
    const first = group('z.example.com', ['v9'], { priority: { group: 2000, version: 1 } })
    const { groups: shown } = groupListDocument([...groups, first])
    expect((shown as readonly ValueMap[]).map(({ name }) => name)).toEqual([
      'z.example.com',
      'b.example.com',
      'a.example.com',
    ])
  })
})
