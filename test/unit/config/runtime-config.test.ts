import { describe, expect, it } from 'vitest'
import type { ApiLevel } from '../../../src/api/level.ts'
import { parseFeatureGates } from '../../../src/config/feature-gates.ts'
import { servedVersions } from '../../../src/config/runtime-config.ts'
import { allBuiltInGroups, builtInGroups } from '../../../src/schema/built-in-resources.ts'

const read = (text: string, level: ApiLevel = '1.37', gates = '') =>
  servedVersions({
    setting: { text, source: '--runtime-config' },
    level,
    gates: parseFeatureGates(gates, '--feature-gates', level),
  })
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' }
const DAEMON_SETS = { ...DEPLOYMENTS, resource: 'daemonsets' }
const PODS = { group: '', version: 'v1', resource: 'pods' }
const CLAIMS = { group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceclaims' }
const TAINTS = { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'devicetaintrules' }
const ALL_GATES = 'AllAlpha=true,AllBeta=true'

describe('which versions are served (P-470)', () => {
  it.each([
    ['apps/v1=false', [false, false, true]],
    ['apps/v1=false,apps/v1/deployments=true', [true, false, true]],
    ['apps/v1/deployments=false', [false, true, true]],
    ['api/all=false,v1=true', [false, false, true]],
    ['api/all=false,api/v1=true', [false, false, true]],
    ['api/all=false,/v1', [false, false, true]],
    ['api/all=false,api/ga=true,v1=false', [true, true, false]],
    ['v1/pods=false', [true, true, false]],
    ['api/beta=false,resource.k8s.io/v1beta1=false', [true, true, true]],
  ])('%s', (text, served) => {
    const { isServed } = read(text)
    expect([DEPLOYMENTS, DAEMON_SETS, PODS].map((resource) => isServed(resource))).toEqual(served)
  })

  it.each([
    ['', [false, false]],
    ['api/all=true', [true, true]],
    ['api/beta=true', [true, false]],
    ['api/alpha', [false, true]],
    ['api/all=true,api/beta=false', [false, true]],
    ['resource.k8s.io/v1beta1=true', [true, false]],
    ['resource.k8s.io/v1alpha3/devicetaintrules=true', [false, true]],
    ['api/all=true,resource.k8s.io/v1alpha3/devicetaintrules=false', [true, false]],
  ])('of those that are off by default: %s', (text, served) => {
    const { isServed } = read(text)
    expect([CLAIMS, TAINTS].map((resource) => isServed(resource))).toEqual(served)
  })

  it('what is not served is not told, with the group where nothing is left of it', () => {
    const names = (text: string) =>
      read(text).groups.map(({ group, versions }) => [group, ...versions.map(({ version }) => version)].join(' '))
    expect(names('apps/v1=false,autoscaling/v1=false')).not.toContain('apps v1')
    expect(names('apps/v1=false,autoscaling/v1=false')).toContain('autoscaling v2')
    expect(names('api/beta=true')).toContain('resource.k8s.io v1 v1beta2 v1beta1')
  })

  it.each(['1.36', '1.37'] as const)('with all gates of level %s, api/all is everything there is', (level) => {
    expect(read('api/all=true', level, ALL_GATES).groups).toEqual(allBuiltInGroups(level))
    expect(read('', level, ALL_GATES).groups).toEqual(builtInGroups(level))
  })

  it('a gate that is off takes a resource away, whatever is asked for', () => {
    const bundles = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles' }
    const text = 'certificates.k8s.io/v1beta1=true'
    expect(read(text, '1.36').isServed(bundles)).toBe(false)
    expect(read(text, '1.36').notices).toEqual([
      '--runtime-config: nothing of certificates.k8s.io/v1beta1 is served at level 1.36 with these feature gates',
    ])
    expect(read(text, '1.36', 'ClusterTrustBundle=true').isServed(bundles)).toBe(true)
    expect(read(text, '1.36', 'ClusterTrustBundle=true').notices).toEqual([])
  })

  it('a version that is known and not served at the level is no fault', () => {
    expect(read('networking.k8s.io/v1beta1=true', '1.36').notices).toEqual([])
    expect(read('networking.k8s.io/v1beta1=true', '1.37').notices).toHaveLength(1)
    expect(read('apps/v1beta1=true').notices).toHaveLength(1)
    expect(read('apps/v1beta1=false').notices).toEqual([])
  })

  it.each([
    ['apps/v1=perhaps', '"apps/v1=perhaps" is not KEY=true or KEY=false'],
    ['apps=true', '"apps" is neither a version nor a resource'],
    ['apps/v1/deployments/scale', 'is neither a version nor a resource'],
    ['shops/v1=true', 'unknown group "shops"'],
    ['apps/v7=false', 'unknown version apps/v7'],
    ['scheduling.k8s.io/v1alpha2=true', 'unknown version scheduling.k8s.io/v1alpha2'],
    ['apps/v1/chairs=false', 'unknown resource "chairs" in apps/v1'],
    ['api/all=false', 'api/all=false alone leaves nothing to serve'],
  ])('%s is refused', (text, fault) => {
    expect(() => read(text)).toThrow(fault)
  })
})
