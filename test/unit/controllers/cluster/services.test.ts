// EndpointSlices, Endpoints and disruption budgets of a cluster in this process.
import { describe, expect, it } from 'vitest'
import type {
  Deployment,
  Event,
  Endpoints,
  EndpointSlice,
  Pod,
  PodDisruptionBudget,
} from '../../../../src/api/gen/kinds.ts'
import { annotationsOf } from '../../../../src/api/object-members.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

const service = (spec: object = {}): object => ({
  metadata: { name: 'web', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
})
const PORTS = {
  spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ name: 'http', containerPort: 8080 }] }] },
}

async function serve(
  cluster: ClusterWorld,
  replicas: number,
  template: object = PORTS,
  spec: object = {},
): Promise<void> {
  await cluster.apply('services', service(spec))
  await cluster.apply('deployments', cluster.workload('web', { replicas }, template))
  await cluster.settle()
}

describe('a service in a cluster in this process', () => {
  it('has the addresses of its pods in a slice, with their node and zone', async () => {
    const cluster = await openCluster()
    await serve(cluster, 3)
    const [slice, ...others] = await cluster.list<EndpointSlice>('endpointslices')
    expect(others).toEqual([])
    const pods = await cluster.list<Pod>('pods')
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      metadata: {
        labels: {
          tier: 'front',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 'web', controller: true }],
      },
    })
    expect(new Set(slice?.endpoints?.flatMap(({ addresses }) => addresses ?? []))).toEqual(
      new Set(pods.map(({ status }) => status.podIP)),
    )
    for (const endpoint of slice?.endpoints ?? []) {
      expect(endpoint).toMatchObject({
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: { kind: 'Pod' },
      })
      expect(endpoint.zone).toMatch(/^simulated-[abc]$/)
    }
    const { subsets } = await cluster.get<Endpoints>('endpoints', 'web')
    expect(subsets).toMatchObject([{ addresses: { length: 3 }, ports: [{ port: 8080, protocol: 'TCP' }] }])
    await cluster.delete('services', 'web')
    await cluster.settle(5_000)
    expect([await cluster.list('endpointslices'), await cluster.list('endpoints')]).toEqual([[], []])
  })

  it('tells pods that are not ready, and pods that are ending', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const metadata = { annotations: { 'quarterdeck.dev/ready-delay': '20s', 'quarterdeck.dev/stop-delay': '20s' } }
    await serve(cluster, 1, { ...PORTS, metadata })
    const conditions = async (): Promise<unknown> =>
      (await cluster.list<EndpointSlice>('endpointslices'))
        .flatMap(({ endpoints }) => endpoints ?? [])
        .map((one) => one.conditions)
    expect(await conditions()).toEqual([{ ready: false, serving: false, terminating: false }])
    expect((await cluster.get<Endpoints>('endpoints', 'web')).subsets).toMatchObject([
      { notReadyAddresses: { length: 1 } },
    ])
    await cluster.settle(20_000)
    expect(await conditions()).toEqual([{ ready: true, serving: true, terminating: false }])
    await cluster.update('apps_v1.Deployment', 'web', (live) => ({ ...live, spec: { ...live.spec, replicas: 0 } }))
    await cluster.settle(5_000)
    expect(await conditions()).toEqual([{ ready: false, serving: true, terminating: true }])
    await cluster.settle(30_000)
    expect(await conditions()).toEqual([])
    expect(await cluster.list('endpointslices')).toHaveLength(1)
  })

  it('gets its slices and endpoints back when others change or delete them', async () => {
    const cluster = await openCluster()
    await serve(cluster, 2)
    const sizes = async (): Promise<readonly number[]> =>
      (await cluster.list<EndpointSlice>('endpointslices')).map(({ endpoints }) => endpoints?.length ?? 0)
    const [slice] = await cluster.list<EndpointSlice>('endpointslices')
    const name = slice!.metadata.name!
    await cluster.update('discovery.k8s.io_v1.EndpointSlice', name, (live) => ({ ...live, endpoints: [] }))
    await cluster.settle()
    expect(await sizes()).toEqual([2])
    await cluster.delete('endpointslices', name)
    await cluster.delete('endpoints', 'web')
    await cluster.settle()
    expect(await sizes()).toEqual([2])
    expect((await cluster.list<Endpoints>('endpoints')).map(({ metadata }) => metadata.name)).toEqual(['web'])
  })

  it('takes its endpoints with it, even those that an earlier controller has left', async () => {
    const cluster = await openCluster()
    await serve(cluster, 1)
    const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }
    await cluster.apply('endpoints', { metadata: { name: 'left', labels } })
    await cluster.apply('endpoints', { metadata: { name: 'own' } })
    await cluster.delete('services', 'web')
    await cluster.settle()
    expect((await cluster.list<Endpoints>('endpoints')).map(({ metadata }) => metadata.name)).toEqual(['own'])
  })

  it('has slices of a hundred addresses', async () => {
    const cluster = await openCluster({ nodes: 2 })
    await serve(cluster, 120)
    const sizes = async (): Promise<readonly (number | undefined)[]> => {
      await cluster.settle(1_000)
      return (await cluster.list<EndpointSlice>('endpointslices')).map(({ endpoints }) => endpoints?.length)
    }
    await expect.poll(sizes).toEqual(expect.arrayContaining([100, 20]))
  })

  it('gives the pods of a headless service their names', async () => {
    const cluster = await openCluster()
    await cluster.apply('services', service({ clusterIP: 'None', publishNotReadyAddresses: true }))
    await cluster.apply('statefulsets', cluster.workload('web', { replicas: 2, serviceName: 'web' }, PORTS))
    await cluster.settle()
    const [slice] = await cluster.list<EndpointSlice>('endpointslices')
    expect(slice?.endpoints?.map(({ hostname }) => hostname)).toEqual(['web-0', 'web-1'])
    expect(slice?.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' })
  })
})

