import { describe, expect, it } from 'vitest'
import { usageOf } from '../../../src/plugins/quota/usage.ts'
import { resourceQuota } from '../../../src/plugins/resource-quota.ts'
import type { ResourceQuota } from '../../../src/api/gen/kinds.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { uncountedSince } from '../../../src/controllers/quota-counts.ts'
import { formatQuantity } from '../../../src/lib/quantity.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { openReplicas } from '../../rigs/world-replicas.ts'
import { requestFor } from '../admission/request-for.ts'

type Hard = Readonly<Record<string, string>>

async function limit(world: ApiWorld, hard: Hard, spec: object = {}, name = 'q'): Promise<void> {
  const quotas = world.resource('resourcequotas')
  await world.create(quotas, { metadata: { name }, spec: { hard, ...spec } })
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']))
  await world.update(quotas, name, (live) => ({ ...live, status: { hard, used } }), { subresource: 'status' })
}

async function used(world: ApiWorld, name = 'q'): Promise<unknown> {
  return ((await world.get(world.resource('resourcequotas'), name))['status'] as { used: unknown }).used
}

/** Quotas come to admission by a watch. */
async function known(world: ApiWorld, what: string): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    try {
      await world.create(world.resource('secrets'), { metadata: { name: 'probe' } }, { dryRun: true })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.message.includes(what)) return
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the quota never came')
}

async function limited(hard: Hard, spec: object = {}): Promise<ApiWorld> {
  const world = await openWorld()
  await limit(world, { ...hard }, spec)
  await limit(world, { secrets: '0' }, {}, 'marker')
  await known(world, 'exceeded quota: marker')
  return world
}

function container(requests: object = {}, limits: object = {}): object {
  return { name: 'c', image: 'i', resources: { requests, limits } }
}

function pod(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { containers: [container()], ...spec } }
}

