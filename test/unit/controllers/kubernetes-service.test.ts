import { describe, expect, test } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Controller } from '../../../src/controllers/controllers.ts'
import { kubernetesService, MASTER_LEASES } from '../../../src/controllers/kubernetes-service.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { systemClock } from '../../../src/lib/clock.ts'

function serviceOf(world: ApiWorld, address: string | undefined): Controller {
  const parts = {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set<string>(),
    clock: systemClock,
    now: () => NOW,
    log: SILENT_LOG,
  }
  const serviceRange = { text: '10.96.0.0/16', firstAddress: '10.96.0.1' }
  return kubernetesService(parts, { address, port: () => 6443, serviceRange })
}

async function keepOnce(world: ApiWorld, address: string | undefined): Promise<void> {
  const stop = new AbortController()
  const running = serviceOf(world, address).run(stop.signal)
  await waitFor(() => world.get(world.resource('endpointslices', 'discovery.k8s.io'), 'kubernetes', 'default'))
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await running.catch(() => {})
}

async function waitFor(read: () => Promise<ApiObject>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    try {
      return void (await read())
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  throw new Error('nothing was made')
}

describe('the server as a service of its cluster', () => {
  test('has the first address of the range, endpoints where it is reached, and the range as an object (W-624, W-625, W-628, P-462, P-463)', async () => {
    const world = await openWorld({ isNew: true, controllersOff: ['kubernetes-service'] })
    await keepOnce(world, '192.0.2.7')
    expect(await world.get(world.resource('services'), 'kubernetes', 'default')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP: '10.96.0.1',
        ipFamilyPolicy: 'SingleStack',
        ports: [{ name: 'https', port: 443, targetPort: 6443 }],
      },
    })
    expect(await world.get(world.resource('endpoints'), 'kubernetes', 'default')).toMatchObject({
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
    })
    expect(
      await world.get(world.resource('endpointslices', 'discovery.k8s.io'), 'kubernetes', 'default'),
    ).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
    })
    expect(await world.get(world.resource('servicecidrs', 'networking.k8s.io'), 'kubernetes')).toMatchObject({
      spec: { cidrs: ['10.96.0.0/16'] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' },
        ],
      },
    })
    expect(await world.get(world.resource('ipaddresses', 'networking.k8s.io'), '10.96.0.1')).toMatchObject({
      spec: { parentRef: { namespace: 'default', name: 'kubernetes' } },
    })
  })

  test('has the endpoints of every replica that was there of late (P-462)', async () => {
    const world = await openWorld({ isNew: true, controllersOff: ['kubernetes-service'] })
    await keepOnce(world, '192.0.2.7')
    const slices = world.resource('endpointslices', 'discovery.k8s.io')
    await world.parts.store.write(
      { resource: slices.stored, namespace: 'default', name: 'kubernetes' },
      () => ({ kind: 'remove' }),
      new AbortController().signal,
    )
    await keepOnce(world, '192.0.2.8')
    expect(await world.get(world.resource('endpoints'), 'kubernetes', 'default')).toMatchObject({
      subsets: [{ addresses: [{ ip: '192.0.2.7' }, { ip: '192.0.2.8' }] }],
    })
  })

  test('loses the endpoints of a replica that goes, but not those of the last (P-462)', async () => {
    const world = await openWorld({ isNew: true, controllersOff: ['kubernetes-service'] })
    await keepOnce(world, '192.0.2.7')
    const addresses = async (): Promise<unknown> => {
      const { subsets } = (await world.get(world.resource('endpoints'), 'kubernetes', 'default')) as unknown as {
        readonly subsets: readonly { readonly addresses: readonly { readonly ip: string }[] }[]
      }
      return subsets[0]?.addresses.map(({ ip }) => ip)
    }
    const stop = new AbortController()
    const going = serviceOf(world, '192.0.2.8')
    const running = going.run(stop.signal)
    await expect.poll(addresses).toEqual(['192.0.2.7', '192.0.2.8'])
    await going.deregister!(stop.signal)
    expect(await addresses()).toEqual(['192.0.2.7'])
    stop.abort()
    await running
    await serviceOf(world, '192.0.2.7').deregister!(new AbortController().signal)
    expect(await addresses()).toEqual(['192.0.2.7'])
  })

  test('says that it is there in the words of kube-apiserver, and heeds what that says (P-462)', async () => {
    const world = await openWorld({ isNew: true, controllersOff: ['kubernetes-service'] })
    const { signal } = new AbortController()
    const says = (name: string): ApiObject => {
      return { kind: 'Endpoints', apiVersion: 'v1', metadata: {}, subsets: [{ addresses: [{ ip: name }] }] }
    }
    // One of them was told to advertise what no endpoint may have.
    for (const name of ['127.0.0.1', '192.0.2.3']) {
      const key = { resource: MASTER_LEASES, namespace: '', name }
      await world.parts.store.write(key, () => ({ kind: 'put', object: says(name) }), signal)
    }
    await keepOnce(world, '192.0.2.7')
    expect(await world.get(world.resource('endpoints'), 'kubernetes', 'default')).toMatchObject({
      subsets: [{ addresses: [{ ip: '192.0.2.3' }, { ip: '192.0.2.7' }] }],
    })
    const { item } = await world.parts.store.get(
      { resource: MASTER_LEASES, namespace: '', name: '192.0.2.7' },
      { kind: 'latest' },
      signal,
    )
    const { metadata: _, ...said } = item?.kind === 'object' ? item.object() : says('none')
    expect(said).toEqual({ kind: 'Endpoints', apiVersion: 'v1', subsets: [{ addresses: [{ ip: '192.0.2.7' }] }] })
  })
})