it('endpoints tell when the change happened that they were written for', async () => {
  const cluster = await openCluster()
  const template = { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '20s' } }, ...PORTS }
  await serve(cluster, 1, template)
  const KEY = 'endpoints.kubernetes.io/last-change-trigger-time'
  const times = async (): Promise<readonly unknown[]> => {
    const found = [
      ...(await cluster.list<EndpointSlice>('endpointslices')),
      ...(await cluster.list<Endpoints>('endpoints')),
    ]
    return found.map(({ metadata }) => annotationsOf({ metadata })[KEY as never])
  }
  await cluster.settle(30_000)
  const [pod] = await cluster.list<Pod>('pods')
  const ready = pod?.status.conditions?.find(({ type }) => type === 'Ready')
  expect(await times()).toEqual([ready?.lastTransitionTime, ready?.lastTransitionTime])
  await cluster.update('apps_v1.Deployment', 'web', (live) => ({ ...live, spec: { ...live.spec, replicas: 0 } }))
  await cluster.settle(10_000)
  expect(await times()).toEqual([undefined, undefined])
})

describe('a disruption budget in a cluster in this process', () => {
  const budget = (spec: object): object => ({
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  })

  it.each([
    [{ minAvailable: 2 }, { expectedPods: 4, desiredHealthy: 2, currentHealthy: 4, disruptionsAllowed: 2 }],
    [{ minAvailable: '60%' }, { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 1 }, { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 }],
    [{}, { expectedPods: 0, desiredHealthy: 0, currentHealthy: 4, disruptionsAllowed: 0 }],
    [{ maxUnavailable: 0 }, { expectedPods: 4, desiredHealthy: 4, currentHealthy: 4, disruptionsAllowed: 0 }],
  ])('with %j allows as many disruptions as are left', async (spec, wanted) => {
    const cluster = await openCluster()
    await cluster.apply('poddisruptionbudgets', budget(spec))
    await cluster.apply('deployments', cluster.workload('web', { replicas: 4 }))
    await cluster.settle()
    const { status } = await cluster.get<PodDisruptionBudget>('poddisruptionbudgets', 'web')
    expect(status).toMatchObject({ ...wanted, observedGeneration: 1 })
    const events = await cluster.list<Event>('events')
    const told = events.filter(({ involvedObject }) => involvedObject.kind === 'PodDisruptionBudget')
    expect(told).toMatchObject([{ reason: 'NoPods', message: 'No matching pods found' }])
    const reason = wanted.disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods'
    expect(status.conditions).toMatchObject([{ type: 'DisruptionAllowed', reason }])
  })

  it('allows evictions one by one, as pods become ready again', async () => {
    const cluster = await openCluster()
    const template = { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '30s' } } }
    await cluster.apply('poddisruptionbudgets', budget({ maxUnavailable: 1 }))
    await cluster.apply('deployments', cluster.workload('web', { replicas: 3 }, template))
    await cluster.settle(60_000)
    const [first, second] = await cluster.list<Pod>('pods')
    const evict = async (pod: Pod | undefined): Promise<number> => {
      const name = pod?.metadata.name ?? ''
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'ns' } }
      return (await cluster.world.send({ method: 'POST', path: `/api/v1/namespaces/ns/pods/${name}/eviction`, body }))
        .status
    }
    expect(await evict(first)).toBe(201)
    await cluster.settle(5_000)
    expect(await evict(second)).toBe(429)
    await cluster.settle(60_000)
    expect(await evict(second)).toBe(201)
    await cluster.settle(60_000)
    expect((await cluster.get<Deployment>('deployments', 'web')).status.readyReplicas).toBe(3)
  })
})