describe('a quota', () => {
  it('is shared exactly by many writers on two replicas', async () => {
    const replicas = await openReplicas()
    await limit(replicas[0], { configmaps: '10', secrets: '0' })
    await Promise.all(replicas.map((world) => known(world, 'exceeded quota: q')))
    const made = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => {
        const world = replicas[i % 2]!
        return world.create(world.resource('configmaps'), { metadata: { name: `c${i}` } })
      }),
    )
    const refused = made.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    expect(made.length - refused.length).toBe(10)
    for (const { message } of refused) {
      expect(message).toMatch(
        /is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=10, limited: configmaps=10$/,
      )
    }
    expect(await used(replicas[0])).toEqual({ configmaps: '10', secrets: '0' })
  })

  it('counts what pods ask for, and refuses what is too much (W-458, W-459)', async () => {
    const world = await limited({ pods: '3', 'requests.cpu': '1', 'limits.cpu': '4' })
    const pods = world.resource('pods')
    const run = (name: string, cpu: string): Promise<unknown> =>
      world.create(pods, pod(name, { containers: [container({ cpu }, { cpu: '1' })] }))
    await run('half', '500m')
    await expect(run('much', '750m')).rejects.toThrow(
      'pods "much" is forbidden: exceeded quota: q, requested: requests.cpu=750m, used: requests.cpu=500m, limited: requests.cpu=1',
    )
    await expect(world.create(pods, pod('bare'))).rejects.toThrow(
      'pods "bare" is forbidden: failed quota: q: must specify limits.cpu for: c; requests.cpu for: c',
    )
    expect(await used(world)).toEqual({ pods: '1', 'requests.cpu': '500m', 'limits.cpu': '1' })
  })

  it('does not count what is only tried, and not what is refused (W-395)', async () => {
    const world = await limited({ configmaps: '1' })
    const maps = world.resource('configmaps')
    await world.create(maps, { metadata: { name: 'a' } }, { dryRun: true })
    expect(await used(world)).toEqual({ configmaps: '0' })
    await world.create(maps, { metadata: { name: 'a' } })
    await expect(world.create(maps, { metadata: { name: 'b' } }, { dryRun: true })).rejects.toThrow('exceeded quota')
  })

  it('takes nothing of one quota where another refuses', async () => {
    const world = await limited({ configmaps: '5' })
    await limit(world, { configmaps: '0' }, {}, 'z')
    await known(world, 'marker')
    for (let turn = 0; turn < 50; turn++) {
      const made = world.create(world.resource('configmaps'), { metadata: { name: `c${turn}` } })
      if (
        await made.then(
          () => false,
          () => true,
        )
      )
        break
    }
    const before = await used(world)
    await expect(world.create(world.resource('configmaps'), { metadata: { name: 'last' } })).rejects.toThrow(
      'exceeded quota',
    )
    expect(await used(world)).toEqual(before)
  })

  it('that nobody has counted yet lets nothing through (W-460)', async () => {
    const world = await limited({ configmaps: '5' })
    const quotas = world.resource('resourcequotas')
    await world.update(quotas, 'marker', (live) => ({ ...live, status: { hard: { secrets: '0' } } }), {
      subresource: 'status',
    })
    await known(world, 'status unknown for quota: marker, resources: secrets')
  })

  it.each<[string, Hard, string, object, Hard]>([
    [
      'ports of nodes and balancers',
      { services: '9', 'services.nodeports': '9', 'services.loadbalancers': '9' },
      'services',
      {
        metadata: { name: 's' },
        spec: {
          type: 'LoadBalancer',
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2 },
          ],
        },
      },
      { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
    ],
    [
      'storage by class',
      {
        'requests.storage': '9Gi',
        'fast.storageclass.storage.k8s.io/requests.storage': '9Gi',
        'slow.storageclass.storage.k8s.io/persistentvolumeclaims': '9',
      },
      'persistentvolumeclaims',
      {
        metadata: { name: 'c' },
        spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
      },
      {
        'requests.storage': '2Gi',
        'fast.storageclass.storage.k8s.io/requests.storage': '2Gi',
        'slow.storageclass.storage.k8s.io/persistentvolumeclaims': '0',
      },
    ],
    [
      'any type by its name',
      { 'count/podtemplates': '9', 'count/leases.coordination.k8s.io': '9' },
      'podtemplates',
      { metadata: { name: 't' }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } } },
      { 'count/podtemplates': '1', 'count/leases.coordination.k8s.io': '0' },
    ],
  ])('counts %s', async (_, hard, resource, object, expected) => {
    const world = await limited(hard)
    await world.create(world.resource(resource), object)
    expect(await used(world)).toEqual(expected)
  })

  it('follows a service that changes its type', async () => {
    const world = await limited({ 'services.nodeports': '2' })
    const services = world.resource('services')
    await world.create(services, {
      metadata: { name: 's' },
      spec: {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      },
    })
    expect(await used(world)).toEqual({ 'services.nodeports': '0' })
    await world.update(services, 's', (live) => ({ ...live, spec: { ...(live['spec'] as object), type: 'NodePort' } }))
    expect(await used(world)).toEqual({ 'services.nodeports': '2' })
  })

  it.each<[string, object, object, string]>([
    ['BestEffort', { scopes: ['BestEffort'] }, {}, '1'],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, {}, '0'],
    ['Terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, '1'],
    ['NotTerminating', { scopes: ['NotTerminating'] }, { activeDeadlineSeconds: 5 }, '0'],
    [
      'PriorityClass In',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      { priorityClassName: 'high' },
      '1',
    ],
    [
      'PriorityClass NotIn',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }] } },
      { priorityClassName: 'high' },
      '0',
    ],
    [
      'PriorityClass DoesNotExist',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }] } },
      {},
      '1',
    ],
  ])('is about the pods in its scope: %s', async (_, scope, spec, expected) => {
    const world = await limited({ pods: '5' }, scope)
    await world.create(world.resource('priorityclasses', 'scheduling.k8s.io'), { metadata: { name: 'high' }, value: 1 })
    await world.create(world.resource('pods'), pod('p', spec))
    expect(await used(world)).toEqual({ pods: expected })
  })

  it('is not about other namespaces, nor about what has none (W-462)', async () => {
    const world = await limited({ configmaps: '0' })
    await world.create(world.resource('configmaps'), { metadata: { name: 'c' } }, { namespace: 'elsewhere' })
    await world.create(world.resource('namespaces'), { metadata: { name: 'n' } })
    await expect(world.create(world.resource('configmaps'), { metadata: { name: 'c' } })).rejects.toThrow(
      'exceeded quota',
    )
  })
})

