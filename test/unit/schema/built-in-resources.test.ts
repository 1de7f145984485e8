import { describe, expect, it } from 'vitest'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const groups = builtInGroups()
const resources = groups.flatMap((group) => group.versions.flatMap((version) => version.resources))

function resource(plural: string, group: string) {
  return resources.find((one) => one.plural === plural && one.group === group)
}

describe('the built-in resources', () => {
  it('come in the order of discovery (R-303, P-388)', () => {
    expect(groups.map(({ group }) => group)).toEqual([
      '',
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'certificates.k8s.io',
      'networking.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'storage.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'node.k8s.io',
      'discovery.k8s.io',
      'resource.k8s.io',
      'flowcontrol.apiserver.k8s.io',
      'storagemigration.k8s.io',
    ])
    expect(groups.find(({ group }) => group === 'autoscaling')?.versions.map((v) => v.version)).toEqual(['v2', 'v1'])
    expect(resources.length).toBe(72)
    expect(resources.flatMap((one) => one.subresources).length).toBe(49)
  })

  it('say what discovery says of them (R-302, P-466)', () => {
    expect(resource('configmaps', '')).toEqual({
      group: '',
      version: 'v1',
      kind: 'ConfigMap',
      plural: 'configmaps',
      singular: 'configmap',
      namespaced: true,
      shortNames: ['cm'],
      categories: [],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      storageVersionHash: 'qFsyl6wFWjQ=',
      storageVersion: { group: '', version: 'v1' },
      deprecation: undefined,
      gates: [],
      subresources: [],
    })
    expect(resource('customresourcedefinitions', 'apiextensions.k8s.io')).toMatchObject({
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
      storageVersionHash: 'jfWCUB31mvA=',
    })
    expect(resource('events', 'events.k8s.io')?.storageVersionHash).toBe('r2yiGXH7wu8=')
    expect(resource('tokenreviews', 'authentication.k8s.io')).toMatchObject({
      verbs: ['create'],
      storageVersionHash: undefined,
    })
    expect(resource('deployments', 'apps')?.subresources).toEqual([
      { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
      { name: 'status', group: 'apps', version: 'v1', kind: 'Deployment', verbs: ['get', 'patch', 'update'] },
    ])
  })

  it('have kinds that the table knows', () => {
    const table = loadBuiltInSchema()
    const unknown = resources
      .flatMap((one) => [one, ...one.subresources])
      .filter((gvk) => table.kind(gvk) === undefined)
      .map((gvk) => gvk.kind)
    expect(unknown).toEqual([])
  })
})
