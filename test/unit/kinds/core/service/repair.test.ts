import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { NODE_PORTS, repairServiceClaims, ServiceMeasures } from '../../../../../src/kinds/kinds.ts'
import { addressClaims, claim, PORT_CLAIMS } from '../../../../../src/kinds/core/service/claims.ts'
import { type ApiWorld, NOW, openWorld } from '../../../../rigs/api-world.ts'

const LATER = '2030-01-02T03:14:06Z'
const signal = new AbortController().signal

function repair(
  world: ApiWorld,
  now: string,
  measures = new ServiceMeasures(),
): ReturnType<typeof repairServiceClaims> {
  return repairServiceClaims({ registry: world.parts, resources: world.resources, measures, now, signal })
}

describe('claims that a stopped server left behind', () => {
  test('are released when no request can be on its way any more', async () => {
    const world = await openWorld()
    const context = { store: world.parts.store, now: NOW, signal }
    const owner = { namespace: 'ns', name: 'never-stored' }
    const type = addressClaims(world.resource('ipaddresses', 'networking.k8s.io'))
    await claim(type, '10.96.0.10', owner, context)
    await claim(PORT_CLAIMS, '30001', owner, context)
    const measures = new ServiceMeasures()
    expect(await repair(world, NOW, measures)).toEqual({ released: [], claimed: [] })
    expect(await repair(world, LATER, measures)).toEqual({ released: ['10.96.0.10', '30001'], claimed: [] })
    const { addressRepairs, portRepairs } = measures
    const counts = [addressRepairs, portRepairs].map((family) => [family.of('leak').value, family.of('repair').value])
    expect(counts).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  test('are kept where a service has what they claim, and where they are none of ours', async () => {
    const world = await openWorld()
    await world.create(world.resource('services'), {
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })
    await world.create(world.resource('ipaddresses', 'networking.k8s.io'), {
      metadata: { name: '10.96.0.11' },
      spec: { parentRef: { resource: 'gateways', name: 'somebody' } },
    })
    expect(await repair(world, LATER)).toEqual({ released: [], claimed: [] })
  })

  test('are made anew where somebody took them away under a service', async () => {
    const world = await openWorld()
    const ports = [{ port: 80, nodePort: 30001 }]
    const service = await world.create(world.resource('services'), {
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports },
    })
    const address = (service['spec'] as ValueMap)['clusterIP'] as string
    const addresses = world.resource('ipaddresses', 'networking.k8s.io')
    for (const [resource, name] of [
      [addresses.stored, address],
      [NODE_PORTS, '30001'],
    ] as const) {
      await world.parts.store.write({ resource, namespace: '', name }, () => ({ kind: 'remove' }), signal)
    }
    expect(await repair(world, NOW)).toEqual({ released: [], claimed: [address, '30001'] })
    const stored: ApiObject = await world.get(addresses, address)
    expect(stored['spec']).toMatchObject({ parentRef: { namespace: 'ns', name: 's' } })
  })

  test('are not made of what is no address, whoever stored it', async () => {
    const world = await openWorld()
    const object = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 's' },
      spec: { clusterIPs: ['t53', 'None', ''] },
    }
    const key = { resource: world.resource('services').stored, namespace: 'ns', name: 's' }
    await world.parts.store.write(key, () => ({ kind: 'put', object }), signal)
    expect(await repair(world, NOW)).toEqual({ released: [], claimed: [] })
  })
})
