import { describe, expect, it } from 'vitest'
import { servedVersions } from '../../../src/config/runtime-config.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'

const read = (text: string) => servedVersions({ text, source: '--runtime-config' })
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' }
const DAEMON_SETS = { ...DEPLOYMENTS, resource: 'daemonsets' }
const PODS = { group: '', version: 'v1', resource: 'pods' }

describe('which versions are served (P-470)', () => {
  it.each([
    ['apps/v1=false', [false, false, true]],
    ['apps/v1=false,apps/v1/deployments=true', [true, false, true]],
    ['apps/v1/deployments=false', [false, true, true]],
    ['api/all=false', [false, false, false]],
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

  it('what is not served is not told, with the group where nothing is left of it', () => {
    const names = (text: string) =>
      read(text).groups.map(({ group, versions }) => [group, ...versions.map(({ version }) => version)].join(' '))
    expect(names('apps/v1=false,autoscaling/v1=false')).not.toContain('apps v1')
    expect(names('apps/v1=false,autoscaling/v1=false')).toContain('autoscaling v2')
    expect(read('api/all=true').groups).toEqual(builtInGroups())
  })

  it('it is told where later stages are asked for', () => {
    expect(read('api/alpha=true').notices).toHaveLength(1)
    expect(read('api/all=true,api/beta=false').notices).toEqual([])
  })

  it.each([
    ['apps/v1=perhaps', '"apps/v1=perhaps" is not KEY=true or KEY=false'],
    ['apps=true', '"apps" is neither a version nor a resource'],
    ['apps/v1/deployments/scale', 'is neither a version nor a resource'],
    ['shops/v1=true', 'unknown group "shops"'],
    ['apps/v7=false', 'unknown version apps/v7'],
    ['apps/v1/chairs=false', 'unknown resource "chairs" in apps/v1'],
    ['resource.k8s.io/v1beta1=true', 'resource.k8s.io/v1beta1 is not supported'],
  ])('%s is refused', (text, fault) => {
    expect(() => read(text)).toThrow(fault)
  })
})