describe('what is free to nobody', () => {
  const critical = { scopeName: 'PriorityClass', operator: 'In', values: ['critical'] }
  const limited = [
    { group: '', resource: 'pods', matchContains: [], matchScopes: [critical] },
    { group: '', resource: 'services', matchContains: ['loadbalancers'], matchScopes: [] },
  ]
  const make = async (quotas: readonly object[], resource: string, object: object): Promise<void> => {
    const ledger = {
      quotasIn: () => quotas as readonly ResourceQuota[],
      update: (quota: ResourceQuota, change: (current: ResourceQuota) => unknown) => {
        change(quota)
        return Promise.resolve(uncountedSince({ namespace: 'ns', name: 'q' }, 1))
      },
      takeBack: () => Promise.resolve(),
    }
    const [plugin] = resourceQuota(ledger, () => 0, limited)
    await plugin!.validate!(requestFor(resource, object), new AbortController().signal)
  }
  const quota = (hard: Hard, spec: object): object => ({
    metadata: { name: 'q' },
    spec,
    status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) },
  })
  const balanced = { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [] } }

  it('needs a quota that allows it', async () => {
    await expect(make([], 'pods', pod('p', { priorityClassName: 'critical' }))).rejects.toThrow(
      'pods "p" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [critical]}]',
    )
    await expect(make([], 'services', balanced)).rejects.toThrow(
      'services "s" is forbidden: insufficient quota to consume: services.loadbalancers',
    )
    const allowing = quota({ pods: '5' }, { scopeSelector: { matchExpressions: [critical] } })
    await expect(make([allowing], 'pods', pod('p', { priorityClassName: 'critical' }))).resolves.toBeUndefined()
    await expect(make([quota({ 'services.loadbalancers': '1' }, {})], 'services', balanced)).resolves.toBeUndefined()
  })

  it('is only that', async () => {
    await expect(make([], 'pods', pod('p'))).resolves.toBeUndefined()
    await expect(make([], 'services', { metadata: { name: 's' }, spec: { ports: [] } })).resolves.toBeUndefined()
    await expect(make([], 'secrets', { metadata: { name: 's' } })).resolves.toBeUndefined()
  })
})

describe('a pod that is being resized', () => {
  const cpu = (amount: string): ValueMap => ({ cpu: amount })
  const resizing = (asked: string, held: string, more: ValueMap = {}): ApiObject => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', namespace: 'ns' },
    spec: { containers: [{ name: 'c', resources: { requests: cpu(asked), limits: cpu(asked) } }] },
    status: {
      containerStatuses: [{ name: 'c', resources: { requests: cpu(held), limits: cpu(held) }, ...more }],
    },
  })
  const infeasible = (pod: ApiObject): ApiObject => ({
    ...pod,
    status: {
      ...(pod['status'] as object),
      conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
    },
  })
  it.each<[string, ApiObject, string, string]>([
    ['more than it has is asked for', resizing('2', '1'), '2', '2'],
    ['it still has more than it asks for', resizing('1', '2'), '2', '2'],
    ['the node keeps more for it', resizing('1', '1', { allocatedResources: cpu('3') }), '3', '1'],
    ['it cannot be given what it asks for', infeasible(resizing('5', '1')), '1', '1'],
    ['nothing is known of it yet', { ...resizing('2', '1'), status: { phase: 'Pending' } }, '2', '2'],
  ])('counts with the greater amount: %s', (_name, pod, requests, limits) => {
    const usage = usageOf({ group: '', resource: 'pods' }, pod, Date.parse('2030-01-01T00:00:00Z'))
    expect(formatQuantity(usage.get('requests.cpu')!)).toBe(requests)
    expect(formatQuantity(usage.get('limits.cpu')!)).toBe(limits)
  })
})
